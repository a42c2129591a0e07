"""``collapse-loops``: two loops over all pairs become one loop, which takes a layer less.

```
slc.loop (%b = 0 to 3 step 1) {              slc.loop (%t = 0 to 6 step 1) {
  %base = slc.mul %b, 2                        .. %t ..
  slc.loop (%s = 0 to 2 step 1) {            }
    %at = slc.add %base, %s
    .. %at ..
```

That is what arrays with several dimensions are walked by, if nothing else asks for an index of its
own. Legal if both loops have literal bounds from 0 on and a step of 1, the outer one does nothing
but the inner one, and ``n*b + s``, n being the inner one's end, is all that the variables are used
for. Preserved: the order of iterations, and every value.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain, name_of
from ..streams import integer
from . import dialect as slc
from .linear import drop_unused


@dataclass(frozen=True)
class CollapseLoopsPass(ModulePass):
    """Makes one loop of two over all pairs; preserves order and values."""

    name = "collapse-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, slc.FuncOp):
                # From the outside in: the next one is then what the inner loop has become.
                for loop in [op for op in function.walk() if isinstance(op, slc.LoopOp)]:
                    _collapse(loop)
                drop_unused(function)


def _collapse(outer: slc.LoopOp) -> None:
    inner = outer.body.block.last_op
    if not isinstance(inner, slc.LoopOp) or not (_counts(outer) and _counts(inner)):
        return
    trips, others = outer.trip_count, inner.trip_count
    products = [op for op in outer.body.block.ops if op is not inner]
    if not trips or not others or others == 1:
        return
    if not all(_is_row(op, outer, others) for op in products):
        return
    rows = {product.results[0] for product in products}
    users = [use.operation for use in inner.induction.uses]
    if any(use.operation not in products for use in outer.induction.uses):
        return
    sums = [op for op in users if isinstance(op, slc.AddOp) and len(set(op.operands) & rows) == 1]
    if len(sums) != len(users):
        return
    if any(use.operation not in sums for row in rows for use in row.uses):
        return
    explain(outer, f"one loop with that of {name_of(inner.induction)}")
    for op in sums:
        op.result.replace_all_uses_with(inner.induction)
        Rewriter.erase_op(op)
    inner.properties["stop_literal"] = integer(trips * others)
    inner.detach()
    assert outer.parent is not None
    outer.parent.insert_op_before(inner, outer)
    Rewriter.erase_op(outer)


def _counts(loop: slc.LoopOp) -> bool:
    """Whether a loop counts from 0 to a literal."""
    return loop.bounds[0] == 0 and isinstance(loop.bounds[1], int) and loop.stride == 1


def _is_row(op: Operation, outer: slc.LoopOp, columns: int) -> bool:
    """Whether an operation computes where the inner loop's indices begin."""
    return isinstance(op, slc.MulOp) and op.lhs is outer.induction and op.second == columns
