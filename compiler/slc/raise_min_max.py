"""``raise-min-max``: compare-and-select in callbacks becomes ``slc.max``, ``maxn`` or ``min``.

``select(x > c or other, x, c)`` is ``select(other, x, slc.max(x, c))``; with ``<`` it is
``slc.min``, and if the condition also has ``isnan(x) and not isnan(c)`` the maximum is
``slc.maxn``. A comparison may have its operands the other way round. These are operations of the
execute unit, and unlike comparisons they exist on vectors. Preserved: every result, NaN and zeros
included.

Any other comparison is left alone.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import Float32Type, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from . import dialect as slc

GREATER, LESS, ORDERED, UNORDERED = 2, 4, 7, 14  # arith.cmpf
MIRRORED = {GREATER: LESS, LESS: GREATER}


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
    if not isinstance(x.type, Float32Type):
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
    for op in stale:
        if not any(r.uses for r in op.results):
            Rewriter.erase_op(op)


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
