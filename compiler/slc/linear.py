"""Integers of the access unit as sums: ``4*i + b + 3``.

Arithmetic of the access unit has no width but the machine's, so a sum may be written in any order:
``(i + 3) * 4`` is ``4*i + 12``. Addresses, bounds and rows are compared and rewritten in this form.
"""

from dataclasses import dataclass, field

from xdsl.ir import Block, BlockArgument, SSAValue

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
