"""Start of the machine: one item per segment, then the stop item."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..config import Config
from .item import ItemType, item


class Sequencer(wiring.Component):
    """Sends segments 0, 1, .. and STOP to layer 0.

    Parameters
    ----------
    config : Config

    Members
    -------
    start : In(1), begin; ignored while a program is being sent
    segments : In(range(config.segments + 1)), segments to send, at least 1; held while sending
    o : Out(stream of item)

    Latency: 1 cycle from ``start``. Throughput: 1 item per cycle.
    """

    start: Signal
    segments: Signal
    o: stream.Interface

    def __init__(self, config: Config):
        super().__init__(
            {
                "start": In(1),
                "segments": In(range(config.segments + 1)),
                "o": Out(stream.Signature(item(config))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        active = Signal()
        position = Signal.like(self.segments)
        m.d.comb += self.o.valid.eq(active)
        with m.If(position == self.segments):
            m.d.comb += self.o.payload.type.eq(ItemType.STOP)
        with m.Else():
            m.d.comb += self.o.payload.segment.eq(position)
        with m.If(active):
            with m.If(self.o.ready):
                m.d.sync += position.eq(position + 1)
                with m.If(position == self.segments):
                    m.d.sync += active.eq(0)
        with m.Elif(self.start):
            m.d.sync += [active.eq(1), position.eq(0)]
        return m
