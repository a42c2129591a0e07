"""Whether two loop bodies do the same, but for a distance between their loops' variables."""

from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue

from ..slc.linear import Linear
from ..streams import is_integer
from .affine import is_part_of_sums, sum_of

#: Where a value is used: an operation and the number of its operand.
Use = tuple[Operation, int]


def alike(ours: Operation, theirs: Operation) -> bool:
    """Whether two operations are of one kind, whatever their operands and what is inside."""
    return (
        type(ours) is type(theirs)
        and ours.properties == theirs.properties
        and ours.attributes == theirs.attributes
        and len(ours.operands) == len(theirs.operands)
        and [r.type for r in ours.results] == [r.type for r in theirs.results]
        and len(ours.regions) == len(theirs.regions)
    )


@dataclass
class SameBody:
    """Compares the operations of two bodies, in order.

    ``shifts`` says of every operand of the first body that depends on its variable how much further
    on the second body's is: with 4, the second one has for its variable b what the first one has
    for b + 4. Integer operations need not be written in the same way.

    Parameters
    ----------
    first, second : SSAValue
        The variables of the two loops.
    """

    first: SSAValue
    second: SSAValue
    shifts: dict[Use, int] = field(default_factory=dict)
    #: What values of the first body are in the second one.
    values: dict[SSAValue, SSAValue] = field(default_factory=dict)

    def compare(self, first: list[Operation], second: list[Operation]) -> bool:
        """Whether they do the same."""
        ours, theirs = ([op for op in ops if not is_part_of_sums(op)] for ops in (first, second))
        return len(ours) == len(theirs) and all(map(self._op, ours, theirs))

    def _op(self, ours: Operation, theirs: Operation) -> bool:
        if not alike(ours, theirs):
            return False
        if not all(self._operand(ours, theirs, n) for n in range(len(ours.operands))):
            return False
        self.values |= zip(ours.results, theirs.results, strict=True)
        return all(
            len(mine.blocks) == len(other.blocks)
            and all(map(self._block, mine.blocks, other.blocks))
            for mine, other in zip(ours.regions, theirs.regions, strict=True)
        )

    def _block(self, ours: Block, theirs: Block) -> bool:
        if ours.arg_types != theirs.arg_types:
            return False
        self.values |= zip(ours.args, theirs.args, strict=True)
        return self.compare(list(ours.ops), list(theirs.ops))

    def _operand(self, ours: Operation, theirs: Operation, number: int) -> bool:
        mine, other = ours.operands[number], theirs.operands[number]
        if mine.type != other.type:
            return False
        if not is_integer(mine.type):
            ours_known, theirs_known = mine.owner, other.owner
            if isinstance(ours_known, arith.ConstantOp):
                if isinstance(theirs_known, arith.ConstantOp):
                    return ours_known.properties == theirs_known.properties
            return self.values.get(mine, mine) is other
        sum_, theirs_sum = sum_of(mine), sum_of(other)
        factor = sum_.terms.get(self.first, 0)
        mapped = {self.values.get(v, v): n for v, n in sum_.without(self.first).terms.items()}
        distance = theirs_sum.plus(Linear(mapped), -1).plus(Linear({self.second: factor}), -1)
        if distance.terms:
            return False
        gap = distance.constant - sum_.constant
        if not factor:
            return not gap
        shift, rest = divmod(gap, factor)
        self.shifts[ours, number] = shift
        return not rest
