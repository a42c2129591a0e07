"""``check-bounds``: loaded values that become addresses are checked against the arrays' sizes.

A requirement ``0 <= index < extent`` is followed to what the index is a sum of
(:mod:`ember.compiler.slc.linear`): what literals decide is decided here; induction variables with
loaded bounds hand the requirement to the bounds (``<= extent``); a loaded value gets a
``slc.check`` behind its load. Preserved: everything that an input whose indices are all in range
computes.

A check is only put where it says exactly that an index is out of range: if a loaded value is added
to others, these must run through all their values for each one of it. A check is an upper limit,
so of a loaded value nothing more than ``>= 0`` is known, or ``>= 1`` where 0 is skipped. Where a
program may mean a value below 0, ``decouple`` has refused it (:mod:`ember.compiler.slc.signs`).
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import name_of, refuse
from ..streams import constant
from . import dialect as slc
from .linear import Linear, least_sum, linear, loop_of, most, most_sum

#: A loop whose variable is no address must still end: a negative bound is not a large number.
MOST_ITERATIONS = (1 << 31) - 1


@dataclass(frozen=True)
class CheckBoundsPass(ModulePass):
    """Adds ``slc.check`` where a loaded value addresses an array; preserves results."""

    name = "check-bounds"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, slc.FuncOp):
                limits = _Limits()
                for check in list(function.walk()):
                    if isinstance(check, slc.CheckOp):
                        limits.asserted(check)
                for load in function.walk():
                    if isinstance(load, slc.LoadOp | slc.LoadPairOp):
                        limits.load(load)
                for inner in function.walk():
                    if isinstance(inner, slc.LoopOp):
                        limits.bounds(inner)
                    elif isinstance(inner, memref.LoadOp | memref.StoreOp):
                        limits.row(inner)
                limits.insert()


class _Limits:
    """The smallest limit of each loaded value."""

    def __init__(self):
        self.limits: dict[SSAValue, int] = {}

    def asserted(self, op: slc.CheckOp) -> None:
        """A check that is there already becomes one with those that are added."""
        if isinstance(op.value.owner, slc.LoadOp | slc.LoadPairOp):
            self._limit(op.value, op.limit.value.data, op)
            Rewriter.erase_op(op)

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

    def row(self, op: memref.LoadOp | memref.StoreOp) -> None:
        """The row of an array that callbacks work on, if it is a stream."""
        kind = op.memref.type
        assert isinstance(kind, MemRefType)
        if kind.get_num_dims() != 2:
            return
        row = row_stream(op.indices[0])
        if row is not None and kind.get_shape()[0] != DYNAMIC_INDEX:
            self.require(row, kind.get_shape()[0], op)

    def bounds(self, loop: slc.LoopOp) -> None:
        """Loaded bounds that nothing else limits."""
        for bound in loop.bounds:
            if isinstance(bound, SSAValue):
                for value in linear(bound).terms:
                    if isinstance(value.owner, slc.LoadOp | slc.LoadPairOp):
                        self.limits.setdefault(value, MOST_ITERATIONS)

    def require(self, value: SSAValue | int, extent: int, user: Operation) -> None:
        """Make sure that ``0 <= value < extent`` whenever ``user`` runs."""
        if never_runs(user):
            return
        total = linear(value)
        name = name_of(value) if isinstance(value, SSAValue) else str(value)
        self._above(total, name, user)
        unknown = [v for v, n in total.terms.items() if n > 0 and most(v) is None]
        if len(unknown) > 1:
            names = " and ".join(map(name_of, unknown))
            raise refuse(
                user,
                f"cannot prove that {name} stays below {extent}: it is a sum of {names}, "
                "and a check looks at one value",
            )
        rest = total if not unknown else total.without(unknown[0])
        highest = most_sum(rest)
        if highest is None:
            raise refuse(user, f"cannot prove that {name} stays below {extent}")
        if not unknown:
            if highest >= extent:
                raise refuse(user, f"{name} reaches {highest}, but must stay below {extent}")
            return
        [value] = unknown
        factor = total.terms[value]
        limit = (extent - 1 - highest) // factor + 1
        if (extent - 1 - least_sum(rest)) // factor + 1 != limit:
            self._exact(value, rest, name, extent, user)
        self._limit(value, limit, user)

    def _above(self, total: Linear, name: str, user: Operation) -> None:
        """The lower side: what is subtracted must not be more than the rest."""
        subtracted = [v for v, n in total.terms.items() if n < 0 and most(v) is None]
        rest = total
        for value in subtracted:
            rest = rest.without(value)
        lowest = least_sum(rest)
        if not subtracted and lowest >= 0:
            return
        if len(subtracted) == 1 and lowest >= 0 and most_sum(rest) == lowest:
            [value] = subtracted
            self._limit(value, lowest // -total.terms[value] + 1, user)
            return
        what = f"{name} starts at {lowest}, below 0" if not subtracted else f"{name} may be below 0"
        raise refuse(user, f"{what}: the access unit checks only that a value is not too large")

    def _exact(
        self, value: SSAValue, rest: Linear, name: str, extent: int, user: Operation
    ) -> None:
        """What is added to a checked value must take all its values while that stays."""
        inner = loop_of(value)
        for other in rest.terms:
            loop = loop_of(other)
            within = loop is not None and inner in slc.enclosing_loops(loop)
            if not within or not isinstance(other, BlockArgument):
                raise refuse(
                    user,
                    f"cannot prove that {name} stays below {extent}: {name_of(other)} differs "
                    f"from one {name_of(value)} to the next, and a check has one limit",
                )

    def _limit(self, value: SSAValue, limit: int, user: Operation) -> None:
        """Make sure that ``value < limit``."""
        owner = value.owner
        loop = owner.parent_op() if isinstance(value, BlockArgument) else None
        if isinstance(loop, slc.LoopOp):
            for bound in loop.bounds:
                if isinstance(bound, SSAValue):
                    self.require(bound, limit + 1, user)
                elif bound > max(limit, 0):
                    raise refuse(
                        user,
                        f"{name_of(value)} reaches {bound - 1}, but must stay below {limit}",
                    )
        elif isinstance(owner, slc.LoadOp | slc.LoadPairOp):
            self.limits[value] = min(limit, self.limits.get(value, limit))
        else:
            raise refuse(user, f"cannot prove that {name_of(value)} stays below {limit}")

    def insert(self) -> None:
        for value, limit in reversed(list(self.limits.items())):
            owner = value.owner
            assert isinstance(owner, Operation)
            place = _place(owner, value, limit)
            assert place.parent is not None
            place.parent.insert_op_after(slc.CheckOp(value, max(0, limit)), place)


def row_stream(index: SSAValue) -> SSAValue | int | None:
    """What a callback's index is: a stream, a literal, or None if the callback computes it."""
    while isinstance(index.owner, arith.IndexCastOp):
        index = index.owner.input
    if isinstance(index.owner, slc.ToValOp):
        return index.owner.stream
    return constant(index)


def never_runs(op: Operation) -> bool:
    """Whether it is in a loop without iterations."""
    return any(loop.trip_count == 0 for loop in slc.enclosing_loops(op))


def _place(owner: Operation, value: SSAValue, limit: int) -> Operation:
    """What the check comes after: the load, or a skip of a value that would not pass it."""
    place = owner
    for use in value.uses:
        skip = use.operation
        if isinstance(skip, slc.SkipOp) and not 0 <= skip.unwanted.value.data < limit:
            place = skip
    for use in value.uses:
        op = use.operation
        if place is not owner and not isinstance(op, slc.SkipOp) and not _is_behind(op, place):
            raise refuse(
                op, f"uses {name_of(value)} before it is known not to be the value that is skipped"
            )
    return place


def _is_behind(op: Operation, place: Operation) -> bool:
    """Whether an operation, or one that it is in, comes after another one in its block."""
    assert place.parent is not None
    around = place.parent.find_ancestor_op_in_block(op)
    return around is not None and place.is_before_in_block(around)
