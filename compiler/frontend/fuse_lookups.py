"""``fuse-lookups``: nests over the same bags become one nest, where the machine has a form for it.

Nests of one function are segments of one program, one after the other, in one launch. That is how
lookups run side by side: a segment has one chain of loops, one table and one output. Three kinds
of neighbours are one segment instead:

* *Continued rows.* A nest that goes on with rows of an earlier one, over the same range, is put
  behind its body: ``for b: out[b] = 0`` and ``for b: .. out[b] += ..``. The execute unit has no
  loads, so without it the later nest could not be compiled. Legal if iterations with the same
  number depend on each other and no others do: every access to an array that both use, and one of
  them writes, is at a row that is ``n*b + c`` with the same n (not 0) and c, in the same view,
  whose rows do not overlap; and what stands between the nests does not touch what the first one
  writes, or write what it reads. Possible if at most one of the two has loops with loads.
* *Batched lookups.* If both have, and they differ only in that the later one's index arrays are
  read D further on (``offsets[b]``, ``offsets[b + D]``), the row is summed in a loop over both:
  ``for t = b to b + 2*D step D: .. offsets[t]``; and so on for further nests, in order. It takes a
  layer.
* *Joined ranges.* Two nests that do the same, of which the second one's variable goes on where the
  first one's ends (or does the same for a variable that is D less), become a loop over both
  ranges. As the order stays as it was, this is always legal. Nothing may stand between them.

Preserved: all that is stored, and the order of it in each row. What is not fused is left alone,
and ``--explain`` says why; nothing is refused.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain, name_of
from ..slc.decouple import VIEWS
from ..streams import constant
from .affine import index, is_part_of_sums
from .batch_lookups import batch_lookups, body_of
from .dependences import between, continued, dependence, other_range, variable, walks_loads
from .nests import rewrite_nests
from .same_body import SameBody


@dataclass(frozen=True)
class FuseLookupsPass(ModulePass):
    """Makes one nest of several over the same bags; preserves what is stored, row by row."""

    name = "fuse-lookups"

    layers: int = 3

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_nests(ctx, op, lambda nest: _fuse(nest, self.layers))


def _fuse(nest: scf.ForOp, layers: int) -> bool:
    """Fuse a nest with one before it; whether it was."""
    if _join(nest):
        return True
    first = continued(nest)
    if first is None:
        _explain_apart(nest)
        return False
    reason = dependence(first, nest) or between(first, nest)
    if reason is None and walks_loads(first) and walks_loads(nest):
        reason = batch_lookups(first, nest, layers)
        if reason is None:
            both = name_of(variable(first))
            explain(nest, f"its lookups and those of {both} are a loop over both")
            # Where it stands, as what is between them need not agree with the lookups of this one.
            first.detach()
            assert nest.parent is not None
            nest.parent.insert_op_before(first, nest)
            Rewriter.erase_op(nest)
    elif reason is None:
        _append(first, nest)
    if reason is not None:
        explain(nest, f"stays a nest of its own: {reason}")
        return False
    return True


def _explain_apart(nest: scf.ForOp) -> None:
    """Say why a lookup over the same bags as the one before is none with it."""
    before = nest.prev_op
    if isinstance(before, scf.ForOp) and other_range(before, nest) is None:
        explain(
            nest,
            "stays a segment of its own, of the same program: it begins its rows itself, and a "
            "segment has one chain of loops and one output",
        )


# Continued rows ---------------------------------------------------------------------------


def _append(first: scf.ForOp, second: scf.ForOp) -> None:
    """Put the first nest's iteration in front of the second one's."""
    name = name_of(variable(first))
    explain(second, f"goes on with the rows of the nest of {name}, in the same iteration")
    place = second.body.block.first_op
    assert place is not None
    variable(first).replace_all_uses_with(variable(second))
    for op in list(first.body.block.ops):
        if not isinstance(op, scf.YieldOp):
            op.detach()
            second.body.block.insert_op_before(op, place)
    Rewriter.erase_op(first)


# Joined ranges ----------------------------------------------------------------------------


def _join(second: scf.ForOp) -> bool:
    """Let an equal nest right before go on where this one starts; whether there is one."""
    first = second.prev_op
    while first is not None and not isinstance(first, scf.ForOp) and _is_pure(first):
        first = first.prev_op
    if not isinstance(first, scf.ForOp) or first.results:
        return False
    numbers = [constant(bound) for loop in (first, second) for bound in (loop.lb, loop.ub)]
    step = constant(first.step)
    if None in numbers or not step or step < 0 or constant(second.step) != step:
        return False
    start, stop, other_start, other_stop = (number or 0 for number in numbers)
    trips, others = len(range(start, stop, step)), len(range(other_start, other_stop, step))
    same = SameBody(variable(first), variable(second))
    if not trips or not others or not same.compare(body_of(first), body_of(second)):
        return False
    shifts = set(same.shifts.values())
    if shifts != {start + trips * step - other_start}:
        return False
    name = name_of(variable(first))
    explain(second, f"goes on where the nest of {name} ends, and does the same")
    end = index(start + (trips + others) * step)
    assert first.parent is not None
    first.parent.insert_op_before(end, first)
    first.operands[1] = end.result
    Rewriter.erase_op(second)
    return True


def _is_pure(op: Operation) -> bool:
    return isinstance(op, (*VIEWS, memref.DimOp)) or is_part_of_sums(op)
