"""What assertions say of a value: that it is at least 0."""

from xdsl.dialects import arith, cf
from xdsl.dialects.builtin import i32
from xdsl.ir import Operation, SSAValue

from ..slc.decouple import CASTS
from ..streams import constant, holds_indices

LESS, GREATER, AT_LEAST = 2, 4, 5  # arith.cmpi, with a sign
#: Comparisons that have one answer for all numbers from 0 on: ``< 0``, ``>= 0``, ``> -1``.
FROM_ZERO_ON = {(LESS, 0), (AT_LEAST, 0), (GREATER, -1)}


def is_from_zero_on(value: SSAValue, place: Operation) -> bool:
    """Whether an assertion in front of ``place`` says that a value is at least 0."""
    while True:
        for use in value.uses:
            if use.index == 0 and _says(use.operation):
                results = use.operation.results
                if any(_asserts(u.operation, place) for r in results for u in r.uses):
                    return True
        owner = value.owner
        # One that loses bits may change the sign.
        if not isinstance(owner, CASTS) or isinstance(owner, arith.ExtUIOp) or _narrows(owner):
            return False
        value = owner.operands[0]


def _says(op: Operation) -> bool:
    """Whether an operation compares, and is true of numbers from 0 on only."""
    if not isinstance(op, arith.CmpiOp):
        return False
    known = (op.predicate.value.data, constant(op.rhs))
    return known in FROM_ZERO_ON - {(LESS, 0)}


def _narrows(op: Operation) -> bool:
    kind = op.results[0].type
    return not holds_indices(kind) or kind == i32


def _asserts(op: Operation, place: Operation) -> bool:
    """Whether an operation is an assertion that comes before ``place``, in its block or around."""
    if not isinstance(op, cf.AssertOp):
        return False
    around: Operation | None = place
    while around is not None and around.parent is not op.parent:
        around = around.parent_op()
    return around is not None and op.is_before_in_block(around)
