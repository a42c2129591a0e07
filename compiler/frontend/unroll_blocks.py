"""``unroll-blocks``: nests over blocks of rows become a nest for each row of a block.

A block-sparse operation names blocks, and walks the rows of each in a loop with literal bounds. The
machine keeps one row open, so rows of a block cannot be worked on in turns; and a row's address is
that of its block, which is loaded, plus that of the row in it, which takes layers. So

```
for b {                                      for b {
  for s = 0 to 2 { out[2*b + s] = 0 }          out[2*b] = 0
  for k {                                      for k { out[2*b] += table[2*block[k]] }
    for s = 0 to 2 {                         }
      out[2*b + s] += table[2*block[k] + s]  for b {
  } }                                          out[2*b + 1] = 0
}                                              for k { out[2*b + 1] += table[2*block[k] + 1] }
                                             }
```

Legal if all that is stored is stored in such loops, all over the same numbers, at one row for each
of these, and if rows of different numbers are never the same. Preserved: what is stored, with each
row's order. Loops over a block that are neither in turns nor over rows of a loaded block are left
alone, and so are long ones.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd

from xdsl.context import Context
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import Float32Type, MemRefType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain
from ..slc.decouple import root
from ..slc.linear import Linear
from ..streams import constant
from .affine import index, sum_of
from .dependences import accesses, arrays_of, is_arithmetic, variable
from .nests import rewrite_nests

#: Rows of a block, at most: each is a nest.
MOST_ROWS = 16


@dataclass(frozen=True)
class UnrollBlocksPass(ModulePass):
    """Makes a nest of each row of blocks; preserves what is stored, with each row's order."""

    name = "unroll-blocks"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_nests(ctx, op, _unroll)


def _unroll(nest: scf.ForOp) -> bool:
    """Write the rows of blocks out; whether the nest has such."""
    blocks = list(_blocks(nest))
    if not blocks or not (len(blocks) > 1 or _is_loaded(blocks[0], nest)):
        return False
    ranges = {tuple(constant(value) for value in (b.lb, b.ub, b.step)) for b in blocks}
    if len(ranges) != 1 or not _legal(nest, blocks):
        return False
    numbers = _numbers(blocks[0])
    explain(nest, f"{len(numbers)} nests, one for each row of a block")
    assert nest.parent is not None
    for number in numbers:
        copy = nest.clone()
        nest.parent.insert_op_before(copy, nest)
        places = {id(block) for block in blocks}
        pairs = zip(nest.walk(), copy.walk(), strict=True)
        for new in [new for old, new in pairs if id(old) in places]:
            assert isinstance(new, scf.ForOp)
            _inline(new, number)
    Rewriter.erase_op(nest)
    return True


def _numbers(loop: scf.ForOp) -> range:
    start, stop, step = (constant(value) for value in (loop.lb, loop.ub, loop.step))
    if start is None or stop is None or step is None or step < 1:
        return range(0)
    return range(start, stop, step)


def _blocks(loop: scf.ForOp) -> Iterator[scf.ForOp]:
    """Loops over the rows of a block, in a nest."""
    for op in loop.body.block.ops:
        for inner in _loops(op):
            if _is_block(inner):
                yield inner
            else:
                yield from _blocks(inner)


def _loops(op: Operation) -> Iterator[scf.ForOp]:
    """A loop, or those in a condition."""
    if isinstance(op, scf.ForOp):
        yield op
        return
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                yield from _loops(inner)


def _is_block(loop: scf.ForOp) -> bool:
    """Whether a loop works on whole rows, and on nothing else."""
    if loop.results or not 1 < len(_numbers(loop)) <= MOST_ROWS:
        return False
    inner = [op for op in loop.body.block.ops if isinstance(op, scf.ForOp)]
    plain = all(
        isinstance(op, scf.ForOp | scf.YieldOp) or is_arithmetic(op) for op in loop.body.block.ops
    )
    return plain and bool(inner) and all(map(_is_row, inner))


def _is_row(loop: scf.ForOp) -> bool:
    """Whether a loop walks elements."""
    return all(
        isinstance(op, memref.LoadOp | memref.StoreOp | scf.YieldOp) or is_arithmetic(op)
        for op in loop.body.block.ops
    ) and all(
        op.indices and op.indices[-1] is variable(loop) and _is_f32(op) for op in accesses(loop)
    )


def _is_f32(op: memref.LoadOp | memref.StoreOp) -> bool:
    kind = op.memref.type
    return isinstance(kind, MemRefType) and isinstance(kind.element_type, Float32Type)


def _is_loaded(block: scf.ForOp, nest: scf.ForOp) -> bool:
    """Whether rows of a block are read whose place is loaded."""
    _, written = arrays_of(nest)
    for op in accesses(block):
        if isinstance(op, memref.LoadOp) and root(op.memref) not in written:
            terms = [value for place in op.indices[:-1] for value in sum_of(place).terms]
            if variable(block) in terms and any(_loads(value) for value in terms):
                return True
    return False


def _loads(value: SSAValue) -> bool:
    return isinstance(value.owner, memref.LoadOp)


def _legal(nest: scf.ForOp, blocks: list[scf.ForOp]) -> bool:
    """Whether rows of different numbers have nothing to do with each other."""
    _, written = arrays_of(nest)
    inside = {id(op): block for block in blocks for op in block.walk()}
    rows: dict[SSAValue, tuple[SSAValue, int, Linear]] = {}
    for op in accesses(nest):
        array = root(op.memref)
        if array not in written or isinstance(array.owner, memref.AllocaOp):
            continue
        block = inside.get(id(op))
        if block is None or len(op.indices) != 2:
            return False
        row = sum_of(op.indices[0])
        place = op.memref, row.terms.get(variable(block), 0), row.without(variable(block))
        if rows.setdefault(array, place) != place or not place[1]:
            return False
    numbers = _numbers(blocks[0])
    width = numbers[-1] - numbers[0]
    return bool(rows) and all(
        not rest.terms or abs(factor) * width < gcd(*rest.terms.values())
        for _, factor, rest in rows.values()
    )


def _inline(loop: scf.ForOp, number: int) -> None:
    """One iteration in place of a loop."""
    value = index(number)
    assert loop.parent is not None
    loop.parent.insert_op_before(value, loop)
    variable(loop).replace_all_uses_with(value.result)
    for op in list(loop.body.block.ops):
        if not isinstance(op, scf.YieldOp):
            op.detach()
            loop.parent.insert_op_before(op, loop)
    Rewriter.erase_op(loop)
