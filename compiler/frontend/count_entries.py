"""``count-entries``: a division by the length of a range is one by a counter of its iterations.

The execute unit divides by its counter, and by nothing else. A front end takes the difference of a
range's bounds for a mean:

```
%s = sum of entries %p to %q                   .. counted in a cell, %n
%n = %q - %p
if %n != 0 { %s / float(%n) }                  if %n != 0 { %s / float(%n) }
```

So the loop counts in a cell, which takes the difference's place. ``%s / float(max(%n, 1))`` becomes
a division under the condition that the counter is not 0. A branch that gives what the sum begins
with, where there is nothing to divide, keeps the sum. Legal if the loop over the range has a step
of 1 and stands before the division, and the length has at least 32 bits; for ``max``, if the sum
begins with a literal, which a division by 1 does not change.

Preserved: every value that is stored, of a range that does not end before it starts. Any other
division is left alone.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp, f32, i32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain, name_of
from ..slc.decouple import CASTS
from ..streams import constant, float_bits, holds_indices, literal_of
from .affine import sum_of
from .dependences import variable

#: arith.cmpi that only 0 does not pass, of what is at least 0: != 0, > 0 with and without a sign.
SOME = (1, 4, 8)


@dataclass(frozen=True)
class CountEntriesPass(ModulePass):
    """Counts what a division needs the length of; preserves what is stored."""

    name = "count-entries"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                for division in list(function.walk()):
                    if isinstance(division, arith.DivfOp) and division.result.type == f32:
                        _divide(division)


def _divide(division: arith.DivfOp) -> None:
    cast = division.rhs.owner
    if not isinstance(cast, arith.SIToFPOp | arith.UIToFPOp):
        return
    length, least = _at_least_one(_uncast(cast.input))
    loop = _loop_over(length, division)
    if loop is None:
        return
    if least:
        if _begins_with_literal(division.lhs, loop):
            explain(division, f"divides by a counter of {name_of(variable(loop))}")
            _under_condition(division, _count(loop))
        return
    condition = division.parent_op()
    if not isinstance(condition, scf.IfOp) or division.parent is not condition.true_region.block:
        return
    compare = condition.cond.owner
    if (
        isinstance(compare, arith.CmpiOp)
        and compare.predicate.value.data in SOME
        and constant(compare.rhs) == 0
        and sum_of(compare.lhs) == sum_of(length)
    ):
        explain(division, f"divides by a counter of {name_of(variable(loop))}")
        cell = _count(loop)
        count, zero, some = _some(cell)
        assert condition.parent is not None
        condition.parent.insert_ops_before([count, zero, some], condition)
        condition.operands[0] = some.result
        assert division.parent is not None
        divisor = _divisor(cell)
        division.parent.insert_ops_before(divisor, division)
        division.operands[1] = divisor[-1].results[0]
        _keep_sum(division, condition, loop)


def _keep_sum(division: arith.DivfOp, condition: scf.IfOp, loop: scf.ForOp) -> None:
    """What nothing is added to is what the sum begins with: the other branch keeps it."""
    taken, sum_ = condition.true_region.block.last_op, division.lhs
    if not condition.results or taken is None or sum_ not in loop.results:
        return
    other = condition.false_region.block.last_op
    assert other is not None
    first = loop.iter_args[loop.results.index(sum_)]
    for number, value in enumerate(taken.operands):
        if value is division.result and _same(other.operands[number], first):
            other.operands[number] = sum_


def _same(value: SSAValue, other: SSAValue) -> bool:
    mine, its = literal_of(value), literal_of(other)
    equal = mine is not None and its is not None and float_bits(mine) == float_bits(its)
    return value is other or equal


def _uncast(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, CASTS) and holds_indices(value.type):
        value = value.owner.operands[0]
    return value


def _at_least_one(value: SSAValue) -> tuple[SSAValue, bool]:
    """A length, and whether it is taken for 1 where it is 0."""
    owner = value.owner
    if isinstance(owner, arith.MaxSIOp | arith.MaxUIOp):
        for length, other in ((owner.lhs, owner.rhs), (owner.rhs, owner.lhs)):
            if constant(other) == 1:
                return _uncast(length), True
    return value, False


def _loop_over(length: SSAValue, division: Operation) -> scf.ForOp | None:
    """The loop before a division whose range has this length."""
    wanted = sum_of(length)
    place: Operation | None = division
    while place is not None and not isinstance(place, func.FuncOp):
        before = place.prev_op
        while before is not None:
            if isinstance(before, scf.ForOp) and constant(before.step) == 1:
                if wanted.terms and sum_of(before.ub).plus(sum_of(before.lb), -1) == wanted:
                    return before
            before = before.prev_op
        place = place.parent_op()
    return None


def _begins_with_literal(value: SSAValue, loop: scf.ForOp) -> bool:
    """Whether a value is one that the loop hands on, from a literal that is no NaN on."""
    if value not in loop.results:
        return False
    first = loop.iter_args[loop.results.index(value)].owner
    literal = first.value if isinstance(first, arith.ConstantOp) else None
    return isinstance(literal, FloatAttr) and literal.value.data == literal.value.data


def _count(loop: scf.ForOp) -> SSAValue:
    """A cell that holds the loop's iterations once it is over."""
    zero, one = (arith.ConstantOp(IntegerAttr(n, i32)) for n in (0, 1))
    alloca = memref.AllocaOp.get(i32, shape=[])
    cell = alloca.memref
    cell.name_hint = "count"
    assert loop.parent is not None
    loop.parent.insert_ops_before(
        [zero, one, alloca, memref.StoreOp.get(zero.result, cell, [])], loop
    )
    seen = memref.LoadOp.get(cell, [])
    more = arith.AddiOp(seen.res, one.result)
    end = loop.body.block.last_op
    assert end is not None
    loop.body.block.insert_ops_before([seen, more, memref.StoreOp.get(more.result, cell, [])], end)
    return cell


def _some(cell: SSAValue) -> tuple[memref.LoadOp, arith.ConstantOp, arith.CmpiOp]:
    """Whether anything was counted."""
    count, zero = memref.LoadOp.get(cell, []), arith.ConstantOp(IntegerAttr(0, i32))
    return count, zero, arith.CmpiOp(count.res, zero.result, "ne")


def _divisor(cell: SSAValue) -> list[Operation]:
    """The counter as a float."""
    count = memref.LoadOp.get(cell, [])
    return [count, arith.UIToFPOp(count.res, f32)]


def _under_condition(division: arith.DivfOp, cell: SSAValue) -> None:
    """Divide if something was counted."""
    count, zero, some = _some(cell)
    divisor = _divisor(cell)
    quotient = arith.DivfOp(division.lhs, divisor[-1].results[0])
    taken = Block([*divisor, quotient, scf.YieldOp(quotient.result)])
    other = Block([scf.YieldOp(division.lhs)])
    condition = scf.IfOp(some.result, [f32], Region(taken), Region(other))
    condition.location = division.location
    Rewriter.replace_op(division, [count, zero, some, condition], [condition.results[0]])
