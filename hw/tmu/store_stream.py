"""The access unit's way to memory: where the rows that it stores lie."""

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .. import isa
from ..config import Config
from ..core.addresses import products
from ..core.operation import chunk
from ..layouts import vector
from ..program_memory import ProgramMemory, ProgramWrite
from ..queues.queue import Queue
from .align import beat
from .item import ENV_SLOTS, ItemType

#: Beats, and rows, that may be between input and output: as many as come in while the first row's
#: address is computed.
_DEPTH = 8


class StoreStream(wiring.Component):
    """Gives rows their addresses, so that a store unit can take them as they are.

    A row's number is one of the integers that its item brought: no state belongs to a fiber lane,
    and rows may go anywhere, in any order. Of what has no data only the program's end counts.

    Parameters
    ----------
    config : Config

    Members
    -------
    start : In(1), ``ended`` becomes 0
    program : In(ProgramWrite)
    i : In(stream of beat), of rows that are vectors
    o : Out(stream of :func:`~ember.hw.core.operation.chunk`)
    idle : Out(1), all that came in has gone out
    ended : Out(1), STOP has come from every lane; until the next ``start``

    Latency: 6 cycles for a row. Throughput: 1 chunk per cycle.
    Back-pressure: a beat that enters has a place in a queue, and so has the address of its row.
    """

    start: Signal
    program: wiring.PureInterface
    i: stream.Interface
    o: stream.Interface
    idle: Signal
    ended: Signal

    def __init__(self, config: Config):
        self._config = config
        super().__init__(
            {
                "start": In(1),
                "program": In(ProgramWrite()),
                "i": In(stream.Signature(beat(config))),
                "o": Out(stream.Signature(chunk(config))),
                "idle": Out(1),
                "ended": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        tail = self.o.payload.chunk.words.shape()
        piece = data.StructLayout({"data": vector(config), "first": 1, "last": 1})
        place = data.StructLayout({"address": config.addr_width - 2, "tail": tail})
        m.submodules.pieces = pieces = Queue(piece, _DEPTH)
        m.submodules.places = places = Queue(place, _DEPTH)

        now = self.i.payload
        room = Signal(range(_DEPTH + 1), init=_DEPTH)
        begins = Signal()
        m.d.comb += [
            self.i.ready.eq(pieces.i.ready & (room != 0)),
            pieces.i.valid.eq(self.i.valid & (room != 0) & now.has_data),
            pieces.i.payload.data.eq(now.data),
            pieces.i.payload.first.eq(now.beg),
            pieces.i.payload.last.eq(now.end),
            begins.eq(pieces.i.valid & pieces.i.ready & now.beg),
        ]
        m.d.sync += room.eq(room + (places.o.valid & places.o.ready) - begins)

        # The entry, then which number, then the product in two steps, then the address.
        window, layout, depth = isa.windows(config)["store"]
        m.submodules.entry = memory = ProgramMemory(window, layout, depth, latency=1)
        wiring.connect(m, wiring.flipped(self.program), memory.write)
        numbers = [Signal(32, name=f"number{n}") for n in range(ENV_SLOTS)]
        number, stride = Signal(32), Signal(32)
        offset = Signal(config.addr_width)
        m.d.comb += memory.address.eq(now.item.segment)
        m.d.sync += [
            *(each.eq(value) for each, value in zip(numbers, now.item.env, strict=True)),
            number.eq(Array([*numbers, numbers[-1]])[memory.entry.row_sel]),
            stride.eq(memory.entry.row_stride),
        ]
        partial = products(m, number, stride)
        m.d.sync += offset.eq(sum(partial[1:], partial[0]))
        rest = data.StructLayout({"valid": 1, "base": config.addr_width, "tail": tail})
        valid1 = Signal()
        stages = [Signal(rest, name=f"stage{n}") for n in (2, 3, 4)]
        m.d.sync += [
            valid1.eq(begins),
            stages[0].valid.eq(valid1),
            stages[0].base.eq(memory.entry.base),
            stages[0].tail.eq(memory.entry.tail),
            *(after.eq(before) for before, after in zip(stages, stages[1:], strict=False)),
        ]
        m.d.comb += [
            places.i.valid.eq(stages[-1].valid),
            places.i.payload.address.eq((stages[-1].base + offset)[2:]),
            places.i.payload.tail.eq(stages[-1].tail),
        ]

        # A row's chunks leave with its address, which goes with the last of them.
        out, head = self.o.payload, pieces.o.payload
        m.d.comb += [
            self.o.valid.eq(pieces.o.valid & places.o.valid),
            pieces.o.ready.eq(self.o.ready & places.o.valid),
            places.o.ready.eq(self.o.ready & pieces.o.valid & head.last),
            out.data.eq(head.data),
            out.chunk.first.eq(head.first),
            out.chunk.last.eq(head.last),
            out.chunk.words.eq(Mux(head.last, places.o.payload.tail, config.lanes)),
            out.chunk.address.eq(places.o.payload.address),
            self.idle.eq(pieces.level == 0),
        ]

        stops = Signal(range(config.fiber_lanes + 1))
        with m.If(self.i.valid & self.i.ready & (now.item.type == ItemType.STOP)):
            final = stops == config.fiber_lanes - 1
            m.d.sync += [stops.eq(Mux(final, 0, stops + 1)), self.ended.eq(final)]
        with m.If(self.start):
            m.d.sync += self.ended.eq(0)
        return m
