"""``pair-loads``: ``ptrs[b]`` and ``ptrs[b + 1]`` become one load of two neighbours.

The access unit then reads each element of the array once, not twice, and needs no adder. Only
for an induction variable with step 1, where the pairs of two iterations overlap, and an array whose
elements follow each other. Preserved: both values.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from . import dialect as slc
from .flatten_addresses import is_flat


@dataclass(frozen=True)
class PairLoadsPass(ModulePass):
    """Merges loads of neighbouring elements; preserves the loaded values."""

    name = "pair-loads"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in op.walk():
            if isinstance(loop, slc.LoopOp) and loop.stride == 1:
                _pair(loop)


def _pair(loop: slc.LoopOp) -> None:
    loads = [op for op in loop.body.block.ops if isinstance(op, slc.LoadOp)]
    places = {op: number for number, op in enumerate(loads)}
    firsts: dict[SSAValue, slc.LoadOp] = {}
    for op in loads:
        if tuple(op.indices) == (loop.induction,) and is_flat(op.array.type):
            firsts.setdefault(op.array, op)
    for following in loads:
        first = firsts.get(following.array)
        if first is None or len(following.indices) != 1:
            continue
        index = following.indices[0]
        if (
            isinstance(index, BlockArgument)
            or not isinstance(index.owner, slc.AddOp)
            or index.owner.lhs != loop.induction
            or index.owner.second != 1
        ):
            continue
        pair = slc.LoadPairOp(first.array, first.indices)
        loop.body.block.insert_op_before(pair, min(first, following, key=places.__getitem__))
        for old, new in ((first.result, pair.result), (following.result, pair.following)):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        Rewriter.erase_op(first)
        Rewriter.erase_op(following)
        if not index.uses:
            Rewriter.erase_op(index.owner)
        del firsts[pair.array]
