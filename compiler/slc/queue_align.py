"""``queue-align``: no index crosses the queues.

The output row that a callback works on is no longer named by a loop index from the DataQ: the
execute unit counts. A callback before the outermost loop rewinds the counter, and each
``slc.emit`` moves it on. The one fp32 scalar of a callback travels in its token. What stays in
the DataQ is vectors, so that every operand is a full queue entry. Preserved: the row that each
``slc.emit`` stores to.

Legal if the outermost loop walks the rows 0, 1, 2, .. and emits exactly one per iteration, of
which only an error may leave one out. Other nests keep the index in the DataQ: they are slower,
not wrong. So are functions that keep no row (nothing is emitted) left alone.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import Float32Type, MemRefType, ModuleOp, UnitAttr
from xdsl.ir import Block, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain
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
    if not all(_counted(loop, out, [row for row in rows if row.out is out]) for out in outs):
        explain(loop, "the number of the row is sent: rows do not follow each other one by one")
        return
    for row in rows:
        new = slc.RowOp(row.out, None, row.register.type)
        new.register.name_hint = row.register.name_hint
        assert row.parent is not None
        row.parent.insert_op_before(new, row)
        row.register.replace_all_uses_with(new.register)
        Rewriter.erase_op(row)
    for callback in list(loop.walk()):
        if isinstance(callback, slc.CallbackOp):
            _clean(callback)
    if outs:
        rewind = slc.CallbackOp(Region(Block([slc.RewindOp(out) for out in outs])))
        assert loop.parent is not None
        loop.parent.insert_op_before(rewind, loop)


def _counted(loop: slc.LoopOp, out: SSAValue, rows: list[slc.RowOp]) -> bool:
    """Whether a counter that moves on with each emit is always at the row that is meant."""
    assert isinstance(out.type, MemRefType)
    for row in rows:
        to_val = row.index.owner if row.index is not None else None
        if not isinstance(to_val, slc.ToValOp) or to_val.stream is not loop.induction:
            return False
    if loop.bounds != (0, out.type.get_shape()[0]) or loop.stride != 1:
        return False
    if any(isinstance(op, slc.SkipOp) for op in loop.body.block.ops):
        return False
    emits = [op for op in loop.walk() if isinstance(op, slc.EmitOp)]
    return len(emits) == 1 and _around(emits[0]) is loop


def _around(op: slc.EmitOp):
    callback = op.parent_op()
    return callback.parent_op() if isinstance(callback, slc.CallbackOp) else None


def _clean(callback: slc.CallbackOp) -> None:
    """Drop streams that nobody reads; put the fp32 scalar into the token."""
    scalars: list[slc.ToValOp] = []
    for op in list(callback.body.block.ops):
        if isinstance(op, slc.ToValOp):
            if not op.value.uses:
                Rewriter.erase_op(op)
            elif isinstance(op.stream.type, Float32Type):
                scalars.append(op)
    data = [op for op in callback.walk() if isinstance(op, slc.ToValOp) and op not in scalars]
    if len(scalars) == 1 and data:
        scalars[0].properties["token"] = UnitAttr()
