"""``raise-max``: compare-and-select in callbacks becomes ``slc.max`` or ``slc.maxn``.

``select(x > c or other, x, c)`` is ``select(other, x, slc.max(x, c))``; if the condition also has
``isnan(x) and not isnan(c)`` it is ``slc.maxn``. These are operations of the execute unit, and
unlike comparisons they exist on vectors. Preserved: every result, NaN and zeros included.

Any other comparison is left alone.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import Float32Type, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from . import dialect as slc

GREATER, ORDERED, UNORDERED = 2, 7, 14  # arith.cmpf


@dataclass(frozen=True)
class RaiseMaxPass(ModulePass):
    """Recognizes maxima in callbacks; preserves every result."""

    name = "raise-max"

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
    nan = [t for t in terms if _only_first_is_nan(t, x, c)]
    others = [t for t in terms if t not in greater and t not in nan]
    if len(greater) != 1 or len(nan) > 1 or len(others) > 1:
        return
    stale = _chain(select)
    parent = select.parent
    assert parent is not None
    maximum = slc.MaxNOp(x, c) if nan else slc.MaxOp(x, c)
    parent.insert_op_before(maximum, select)
    result = maximum.result
    if others:
        choose = arith.SelectOp(others[0], x, result)
        parent.insert_op_before(choose, select)
        result = choose.result
    result.name_hint = select.result.name_hint
    select.result.replace_all_uses_with(result)
    for op in stale:
        if not any(r.uses for r in op.results):
            op.detach()
            op.erase()


def _terms(condition: SSAValue) -> list[SSAValue]:
    """The terms of a disjunction."""
    if isinstance(condition.owner, arith.OrIOp):
        return _terms(condition.owner.lhs) + _terms(condition.owner.rhs)
    return [condition]


def _compares(value: SSAValue, predicate: int, lhs: SSAValue, rhs: SSAValue) -> bool:
    op = value.owner
    return (
        isinstance(op, arith.CmpfOp)
        and op.predicate.value.data == predicate
        and (op.lhs, op.rhs) == (lhs, rhs)
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
