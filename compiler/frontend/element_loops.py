"""Loops over the elements of rows."""

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import Float32Type, MemRefType
from xdsl.ir import SSAValue

from ..slc.decouple import root
from ..streams import constant
from .dependences import Access, accesses, arrays_of, variable


def is_element_loop(loop: scf.ForOp) -> bool:
    """Whether a loop walks the elements of rows, and not only these."""
    start, stop, step = (constant(value) for value in (loop.lb, loop.ub, loop.step))
    if loop.results or start is None or stop is None or step is None or step < 1 or start >= stop:
        return False
    column = variable(loop)
    for use in column.uses:
        op = use.operation
        if not isinstance(op, Access) or not is_column(op, column):
            return False
    _, written = arrays_of(loop)
    return any(
        isinstance(op, memref.LoadOp) and root(op.memref) not in written and column in op.indices
        for op in accesses(loop)
    )


def is_column(op: Access, column: SSAValue) -> bool:
    kind = op.memref.type
    assert isinstance(kind, MemRefType)
    strides = kind.get_strides()
    return (
        isinstance(kind.element_type, Float32Type)
        and op.indices[-1] is column
        and column not in op.indices[:-1]
        and strides is not None
        and strides[-1] == 1
    )
