"""``fuse-tokens``: the tokens of a loop's beg, of its rows and of its end become one.

A callback before an inner loop, the loop's only callback, and one behind the loop are merged into
``slc.callback first { .. } each { .. } last { .. }``; the loop becomes ``fused``. A loop of n
rows then costs n tokens instead of n + 2, an empty one still costs one. Preserved: the order of
everything that the execute unit does.

Left alone if the outer callbacks read streams, which an empty loop does not have, if the inner one
pops integers, which a skipped row does not have, if something else happens between the three, or
if the inner callback changes the register without reading it: the instruction that does so loses
the register where a row is skipped.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref, vector
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Operation, Region
from xdsl.passes import ModulePass

from ..errors import explain
from ..streams import is_integer
from . import dialect as slc


@dataclass(frozen=True)
class FuseTokensPass(ModulePass):
    """Merges the callbacks around and in a loop; preserves their order."""

    name = "fuse-tokens"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in list(op.walk()):
            if isinstance(loop, slc.LoopOp):
                _fuse(loop)


def _fuse(loop: slc.LoopOp) -> None:
    if not isinstance(loop.parent_op(), slc.LoopOp):
        # What stands between two nests belongs to the second one.
        return
    before, after = _before(loop), loop.next_op
    if not isinstance(before, slc.CallbackOp) or not isinstance(after, slc.CallbackOp):
        return
    inside = [op for op in loop.walk() if isinstance(op, slc.CallbackOp)]
    if len(inside) != 1 or inside[0].parent_op() is not loop or inside[0].first is not None:
        return
    if any(isinstance(op, slc.ToValOp) for c in (before, after) for op in c.walk()):
        return
    [each] = inside
    if not _accumulates(each) or _pops_scalars(each):
        return
    explain(loop, "its tokens and those of its rows are one")
    new = slc.CallbackOp(_take(each.body), _take(before.body), _take(after.body))
    loop.body.block.insert_op_before(new, each)
    for op in (before, each, after):
        op.detach()
        op.erase()
    loop.properties["fused"] = UnitAttr()


def _before(loop: slc.LoopOp) -> Operation | None:
    """What stands before a loop, but for what only computes its streams."""
    op = loop.prev_op
    while isinstance(op, slc.LoadOp | slc.LoadPairOp | slc._Arithmetic | slc.ConstOp):
        op = op.prev_op
    return op


def _pops_scalars(callback: slc.CallbackOp) -> bool:
    """Whether integers come to it through the DataQ, which a skipped row does not have."""
    return any(isinstance(op, slc.ToValOp) and is_integer(op.stream.type) for op in callback.walk())


def _accumulates(callback: slc.CallbackOp) -> bool:
    """Whether the callback reads the register, if it changes it."""
    accesses = [
        op
        for op in callback.walk()
        if isinstance(op, memref.LoadOp | vector.LoadOp | memref.StoreOp | vector.StoreOp)
        and any(isinstance(value.owner, slc.RowOp) for value in op.operands)
    ]
    return not accesses or any(result.uses for op in accesses for result in op.results)


def _take(region: Region) -> Region:
    block = region.block
    block_region = Region()
    region.detach_block(block)
    block_region.add_block(block)
    return block_region
