"""The row layer's front: where each row lies, whose turn it is, and which lines to ask for."""

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .. import isa
from ..config import Config
from ..layouts import index_width
from ..program_memory import ProgramMemory, ProgramWrite
from ..queues.queue import Queue
from .arbiter import RoundRobin
from .item import ItemType, item


def row(config: Config) -> data.StructLayout:
    """An item on its way to the marshaling stage; without ``lines`` it has no data."""
    return data.StructLayout(
        {
            "item": item(config),
            "lines": range(config.row_chunks + 2),  # lines the row spans, 0 for no row
            "offset": index_width(config.lanes),  # its first element within the first line
            "dim": range(config.max_dim + 1),
            "vector": 1,
        }
    )


def span(config: Config) -> data.StructLayout:
    """Consecutive lines to ask for."""
    return data.StructLayout(
        {"line": config.line_addr_width, "lines": range(config.row_chunks + 2), "nt": 1}
    )


class RowLayer(wiring.Component):
    """Turns items into rows and interleaves the fiber lanes row by row.

    Parameters
    ----------
    config : Config

    Members
    -------
    program : In(ProgramWrite)
    i : In(stream of item)
    rows : Out(stream of row), everything that reaches the marshaling stage, in the order chosen
    spans : Out(stream of span), the lines of the rows among them, in the same order

    Latency: 4 cycles. Throughput: one item per cycle.
    Back-pressure: an item waits while its lane's queue is full, and those behind it too.
    """

    program: wiring.PureInterface
    i: stream.Interface
    rows: stream.Interface
    spans: stream.Interface

    def __init__(self, config: Config):
        self._config = config
        super().__init__(
            {
                "program": In(ProgramWrite()),
                "i": In(stream.Signature(item(config))),
                "rows": Out(stream.Signature(row(config))),
                "spans": Out(stream.Signature(span(config))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        window, layout, depth = isa.windows(config)["row"]
        m.submodules.entry = memory = ProgramMemory(window, layout, depth)
        entry = memory.entry
        wiring.connect(m, wiring.flipped(self.program), memory.write)

        # Stage 1: the entry is read. Stage 2: the address. Stage 3: lines spanned, and queue.
        queued = data.StructLayout({"row": row(config), "span": span(config)})
        item1, valid1, ready1 = Signal(item(config)), Signal(), Signal()
        row2, valid2, ready2 = Signal(row(config)), Signal(), Signal()
        address2, nt2 = Signal(config.addr_width), Signal()
        m.d.comb += [
            self.i.ready.eq(~valid1 | ready1),
            ready1.eq(~valid2 | ready2),
            memory.address.eq(self.i.payload.segment),
            memory.enable.eq(self.i.valid & self.i.ready),
        ]
        with m.If(self.i.ready):
            m.d.sync += [item1.eq(self.i.payload), valid1.eq(self.i.valid)]
        env = Array(item1.env[k] for k in (0, 1, 2, 2))
        start = Mux(entry.index, env[entry.start_sel], entry.start)
        with m.If(ready1):
            m.d.sync += [
                valid2.eq(valid1),
                row2.item.eq(item1),
                row2.dim.eq(entry.dim),
                row2.vector.eq(entry.vector),
                address2.eq(entry.base + (start << 2)),
                nt2.eq(entry.nt),
            ]

        entry3 = Signal(queued)
        offset = address2[2 : config.line_shift]
        has_row, sends = Signal(), Signal()
        m.d.comb += [
            has_row.eq((row2.item.type == ItemType.ITEM) & ~row2.item.skip),
            # A skipped iteration that carries no flag leaves no trace.
            sends.eq(
                (row2.item.type != ItemType.ITEM)
                | ~row2.item.skip
                | row2.item.first
                | row2.item.last
            ),
            entry3.row.eq(row2),
            entry3.row.offset.eq(offset),
            entry3.span.line.eq(address2 >> config.line_shift),
            entry3.span.nt.eq(nt2),
        ]
        with m.If(has_row):
            lines = (row2.dim + offset + config.lanes - 1) >> (config.line_shift - 2)
            m.d.comb += [entry3.row.lines.eq(lines), entry3.span.lines.eq(lines)]

        heads = []
        with m.If(~sends):
            m.d.comb += ready2.eq(1)
        for k in range(config.fiber_lanes):
            m.submodules[f"lane{k}"] = q = Queue(queued, config.fiber_depth)
            mine = row2.item.lane == k
            m.d.comb += [q.i.payload.eq(entry3), q.i.valid.eq(valid2 & sends & mine)]
            with m.If(sends & mine):
                m.d.comb += ready2.eq(q.i.ready)
            heads.append(q)

        # A row enters both queues at once. Rows without lines do not take a turn of the line walk.
        m.submodules.choose = choose = RoundRobin(config.fiber_lanes)
        m.submodules.rows = rows = Queue(row(config), max(4, config.ring_slots))
        m.submodules.spans = spans = Queue(span(config), 4)
        head = Signal(queued)
        take, with_lines = Signal(), Signal()
        m.d.comb += [
            with_lines.eq(head.row.lines != 0),
            take.eq(choose.any & rows.i.ready & (spans.i.ready | ~with_lines)),
            choose.advance.eq(take),
            rows.i.payload.eq(head.row),
            rows.i.valid.eq(take),
            spans.i.payload.eq(head.span),
            spans.i.valid.eq(take & with_lines),
        ]
        for k, q in enumerate(heads):
            m.d.comb += choose.requests[k].eq(q.o.valid)
        with m.Switch(choose.choice):
            for k, q in enumerate(heads):
                with m.Case(k):
                    m.d.comb += [head.eq(q.o.payload), q.o.ready.eq(take)]
        wiring.connect(m, rows.o, wiring.flipped(self.rows))
        wiring.connect(m, spans.o, wiring.flipped(self.spans))
        return m
