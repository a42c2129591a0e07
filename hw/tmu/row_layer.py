"""The row layer's front: where each row lies, whose turn it is, and which lines to ask for."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .. import isa
from ..config import Config
from ..layouts import index_width
from ..program_memory import ProgramMemory, ProgramWrite
from ..queues.queue import Queue
from ..queues.stage import Stage
from .item import ItemType, item
from .turn import Turn


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

    Latency: 8 cycles. Throughput: one item per cycle.
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

        # Stage 1: the entry is read. Stage 2: the operands of the address. Stage 3: the address.
        # Stage 4: lines spanned, and queue.
        queued = data.StructLayout({"row": row(config), "span": span(config)})
        item1, valid1, ready1 = Signal(item(config)), Signal(), Signal()
        row2, valid2, ready2 = Signal(row(config)), Signal(), Signal()
        start2, base2 = Signal(config.addr_width), Signal(config.addr_width)
        row3, valid3, ready3 = Signal(row(config)), Signal(), Signal()
        address3, nt2, nt3 = Signal(config.addr_width), Signal(), Signal()
        # The queue keeps what the stages are ready for away from the layer above.
        m.submodules.items = items = Queue(item(config), 2)
        wiring.connect(m, wiring.flipped(self.i), items.i)
        m.d.comb += [
            items.o.ready.eq(~valid1 | ready1),
            ready1.eq(~valid2 | ready2),
            ready2.eq(~valid3 | ready3),
            memory.address.eq(items.o.payload.segment),
            memory.enable.eq(items.o.valid & items.o.ready),
        ]
        with m.If(items.o.ready):
            m.d.sync += [item1.eq(items.o.payload), valid1.eq(items.o.valid)]
        env = Array(item1.env[k] for k in (0, 1, 2, 2))
        with m.If(ready1):
            m.d.sync += [
                valid2.eq(valid1),
                row2.item.eq(item1),
                row2.dim.eq(entry.dim),
                row2.vector.eq(entry.vector),
                start2.eq(Mux(entry.index, env[entry.start_sel], entry.start)),
                base2.eq(entry.base),
                nt2.eq(entry.nt),
            ]
        with m.If(ready2):
            m.d.sync += [
                valid3.eq(valid2),
                row3.eq(row2),
                address3.eq(base2 + (start2 << 2)),
                nt3.eq(nt2),
            ]

        entry4 = Signal(queued)
        offset = address3[2 : config.line_shift]
        has_row, sends = Signal(), Signal()
        m.d.comb += [
            has_row.eq((row3.item.type == ItemType.ITEM) & ~row3.item.skip),
            # A skipped iteration that carries no flag leaves no trace.
            sends.eq(
                (row3.item.type != ItemType.ITEM)
                | ~row3.item.skip
                | row3.item.first
                | row3.item.last
            ),
            entry4.row.eq(row3),
            entry4.row.offset.eq(offset),
            entry4.span.line.eq(address3 >> config.line_shift),
            entry4.span.nt.eq(nt3),
        ]
        with m.If(has_row):
            lines = (row3.dim + offset + config.lanes - 1) >> (config.line_shift - 2)
            m.d.comb += [entry4.row.lines.eq(lines), entry4.span.lines.eq(lines)]

        heads = []
        with m.If(~sends):
            m.d.comb += ready3.eq(1)
        for k in range(config.fiber_lanes):
            m.submodules[f"lane{k}"] = q = Queue(queued, config.fiber_depth)
            mine = row3.item.lane == k
            m.d.comb += [q.i.payload.eq(entry4), q.i.valid.eq(valid3 & sends & mine)]
            with m.If(sends & mine):
                m.d.comb += ready3.eq(q.i.ready)
            heads.append(q)

        # A row enters both queues at once. Rows without lines do not take a turn of the line walk.
        m.submodules.turn = turn = Turn(config.fiber_lanes)
        m.submodules.rows = rows = Queue(row(config), max(4, config.ring_slots))
        m.submodules.spans = spans = Queue(span(config), 4)
        head = Signal(queued)
        take, with_lines = Signal(), Signal()
        m.d.comb += [
            with_lines.eq(head.row.lines != 0),
            take.eq(turn.active & rows.i.ready & (spans.i.ready | ~with_lines)),
            turn.valid.eq(Cat(q.o.valid for q in heads)),
            turn.more.eq(Cat(q.level > 1 for q in heads)),
            turn.done.eq(take),
            turn.remove.eq(1),
            rows.i.payload.eq(head.row),
            rows.i.valid.eq(take),
            spans.i.payload.eq(head.span),
            spans.i.valid.eq(take & with_lines),
        ]
        with m.Switch(turn.lane):
            for k, q in enumerate(heads):
                with m.Case(k):
                    m.d.comb += [head.eq(q.o.payload), q.o.ready.eq(take)]
        # What comes out of block RAM late in the cycle decides much in the next stage.
        m.submodules.next_row = next_row = Stage(row(config))
        wiring.connect(m, rows.o, next_row.i)
        wiring.connect(m, next_row.o, wiring.flipped(self.rows))
        wiring.connect(m, spans.o, wiring.flipped(self.spans))
        return m
