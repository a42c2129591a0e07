"""``carry-in-memory``: what loops and conditions hand on in registers is kept where it ends up.

Neither unit has state between iterations but the output row and the counter. So a value in
``iter_args``, or the result of a ``scf.if``, gets a *home* in memory:

* An *fp32 value* has the place of an array that it, or what is computed from it, is stored to
  behind the loop: ``%s = scf.for .. iter_args(%a = %z) {.. yield %r}; store %s, %out[%b]`` stores
  ``%z`` to ``%out[%b]``, loads it at the beginning of an iteration, stores ``%r`` at its end. Legal
  if the array is not touched between the loop's beginning and that store, which must be in the
  block of the loop, and if its indices can be computed before it.
* An *integer that grows by a constant*, and that nobody needs after the loop, is computed from the
  loop's variable; but a count that is compared or divided by is the execute unit's.
* An *fp32 cell*, ``memref<f32>``, is no different: it is the place that its value is stored to.
* Any other *integer* has a cell, ``memref<i32>`` or ``memref<i64>``, of its own.
* A value that stays as it is is no loop's.

With that, ``store select(%c, %new, %old)`` of integers compared, where ``%old`` is what the place
holds, is ``if %c { store %new }``. What is stored where it was loaded from goes, and loads move
into the loops and conditions that use them, if nothing is stored there between.

Preserved: every value that is stored, once the nest is over. A value without a home is left alone.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from .carried_cells import carry_cell
from .carried_conditions import carry_condition, store_under_condition
from .carried_loops import carry_loop
from .loads_at_uses import load_at_uses
from .simplify import simplify_changed


@dataclass(frozen=True)
class CarryInMemoryPass(ModulePass):
    """Keeps carried values in memory; preserves what is stored."""

    name = "carry-in-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        simplify_changed(ctx, op, _function)


def _function(function: func.FuncOp) -> bool:
    changed = any([_carry(block) for block in function.body.blocks])
    if changed:
        load_at_uses(function)
    return changed


def _carry(block: Block) -> bool:
    """Give what a block's operations hand on a home, from the outside in; whether any got one."""
    changed = False
    for op in list(block.ops):
        new = op
        if isinstance(op, scf.ForOp) and op.results:
            new = carry_loop(op)
            changed |= new is not op
        elif isinstance(op, scf.IfOp) and op.results:
            new = carry_condition(op)
            changed |= new is not op
        elif isinstance(op, memref.AllocaOp):
            changed |= carry_cell(op)
        elif isinstance(op, memref.StoreOp):
            changed |= store_under_condition(op)
        for region in new.regions:
            for inner in region.blocks:
                changed |= _carry(inner)
    return changed
