"""``fuse-tokens``: the tokens of a loop's beg, of its rows and of its end become one.

A callback before an inner loop, the loop's only callback, and one behind the loop are merged into
``slc.callback first { .. } each { .. } last { .. }``; the loop becomes ``fused``. A loop of n
rows then costs n tokens instead of n + 2, an empty one still costs one. Preserved: the order of
everything that the execute unit does.

Left alone if the outer callbacks read streams, which an empty loop does not have, if they do more
to the register than to begin with +0.0 and to divide by the counter, if the inner one pops
integers, which a skipped row does not have, if something else happens between the three, or if the
inner callback does not add to the register, or compare with it, as its last operation: only then
an instruction keeps the register where a row is skipped, and starts it anew. A comparison must also
take the first entry as it is. A counter that is looked at must be set to 0 before the loop, and
count behind the update.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, math, memref, scf, vector
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain
from ..streams import float_bits, is_integer, literal_of
from . import dialect as slc

#: Operations that choose: in one instruction with their start, they take the first entry as it is.
COMPARES = (arith.MaximumfOp, arith.MinimumfOp, slc.ChoiceOp)
#: Operations whose last step has the register as its addend, or compares with it.
ACCUMULATES = (*COMPARES, arith.AddfOp, arith.SubfOp, math.FmaOp)


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
    if not _starts_at_zero(before) or not _only_divides(after):
        return
    if not _counts(before, each, after):
        return
    explain(loop, "its tokens and those of its rows are one")
    new = slc.CallbackOp(_take(each.body), _take(before.body), _take(after.body))
    loop.body.block.insert_op_before(new, each)
    for op in (before, each, after):
        Rewriter.erase_op(op)
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


def _accesses(callback: slc.CallbackOp) -> list[Operation]:
    """Loads and stores of the register."""
    return [
        op
        for op in callback.walk()
        if isinstance(op, memref.LoadOp | vector.LoadOp | memref.StoreOp | vector.StoreOp)
        and any(isinstance(value.owner, slc.RowOp) for value in op.operands)
    ]


def _starts_at_zero(callback: slc.CallbackOp) -> bool:
    """Whether +0.0 is all that is stored to the register."""
    literals = [literal_of(op.operands[0]) for op in _accesses(callback) if not op.results]
    return all(literal is not None and float_bits(literal) == 0 for literal in literals)


def _only_divides(callback: slc.CallbackOp) -> bool:
    """Whether the register is only changed under a condition, which is that of a mean."""
    stores = [op for op in _accesses(callback) if not op.results]
    return all(_in_condition(op, callback) for op in stores)


def _cells(callback: slc.CallbackOp, kind: type[memref.LoadOp | memref.StoreOp]) -> set[SSAValue]:
    """Cells that are loaded, or stored to."""
    accesses = [op for op in callback.walk() if isinstance(op, kind)]
    return {op.memref for op in accesses if isinstance(op.memref.owner, memref.AllocaOp)}


def _counts(before: slc.CallbackOp, each: slc.CallbackOp, after: slc.CallbackOp) -> bool:
    """Whether a counter that is looked at starts at 0 here, and counts behind the update."""
    stored = _cells(each, memref.StoreOp)
    used = stored | _cells(each, memref.LoadOp) | _cells(after, memref.LoadOp)
    if used - _cells(before, memref.StoreOp):
        return False
    if used - stored:
        return False
    ops = list(each.body.block.ops)
    counts = [n for n, op in enumerate(ops) if isinstance(op, memref.StoreOp) and op.memref in used]
    rows = [n for n, op in enumerate(ops) if isinstance(op, scf.ForOp)]
    return not counts or not rows or min(counts) > max(rows)


def _in_condition(op: Operation, callback: slc.CallbackOp) -> bool:
    parent = op.parent_op()
    while parent is not None and parent is not callback:
        if isinstance(parent, scf.IfOp):
            return True
        parent = parent.parent_op()
    return False


def _accumulates(callback: slc.CallbackOp) -> bool:
    """Whether all that the callback does to the register is to accumulate."""
    accesses = _accesses(callback)
    loads = [op.results[0] for op in accesses if op.results]
    stores = [op for op in accesses if not op.results]
    reads = [use.operation for value in loads for use in value.uses]
    for store in stores:
        update = store.operands[0].owner
        initializes = isinstance(update, arith.SelectOp)
        if isinstance(update, arith.SelectOp):
            update = update.rhs.owner
        if initializes != isinstance(update, COMPARES) or not isinstance(update, ACCUMULATES):
            return False
        if isinstance(update, math.FmaOp):
            kept = [update.c]
        else:
            kept = [update.current] if isinstance(update, slc.ChoiceOp) else list(update.operands)
        if not any(value in loads for value in kept):
            return False
        if not isinstance(update, math.FmaOp) and any(map(literal_of, update.operands)):
            # An instruction has the literal as its addend, where the register would have to be.
            return False
    return len(reads) == len(stores)


def _take(region: Region) -> Region:
    block = region.block
    block_region = Region()
    region.detach_block(block)
    block_region.add_block(block)
    return block_region
