"""``bufferize``: one callback per row instead of one per vector.

The innermost loop only pushes its vectors to a *buffer*; the callback moves behind it and loops
over the buffer. The buffer is the DataQ itself: the callback may start as soon as the row does,
it waits for each vector. The element index needs no queue any more. The callbacks before and
behind the loop are merged in. Preserved: the order of operations on every element.

A loop is left alone if it does not walk vectors (a scalar row is not a row of a register).
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf, vector
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, ModuleOp, VectorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain
from . import dialect as slc


@dataclass(frozen=True)
class BufferizePass(ModulePass):
    """One callback per row; preserves the order of operations on every element."""

    name = "bufferize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in list(op.walk()):
            if isinstance(loop, slc.LoopOp) and not slc.inner_loops(loop.body.block):
                _bufferize(loop)


def _bufferize(loop: slc.LoopOp) -> None:
    callbacks = [op for op in loop.body.block.ops if isinstance(op, slc.CallbackOp)]
    loads = [
        op
        for op in loop.body.block.ops
        if isinstance(op, slc.LoadOp) and isinstance(op.result.type, VectorType)
    ]
    if len(callbacks) != 1 or len(loads) != 1 or loop.trip_count is None or loop.parent is None:
        return
    [callback], [load] = callbacks, loads
    kind = load.result.type
    assert isinstance(kind, VectorType)
    [lanes] = kind.get_shape()
    elements = loop.trip_count * lanes
    buffer = slc.BufferOp(MemRefType(kind.element_type, [elements]))
    buffer.buffer.name_hint = "row"
    loop.parent.insert_op_before(buffer, loop)
    loop.body.block.insert_op_before(slc.PushOp(load.result, buffer.buffer), callback)
    new = slc.CallbackOp(Region(_over_rows(callback, loop, buffer.buffer, elements, lanes)))
    new.location = callback.location
    explain(loop, "one callback for the row")
    loop.parent.insert_op_after(new, loop)
    Rewriter.erase_op(callback)
    _merge_before(new, buffer)
    following = new.next_op
    if isinstance(following, slc.CallbackOp):
        for op in list(following.body.block.ops):
            op.detach()
            new.body.block.add_op(op)
        Rewriter.erase_op(following)


def _merge_before(new: slc.CallbackOp, buffer: slc.BufferOp) -> None:
    """Put the callback before the loop in front; what the access unit does between may not skip."""
    previous = buffer.prev_op
    while previous is not None and not isinstance(previous, slc.CallbackOp):
        if isinstance(previous, slc.LoopOp | slc.CheckOp | slc.SkipOp):
            return
        previous = previous.prev_op
    first = new.body.block.first_op
    if previous is None or first is None:
        return
    for op in list(previous.body.block.ops):
        op.detach()
        new.body.block.insert_op_before(op, first)
    Rewriter.erase_op(previous)


def _over_rows(
    callback: slc.CallbackOp, loop: slc.LoopOp, buffer: SSAValue, elements: int, lanes: int
) -> Block:
    """The callback's body as a loop over the buffered row."""
    block, inside = Block(), Block(arg_types=[IndexType()])
    inside.args[0].name_hint = loop.induction.name_hint
    start, stop, step = (
        arith.ConstantOp(IntegerAttr(n, IndexType())) for n in (0, elements, lanes)
    )
    row = slc.ToValOp(buffer)
    row.value.name_hint = "data"
    mapping: dict[SSAValue, SSAValue] = {}
    outer: list[Operation] = []
    for op in callback.body.block.ops:
        if isinstance(op, slc.ToValOp) and op.stream is loop.induction:
            mapping[op.value] = inside.args[0]
        elif isinstance(op, slc.ToValOp) and isinstance(op.stream.type, VectorType):
            piece = vector.LoadOp(row.value, [inside.args[0]], op.stream.type)
            piece.result.name_hint = op.value.name_hint
            mapping[op.value] = piece.result
            inside.add_op(piece)
        elif isinstance(op, slc.ToValOp | slc.RowOp | arith.ConstantOp | arith.IndexCastOp):
            outer.append(op.clone(mapping))
        else:
            inside.add_op(op.clone(mapping))
    inside.add_op(scf.YieldOp())
    over = scf.ForOp(start, stop, step, [], Region(inside))
    block.add_ops([*outer, row, start, stop, step, over])
    return block
