"""``one-branch``: of two branches around loads, one is done in any case, before the other one.

The access unit leaves out iterations, and cannot do something else instead. So of

```
scf.if %some {                                  for e { store 0, out[b, e] }
  for e { store table[i, e], out[b, e] }        scf.if %some {
} else {                                          for e { store table[i, e], out[b, e] }
  for e { store 0, out[b, e] }                  }
}
```

the branch that loads nothing comes first, without a condition. Legal if the other one stores to all
places of it before it looks at them: each array that the first one stores to is stored to by the
other one first, at the same place, or in a loop over the same elements. What both store alike is
stored once.

Preserved: what is stored in the end. A condition around no loads, with one branch or of which both
load is left alone.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain
from ..slc.decouple import root
from .dependences import Access, accesses, arrays_of, is_arithmetic, variable
from .places import Place, same_index


@dataclass(frozen=True)
class OneBranchPass(ModulePass):
    """Does one of two branches in any case; preserves what is stored in the end."""

    name = "one-branch"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                _, written = arrays_of(function)
                for condition in list(function.walk()):
                    if isinstance(condition, scf.IfOp) and not condition.results:
                        _visit(condition, written)


def _visit(condition: scf.IfOp, written: set[SSAValue]) -> None:
    if not condition.true_region.blocks or not condition.false_region.blocks:
        return
    taken, other = condition.true_region.block, condition.false_region.block
    loads = [_loads(block, written) for block in (taken, other)]
    if loads == [True, False] and _covers(taken, other):
        _first(condition, other, taken)
    elif loads == [False, True] and _covers(other, taken):
        _first(condition, taken, other)


def _loads(block: Block, written: set[SSAValue]) -> bool:
    """Whether a branch loads what is only read."""
    return any(
        isinstance(op, memref.LoadOp) and root(op.memref) not in written for op in block.walk()
    )


def _covers(later: Block, first: Block) -> bool:
    """Whether a branch stores to what another one stores to, before it looks at it."""
    plain = all(
        isinstance(op, Access | scf.ForOp | scf.YieldOp) or is_arithmetic(op)
        for op in first.walk()
    )
    stores = [op for op in first.walk() if isinstance(op, memref.StoreOp)]
    return plain and all(_covered(store, later) for store in stores)


def _covered(store: memref.StoreOp, later: Block) -> bool:
    """Whether the first access of a branch to a store's array is a store to the same elements."""
    array = root(store.memref)
    for top in later.ops:
        found = [op for op in accesses(top) if root(op.memref) is array]
        if found:
            # Before it goes on to the next element, a loop looks at no other one.
            return _same(store, found[0], later) and all(map(Place.of(found[0]).same, found))
    return False


def _same(store: memref.StoreOp, other: Access, later: Block) -> bool:
    if not isinstance(other, memref.StoreOp) or other.memref is not store.memref:
        return False
    ours, theirs = _loop(store), _loop(other)
    columns: tuple[SSAValue, SSAValue] | None = None
    if ours is not None and theirs is not None:
        bounds = zip(
            (ours.lb, ours.ub, ours.step), (theirs.lb, theirs.ub, theirs.step), strict=True
        )
        if not all(same_index(mine, its) for mine, its in bounds):
            return False
        columns = variable(ours), variable(theirs)
    elif ours is not theirs:
        return False
    if (other if theirs is None else theirs).parent is not later:
        return False
    return all(
        (mine, its) == columns or same_index(mine, its)
        for mine, its in zip(store.indices, other.indices, strict=True)
    )


def _loop(store: memref.StoreOp) -> scf.ForOp | None:
    around = store.parent_op()
    return around if isinstance(around, scf.ForOp) and variable(around) in store.indices else None


def _first(condition: scf.IfOp, first: Block, later: Block) -> None:
    """Put a branch in front of the condition."""
    explain(condition, "what one branch stores is stored before, and the other one replaces it")
    assert condition.parent is not None
    for op in list(first.ops):
        if not isinstance(op, scf.YieldOp):
            op.detach()
            condition.parent.insert_op_before(op, condition)
    # Stores of the other branch that change nothing.
    for op in list(later.ops):
        if isinstance(op, memref.StoreOp) and _is_repeated(op, condition):
            Rewriter.erase_op(op)


def _is_repeated(store: memref.StoreOp, condition: Operation) -> bool:
    """Whether the last store before the condition stores the same."""
    before, first = condition.prev_op, store.prev_op
    if not isinstance(before, memref.StoreOp) or before.memref is not store.memref:
        return False
    while first is not None:
        if any(root(access.memref) is root(store.memref) for access in accesses(first)):
            return False
        first = first.prev_op
    return before.value is store.value and Place.of(before).same(store)
