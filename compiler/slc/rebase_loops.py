"""``rebase-loops``: a loop whose variable is only added to something starts from there.

An index of two loop variables, ``idx[3*b + s]``, is a sum that the layer of ``s`` has to compute
before it can load with it, which takes a further layer. But the layer above can compute where the
loop starts, and the variable is the index:

```
slc.loop (%s = 0 to 3 step 1) {          %end = slc.add %base, 3
  %at = slc.add %base, %s                slc.loop (%at = %base to %end step 1) {
  %i = slc.load %idx[%at]                  %i = slc.load %idx[%at]
```

The same goes for a multiple of the variable, which becomes the step. Legal if the loop starts at 0
and ends at a literal, and its variable, or one multiple of it, is only added to one sum of streams
from outside, which is never below 0. Preserved: every value.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain, name_of
from . import dialect as slc
from .linear import least_sum, linear, loop_of
from .vectorize import loads_floats

#: Steps of the machine are below this.
STEPS = 1 << 16


@dataclass(frozen=True)
class RebaseLoopsPass(ModulePass):
    """Starts loops where their variables are added to; preserves every value."""

    name = "rebase-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in list(op.walk()):
            if isinstance(loop, slc.LoopOp) and isinstance(loop.parent_op(), slc.LoopOp):
                if not loads_floats(loop) or slc.inner_loops(loop.body.block):
                    _rebase(loop)


def _rebase(loop: slc.LoopOp) -> None:
    start, stop = loop.bounds
    if start != 0 or not isinstance(stop, int) or not loop.trip_count or loop.masked:
        return
    multiples = [use.operation for use in loop.induction.uses]
    factor, values = 1, [loop.induction]
    if multiples and all(isinstance(op, slc.MulOp | slc.ShlOp) for op in multiples):
        factors = {linear(op.results[0]).terms.get(loop.induction) for op in multiples}
        if len(factors) != 1 or None in factors:
            return
        factor = factors.pop() or 1
        values = [op.results[0] for op in multiples]
    step = loop.stride * factor
    sums = [use.operation for value in values for use in value.uses]
    if not 1 <= step < STEPS or not sums or not all(isinstance(op, slc.AddOp) for op in sums):
        return
    bases: list[SSAValue] = []
    for op in sums:
        assert isinstance(op, slc.AddOp)
        operands = [op.lhs, op.second]
        others = [v for v in operands if not any(v is value for value in values)]
        if len(others) != 1 or not isinstance(others[0], SSAValue):
            return
        bases.append(others[0])
    base = bases[0]
    if any(linear(other) != linear(base) for other in bases) or not _is_start(base, loop):
        return
    if not all(_can_be_index(op.results[0]) for op in sums):
        return
    last = (loop.trip_count - 1) * step + 1
    name = name_of(base)
    explain(loop, f"starts at {name}, which its variable is only added to")
    end = slc.AddOp(base, last)
    assert loop.parent is not None
    loop.parent.insert_op_before(end, loop)
    new = slc.LoopOp(base, end.result, step, fused=loop.fused is not None)
    new.location = loop.location
    hint = sums[0].results[0].name_hint
    new.induction.name_hint = hint or loop.induction.name_hint
    loop.parent.insert_op_before(new, loop)
    for op in list(loop.body.block.ops):
        op.detach()
        new.body.block.add_op(op)
    for op in sums:
        _as_index(op.results[0])
        op.results[0].replace_all_uses_with(new.induction)
        Rewriter.erase_op(op)
    for value in values:
        if value is not loop.induction:
            owner = value.owner
            assert isinstance(owner, slc._Arithmetic)
            Rewriter.erase_op(owner)
    Rewriter.erase_op(loop)



def _computed(value: SSAValue) -> list[SSAValue]:
    """What has a value's type, because it is computed from it."""
    users = [use.operation for use in value.uses if use.index == 0]
    return [op.results[0] for op in users if isinstance(op, slc._Arithmetic)]


def _can_be_index(value: SSAValue) -> bool:
    """Whether nobody minds if a value is an index, as a loop's variable is."""
    if isinstance(value.type, IndexType):
        return True
    plain = (slc._Arithmetic, slc.LoadOp, slc.LoopOp)
    return all(isinstance(use.operation, plain) for use in value.uses) and all(
        map(_can_be_index, _computed(value))
    )


def _as_index(value: SSAValue) -> None:
    """Make indices of what is computed from a value."""
    if not isinstance(value.type, IndexType):
        for result in _computed(value):
            _as_index(result)
            Rewriter.replace_value_with_new_type(result, IndexType())


def _is_start(value: SSAValue, loop: slc.LoopOp) -> bool:
    """Whether a stream of a loop around is never below 0: it may be where a loop starts."""
    total = linear(value)
    known = loop_of(value) in slc.enclosing_loops(loop) and not isinstance(value.owner, slc.ConstOp)
    rising = total.constant >= 0 and all(factor > 0 for factor in total.terms.values())
    return known and rising and least_sum(total) >= 0
