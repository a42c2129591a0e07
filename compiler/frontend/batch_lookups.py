"""Lookups of one row that differ in how far on their index arrays are read: a loop over them."""

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, Region, SSAValue

from ..errors import name_of
from ..slc.linear import Linear
from ..streams import constant
from .affine import index, is_part_of_sums, sum_of
from .dependences import variable
from .same_body import SameBody
from .unroll_outer import depth


def batch_lookups(first: scf.ForOp, second: scf.ForOp, layers: int) -> str | None:
    """Put the lookups of both into a loop over both, in the first nest.

    Returns why not, if that is not possible; None if it is done, and the second nest is to go.
    """
    theirs = body_of(second)
    batch = _batch_loop(first)
    ours = body_of(batch) if batch is not None else _last(first, theirs)
    same = SameBody(variable(first if batch is None else batch), variable(second))
    same.values[variable(first)] = variable(second)
    if not same.compare(ours, theirs):
        return (
            f"{name_of(variable(first))} and it both have loops with loads, which differ in more "
            "than how far on their arrays are read; a segment has one chain of loops"
        )
    shifts = set(same.shifts.values()) - {0}
    if batch is not None:
        if shifts != {_length(batch)}:
            return f"its arrays are not read {_length(batch)} further on"
        _extend(batch)
    else:
        if len(shifts) != 1 or min(shifts) < 0:
            return "its arrays are not read one distance further on, the same for all"
        needed = depth(second) + 1
        if needed > layers:
            return (
                f"a loop over both lookups would be one of {needed}, but the configuration has "
                f"{layers} layers"
            )
        if any(
            not isinstance(op.operands[number].type, IndexType)
            for (op, number), shift in same.shifts.items()
            if shift
        ):
            return "its arrays are not read at values of type index"
        _loop_over_both(first, ours, same, min(shifts))
    return None


def body_of(nest: scf.ForOp) -> list[Operation]:
    """The operations of an iteration."""
    return [op for op in nest.body.block.ops if not isinstance(op, scf.YieldOp)]


def _last(first: scf.ForOp, like: list[Operation]) -> list[Operation]:
    """As many of the last operations of an iteration as there are in another one."""
    missing = sum(not is_part_of_sums(op) for op in like)
    found: list[Operation] = []
    for op in reversed(body_of(first)):
        if not missing:
            break
        found.insert(0, op)
        missing -= not is_part_of_sums(op)
    return found


def _batch_loop(first: scf.ForOp) -> scf.ForOp | None:
    """The loop over batched lookups at the end of an iteration, if there is one."""
    body = body_of(first)
    loop = body[-1] if body else None
    if isinstance(loop, scf.ForOp) and loop.lb is variable(first) and _length(loop) is not None:
        return loop
    return None


def _length(loop: scf.ForOp) -> int | None:
    """The distance of a loop's bounds."""
    distance = sum_of(loop.ub).plus(sum_of(loop.lb), -1)
    return None if distance.terms else distance.constant


def _extend(batch: scf.ForOp) -> None:
    """One more iteration."""
    length, step = _length(batch), constant(batch.step)
    assert length is not None and step is not None and batch.parent is not None
    _set_end(batch, length + step)


def _set_end(loop: scf.ForOp, length: int) -> None:
    number = index(length)
    end = arith.AddiOp(loop.lb, number.result)
    assert loop.parent is not None
    loop.parent.insert_ops_before([number, end], loop)
    loop.operands[1] = end.result


def _loop_over_both(first: scf.ForOp, ours: list[Operation], same: SameBody, distance: int) -> None:
    """Put the last operations of an iteration into a loop of two iterations."""
    block = Block(arg_types=[IndexType()])
    table = block.args[0]
    table.name_hint = "t"
    step = index(distance)
    loop = scf.ForOp(variable(first), variable(first), step.result, [], Region(block))
    loop.location = ours[0].location
    first.body.block.insert_ops_before([step, loop], ours[0])
    for op in ours:
        op.detach()
        block.add_op(op)
    block.add_op(scf.YieldOp())
    _set_end(loop, 2 * distance)
    for (op, number), shift in same.shifts.items():
        if shift:
            op.operands[number] = _sum(op, sum_of(op.operands[number]), variable(first), table)


def _sum(user: Operation, total: Linear, old: SSAValue, new: SSAValue) -> SSAValue:
    """A sum with another value in place of one, as an index."""
    result = _index(user, index(total.constant))
    for value, factor in total.terms.items():
        part = new if value is old else value
        if not isinstance(part.type, IndexType):
            part = _index(user, arith.IndexCastOp(part, IndexType()))
        part = _index(user, arith.MuliOp(part, _index(user, index(factor))))
        result = _index(user, arith.AddiOp(part, result))
    return result


def _index(user: Operation, op: Operation) -> SSAValue:
    assert user.parent is not None
    user.parent.insert_op_before(op, user)
    return op.results[0]
