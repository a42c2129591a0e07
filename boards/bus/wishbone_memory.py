"""Lines over Wishbone B4, pipelined: reads and writes share one master."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...hw.config import Config
from ...hw.layouts import ReadPort, WritePort, index_width, tag
from ...hw.queues.queue import Queue
from . import widths

#: Lines whose answers may be on their way or wait to be taken: a slave's answers cannot be held up.
READS, WRITES = 32, 16
#: Lines after which the other direction has its turn, if it waits.
RUN = 16


class WishboneMemory(wiring.Component):
    """Memory of a machine on a pipelined Wishbone bus.

    A line is several requests, lowest address first. While ``cyc`` is high all requests have the
    same direction. It changes when there is no more of the one, or after :data:`RUN` lines if the
    other one waits; first all answers come in. ``err`` makes the line's error bit. A classic slave
    needs ``stall = cyc & ~ack & ~err`` beside it (B4, 5.2.1).

    Parameters
    ----------
    config : Config
    data_width : int or None
        Bits of the data bus, 32 .. a line; None is a line.

    Members
    -------
    read : In(ReadPort), write : In(WritePort)
    cyc, stb, we : Out(1)
    adr : Out(addr_width - log2(data_width / 8)), counts words of ``data_width`` bits
    dat_w : Out(data_width), sel : Out(data_width / 8)
    stall, ack, err : In(1), dat_r : In(data_width)

    Latency: 1 cycle from a request to ``stb``; from the last ``ack`` 4 to the response of a read, 2
    to that of a write. Throughput: one beat per cycle in one direction. No path leads from an input
    to an output in the same cycle.

    Raises
    ------
    TypeError, ValueError
        See :func:`.widths.data_width`.
    """

    read: wiring.PureInterface
    write: wiring.PureInterface
    cyc: Signal
    stb: Signal
    we: Signal
    adr: Signal
    dat_w: Signal
    sel: Signal
    stall: Signal
    ack: Signal
    err: Signal
    dat_r: Signal

    def __init__(self, config: Config, data_width: int | None = None):
        self._config = config
        self._width = width = widths.data_width(config, data_width)
        self._beats = widths.beats(config, width)
        beat_bits = self._beats.bit_length() - 1
        super().__init__(
            {
                "read": In(ReadPort(config)),
                "write": In(WritePort(config)),
                "cyc": Out(1),
                "stb": Out(1),
                "we": Out(1),
                "adr": Out(config.line_addr_width + beat_bits),
                "dat_w": Out(width),
                "sel": Out(width // 8),
                "stall": In(1),
                "ack": In(1),
                "err": In(1),
                "dat_r": In(width),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, width, beats = self._config, self._width, self._beats
        read, write = self.read.request, self.write.request
        reads, writes = Signal(range(READS + 1)), Signal(range(WRITES + 1))
        waiting = Signal(range(max(READS, WRITES) * beats + 1))  # beats asked for, not answered
        run = Signal(range(RUN + 1))

        # What is offered now: the lowest bits of `data` and `words`.
        line, data = Signal(config.line_addr_width), Signal(8 * config.line_bytes)
        words, beat = Signal(config.lanes), Signal(index_width(beats))
        last = beat == beats - 1
        beat_bits = beats.bit_length() - 1
        m.d.comb += [
            self.adr.eq(Cat(beat[:beat_bits], line)),
            self.dat_w.eq(data),
            self.sel.eq(Cat(bit.replicate(4) for bit in words[: width // 32])),
        ]

        # Whose turn it is, and whether it may have the next line.
        to_write, free, took, asked, answered = (Signal() for _ in range(5))
        can_read, can_write = Signal(), Signal()
        other = Mux(self.we, can_read, can_write)
        m.d.comb += [
            can_read.eq(read.valid & (reads != READS)),
            can_write.eq(write.valid & (writes != WRITES)),
            # With the bus idle, the direction that was not the last one comes first.
            to_write.eq(Mux(self.cyc, self.we, can_write & ~(self.we & can_read))),
            free.eq(~self.stb | (~self.stall & last)),
            asked.eq(self.stb & ~self.stall),
            answered.eq(self.cyc & (self.ack | self.err)),
        ]
        go = free & (~self.cyc | ~other | (run != RUN))
        m.d.comb += [
            read.ready.eq(go & can_read & ~to_write),
            write.ready.eq(go & can_write & to_write),
            took.eq(read.ready | write.ready),
        ]
        left = Signal.like(waiting)
        m.d.comb += left.eq(waiting + asked - answered)
        m.d.sync += waiting.eq(left)
        with m.If(took):
            m.d.sync += [
                self.cyc.eq(1),
                self.stb.eq(1),
                self.we.eq(to_write),
                line.eq(Mux(to_write, write.payload.line, read.payload.line)),
                data.eq(Value.cast(write.payload.data)),
                words.eq(Mux(to_write, write.payload.mask, ~0)),
                beat.eq(0),
                run.eq(Mux(self.cyc, run + (run != RUN), 1)),
            ]
        with m.Elif(free):
            m.d.sync += [self.stb.eq(0), self.cyc.eq(left != 0)]
        with m.Elif(~self.stall):
            m.d.sync += [
                beat.eq(beat + 1),
                data.eq(data >> width),
                words.eq(words >> width // 32),
            ]

        self._answers(m, answered, took & ~to_write, reads, writes)
        return m

    def _answers(self, m, answered, asks_line, reads, writes):
        """Beats that come in: to lines and responses."""
        config, width, beats = self._config, self._width, self._beats
        response, stored = self.read.response, self.write.response
        m.submodules.tags = tags = Queue(tag(config), READS)
        m.submodules.lines = lines = Queue(response.payload.shape(), READS)
        m.submodules.stored = done = Queue(stored.payload.shape(), WRITES)
        wiring.connect(m, lines.o, wiring.flipped(response))
        wiring.connect(m, done.o, wiring.flipped(stored))

        came, came_we, came_error = Signal(), Signal(), Signal()
        came_data = Signal(width)
        m.d.sync += [
            came.eq(answered),
            came_we.eq(self.we),
            came_error.eq(self.err),
            came_data.eq(self.dat_r),
        ]
        beat, error = Signal(index_width(beats)), Signal()
        whole = came_data
        if beats > 1:
            earlier = Signal(width * (beats - 1))
            whole = Cat(earlier, came_data)
            with m.If(came):
                m.d.sync += earlier.eq(whole >> width)
        complete = came & (beat == beats - 1)
        m.d.comb += [
            tags.i.valid.eq(asks_line),
            tags.i.payload.eq(self.read.request.payload.tag),
            tags.o.ready.eq(complete & ~came_we),
            # The queues have room for all that was asked for.
            lines.i.valid.eq(complete & ~came_we),
            Value.cast(lines.i.payload.data).eq(whole),
            lines.i.payload.tag.eq(tags.o.payload),
            lines.i.payload.error.eq(error | came_error),
            done.i.valid.eq(complete & came_we),
            done.i.payload.error.eq(error | came_error),
        ]
        with m.If(came):
            m.d.sync += [
                beat.eq(Mux(complete, 0, beat + 1)),
                error.eq((error | came_error) & ~complete),
            ]
        m.d.sync += [
            reads.eq(reads + asks_line - (response.valid & response.ready)),
            writes.eq(
                writes
                + (self.write.request.valid & self.write.request.ready)
                - (stored.valid & stored.ready)
            ),
        ]
