"""Loads next to what uses them, and no store of what is there: what is left of handing on."""

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, Operation
from xdsl.rewriter import Rewriter

from ..slc.decouple import root
from .dependences import arrays_of, is_arithmetic
from .places import Place, clear, is_before


def load_at_uses(function: func.FuncOp) -> None:
    """Drop what is stored where it was loaded, and load where a value is used."""
    for op in list(function.walk()):
        if isinstance(op, memref.StoreOp) and Place.of(op).holds(op.value, op):
            Rewriter.erase_op(op)
        elif isinstance(op, memref.StoreOp) and isinstance(op.memref.owner, memref.AllocaOp):
            _count_here(op)
    _, written = arrays_of(function)
    for op in reversed(list(function.walk())):
        if isinstance(op, memref.LoadOp) and root(op.memref) in written:
            _sink(op)
        else:
            _into_condition(op)


def _count_here(store: memref.StoreOp) -> None:
    """Compute the next value of a cell where it is stored, beside what else is done there."""
    following = store.value.owner
    if not isinstance(following, arith.AddiOp) or following.parent is not store.parent:
        return
    count, block = following.lhs.owner, store.parent
    alone = all(use.operation is store for use in following.result.uses)
    if not alone or block is None or not isinstance(count, memref.LoadOp):
        return
    if not Place.of(store).holds(count.res, store):
        return
    following.detach()
    block.insert_op_before(following, store)
    again = Place.of(count).load(count.res)
    block.insert_op_before(again, following)
    following.operands[0] = again.res
    if not count.res.uses:
        Rewriter.erase_op(count)


def _into_condition(op: Operation) -> None:
    """Compute, or load, a float in the branch that alone uses it."""
    pure = isinstance(op, memref.LoadOp) or is_arithmetic(op)
    users = [use.operation for result in op.results for use in result.uses]
    branches = {user.parent for user in users}
    if not pure or len(branches) != 1 or any(result.type != f32 for result in op.results):
        return
    [branch] = branches
    assert branch is not None
    condition = branch.parent_op()
    if isinstance(condition, scf.IfOp) and condition.parent is op.parent:
        first = next(inner for inner in branch.ops if inner in users)
        op.detach()
        branch.insert_op_before(op, first)


def _sink(load: memref.LoadOp) -> None:
    """Load again in the loops and conditions that use the value."""
    blocks: dict[Block, Operation] = {}
    for use in load.res.uses:
        user = use.operation
        if user.parent is not None and user.parent is not load.parent:
            first = blocks.setdefault(user.parent, user)
            if is_before(user, first):
                blocks[user.parent] = user
    for block, user in blocks.items():
        if not clear(load, user):
            continue
        again = Place.of(load).load(load.res)
        again.location = load.location
        block.insert_op_before(again, user)
        for use in list(load.res.uses):
            if use.operation.parent is block and clear(load, use.operation):
                use.operation.operands[use.index] = again.res
    if not load.res.uses:
        Rewriter.erase_op(load)
