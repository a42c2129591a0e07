"""Integers that a loop hands on and that grow by a constant: computed from the loop's variable."""

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Operation, SSAValue

from ..errors import explain, name_of
from ..streams import constant, is_integer
from .carried_home import fits_cell
from .dependences import variable


def compute_position(op: scf.ForOp, argument: SSAValue, first: SSAValue, step: SSAValue) -> bool:
    """Compute a value that nobody needs after the loop; whether it is one.

    A count that is compared or divided by is left alone: it is the execute unit's.

    Parameters
    ----------
    op : scf.ForOp
        The loop.
    argument, first, step : SSAValue
        The value in an iteration, before the first one, and what is handed on.
    """
    stride, pace = constant(op.step), _growth(argument, step)
    if stride is None or stride < 1 or pace is None or pace % stride:
        return False
    assert isinstance(argument.type, IndexType | IntegerType)
    if pace == 1 and fits_cell(argument.type) and _is_looked_at(argument):
        return False
    block = op.body.block
    walked = arith.SubiOp(variable(op), op.lb)
    ops: list[Operation] = [walked]
    # Between integers of two widths a cast goes by way of an index.
    for kind in (IndexType(), argument.type) if argument.type != walked.result.type else ():
        if ops[-1].results[0].type != kind:
            ops.append(arith.IndexCastOp(ops[-1].results[0], kind))
    factor = arith.ConstantOp(IntegerAttr(pace // stride, argument.type))
    product = arith.MuliOp(ops[-1].results[0], factor.result)
    ops += [factor, product, arith.AddiOp(first, product.result)]
    ops[-1].results[0].name_hint = argument.name_hint
    place = block.first_op
    assert place is not None
    block.insert_ops_before(ops, place)
    explain(op, f"{name_of(argument)} is computed from {name_of(variable(op))}")
    argument.replace_all_uses_with(ops[-1].results[0])
    return True


def _growth(argument: SSAValue, handed_on: SSAValue) -> int | None:
    """The constant that is added to an argument in each iteration."""
    owner = handed_on.owner
    if is_integer(argument.type) and isinstance(owner, arith.AddiOp):
        for value, added in ((owner.lhs, owner.rhs), (owner.rhs, owner.lhs)):
            if value is argument:
                return constant(added)
    return None


def _is_looked_at(number: SSAValue) -> bool:
    """Whether the execute unit needs a count: it compares it, or divides by it."""
    looks = (arith.CmpiOp, arith.UIToFPOp, arith.SIToFPOp)
    return any(isinstance(use.operation, looks) for use in number.uses)
