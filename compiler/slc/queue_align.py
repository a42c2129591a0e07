"""``queue-align``: no index crosses the queues.

The output row that a callback works on is no longer named by a loop index from the DataQ: the
execute unit counts. A callback before the outermost loop rewinds the counter, and each
``slc.emit`` moves it on. The one fp32 scalar of a callback travels in its token. What stays in
the DataQ is vectors, so that every operand is a full queue entry. Preserved: the row that each
``slc.emit`` stores to.

Legal if the outermost loop walks the rows 0, 1, 2, .. and emits exactly one per iteration, of
which only an error may leave one out.
Functions that keep no row (nothing is emitted) are left alone.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import Float32Type, MemRefType, ModuleOp, UnitAttr
from xdsl.ir import Block, Region, SSAValue
from xdsl.passes import ModulePass

from ..errors import name_of, refuse
from . import dialect as slc


@dataclass(frozen=True)
class QueueAlignPass(ModulePass):
    """Replaces indices in the DataQ by counters; preserves where rows are stored."""

    name = "queue-align"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, slc.FuncOp):
                for loop in slc.inner_loops(function.body.block):
                    _align(loop)


def _align(loop: slc.LoopOp) -> None:
    rows = [op for op in loop.walk() if isinstance(op, slc.RowOp) and op.index is not None]
    outs = {row.out for row in rows}
    for out in outs:
        _check(loop, out, [row for row in rows if row.out is out])
    for row in rows:
        new = slc.RowOp(row.out, None, row.register.type)
        new.register.name_hint = row.register.name_hint
        assert row.parent is not None
        row.parent.insert_op_before(new, row)
        row.register.replace_all_uses_with(new.register)
        row.detach()
        row.erase()
    for callback in list(loop.walk()):
        if isinstance(callback, slc.CallbackOp):
            _clean(callback)
    if outs:
        rewind = slc.CallbackOp(Region(Block([slc.RewindOp(out) for out in outs])))
        assert loop.parent is not None
        loop.parent.insert_op_before(rewind, loop)


def _check(loop: slc.LoopOp, out: SSAValue, rows: list[slc.RowOp]) -> None:
    assert isinstance(out.type, MemRefType)
    count = out.type.get_shape()[0]
    for row in rows:
        to_val = row.index.owner if row.index is not None else None
        if not isinstance(to_val, slc.ToValOp) or to_val.stream is not loop.induction:
            raise refuse(row, f"rows must be indexed by {name_of(loop.induction)} to be counted")
    if loop.bounds != (0, count) or loop.stride != 1:
        start, stop = (b if isinstance(b, int) else name_of(b) for b in loop.bounds)
        raise refuse(
            loop,
            f"counters need a loop over all {count} rows of {name_of(out)}, "
            f"not {start} to {stop} step {loop.stride}",
        )
    for op in loop.body.block.ops:
        if isinstance(op, slc.SkipOp):
            raise refuse(op, f"counters need every iteration of {name_of(loop.induction)}")
    emits = [op for op in loop.walk() if isinstance(op, slc.EmitOp)]
    here = [op for op in emits if _around(op) is loop]
    if len(emits) != 1 or len(here) != 1:
        raise refuse(
            loop,
            f"counters need exactly 1 slc.emit per iteration, not {len(emits)}, "
            f"of which {len(here)} in the loop itself",
        )


def _around(op: slc.EmitOp):
    callback = op.parent_op()
    return callback.parent_op() if isinstance(callback, slc.CallbackOp) else None


def _clean(callback: slc.CallbackOp) -> None:
    """Drop streams that nobody reads; put the fp32 scalar into the token."""
    scalars: list[slc.ToValOp] = []
    for op in list(callback.body.block.ops):
        if isinstance(op, slc.ToValOp):
            if not op.value.uses:
                op.detach()
                op.erase()
            elif isinstance(op.stream.type, Float32Type):
                scalars.append(op)
    data = [op for op in callback.walk() if isinstance(op, slc.ToValOp) and op not in scalars]
    if len(scalars) == 1 and data:
        scalars[0].properties["token"] = UnitAttr()
