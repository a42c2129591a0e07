"""``innermost-elements``: loops over the elements of rows become the innermost ones.

The machine walks rows as a whole. A front end that keeps sums in registers writes ``for e: for j:
out[b, e] += table[index[j], e]``, and one that thinks of single elements loads the index in the
loop over them. Such a loop is divided: what does not depend on the element is done once, around
loops over elements of what does, in the same order:

```
for e {                                  for e { out[b, e] = 0 }
  out[b, e] = 0                          for j {
  for j {                                  i = index[j]
    i = index[j]                           for e { out[b, e] += table[i, e] }
    out[b, e] += table[i, e]             }
  }
}
```

An element loop is one with literal bounds and at least one iteration whose variable is only used as
the last index of accesses to arrays of f32, and that walks a row of an array that it only reads.
Legal if elements do not depend on each other: each array that is stored to is accessed in one view
whose rows do not overlap, at the loop's variable, in a row that does not depend on it; bounds of
loops inside do not depend on the element; nor does what is stored to a cell, which is one for all
elements then. A value that depends on the element and is used behind a loop is computed again, so
it must not be loaded from what is stored to. Floats, truth values and what is computed from cells
are computed again wherever they are used, because the two sides of a loop share memory only; so a
cell must not have changed.

Of other innermost loops a condition around all that they do goes around them, if it does not change
in them: a row has no conditions.

Preserved: what is stored, and for each element the order of it. Everything else is left alone.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from ..errors import explain
from .dependences import is_arithmetic
from .divided_loop import Writer
from .element_dependences import Varying
from .element_groups import Groups
from .element_loops import is_element_loop
from .simplify import simplify_changed


@dataclass(frozen=True)
class InnermostElementsPass(ModulePass):
    """Moves loops over elements inwards; preserves each element's order of operations."""

    name = "innermost-elements"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        simplify_changed(
            ctx, op, lambda function: any([_visit(block) for block in function.body.blocks])
        )


def _visit(block: Block) -> bool:
    changed = False
    for op in list(block.ops):
        if isinstance(op, scf.ForOp) and is_element_loop(op):
            changed |= _divide(op)
        elif isinstance(op, scf.ForOp) and _is_conditional(op):
            explain(op, "goes into the condition, which does not change in it")
            _exchange(op)
            changed = True
        else:
            for region in op.regions:
                for inner in region.blocks:
                    changed |= _visit(inner)
    return changed


def _divide(loop: scf.ForOp) -> bool:
    """Divide a loop, if that is legal and changes anything."""
    varying = Varying(loop)
    here = (varying.ops, varying.derived)
    if all(any(id(op) in ops for ops in here) or _stays(op) for op in loop.body.block.ops):
        return False
    reason = varying.reason() or Groups(varying).reason()
    if reason is not None:
        explain(loop, f"stays where it is: {reason}")
        return False
    explain(loop, "becomes the innermost loop: elements do not depend on each other")
    Writer(varying).write()
    return True


def _is_conditional(loop: scf.ForOp) -> bool:
    """Whether all that an innermost loop does is under one condition, which it does not change."""
    *before, choice, _ = [None, None, *loop.body.block.ops]
    if not isinstance(choice, scf.IfOp) or choice.results or choice.false_region.blocks:
        return False
    inside = any(isinstance(op, scf.ForOp) for op in loop.body.walk())
    owner = choice.cond.owner
    block = owner if isinstance(owner, Block) else owner.parent
    return (
        not inside
        and not loop.results
        # A nest is a loop.
        and not isinstance(loop.parent_op(), func.FuncOp)
        and block is not loop.body.block
        and all(op is None or is_arithmetic(op) for op in before)
    )


def _exchange(loop: scf.ForOp) -> None:
    """``for { if c { .. } }`` becomes ``if c { for { .. } }``."""
    choice = loop.body.block.last_op
    assert choice is not None and loop.parent is not None
    choice = choice.prev_op
    assert isinstance(choice, scf.IfOp)
    choice.detach()
    loop.parent.insert_op_before(choice, loop)
    loop.detach()
    body, end = choice.true_region.block, loop.body.block.last_op
    assert end is not None
    for op in list(body.ops):
        if not isinstance(op, scf.YieldOp):
            op.detach()
            loop.body.block.insert_op_before(op, end)
    last = body.last_op
    assert last is not None
    body.insert_op_before(loop, last)


def _stays(op: Operation) -> bool:
    """Whether an operation may be in an element loop: what has no effect but an integer."""
    return isinstance(op, scf.YieldOp | arith.ConstantOp)
