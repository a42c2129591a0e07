"""The row layer's front: where each row lies, whose turn it is, and which lines to ask for."""

from functools import reduce
from operator import or_

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
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
            **way(config),
        }
    )


def way(config: Config) -> dict[str, int]:
    """The field that says where a row goes, ``stored`` or to the queues, if it has a choice."""
    return {"stored": 1} if config.store_streams and config.execute else {}


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

    Latency: 9 cycles. Throughput: one item per cycle.
    Back-pressure: an item waits for a place in its lane's queue, and those behind it too.
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
        m.submodules.entry = memory = ProgramMemory(window, layout, depth, latency=1)
        entry = memory.entry
        wiring.connect(m, wiring.flipped(self.program), memory.write)

        # An item that enters has a place in its lane's queue: nothing waits on the way there.
        n, depth = config.fiber_lanes, config.fiber_depth
        # The queue keeps what this layer is ready for away from the layer above.
        m.submodules.items = items = Queue(item(config), 2)
        wiring.connect(m, wiring.flipped(self.i), items.i)
        new, entering = items.o.payload, Signal()
        rooms = [Signal(range(depth + 1), init=depth, name=f"room_{k}") for k in range(n)]
        m.d.comb += [
            items.o.ready.eq(Array(room != 0 for room in rooms)[new.lane]),
            entering.eq(items.o.valid & items.o.ready),
            memory.address.eq(new.segment),
        ]

        # Stage 1: the entry is read. Stage 2: the operands of the address. Stage 3: the address.
        # Stage 4: lines spanned, and queue.
        item1, row2, row3 = Signal(item(config)), Signal(row(config)), Signal(row(config))
        valid1, valid2, valid3 = Signal(), Signal(), Signal()
        start2, base2, address3 = (Signal(config.addr_width) for _ in range(3))
        nt2, nt3 = Signal(), Signal()
        env = Array(item1.env[k] for k in (0, 1, 2, 2))
        m.d.sync += [
            valid1.eq(entering),
            item1.eq(new),
            valid2.eq(valid1),
            row2.item.eq(item1),
            row2.dim.eq(entry.dim),
            row2.vector.eq(entry.vector),
            *(row2[name].eq(entry[name]) for name in way(config)),
            start2.eq(Mux(entry.index, env[entry.start_sel], entry.start)),
            base2.eq(entry.base),
            nt2.eq(entry.nt),
            valid3.eq(valid2),
            row3.eq(row2),
            address3.eq(base2 + (start2 << 2)),
            nt3.eq(nt2),
        ]
        placed = data.StructLayout({"row": row(config), "span": span(config)})
        placed3 = Signal(placed)
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
            placed3.row.eq(row3),
            placed3.row.offset.eq(offset),
            placed3.span.line.eq(address3 >> config.line_shift),
            placed3.span.nt.eq(nt3),
        ]
        with m.If(has_row):
            lines = (row3.dim + offset + config.lanes - 1) >> (config.line_shift - 2)
            m.d.comb += [placed3.row.lines.eq(lines), placed3.span.lines.eq(lines)]

        # The lanes' queues hold what decides on a turn, and where the rest of it is.
        place_bits = (depth - 1).bit_length()
        slots = n << place_bits
        queued = data.StructLayout({"slot": index_width(slots), "with_lines": 1})
        m.submodules.placed = placed_ram = Memory(shape=placed, depth=max(2, slots), init=[])
        write, read = placed_ram.write_port(), placed_ram.read_port(domain="comb")
        places = Array(Signal(range(max(2, depth)), name=f"place_{k}") for k in range(n))
        lane3 = row3.item.lane[: (n - 1).bit_length()]
        slot3 = Cat(places[row3.item.lane][:place_bits], lane3)
        m.d.comb += [
            write.addr.eq(slot3),
            write.data.eq(placed3),
            write.en.eq(valid3 & sends),
        ]
        lanes = [Queue(queued, depth) for _ in range(n)]
        heads = [Stage(queued) for _ in range(n)]
        m.submodules.turn = turn = Turn(n)
        take = Signal()
        for k, (q, head) in enumerate(zip(lanes, heads, strict=True)):
            m.submodules[f"lane{k}"], m.submodules[f"head{k}"] = q, head
            wiring.connect(m, q.o, head.i)
            enters = entering & (new.lane == k)
            arrives = valid3 & (row3.item.lane == k)
            leaves = (head.o.valid & head.o.ready) + (arrives & ~sends)
            m.d.comb += [
                q.i.valid.eq(arrives & sends),
                q.i.payload.slot.eq(slot3),
                q.i.payload.with_lines.eq(has_row),
                head.o.ready.eq(take & turn.mine[k]),
            ]
            m.d.sync += rooms[k].eq(rooms[k] + leaves - enters)
            with m.If(q.i.valid):
                m.d.sync += places[k].eq(Mux(places[k] == depth - 1, 0, places[k] + 1))

        # A row enters both queues at once. Rows without lines do not take a turn of the line walk.
        m.submodules.rows = rows = Queue(row(config), max(4, config.ring_slots))
        m.submodules.spans = spans = Queue(span(config), 4)
        mine = (Mux(turn.mine[k], each.o.payload.as_value(), 0) for k, each in enumerate(heads))
        now = Signal(queued)
        m.d.comb += [
            now.eq(reduce(or_, mine)),
            read.addr.eq(now.slot),
            take.eq(turn.active & rows.i.ready & (spans.i.ready | ~now.with_lines)),
            turn.valid.eq(Cat(each.o.valid for each in heads)),
            turn.more.eq(Cat(q.o.valid for q in lanes)),
            turn.done.eq(take),
            turn.remove.eq(1),
            rows.i.payload.eq(read.data.row),
            rows.i.valid.eq(take),
            spans.i.payload.eq(read.data.span),
            spans.i.valid.eq(take & now.with_lines),
        ]
        wiring.connect(m, rows.o, wiring.flipped(self.rows))
        wiring.connect(m, spans.o, wiring.flipped(self.spans))
        return m
