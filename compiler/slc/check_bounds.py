"""``check-bounds``: loaded values that become addresses are checked against the arrays' sizes.

A requirement ``value < extent`` is followed to where the value comes from: an induction variable
with literal bounds is decided here; one with loaded bounds hands the requirement to the bounds
(``<= extent``); a loaded value gets a ``slc.check`` behind its load. Preserved: everything that
an input whose indices are all in range computes.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from ..errors import name_of, refuse
from . import dialect as slc


@dataclass(frozen=True)
class CheckBoundsPass(ModulePass):
    """Adds ``slc.check`` where a loaded value addresses an array; preserves results."""

    name = "check-bounds"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, slc.FuncOp):
                limits = _Limits()
                for load in function.walk():
                    if isinstance(load, slc.LoadOp | slc.LoadPairOp):
                        limits.load(load)
                limits.insert()


class _Limits:
    """The smallest limit of each loaded value."""

    def __init__(self):
        self.limits: dict[SSAValue, int] = {}

    def load(self, op: slc.LoadOp | slc.LoadPairOp) -> None:
        kind = op.array.type
        assert isinstance(kind, MemRefType)
        for index, extent in zip(op.indices, kind.get_shape(), strict=True):
            if extent == DYNAMIC_INDEX:
                raise refuse(
                    op, f"{name_of(op.array)} must have a known size, so that accesses are checked"
                )
            if isinstance(op, slc.LoadPairOp):
                extent -= 1
            self.require(index, extent, op)

    def require(self, value: SSAValue, extent: int, user: Operation) -> None:
        """Make sure that ``value < extent`` whenever ``user`` runs."""
        owner = value.owner
        loop = value.block.parent_op() if isinstance(value, BlockArgument) else None
        if isinstance(loop, slc.LoopOp):
            self._loop(loop, extent, user)
        elif isinstance(owner, slc.LoadOp | slc.LoadPairOp):
            self.limits[value] = min(extent, self.limits.get(value, extent))
        elif isinstance(owner, slc.AddOp) and (most := maximum(owner.second)) is not None:
            self.require(owner.lhs, extent - most, user)
        elif (
            isinstance(owner, slc.AddOp)
            and isinstance(owner.second, SSAValue)
            and (most := maximum(owner.lhs)) is not None
        ):
            self.require(owner.second, extent - most, user)
        elif isinstance(owner, slc.MulOp) and isinstance(owner.second, int) and owner.second > 0:
            self.require(owner.lhs, -(-extent // owner.second), user)
        else:
            raise refuse(user, f"cannot prove that {name_of(value)} stays below {extent}")

    def _loop(self, loop: slc.LoopOp, extent: int, user: Operation) -> None:
        start, stop = loop.bounds
        if isinstance(start, int) and start < 0:
            raise refuse(user, f"{name_of(loop.induction)} starts at {start}, below 0")
        last = maximum(loop.induction)
        if last is not None:
            if last >= extent and loop.trip_count != 0:
                raise refuse(
                    user, f"{name_of(loop.induction)} reaches {last}, but must stay below {extent}"
                )
            return
        if isinstance(stop, int):
            if stop > extent:
                raise refuse(
                    user,
                    f"{name_of(loop.induction)} reaches {stop - 1}, but must stay below {extent}",
                )
        else:
            self.require(stop, extent + 1, user)
        if isinstance(start, SSAValue):
            self.require(start, extent + 1, user)

    def insert(self) -> None:
        for value, limit in reversed(list(self.limits.items())):
            owner = value.owner
            assert isinstance(owner, Operation) and owner.parent is not None
            owner.parent.insert_op_after(
                slc.CheckOp(value, max(0, limit)), _place(owner, value, limit)
            )


def _place(owner: Operation, value: SSAValue, limit: int) -> Operation:
    """What the check comes after: the load, or a skip of a value that would not pass it."""
    place = owner
    for use in value.uses:
        skip = use.operation
        if isinstance(skip, slc.SkipOp) and not 0 <= skip.unwanted.value.data < limit:
            place = skip
    for use in value.uses:
        op = use.operation
        if place is not owner and not isinstance(op, slc.SkipOp) and op.is_before_in_block(place):
            raise refuse(
                op, f"uses {name_of(value)} before it is known not to be the value that is skipped"
            )
    return place


def maximum(value: SSAValue | int) -> int | None:
    """The largest value, if literals alone decide it and it is never negative."""
    if isinstance(value, int):
        return value if value >= 0 else None
    if isinstance(value, BlockArgument):
        loop = value.block.parent_op()
        if isinstance(loop, slc.LoopOp) and loop.trip_count is not None:
            start, stop = loop.bounds
            assert isinstance(start, int) and isinstance(stop, int)
            if start < 0:
                return None
            return max(start, start + (loop.trip_count - 1) * loop.stride)
        return None
    owner = value.owner
    if isinstance(owner, slc.AddOp | slc.MulOp):
        first, second = maximum(owner.lhs), maximum(owner.second)
        if first is not None and second is not None:
            return first + second if isinstance(owner, slc.AddOp) else first * second
    return None
