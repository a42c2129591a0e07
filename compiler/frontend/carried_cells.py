"""Cells of fp32, kept where their value is stored to in the end."""

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, f32
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from ..errors import explain, name_of
from .carried_home import stores_of, taken
from .dependences import Access
from .places import Place, is_before


def carry_cell(op: memref.AllocaOp) -> bool:
    """Put a cell's accesses to where its value is stored to; whether there is such a place."""
    uses = [use.operation for use in op.memref.uses]
    kind = op.memref.type
    if not isinstance(kind, MemRefType) or kind.element_type != f32 or kind.get_shape() != ():
        return False
    if not all(isinstance(use, Access) and use.memref is op.memref for use in uses):
        return False
    loads = [use for use in uses if isinstance(use, memref.LoadOp) and use.parent is op.parent]
    stores = [store for load in loads for store in stores_of(op, load.res)]
    store = next((s for s in stores if s.memref is not op.memref), None)
    if store is None or any(not _ends_before(op, use, store) for use in uses):
        explain(op, f"{name_of(op.memref)} is stored to no place behind all that works on it")
        return False
    home = Place.of(store)
    reason = taken(op, store)
    if reason is not None:
        explain(op, f"{name_of(op.memref)} is not kept in {name_of(home.array)}: {reason}")
        return False
    explain(op, f"{name_of(op.memref)} is kept in {name_of(home.array)}")
    for use in uses:
        assert use.parent is not None
        if isinstance(use, memref.LoadOp):
            load = home.load(use.res)
            use.parent.insert_op_before(load, use)
            use.res.replace_all_uses_with(load.res)
        elif isinstance(use, memref.StoreOp):
            moved = memref.StoreOp.get(use.value, home.array, home.indices)
            moved.location = use.location
            use.parent.insert_op_before(moved, use)
        Rewriter.erase_op(use)
    Rewriter.erase_op(op)
    return True


def _ends_before(op: Operation, use: Operation, last: Operation) -> bool:
    """Whether an operation is, or is in one that is, in the block of ``op``, before the last."""
    while use.parent is not op.parent:
        parent = use.parent_op()
        if parent is None:
            return False
        use = parent
    return is_before(use, last)
