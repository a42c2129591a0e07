"""Loops over the elements of rows."""

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import Float32Type, MemRefType
from xdsl.ir import SSAValue

from ..slc.decouple import root
from ..streams import constant
from .affine import sum_of
from .dependences import Access, accesses, arrays_of, variable


def is_element_loop(loop: scf.ForOp) -> bool:
    """Whether a loop walks the elements of rows, and not only these."""
    start, stop, step = (constant(value) for value in (loop.lb, loop.ub, loop.step))
    if loop.results or start is None or stop is None or step is None or step < 1 or start >= stop:
        return False
    column = variable(loop)
    if not _only_columns(column, column):
        return False
    _, written = arrays_of(loop)
    return any(
        isinstance(op, memref.LoadOp)
        and root(op.memref) not in written
        and shift_of(op, column) is not None
        for op in accesses(loop)
    )


def _only_columns(value: SSAValue, column: SSAValue) -> bool:
    """Whether a value is only used as the last index of elements, a constant added to it or not."""
    for use in value.uses:
        op = use.operation
        if isinstance(op, Access):
            if shift_of(op, column) is None or list(op.operands).count(value) != 1:
                return False
        elif not isinstance(op, arith.AddiOp | arith.SubiOp) or not _only_columns(
            op.result, column
        ):
            return False
    return True


def shift_of(op: Access, column: SSAValue) -> int | None:
    """How many columns behind a loop's variable an access is; None if it is no access to f32, one
    after the other, there."""
    kind = op.memref.type
    assert isinstance(kind, MemRefType)
    strides = kind.get_strides()
    if not op.indices or strides is None or strides[-1] != 1:
        return None
    at = sum_of(op.indices[-1])
    is_there = isinstance(kind.element_type, Float32Type) and at.terms == {column: 1}
    return at.constant if is_there else None
