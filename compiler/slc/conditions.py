"""Conditions around loads: which of their values the access unit leaves out.

The access unit skips an iteration in which a loaded value is equal to a constant. So a condition
is a conjunction of differences from constants, however it is written: ``i != c``, ``i > 0``
without a sign, or the other branch of ``i == c``.

Assertions (``cf.assert``) say that a loaded value is at least 0, or below a constant: without a
sign, or with one where another assertion of the same block says that it is at least 0.
"""

from dataclasses import dataclass

from xdsl.dialects import arith, cf, scf
from xdsl.ir import Block, Operation, SSAValue

from ..errors import name_of, refuse
from ..streams import constant

EQUAL, UNEQUAL = 0, 1
#: arith.cmpi with the operands exchanged: <, <=, >, >= with a sign, then without one.
EXCHANGED = {0: 0, 1: 1, 2: 4, 3: 5, 4: 2, 5: 3, 6: 8, 7: 9, 8: 6, 9: 7}
#: Comparisons without a sign that only 0 does not pass: > 0, >= 1.
NOT_ZERO = {(8, 0), (9, 1)}
#: Comparisons with a sign that what is at least 0 passes: > -1, >= 0.
AT_LEAST_ZERO = {(4, -1), (5, 0)}
#: Without a sign, and with one.
LESS, LESS_OR_EQUAL, SIGNED_LESS, SIGNED_LESS_OR_EQUAL = 6, 7, 2, 3
SIGNED = {2, 3, 4, 5}


@dataclass(frozen=True)
class Term:
    """What a comparison says: ``value`` is not ``unwanted``."""

    value: SSAValue
    unwanted: int


def conditions(op: scf.IfOp) -> tuple[list[Term], Block]:
    """What must hold, and the branch that is then taken.

    Raises
    ------
    CompileError
        The condition is of another form, or both branches do something.
    """
    negated = _is_empty(op.true_region.blocks)
    if not negated and not _is_empty(op.false_region.blocks):
        raise refuse(
            op,
            "a condition around loads must not have an else branch: the access unit leaves "
            "iterations out, and does nothing else instead. Only one branch may load, and it must "
            "store to all that the other one stores to before it looks at it",
        )
    terms = [_term(op, value, negated) for value in _conjunction(op.cond, negated)]
    return terms, (op.false_region if negated else op.true_region).block


@dataclass(frozen=True)
class Below:
    """What an assertion says: ``value``, without a sign, is below ``below``."""

    value: SSAValue
    below: int


def asserted(op: cf.AssertOp) -> list[Below]:
    """What an assertion says of loaded values.

    Raises
    ------
    CompileError
        It is of another form.
    """
    return [_below(op, value) for value in _conjunction(op.arg, negated=False)]


def _compared(value: SSAValue) -> tuple[int, SSAValue, int | None] | None:
    """A comparison as predicate, value and number, the number on the right."""
    compare = value.owner
    if not isinstance(compare, arith.CmpiOp):
        return None
    predicate, left, right = compare.predicate.value.data, compare.lhs, compare.rhs
    if constant(right) is None:
        predicate, left, right = EXCHANGED[predicate], right, left
    return predicate, left, constant(right)


def _is_above(op: cf.AssertOp, value: SSAValue) -> bool:
    """Whether an assertion beside this one says that a value is at least 0."""
    block = op.parent
    assert block is not None
    return any(
        (known := _compared(term)) is not None
        and known[1] is value
        and (known[0], known[2]) in AT_LEAST_ZERO
        for other in block.ops
        if isinstance(other, cf.AssertOp)
        for term in _conjunction(other.arg, negated=False)
    )


def _below(op: cf.AssertOp, value: SSAValue) -> Below:
    known = _compared(value)
    if known is not None:
        predicate, left, number = known
        if (predicate, number) in AT_LEAST_ZERO:
            return Below(left, 1 << 63)
        if number is not None and number >= 0:
            if predicate in (LESS, LESS_OR_EQUAL):
                return Below(left, number + (predicate == LESS_OR_EQUAL))
            if predicate in (SIGNED_LESS, SIGNED_LESS_OR_EQUAL) and _is_above(op, left):
                return Below(left, number + (predicate == SIGNED_LESS_OR_EQUAL))
    raise refuse(
        op,
        "an assertion must say that a loaded value is at least 0, or below a constant without a "
        "sign: value >= 0 or value < constant",
    )


def parts(condition: SSAValue) -> list[Operation]:
    """The operations that a condition is made of."""
    owner = condition.owner
    if isinstance(owner, arith.AndIOp | arith.OrIOp):
        return [owner, *(part for operand in owner.operands for part in parts(operand))]
    return [owner] if isinstance(owner, arith.CmpiOp) else []


def _is_empty(blocks) -> bool:
    return not blocks or isinstance(blocks[0].first_op, (scf.YieldOp, type(None)))


def _conjunction(value: SSAValue, negated: bool) -> list[SSAValue]:
    """What must all be true (or, negated, false)."""
    kind = arith.OrIOp if negated else arith.AndIOp
    if isinstance(value.owner, kind):
        return [term for operand in value.owner.operands for term in _conjunction(operand, negated)]
    return [value]


def _term(op: scf.IfOp, value: SSAValue, negated: bool) -> Term:
    known = _compared(value)
    if known is None:
        raise refuse(op, "a condition around loads must be of the form: value != constant")
    predicate, left, number = known
    if number is None:
        raise refuse(op, "a condition around loads must compare a loaded value to a constant")
    if predicate == (EQUAL if negated else UNEQUAL):
        return Term(left, number)
    if not negated and (predicate, number) in NOT_ZERO:
        return Term(left, 0)
    if predicate in SIGNED:
        raise refuse(
            op,
            "a condition around loads must be of the form: value != constant; a comparison of "
            f"{name_of(left)} with a sign leaves out more than one value",
        )
    raise refuse(op, "a condition around loads must be of the form: value != constant")
