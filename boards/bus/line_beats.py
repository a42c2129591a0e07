"""A line and its mask, beat by beat."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...hw.config import Config
from ...hw.layouts import index_width, write_request
from .axi_layouts import write_data
from .widths import beats


class LineBeats(wiring.Component):
    """Cuts lines into beats, lowest words first.

    Parameters
    ----------
    config : Config
    data_width : int
        Bits of a beat.

    Members
    -------
    i : In(stream of write_request), whose line number does not matter here
    o : Out(stream of write_data)

    Latency: 1 cycle. Throughput: one beat per cycle.
    Back-pressure: ``i.ready`` follows ``o.ready`` in the same cycle.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(self, config: Config, data_width: int):
        self._beats, self._width = beats(config, data_width), data_width
        super().__init__(
            {
                "i": In(stream.Signature(write_request(config))),
                "o": Out(stream.Signature(write_data(data_width))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        line, mask = Value.cast(self.i.payload.data), self.i.payload.mask
        data, words = Signal(len(line)), Signal(len(mask))
        beat = Signal(index_width(self._beats))
        last = beat == self._beats - 1
        m.d.comb += [
            self.o.payload.data.eq(data),
            self.o.payload.strobe.eq(Cat(bit.replicate(4) for bit in words[: self._width // 32])),
            self.o.payload.last.eq(last),
            self.i.ready.eq(~self.o.valid | (self.o.ready & last)),
        ]
        # What is not valid may be loaded: one condition enables all registers.
        load, data_next, words_next = self.i.ready, Signal.like(data), Signal.like(words)
        m.d.comb += [
            data_next.eq(Mux(load, line, data >> self._width)),
            words_next.eq(Mux(load, mask, words >> self._width // 32)),
        ]
        with m.If(load | self.o.ready):
            m.d.sync += [data.eq(data_next), words.eq(words_next), beat.eq(Mux(load, 0, beat + 1))]
        with m.If(load):
            m.d.sync += self.o.valid.eq(self.i.valid)
        return m
