"""Loaded values below 0: where a program could mean one, although the access unit takes none.

The access unit has no signs. It loads 32 bits as 0 to ``2**32 - 1``, and its only check of a loaded
value is that it is not too large, which no value below 0 passes. That is right of ``table[i]``: an
``i`` below 0 is no row. But ``table[i + 3]`` may be a row where ``i`` is -1. Such a sum is refused,
unless something else says that ``i`` is at least 0: another access, of which ``i`` below 0 would be
none, or an assertion (``cf.assert``), which is a ``slc.check`` here.
"""

from dataclasses import dataclass

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerType, MemRefType
from xdsl.ir import Attribute, Operation, SSAValue

from ..errors import name_of, refuse
from . import dialect as slc
from .check_bounds import MOST_ITERATIONS, never_runs, row_stream
from .linear import Linear, least_sum, linear, loop_of, most_sum

#: A load: values of equal ones are the same.
Place = tuple[SSAValue, tuple[SSAValue, ...]]


@dataclass(frozen=True)
class _Doubt:
    """A loaded value that may be below 0 where ``user`` needs the sum ``name``."""

    value: SSAValue
    name: str
    user: Operation


def refuse_signs(function: slc.FuncOp) -> None:
    """Refuse sums that may be good although a loaded value in them is below 0.

    Raises
    ------
    CompileError
        There is one; the message has its place.
    """
    signs = _Signs()
    for op in function.walk():
        if isinstance(op, slc.CheckOp):
            signs.assertion(op)
        elif isinstance(op, slc.LoadOp):
            assert isinstance(op.array.type, MemRefType)
            for index, extent in zip(op.indices, op.array.type.get_shape(), strict=True):
                signs.address(index, extent, op)
        elif isinstance(op, memref.LoadOp | memref.StoreOp):
            kind = op.memref.type
            assert isinstance(kind, MemRefType)
            row = row_stream(op.indices[0]) if kind.get_num_dims() == 2 else None
            if row is not None:
                signs.address(row, kind.get_shape()[0], op)
    # The innermost first: an outer loop's variable may be one of their bounds.
    for op in reversed(list(function.walk())):
        if isinstance(op, slc.LoopOp):
            signs.bounds(op)
    signs.conclude()


def positive(kind: Attribute) -> int:
    """Values below this one, without a sign, are at least 0 with one; of 64 bits, all but one."""
    width = kind.width.data if isinstance(kind, IntegerType) else 64
    return min(1 << (width - 1), (1 << 63) - 1)


class _Signs:
    """What is known of the signs of loaded values, and what would have to be."""

    def __init__(self):
        self.known: set[Place] = set()
        self.doubts: list[_Doubt] = []
        #: Loops whose variables are part of addresses.
        self.walked: set[Operation] = set()

    def assertion(self, op: slc.CheckOp) -> None:
        place = _place(op.value)
        if place is not None and op.limit.value.data <= positive(op.value.type):
            self.known.add(place)

    def address(self, value: SSAValue | int, extent: int, user: Operation) -> None:
        """``0 <= value < extent`` must hold."""
        if not never_runs(user):
            self._need(value, 0, None if extent == DYNAMIC_INDEX else extent, user)

    def bounds(self, loop: slc.LoopOp) -> None:
        """A loop's end is not below its start; what is no address runs from 0 on, not for ever."""
        start, stop = loop.bounds
        most = None if loop in self.walked else MOST_ITERATIONS
        if isinstance(start, SSAValue) and loop not in self.walked:
            self._need(start, 0, most, loop)
        if isinstance(stop, SSAValue):
            self._need(stop, least_sum(linear(start)), most, loop)

    def _need(
        self, value: SSAValue | int, low: int | None, high: int | None, user: Operation
    ) -> None:
        """``low <= value < high`` must hold: what does that say of each part of the sum?"""
        total = linear(value)
        name = name_of(value) if isinstance(value, SSAValue) else str(value)
        for part, factor in total.terms.items():
            rest = total.without(part)
            least, most = _above(rest, factor, low), _below(rest, factor, high)
            if factor < 0:
                least, most = _above(rest, factor, high), _below(rest, factor, low)
            self._part(part, least, most, name, user)

    def _part(
        self, part: SSAValue, low: int | None, high: int | None, name: str, user: Operation
    ) -> None:
        """The program may be good wherever ``low <= part < high``."""
        place, loop = _place(part), loop_of(part)
        if place is None and loop is not None and part is loop.induction:
            self.walked.add(loop)
            start, stop = loop.bounds
            if isinstance(start, SSAValue):
                self._need(start, low, None if high is None else high + 1, user)
            if isinstance(stop, SSAValue) and high is not None:
                self._need(stop, None, high + 1, user)
        elif place is not None and low is not None:
            if low >= 0:
                self.known.add(place)
            else:
                self.doubts.append(_Doubt(part, name, user))

    def conclude(self) -> None:
        for doubt in self.doubts:
            if _place(doubt.value) in self.known:
                continue
            value = name_of(doubt.value)
            raise refuse(
                doubt.user,
                f"{doubt.name} may be in range where {value} is below 0, but the access unit takes "
                f"no loaded value below 0: assert that {value} is at least 0 (cf.assert)",
            )


def _place(value: SSAValue) -> Place | None:
    """Where a value is loaded from, if it is."""
    load = value.owner
    return (load.array, tuple(load.indices)) if isinstance(load, slc.LoadOp) else None


def _above(rest: Linear, factor: int, limit: int | None) -> int | None:
    """The smallest part that is good: of ``limit <= factor * part + rest`` if the factor is above
    0, else of ``factor * part + rest < limit``. None if that is not known."""
    if limit is None:
        return None
    if factor > 0:
        return -((least_sum(rest) - limit) // factor)
    most = most_sum(rest)
    return None if most is None else (most - limit) // -factor + 1


def _below(rest: Linear, factor: int, limit: int | None) -> int | None:
    """What the part is below: of ``factor * part + rest < limit`` if the factor is above 0, else of
    ``limit <= factor * part + rest``. None if that is not known."""
    most = most_sum(rest)
    if limit is None or most is None:
        return None
    if factor > 0:
        return (limit - 1 - most) // factor + 1
    return (least_sum(rest) - limit) // -factor + 1
