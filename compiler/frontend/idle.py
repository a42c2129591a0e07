"""Copies of nests: whether there may be some, and what one still does although nobody needs it."""

from xdsl.dialects import cf, memref, scf
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from .dependences import accesses, is_arithmetic
from .simplify import drop_unused


def drop_idle(nest: scf.ForOp, emptied: set[Operation]) -> None:
    """Remove cells that only count for themselves, and loops that store nothing.

    Of ``emptied`` another copy of the nest does more, and makes their assertions, so that these go
    with a loop that stores nothing.
    """
    for cell in [op for op in nest.walk() if isinstance(op, memref.AllocaOp)]:
        if all(_is_own(use.operation, cell.memref) for use in cell.memref.uses):
            for use in list(cell.memref.uses):
                if isinstance(use.operation, memref.StoreOp):
                    Rewriter.erase_op(use.operation)
            drop_unused(nest.body.block)
            if not cell.memref.uses:
                Rewriter.erase_op(cell)
    for check in [op for op in nest.walk() if isinstance(op, cf.AssertOp)]:
        around = loop_of(check)
        if around in emptied and not any(isinstance(op, memref.StoreOp) for op in accesses(around)):
            Rewriter.erase_op(check)
    drop_unused(nest.body.block)


def kept_cell(nest: scf.ForOp) -> memref.AllocaOp | None:
    """A cell of the function that a nest writes, so that a copy of it would go on from there."""
    inside = [op for op in nest.walk() if isinstance(op, memref.AllocaOp)]
    for op in accesses(nest):
        cell = op.memref.owner
        if isinstance(op, memref.StoreOp) and isinstance(cell, memref.AllocaOp):
            if cell not in inside:
                return cell
    return None


def loop_of(op: Operation) -> scf.ForOp:
    """The innermost loop around an operation that is in one."""
    around = op.parent_op()
    while not isinstance(around, scf.ForOp):
        assert around is not None
        around = around.parent_op()
    return around


def _is_own(op: Operation, cell: SSAValue) -> bool:
    """Whether an access to a cell, or what is computed from one, ends in the cell."""
    if isinstance(op, memref.StoreOp):
        return op.memref is cell
    pure = isinstance(op, memref.LoadOp) or is_arithmetic(op)
    return pure and all(
        _is_own(use.operation, cell) for result in op.results for use in result.uses
    )
