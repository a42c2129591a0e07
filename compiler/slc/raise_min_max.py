"""``raise-min-max``: compare-and-select in callbacks becomes ``slc.max``, ``maxn`` or ``min``.

``select(x > c or other, x, c)`` is ``select(other, x, slc.max(x, c))``; with ``<`` it is
``slc.min``, and if the condition also has ``isnan(x) and not isnan(c)`` the maximum is
``slc.maxn``. A comparison may have its operands the other way round, and may be the opposite one
that chooses the other value.

Of a literal more is known: what compares equal to it has the same bits, if it is not 0, and it is
no NaN. So ``x >= 1.0 ? x : 1.0`` is ``slc.max``, and a choice that a NaN passes, as in ``x > 0.0 or
isnan(x) ? x : 0.0`` (``ugt``), is ``slc.maxn``. And ``x > 0.0 ? x : 0.1 * x``, for a factor above 0
and up to 1, is the maximum of both.

These are operations of the execute unit, and unlike comparisons they exist on vectors. Preserved:
every result, NaN and zeros included.

Any other comparison is left alone.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import Float32Type, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..streams import float_bits, literal_of
from . import dialect as slc

# arith.cmpf: ogt, oge, olt, ole, ord, ugt, uge, ult, ule, uno.
GREATER, AT_LEAST, LESS, AT_MOST, ORDERED = 2, 3, 4, 5, 7
U_GREATER, U_AT_LEAST, U_LESS, U_AT_MOST, UNORDERED = 9, 10, 11, 12, 14
MIRRORED = {
    GREATER: LESS, AT_LEAST: AT_MOST, LESS: GREATER, AT_MOST: AT_LEAST,
    U_GREATER: U_LESS, U_AT_LEAST: U_AT_MOST, U_LESS: U_GREATER, U_AT_MOST: U_AT_LEAST,
}  # fmt: skip
#: The comparison that is true where one is not.
OPPOSITE = {
    GREATER: U_AT_MOST, AT_LEAST: U_LESS, LESS: U_AT_LEAST, AT_MOST: U_GREATER,
    U_GREATER: AT_MOST, U_AT_LEAST: LESS, U_LESS: AT_LEAST, U_AT_MOST: GREATER,
}  # fmt: skip
#: What ``x ? c`` chooses between x and a literal c, and whether c must not be 0.
BY_LITERAL = {
    GREATER: (slc.MaxOp, False), AT_LEAST: (slc.MaxOp, True),
    LESS: (slc.MinOp, False), AT_MOST: (slc.MinOp, True),
    U_GREATER: (slc.MaxNOp, False), U_AT_LEAST: (slc.MaxNOp, True),
}  # fmt: skip


@dataclass(frozen=True)
class RaiseMinMaxPass(ModulePass):
    """Recognizes maxima and minima in callbacks; preserves every result."""

    name = "raise-min-max"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for callback in op.walk():
            if isinstance(callback, slc.CallbackOp):
                for select in list(callback.walk()):
                    if isinstance(select, arith.SelectOp):
                        _raise(select)


def _raise(select: arith.SelectOp) -> None:
    x, c = select.lhs, select.rhs
    if not isinstance(x.type, Float32Type) or _raise_one(select):
        return
    terms = _terms(select.cond)
    greater = [t for t in terms if _compares(t, GREATER, x, c)]
    less = [t for t in terms if _compares(t, LESS, x, c)]
    nan = [t for t in terms if _only_first_is_nan(t, x, c)]
    others = [t for t in terms if t not in greater and t not in less and t not in nan]
    if len(greater) + len(less) != 1 or len(nan) > len(greater) or len(others) > 1:
        return
    stale = _chain(select)
    parent = select.parent
    assert parent is not None
    kind = slc.MinOp if less else slc.MaxNOp if nan else slc.MaxOp
    chosen = kind(x, c)
    parent.insert_op_before(chosen, select)
    result = chosen.result
    if others:
        choose = arith.SelectOp(others[0], x, result)
        parent.insert_op_before(choose, select)
        result = choose.result
    result.name_hint = select.result.name_hint
    select.result.replace_all_uses_with(result)
    _drop(stale)


def _drop(stale: list[Operation]) -> None:
    for op in stale:
        if not any(r.uses for r in op.results):
            Rewriter.erase_op(op)


def _raise_one(select: arith.SelectOp) -> bool:
    """Recognize a choice by a single comparison; whether it is one."""
    compare = select.cond.owner
    if not isinstance(compare, arith.CmpfOp):
        return False
    ways = [(select.lhs, select.rhs, False), (select.rhs, select.lhs, True)]
    # A literal is the one that is compared with: an instruction has it as its addend.
    for x, c, opposite in sorted(ways, key=lambda way: literal_of(way[1]) is None):
        predicate: int | None = compare.predicate.value.data
        if (compare.lhs, compare.rhs) == (c, x):
            predicate = MIRRORED.get(predicate)
        elif (compare.lhs, compare.rhs) != (x, c):
            continue
        if opposite:
            predicate = OPPOSITE.get(predicate)  # type: ignore[arg-type]
        kind = _kind(predicate, c)
        if kind is not None:
            _choose(select, kind, x, c)
            return True
    for x, c, opposite in ways:
        if _is_above_zero(compare, x, opposite) and _is_part(c, x):
            _choose(select, slc.MaxOp, x, c)
            return True
    return False


def _choose(
    select: arith.SelectOp, kind: type[slc.ChoiceOp], x: SSAValue, c: SSAValue
) -> None:
    """Put an operation that chooses in place of a choice."""
    stale, parent = _chain(select), select.parent
    assert parent is not None
    chosen = kind(x, c)
    chosen.result.name_hint = select.result.name_hint
    parent.insert_op_before(chosen, select)
    select.result.replace_all_uses_with(chosen.result)
    _drop(stale)


def _is_above_zero(compare: arith.CmpfOp, x: SSAValue, opposite: bool) -> bool:
    """Whether a comparison, or the opposite one, is ``x > 0`` or ``x >= 0``."""
    predicate: int | None = compare.predicate.value.data
    zero = compare.rhs
    if compare.lhs is not x:
        predicate, zero = MIRRORED.get(predicate), compare.lhs
    if x not in (compare.lhs, compare.rhs):
        return False
    if opposite:
        predicate = OPPOSITE.get(predicate)  # type: ignore[arg-type]
    literal = literal_of(zero)
    is_zero = literal is not None and not float_bits(literal) & 0x7FFFFFFF
    return is_zero and predicate in (GREATER, AT_LEAST)


def _is_part(value: SSAValue, x: SSAValue) -> bool:
    """Whether a value is x times a literal above 0 and up to 1.

    Above 0 that is not more than x; below 0 it is not less, and at 0 and NaN it is what is chosen.
    """
    owner = value.owner
    if not isinstance(owner, arith.MulfOp) or x not in owner.operands:
        return False
    literal = literal_of(owner.rhs if owner.lhs is x else owner.lhs)
    return literal is not None and 0 < float_bits(literal) <= 0x3F800000


def _kind(predicate: int | None, c: SSAValue) -> type[slc.ChoiceOp] | None:
    """The operation that chooses x where the comparison with c holds, else c."""
    kind, not_zero = BY_LITERAL.get(predicate, (None, False))  # type: ignore[arg-type]
    if predicate in (GREATER, LESS):
        return kind
    literal = literal_of(c)
    if literal is None:
        return None
    magnitude = float_bits(literal) & 0x7FFFFFFF
    return kind if magnitude <= 0x7F800000 and (magnitude or not not_zero) else None


def _terms(condition: SSAValue) -> list[SSAValue]:
    """The terms of a disjunction."""
    if isinstance(condition.owner, arith.OrIOp):
        return _terms(condition.owner.lhs) + _terms(condition.owner.rhs)
    return [condition]


def _compares(value: SSAValue, predicate: int, lhs: SSAValue, rhs: SSAValue) -> bool:
    op = value.owner
    if not isinstance(op, arith.CmpfOp):
        return False
    found, operands = op.predicate.value.data, (op.lhs, op.rhs)
    return (found, operands) == (predicate, (lhs, rhs)) or (
        (MIRRORED.get(found), operands) == (predicate, (rhs, lhs))
    )


def _only_first_is_nan(value: SSAValue, x: SSAValue, c: SSAValue) -> bool:
    op = value.owner
    if not isinstance(op, arith.AndIOp):
        return False
    return any(
        _compares(a, UNORDERED, x, x) and _compares(b, ORDERED, c, c)
        for a, b in ((op.lhs, op.rhs), (op.rhs, op.lhs))
    )


def _chain(select: arith.SelectOp) -> list[Operation]:
    """The select and the operations that make its condition, users first."""
    chain: list[Operation] = [select]
    for op in chain:
        for value in op.operands if op is not select else [select.cond]:
            owner = value.owner
            if isinstance(owner, arith.OrIOp | arith.AndIOp | arith.CmpfOp):
                if owner in chain:
                    chain.remove(owner)
                chain.append(owner)
    return chain
