"""Run-ahead in software: while a row is worked on, the addresses of later rows are computed.

The machine's access unit is hundreds of loads ahead of its execute unit. On a processor the loop
nest computes, beside its own row's address, that of the row some iterations later, and asks for
its lines. The array that the addresses come from is walked without regard to where a bag ends:
the next bag's rows follow.
"""

from dataclasses import dataclass

from llvmlite import ir
from xdsl.ir import Operation

from ..dlc import dialect as dlc
from ..dlc.resources import traversal_units
from ..streams import is_integer
from . import emit
from .emit import F32, I8, I32, I64, PTR, Value
from .traversal import Traversal

LINE_BYTES = 64
#: Bytes of rows that are on their way: near what a core can have outstanding.
AHEAD_BYTES = 8192
#: Rows, at least and at most.
NEAREST, FURTHEST = 4, 16


@dataclass(frozen=True)
class Slice:
    """How a row's address comes about: a load at the innermost loop's induction variable, and
    the integer operations from what it loads to where the row starts."""

    load: dlc.MemOp
    layer: int
    step: int
    operations: tuple[dlc.AluOp, ...]


def address_slice(segment: dlc.SegmentOp) -> Slice | None:
    """The slice of a segment's row address; None if it comes about in another way."""
    *units, row = traversal_units(segment)
    assert isinstance(row, dlc.RowOp)
    counted = [unit for unit in units if isinstance(unit, dlc.CountedOp)]
    if row.start is None or row.offset is not None or not counted:
        return None
    inner, operations = counted[-1], []
    owner = row.start.owner
    while isinstance(owner, Operation):
        if isinstance(owner, dlc.FwdOp):
            owner = owner.source.owner
        elif isinstance(owner, dlc.AluOp) and owner.rhs is None:
            operations.append(owner)
            owner = owner.lhs.owner
        elif (
            isinstance(owner, dlc.MemOp)
            and owner.at is inner.ite
            and is_integer(dlc.element_of(owner.result))
        ):
            step = inner.step.value.data
            return Slice(owner, inner.layer, step, tuple(reversed(operations)))
        else:
            return None
    return None


def prefetch(traversal: Traversal, path: Slice, ite: Value) -> None:
    """Ask for the row that comes some iterations after ``ite``.

    Its index was not checked: the processor ignores an address that is none.
    """
    builder, row = traversal.builder, traversal.units[-1]
    assert isinstance(row, dlc.RowOp)
    row_bytes = 4 * row.dim.value.data
    rows = min(FURTHEST, max(NEAREST, AHEAD_BYTES // row_bytes))
    offset = 0 if path.load.offset is None else path.load.offset.value.data
    end = builder.sub(traversal.arguments.length, I64(1 + offset))
    later = builder.add(ite, I64(rows * path.step))
    nearer = builder.icmp_unsigned("<", later, end)
    start = traversal.load(path.load, builder.select(nearer, later, end))
    for op in path.operations:
        start = traversal.integer(op, start, {})
    base = traversal.arguments.array(row.array)
    first = builder.gep(base, [start], source_etype=F32)
    ask = emit.intrinsic(builder, "llvm.prefetch.p0", ir.VoidType(), [PTR, I32, I32, I32])
    read, keep, data = I32(0), I32(3), I32(1)

    def line(at: int) -> None:
        place = builder.gep(first, [I64(at)], source_etype=I8)
        builder.call(ask, [place, read, keep, data])

    for at in range(0, row_bytes, LINE_BYTES):
        line(at)
    # One more where the rows do not start with a line; the test is the same in all iterations.
    position = builder.and_(builder.ptrtoint(base, I64), I64(LINE_BYTES - 1))
    astray = builder.icmp_unsigned("!=", position, I64(0))
    with emit.when(builder, astray if row_bytes % LINE_BYTES == 0 else True):
        line(row_bytes - 1)
