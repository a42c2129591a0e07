"""``drop-streams``: streams, buffers, cells and callbacks that nobody needs go.

Needed is what the execute unit stores, and what that is computed, addressed, bounded or skipped by:

* A value in a callback that is not used, and a callback that is then empty.
* A cell that only its own next value is computed from: a counter that nobody reads.
* A buffer that no callback reads, with what is pushed to it.
* A stream (a load, an integer operation, a constant) that no address, bound, skip, push or
  callback uses. Of a pair of which one element is used the other one goes.
* An inner loop without a callback, a push or another loop.

A check only says that what follows may use a value. So it goes with a value that nobody uses, and
with it the report of an index that would have addressed nothing; of what is used every check stays.
So do all values that are skipped.

Preserved: what is stored, and the order of it. Nothing is refused.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, math, memref, scf, vector
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain, name_of
from . import dialect as slc

#: Operations of callbacks without an effect, beside those of ``arith`` and ``math``.
PURE = (slc.ToValOp, slc.RowOp, slc.ChoiceOp, memref.LoadOp, vector.LoadOp)
PURE_DIALECTS = (f"{arith.Arith.name}.", f"{math.Math.name}.", "vector.broadcast")
Stream = slc.LoadOp | slc.LoadPairOp | slc._Arithmetic | slc.ConstOp


@dataclass(frozen=True)
class DropStreamsPass(ModulePass):
    """Removes what nobody needs; preserves what is stored."""

    name = "drop-streams"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, slc.FuncOp):
                while _cells(function) | _unused(function):
                    pass


def _unused(function: slc.FuncOp) -> bool:
    """Remove unused operations, users before what they use; whether there were any."""
    found = False
    for op in reversed(list(function.walk())):
        if isinstance(op, slc.LoadPairOp):
            found |= _one_of_pair(op)
        if op.parent is not None and _goes(op):
            if not isinstance(op, arith.ConstantOp | slc.ConstOp | slc._Arithmetic):
                explain(op, f"dropped: {_reason(op)}")
            for user in _users(op):
                Rewriter.erase_op(user)
            Rewriter.erase_op(op)
            found = True
    return found


def _goes(op: Operation) -> bool:
    """Whether nobody needs an operation."""
    if isinstance(op, slc.LoopOp):
        inner = isinstance(op.parent_op(), slc.LoopOp)
        works = slc.LoopOp | slc.CallbackOp | slc.PushOp
        return inner and not any(isinstance(child, works) for child in op.body.block.ops)
    if isinstance(op, slc.CallbackOp):
        return op.first is None and not op.body.block.ops
    if isinstance(op, slc.BufferOp):
        return all(isinstance(use.operation, slc.PushOp) for use in op.buffer.uses)
    if isinstance(op, Stream):
        return all(isinstance(user, slc.CheckOp) for user in _users(op))
    if isinstance(op, scf.ForOp | scf.IfOp):
        inside = [child for region in op.regions for b in region.blocks for child in b.ops]
        return not op.results and all(isinstance(child, scf.YieldOp) for child in inside)
    pure = isinstance(op, PURE) or op.name.startswith(PURE_DIALECTS)
    return (pure or isinstance(op, memref.AllocaOp)) and not _users(op)


def _users(op: Operation) -> list[Operation]:
    return list(dict.fromkeys(use.operation for result in op.results for use in result.uses))


def _reason(op: Operation) -> str:
    """Why nobody needs an operation that goes."""
    if isinstance(op, slc.LoopOp | scf.ForOp | scf.IfOp | slc.CallbackOp):
        return "it does nothing"
    names = " and ".join(name_of(result) for result in op.results)
    return f"nobody uses {names}" + (", so it is not checked either" if _users(op) else "")


def _one_of_pair(pair: slc.LoadPairOp) -> bool:
    """A pair of which one element is used becomes a load of that one."""
    used = [
        any(not isinstance(use.operation, slc.CheckOp) for use in value.uses)
        for value in pair.results
    ]
    if used[0] == used[1]:
        return False
    unused, kept = (pair.results[used[n]] for n in (0, 1))
    explain(pair, f"loads one element: nobody uses {name_of(unused)}")
    for use in list(unused.uses):
        Rewriter.erase_op(use.operation)
    assert pair.parent is not None
    index: SSAValue = pair.indices[0]
    if used[1]:
        following = slc.AddOp(index, 1)
        pair.parent.insert_op_before(following, pair)
        index = following.result
    load = slc.LoadOp(pair.array, [index])
    load.location = pair.location
    load.result.name_hint = kept.name_hint
    pair.parent.insert_op_before(load, pair)
    kept.replace_all_uses_with(load.result)
    Rewriter.erase_op(pair)
    return True


def _cells(function: slc.FuncOp) -> bool:
    """Remove what is stored to cells that nobody reads; whether there was any."""
    found = False
    for cell in function.walk():
        if isinstance(cell, memref.AllocaOp):
            stores = [op for op in _users(cell) if isinstance(op, memref.StoreOp)]
            if stores and not _is_read(cell.memref):
                explain(cell, f"dropped: nobody reads {name_of(cell.memref)}")
                for store in stores:
                    Rewriter.erase_op(store)
                found = True
    return found


def _is_read(cell: SSAValue) -> bool:
    """Whether anything but the cell itself is computed from what it holds."""
    values = [cell]
    for value in values:
        for use in value.uses:
            op = use.operation
            if isinstance(op, memref.StoreOp) and op.memref is cell:
                continue
            if not isinstance(op, memref.LoadOp) and not op.name.startswith(PURE_DIALECTS):
                return True
            values += (result for result in op.results if result not in values)
    return False
