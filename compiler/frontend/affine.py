"""Integers of SCF as sums of values with factors, and a constant: ``2*b + i + 3``."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Operation, SSAValue

from ..slc.decouple import ARITHMETIC, CASTS
from ..slc.linear import Linear
from ..streams import constant, holds_indices


def sum_of(value: SSAValue) -> Linear:
    """The sum that an integer is, through casts; what is too narrow for indices is a term."""
    number = constant(value)
    if number is not None:
        return Linear(constant=number)
    if not holds_indices(value.type):
        return Linear({value: 1})
    owner = value.owner
    if isinstance(owner, CASTS):
        return sum_of(owner.operands[0])
    if isinstance(owner, arith.AddiOp | arith.SubiOp):
        factor = 1 if isinstance(owner, arith.AddiOp) else -1
        return sum_of(owner.lhs).plus(sum_of(owner.rhs), factor)
    if isinstance(owner, arith.MuliOp):
        first, second = sum_of(owner.lhs), sum_of(owner.rhs)
        for sum_, factor in ((first, second), (second, first)):
            if not factor.terms:
                return Linear().plus(sum_, factor.constant)
    if isinstance(owner, arith.ShLIOp):
        shift = constant(owner.rhs)
        if shift is not None and 0 <= shift < 64:
            return Linear().plus(sum_of(owner.lhs), 1 << shift)
    return Linear({value: 1})


def is_part_of_sums(op: Operation) -> bool:
    """Whether an operation only computes an integer that :func:`sum_of` looks through."""
    return isinstance(op, (*ARITHMETIC, *CASTS, arith.ConstantOp))


def index(number: int) -> arith.ConstantOp:
    """A number as an index."""
    return arith.ConstantOp(IntegerAttr(number, IndexType()))
