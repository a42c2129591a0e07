"""Lines of the row layer: requested ahead, filled in any order, delivered in request order."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..block_ram import BlockRam
from ..config import Config
from ..layouts import index_width, vector
from ..queues.queue import Queue
from .row_layer import span

_OUT_DEPTH = 4


class LineRing(wiring.Component):
    """Reserves a slot for each line when it is requested, so that a response always has a place.

    Parameters
    ----------
    config : Config

    Members
    -------
    spans : In(stream of span), lines to request
    request : Out(stream of {line, slot, nt})
    fill : In({valid, slot, data, error}), a response
    unknown : Out(1), this cycle's fill was not asked for (and is ignored)
    full : Out(1), a line waits for a slot
    o : Out(stream of {data, error}), lines in request order

    Latency: from a fill to ``o`` 3 cycles. Throughput: one request and one line per cycle.
    """

    spans: stream.Interface
    request: stream.Interface
    fill: data.View
    unknown: Signal
    full: Signal
    o: stream.Interface

    def __init__(self, config: Config):
        self._config = config
        slot = index_width(config.ring_slots)
        super().__init__(
            {
                "spans": In(stream.Signature(span(config))),
                "request": Out(
                    stream.Signature(
                        data.StructLayout({"line": config.line_addr_width, "slot": slot, "nt": 1})
                    )
                ),
                "fill": In(
                    data.StructLayout(
                        {"valid": 1, "slot": slot, "data": vector(config), "error": 1}
                    )
                ),
                "unknown": Out(1),
                "full": Out(1),
                "o": Out(stream.Signature(data.StructLayout({"data": vector(config), "error": 1}))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        n = config.ring_slots

        # Requests: one line of the span per cycle, the next span right behind.
        next_slot, used = Signal(index_width(n)), Signal(range(n + 1))
        done = Signal(range(config.row_chunks + 2))  # lines of this span already requested
        request_fire, line_read = Signal(), Signal()
        last_line = done == self.spans.payload.lines - 1
        m.d.comb += [
            self.full.eq(self.spans.valid & (used == n)),
            self.request.valid.eq(self.spans.valid & (used != n)),
            self.request.payload.line.eq(self.spans.payload.line + done),
            self.request.payload.slot.eq(next_slot),
            self.request.payload.nt.eq(self.spans.payload.nt),
            request_fire.eq(self.request.valid & self.request.ready),
            self.spans.ready.eq(request_fire & last_line),
        ]
        with m.If(request_fire):
            m.d.sync += [next_slot.eq(next_slot + 1), done.eq(done + 1)]
            with m.If(last_line):
                m.d.sync += done.eq(0)
        m.d.sync += used.eq(used + request_fire - line_read)

        # Responses.
        waiting = Signal(n)  # requested, no response yet
        known = Signal()
        m.d.comb += [
            known.eq(self.fill.valid & waiting.bit_select(self.fill.slot, 1)),
            self.unknown.eq(self.fill.valid & ~waiting.bit_select(self.fill.slot, 1)),
        ]
        with m.If(known):
            m.d.sync += waiting.bit_select(self.fill.slot, 1).eq(0)
        with m.If(request_fire):
            m.d.sync += waiting.bit_select(next_slot, 1).eq(1)

        # Delivery: the oldest line is read as soon as it has come and the output has room.
        m.submodules.ram = ram = BlockRam(self.o.payload.shape(), n)
        m.submodules.out = out = Queue(self.o.payload.shape(), _OUT_DEPTH)
        oldest = Signal(index_width(n))
        arriving = Signal()
        out_fire = Signal()
        room = Signal(range(_OUT_DEPTH + 1), init=_OUT_DEPTH)
        m.d.comb += [
            line_read.eq((used != 0) & ~waiting.bit_select(oldest, 1) & (room != 0)),
            ram.write_address.eq(self.fill.slot),
            ram.write_data.data.eq(self.fill.data),
            ram.write_data.error.eq(self.fill.error),
            ram.write_enable.eq(known),
            ram.read_address.eq(oldest),
            out.i.valid.eq(arriving),
            out.i.payload.eq(ram.read_data),
            out_fire.eq(out.o.valid & out.o.ready),
        ]
        m.d.sync += [arriving.eq(line_read), room.eq(room + out_fire - line_read)]
        with m.If(line_read):
            m.d.sync += oldest.eq(oldest + 1)
        wiring.connect(m, out.o, wiring.flipped(self.o))
        return m
