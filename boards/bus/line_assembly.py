"""Beats of many bursts at once, to lines."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out

from ...hw.block_ram import BlockRam
from ...hw.layouts import index_width
from .axi_layouts import read_data


class LineAssembly(wiring.Component):
    """Collects the beats of each ID until its line is complete.

    Bursts of different IDs may come interleaved, beat by beat. A beat of an ID that has no burst
    counts as the first of one.

    Parameters
    ----------
    beats : int
        Beats of a line, at least 2.
    data_width : int
        Bits of a beat, the first one lowest in the line.
    id_width : int

    Members
    -------
    i : In(stream of read_data), o : Out(stream of {data, id, error}), in the order of last beats;
        ``error`` if any beat had one
    ready : Out(1), bursts may begin: low for as many cycles after reset as there are IDs

    Latency: 1 cycle after the last beat. Throughput: one beat per cycle.
    """

    i: stream.Interface
    o: stream.Interface
    ready: Signal

    def __init__(self, beats: int, data_width: int, id_width: int):
        if beats < 2:
            raise ValueError(f"beats must be at least 2, not {beats!r}")
        self._beats, self._data_width, self._id_width = beats, data_width, id_width
        super().__init__(
            {
                "i": In(stream.Signature(read_data(data_width, id_width))),
                "o": Out(stream.Signature(read_data(beats * data_width, id_width))),
                "ready": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        beats, width, ids = self._beats, self._data_width, 1 << self._id_width
        progress = data.StructLayout({"beat": index_width(beats), "error": 1})
        m.submodules.progress = states = memory.Memory(shape=progress, depth=ids, init=[])
        write, read = states.write_port(), states.read_port(domain="comb")
        m.submodules.lines = lines = BlockRam(width * (beats - 1), ids, parts=beats - 1)

        # A reset may come in the middle of bursts, and does not reach the memory.
        swept = Signal(range(ids + 1))
        m.d.comb += self.ready.eq(swept == ids)
        with m.If(~self.ready):
            m.d.sync += swept.eq(swept + 1)

        beat = self.i.payload
        state = read.data
        last = state.beat == beats - 1
        move, fire = Signal(), Signal()
        m.d.comb += [
            move.eq(~self.o.valid | self.o.ready),
            self.i.ready.eq(move & self.ready),
            fire.eq(self.i.valid & self.i.ready),
            read.addr.eq(beat.id),
            write.addr.eq(Mux(self.ready, beat.id, swept)),
            write.en.eq(fire | ~self.ready),
        ]
        with m.If(self.ready & ~last):
            m.d.comb += [
                write.data.beat.eq(state.beat + 1),
                write.data.error.eq(state.error | beat.error),
            ]
        # Either a beat is written or, at the last one, all earlier ones are read: never both.
        m.d.comb += [
            lines.write_address.eq(beat.id),
            lines.write_data.eq(beat.data.replicate(beats - 1)),
            lines.write_enable.eq(Mux(fire & ~last, 1 << state.beat, 0)),
            lines.read_address.eq(beat.id),
            lines.read_enable.eq(fire & last),
        ]
        final = Signal(width)
        m.d.comb += self.o.payload.data.eq(Cat(lines.read_data, final))
        with m.If(move):
            m.d.sync += self.o.valid.eq(fire & last)
        with m.If(fire & last):
            m.d.sync += [
                final.eq(beat.data),
                self.o.payload.id.eq(beat.id),
                self.o.payload.error.eq(state.error | beat.error),
            ]
        return m
