"""From the FP lanes to the store unit: the emission queue and the division by the counter."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import data, fifo, stream, wiring
from amaranth.lib.wiring import In, Out

from ..config import Config
from ..layouts import vector
from ..queues.stage import Stage
from .addresses import RowAddresses
from .delay import delay
from .entries import EntryCounters
from .fp.convert import UINT_TO_F32_LATENCY, UintToF32
from .fp.divide import DIV_LATENCY, VectorDivider
from .operation import chunk, emission, lane_update, stored_chunk
from .stages import RESULT

#: Chunks that wait for the divider or the store unit. As many may issue before the first of
#: them arrives here, so that this must exceed RESULT for one chunk per cycle.
QUEUE_DEPTH = 16


class Emission(wiring.Component):
    """Queues the chunks to be stored, divides them and gives them their addresses.

    The FP lanes never stall: a place in the queue is reserved when a chunk issues. Rows that
    the program divides go through the divider, others around it as soon as it is empty, so that
    a sum is stored at one chunk per cycle whatever the divider's interval.

    Parameters
    ----------
    config : Config

    Members
    -------
    update : In(lane_update), emission : In(emission), in stage 1
    result : In(vector), in stage RESULT
    start : In(1), all counters and addresses become 0
    reserve : In(1), a chunk that will arrive here issues
    ready : Out(1), there is room for one
    o : Out(stream of :func:`~.operation.chunk`)
    idle : Out(1), nothing is on its way

    Latency: 2 cycles from ``result``; DIV_LATENCY more for a division.
    Throughput: 1 chunk per cycle; 1 per ``div_interval`` cycles with a division.
    Back-pressure: waits for ``o`` and takes ``ready`` away.
    """

    update: data.View
    emission: data.View
    result: data.View
    start: Signal
    reserve: Signal
    ready: Signal
    o: stream.Interface
    idle: Signal

    def __init__(self, config: Config):
        self._config = config
        super().__init__(
            {
                "update": In(lane_update(config)),
                "emission": In(emission(config)),
                "result": In(vector(config)),
                "start": In(1),
                "reserve": In(1),
                "ready": Out(1, init=1),
                "o": Out(stream.Signature(chunk(config))),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        how = stored_chunk(config)

        # Everything is brought to stage RESULT. What is narrow waits, so that little does.
        m.submodules.addresses = addresses = RowAddresses(config)
        m.submodules.entries = entries = EntryCounters(config)
        m.submodules.convert = convert = UintToF32()
        wait = RESULT - 1 - 1 - UINT_TO_F32_LATENCY
        count = data.StructLayout({"lane": self.update.lane.shape(), "clear": 1, "count": 1})
        now = Signal(count)
        m.d.comb += [now[f].eq(self.update[f]) for f in count.members]
        now = delay(m, now, wait, "entry")
        m.d.comb += [
            addresses.update.eq(self.update),
            addresses.start.eq(self.start),
            entries.lane.eq(now.lane),
            entries.clear.eq(now.clear),
            entries.count.eq(now.count),
            entries.start.eq(self.start),
            convert.i.eq(entries.after),
        ]
        address = delay(m, addresses.address[2:], RESULT - 1 - RowAddresses.LATENCY, "address")
        what = delay(m, self.emission, RESULT - 1, "emission")

        entry = data.StructLayout(
            {"data": vector(config), "divisor": 32, "div": 1, "bypass": 1, "chunk": how}
        )
        m.submodules.queue = queue = fifo.SyncFIFO(width=entry.size, depth=QUEUE_DEPTH)
        written = Signal(entry)
        # Distributed RAM is slow to read and the divider has much to do with what it reads.
        m.submodules.front = front = Stage(entry)
        head = front.o.payload
        m.d.comb += [
            written.data.eq(self.result),
            written.divisor.eq(convert.o),
            written.div.eq(what.div),
            written.bypass.eq(what.empty),
            written.chunk.first.eq(what.first),
            written.chunk.last.eq(what.last),
            written.chunk.words.eq(what.words),
            written.chunk.address.eq(address),
            queue.w_data.eq(written),
            queue.w_en.eq(what.valid),
            Value.cast(front.i.payload).eq(queue.r_data),
            front.i.valid.eq(queue.r_rdy),
            queue.r_en.eq(front.i.ready),
        ]

        m.submodules.divider = divider = VectorDivider(
            config.lanes, config.div_interval, how.size
        )
        dividing = Signal(range(QUEUE_DEPTH + DIV_LATENCY + 4))
        around, alone = Signal(), Signal(init=1)  # alone: nothing is in the divider
        m.d.comb += [
            around.eq(~head.div & alone),
            divider.i.valid.eq(front.o.valid & head.div),
            divider.i.payload.data.eq(head.data),
            divider.i.payload.divisor.eq(head.divisor),
            divider.i.payload.bypass.eq(head.bypass),
            divider.i.payload.meta.eq(head.chunk),
            divider.o.ready.eq(self.o.ready),
            front.o.ready.eq(Mux(head.div, divider.i.ready, around & self.o.ready)),
            self.o.valid.eq(divider.o.valid | (front.o.valid & around)),
            self.o.payload.data.eq(Mux(alone, head.data, divider.o.payload.data)),
            self.o.payload.chunk.eq(Mux(alone, head.chunk, divider.o.payload.meta)),
        ]
        enters, exits = divider.i.valid & divider.i.ready, divider.o.valid & divider.o.ready
        m.d.sync += dividing.eq(dividing + enters - exits)
        with m.If(enters):
            m.d.sync += alone.eq(0)
        with m.Elif(exits):
            m.d.sync += alone.eq(dividing == 1)

        # A place counts as free a cycle after it is: what empties it knows that late.
        left = Signal()
        free = Signal(range(QUEUE_DEPTH + 1), init=QUEUE_DEPTH)
        pending = Signal(range(2 * QUEUE_DEPTH + DIV_LATENCY + 4))
        m.d.sync += [
            left.eq(queue.r_rdy & queue.r_en),
            free.eq(free + left - self.reserve),
            pending.eq(pending + self.reserve - (self.o.valid & self.o.ready)),
        ]
        # Whether a chunk may issue decides on everything in front of it: that starts in a register.
        m.d.sync += self.ready.eq(left | Mux(self.reserve, free > 1, free != 0))
        m.d.comb += self.idle.eq(pending == 0)
        return m
