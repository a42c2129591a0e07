"""A line and its mask, beat by beat."""

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..hw.config import Config
from ..hw.layouts import index_width, write_request
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
        with m.If(self.i.ready):
            m.d.sync += [self.o.valid.eq(self.i.valid), beat.eq(0)]
        with m.Elif(self.o.ready):
            m.d.sync += [
                beat.eq(beat + 1),
                data.eq(data >> self._width),
                words.eq(words >> self._width // 32),
            ]
        with m.If(self.i.ready & self.i.valid):
            m.d.sync += [data.eq(line), words.eq(mask)]
        return m
