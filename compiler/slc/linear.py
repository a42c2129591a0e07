"""Integers of the access unit as sums: ``4*i + b + 3``.

Arithmetic of the access unit has no width but the machine's, so a sum may be written in any order:
``(i + 3) * 4`` is ``4*i + 12``. Addresses, bounds and rows are compared and rewritten in this form.
"""

from dataclasses import dataclass, field

from xdsl.ir import Block, BlockArgument, SSAValue
from xdsl.rewriter import Rewriter

from . import dialect as slc


@dataclass(frozen=True)
class Linear:
    """A sum of streams with factors, and a constant.

    ``terms`` maps streams that are no sums (induction variables, loaded values, products of
    streams) to their factors, none of which is 0.
    """

    terms: dict[SSAValue, int] = field(default_factory=dict)
    constant: int = 0

    def plus(self, other: "Linear", factor: int = 1) -> "Linear":
        """The sum with ``factor`` times another one."""
        terms = dict(self.terms)
        for value, number in other.terms.items():
            terms[value] = terms.get(value, 0) + factor * number
        terms = {value: number for value, number in terms.items() if number}
        return Linear(terms, self.constant + factor * other.constant)

    def without(self, value: SSAValue) -> "Linear":
        """The sum without one of its streams."""
        terms = {stream: number for stream, number in self.terms.items() if stream is not value}
        return Linear(terms, self.constant)


def linear(value: SSAValue | int) -> Linear:
    """The sum that a stream or a literal is."""
    if isinstance(value, int):
        return Linear(constant=value)
    owner = value.owner
    if isinstance(owner, slc.ConstOp):
        return Linear(constant=owner.number)
    if isinstance(owner, slc.AddOp | slc.SubOp):
        first, second = linear(owner.lhs), linear(owner.second)
        return first.plus(second, 1 if isinstance(owner, slc.AddOp) else -1)
    if isinstance(owner, slc.MulOp):
        first, second = linear(owner.lhs), linear(owner.second)
        for sum_, factor in ((first, second), (second, first)):
            if not factor.terms:
                return Linear().plus(sum_, factor.constant)
    if isinstance(owner, slc.ShlOp) and isinstance(owner.second, int) and 0 <= owner.second < 64:
        return Linear().plus(linear(owner.lhs), 1 << owner.second)
    return Linear({value: 1})


def loop_of(value: SSAValue) -> slc.LoopOp | None:
    """The loop that a stream has a value in each iteration of."""
    owner = value.owner
    parent = owner.parent_op()
    return parent if isinstance(parent, slc.LoopOp) else None


def depth(value: SSAValue) -> int:
    """How many loops are around the value of a stream."""
    loop = loop_of(value)
    return 0 if loop is None else 1 + len(slc.enclosing_loops(loop))


def block_of(value: SSAValue) -> Block:
    """The block in which a stream is known."""
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent
    assert block is not None
    return block


def is_induction(value: SSAValue) -> bool:
    """Whether a stream is a loop's variable."""
    return isinstance(value, BlockArgument) and isinstance(value.block.parent_op(), slc.LoopOp)


def least(value: SSAValue) -> int:
    """The smallest value of a stream: of a loaded one, 0, or 1 if 0 is skipped."""
    if isinstance(value, BlockArgument):
        loop = value.block.parent_op()
        if isinstance(loop, slc.LoopOp):
            start, _ = loop.bounds
            return start if isinstance(start, int) else max(0, least_sum(linear(start)))
    skipped = any(
        isinstance(use.operation, slc.SkipOp) and use.operation.unwanted.value.data == 0
        for use in value.uses
    )
    return 1 if skipped and isinstance(value.owner, slc.LoadOp) else 0


def most(value: SSAValue) -> int | None:
    """The largest value of a stream, if literals decide it."""
    loop = value.block.parent_op() if isinstance(value, BlockArgument) else None
    if not isinstance(loop, slc.LoopOp):
        return None
    start, stop = loop.bounds
    if loop.trip_count is not None:
        assert isinstance(start, int)
        return max(start, start + (loop.trip_count - 1) * loop.stride)
    if isinstance(start, SSAValue):
        distance = linear(stop).plus(linear(start), -1)
        first = most_sum(linear(start))
        if not distance.terms and distance.constant > 0 and first is not None:
            return first + (distance.constant - 1) // loop.stride * loop.stride
    last = most_sum(linear(stop))
    return None if last is None or isinstance(stop, int) else last - 1


def least_sum(total: Linear) -> int:
    """The smallest value of a sum, if no more than literals is known of what it subtracts."""
    result = total.constant
    for value, number in total.terms.items():
        extreme = least(value) if number > 0 else most(value)
        result += number * (extreme or 0)
    return result


def most_sum(total: Linear) -> int | None:
    """The largest value of a sum, if literals decide it."""
    result = total.constant
    for value, number in total.terms.items():
        extreme = most(value) if number > 0 else least(value)
        if extreme is None:
            return None
        result += number * extreme
    return result


def drop_unused(function: slc.FuncOp) -> None:
    """Remove integer operations whose results nobody uses any more."""
    found = True
    while found:
        found = False
        for op in list(function.walk()):
            if isinstance(op, slc._Arithmetic | slc.ConstOp) and not op.result.uses:
                Rewriter.erase_op(op)
                found = True
