"""``queue-align``: no index crosses the queues.

The output row that a callback works on is no longer named by a loop index from the DataQ: the
execute unit counts. A callback before the outermost loop rewinds the counter, and each
``slc.emit`` moves it on. The one fp32 scalar of a callback travels in its token. What stays in
the DataQ is vectors, so that every operand is a full queue entry. Preserved: the row that each
``slc.emit`` stores to.

Legal if the outermost loop has literal bounds and emits exactly one row per iteration, of which
only an error may leave one out, and if the rows are equally far from each other: ``n*b + c``. Where
these are not the rows 0, 1, 2, .. of the array, they are those of a view of it. Other nests keep
the index in the DataQ: they are slower, not wrong. So are functions that keep no row (nothing is
emitted) left alone.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import Float32Type, MemRefType, ModuleOp, UnitAttr
from xdsl.ir import Block, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain
from . import dialect as slc
from .check_bounds import row_stream
from .linear import drop_unused, linear


@dataclass(frozen=True)
class QueueAlignPass(ModulePass):
    """Replaces indices in the DataQ by counters; preserves where rows are stored."""

    name = "queue-align"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, slc.FuncOp):
                for loop in slc.inner_loops(function.body.block):
                    _align(loop)
                # What only the numbers of rows were computed from.
                drop_unused(function)


def _align(loop: slc.LoopOp) -> None:
    rows = [op for op in loop.walk() if isinstance(op, slc.RowOp) and op.index is not None]
    outs = list(dict.fromkeys(row.out for row in rows))
    counted = {out: _counted(loop, [row for row in rows if row.out is out]) for out in outs}
    if None in counted.values():
        explain(loop, "the number of the row is sent: rows do not follow each other one by one")
        return
    views = {out: _view(loop, out, place) for out, place in counted.items() if place is not None}
    for row in rows:
        new = slc.RowOp(views[row.out], None, row.register.type)
        new.register.name_hint = row.register.name_hint
        assert row.parent is not None
        row.parent.insert_op_before(new, row)
        row.register.replace_all_uses_with(new.register)
        Rewriter.erase_op(row)
    for callback in list(loop.walk()):
        if isinstance(callback, slc.CallbackOp):
            _clean(callback)
    if outs:
        rewind = slc.CallbackOp(Region(Block([slc.RewindOp(view) for view in views.values()])))
        assert loop.parent is not None
        loop.parent.insert_op_before(rewind, loop)


@dataclass(frozen=True)
class _Rows:
    """Rows that are equally far from each other: the first one, the distance and how many."""

    first: int
    distance: int
    count: int


def _counted(loop: slc.LoopOp, rows: list[slc.RowOp]) -> _Rows | None:
    """The rows of a counter that moves on with each emit; None if it is not where it should be."""
    streams = [row_stream(row.index) for row in rows if row.index is not None]
    if any(stream is None for stream in streams):
        return None
    [place, *others] = [linear(stream) for stream in streams if stream is not None]
    factor = place.terms.get(loop.induction, 0)
    if any(other != place for other in others) or len(place.terms) != 1 or factor < 1:
        return None
    trips, start = loop.trip_count, loop.bounds[0]
    if not trips or not isinstance(start, int):
        return None
    if any(isinstance(op, slc.SkipOp) for op in loop.body.block.ops):
        return None
    emits = [op for op in loop.walk() if isinstance(op, slc.EmitOp)]
    if len(emits) != 1 or _around(emits[0]) is not loop:
        return None
    return _Rows(factor * start + place.constant, factor * loop.stride, trips)


def _view(loop: slc.LoopOp, out: SSAValue, rows: _Rows) -> SSAValue:
    """The array, or a view of it, of which row n is the one of iteration n."""
    kind = out.type
    assert isinstance(kind, MemRefType) and loop.parent is not None
    count, dim = kind.get_shape()
    if rows == _Rows(0, 1, count):
        return out
    view = memref.SubviewOp.from_static_parameters(
        out, kind, [rows.first, 0], [rows.count, dim], [rows.distance, 1]
    )
    view.result.name_hint = f"{out.name_hint or 'out'}_counted"
    loop.parent.insert_op_before(view, loop)
    return view.result


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
