"""``roll-lookups``: loops one after another in an iteration that do the same become one in a loop.

The machine's layers are one chain of loops, so an iteration cannot walk one list of rows and then
another. If the two differ only in that arrays are read D further on,

```
for b {                                           for b {
  out[b] = 0                                        out[b] = 0
  for j = ptr[b] to ptr[b + 1]                      for t = b to b + 2*D step D
    out[b] += table[idx[j]]                           for j = ptr[t] to ptr[t + 1]
  for k = ptr[b + D] to ptr[b + D + 1]                  out[b] += table[idx[j]]
    out[b] += table[idx[k]]                       }
}
```

they are a loop over both, which takes a layer; so are further ones. Preserved: what is stored, in
the same order. Nests that keep cells, and loops that differ otherwise, are left alone.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import cf, memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain
from .batch_lookups import batch_lookups
from .dependences import looks_up, variable
from .nests import rewrite_nests
from .simplify import drop_unused


@dataclass(frozen=True)
class RollLookupsPass(ModulePass):
    """Makes one loop of equal ones in an iteration; preserves what is stored, in its order."""

    name = "roll-lookups"

    layers: int = 3

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_nests(ctx, op, lambda nest: _roll(nest, self.layers))


def _roll(nest: scf.ForOp, layers: int) -> bool:
    """Roll the loops of an iteration; whether they were."""
    ops = list(nest.body.block.ops)
    lookups = [
        place for place, op in enumerate(ops) if isinstance(op, scf.ForOp) and looks_up(op, nest)
    ]
    cells = any(isinstance(op, memref.AllocaOp) for op in nest.walk())
    if len(lookups) < 2 or cells:
        return False
    assert nest.parent is not None
    # Parts of an iteration: each ends with a lookup, the last one is what is behind.
    ends = [0, *(place + 1 for place in lookups), len(ops)]
    parts = [_part(nest, range(first, last)) for first, last in zip(ends, ends[1:], strict=False)]
    nest.parent.insert_ops_before(parts, nest)
    first, *others, behind = parts
    reason = None
    for other in others:
        reason = reason or batch_lookups(first, other, layers)
    if reason is not None:
        explain(nest, f"its loops stay side by side: {reason}")
        for part in parts:
            Rewriter.erase_op(part)
        return False
    explain(nest, f"its {len(lookups)} loops one after another are a loop over all of them")
    variable(behind).replace_all_uses_with(variable(first))
    end = first.body.block.last_op
    assert end is not None
    for op in list(behind.body.block.ops):
        if not isinstance(op, scf.YieldOp):
            op.detach()
            first.body.block.insert_op_before(op, end)
    for op in (*others, behind, nest):
        Rewriter.erase_op(op)
    return True


def _part(nest: scf.ForOp, kept: range) -> scf.ForOp:
    """A copy of the nest with the effects of a part of its iteration only."""
    copy = nest.clone()
    for place, op in enumerate(list(copy.body.block.ops)):
        if place not in kept and _has_effect(op):
            Rewriter.erase_op(op)
    drop_unused(copy.body.block)
    return copy


def _has_effect(op: Operation) -> bool:
    return isinstance(op, scf.ForOp | scf.IfOp | scf.WhileOp | memref.StoreOp | cf.AssertOp)
