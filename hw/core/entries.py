"""The entry counter of each fiber lane."""

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..config import Config
from ..layouts import index_width


class EntryCounters(wiring.Component):
    """Clears and increases one lane's counter per cycle, in program order.

    A counter does not wrap around: a bag has fewer than 2**32 entries.

    Parameters
    ----------
    config : Config

    Members
    -------
    lane : In, clear : In(1), count : In(1): ``after = (0 if clear else before) + count``
    start : In(1), all counters become 0
    after : Out(32), the lane's counter after the update, one cycle later

    Latency: 1 cycle. Throughput: 1 per cycle. Back-pressure: none.
    """

    lane: Signal
    clear: Signal
    count: Signal
    start: Signal
    after: Signal

    def __init__(self, config: Config):
        self._config = config
        super().__init__(
            {
                "lane": In(index_width(config.fiber_lanes)),
                "clear": In(1),
                "count": In(1),
                "start": In(1),
                "after": Out(32),
            }
        )

    def elaborate(self, platform):
        m = Module()
        counters = [Signal(32, name=f"entries{n}") for n in range(self._config.fiber_lanes)]
        after = Signal(32)
        before = Mux(self.clear, 0, Array(counters)[self.lane])
        m.d.comb += after.eq(before + self.count)
        m.d.sync += self.after.eq(after)
        for n, counter in enumerate(counters):
            with m.If((self.clear | self.count) & (self.lane == n)):
                m.d.sync += counter.eq(after)
            with m.If(self.start):
                m.d.sync += counter.eq(0)
        return m
