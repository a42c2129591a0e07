"""Lines on their way from memory: what to do with them, and whether they were asked for."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from ..config import Config
from ..layouts import tag
from . import generation
from .layouts import fetch


class Fetches(wiring.Component):
    """A table by tag. A fetch is on its way from ``issue`` to the first ``arrive`` of its tag.

    Two memories hold a bit for each tag, written by one side each; a fetch changes the bit of one,
    its response that of the other. Where they differ, and the generation is the present one, a
    response is awaited.

    Parameters
    ----------
    config : Config

    Members
    -------
    issue : In({valid, tag, fetch}); not while that tag is on its way
    arrive : In({valid, tag}), a response, at least one cycle after its issue
    o : Out({known, fetch}), for the ``arrive`` of the cycle before
    generation : In, sweeping : In, entry : In, see Generation

    Latency: 1 cycle. Throughput: one issue and one response per cycle.
    """

    issue: data.View
    arrive: data.View
    o: data.View
    generation: Signal
    sweeping: Signal
    entry: Signal

    def __init__(self, config: Config):
        self._config = config
        tags = tag(config)
        super().__init__(
            {
                "issue": In(
                    data.StructLayout({"valid": 1, "tag": tags, "fetch": fetch(config)})
                ),
                "arrive": In(data.StructLayout({"valid": 1, "tag": tags})),
                "o": Out(data.StructLayout({"known": 1, "fetch": fetch(config)})),
                "generation": In(generation.WIDTH),
                "sweeping": In(1),
                "entry": In(tags.size),
            }
        )

    def elaborate(self, platform):
        m = Module()
        tags = tag(self._config)
        shape = data.StructLayout(
            {"generation": generation.WIDTH, "asked": 1, "fetch": fetch(self._config)}
        )
        depth = 1 << tags.size
        m.submodules.asked = asked_ram = memory.Memory(shape=shape, depth=depth, init=[])
        asked_write = asked_ram.write_port()
        asked = asked_ram.read_port(transparent_for=(asked_write,))
        m.submodules.came = came_ram = memory.Memory(shape=1, depth=depth, init=[])
        came_write = came_ram.write_port()
        came = came_ram.read_port(transparent_for=(came_write,))
        last = came_ram.read_port(transparent_for=(came_write,))

        issued = Signal(self.issue.shape())
        m.d.sync += issued.eq(self.issue)
        m.d.comb += [
            last.addr.eq(self.issue.tag),
            asked_write.en.eq(issued.valid | self.sweeping),
            asked_write.addr.eq(Mux(self.sweeping, self.entry, issued.tag)),
            asked_write.data.generation.eq(Mux(self.sweeping, 0, self.generation)),
            asked_write.data.asked.eq(~last.data),
            asked_write.data.fetch.eq(issued.fetch),
        ]

        arrived = Signal(self.arrive.shape())
        m.d.sync += arrived.eq(self.arrive)
        awaited = (asked.data.asked != came.data) & (asked.data.generation == self.generation)
        m.d.comb += [
            asked.addr.eq(self.arrive.tag),
            came.addr.eq(self.arrive.tag),
            self.o.known.eq(arrived.valid & awaited & ~self.sweeping),
            self.o.fetch.eq(asked.data.fetch),
            came_write.en.eq(self.o.known),
            came_write.addr.eq(arrived.tag),
            came_write.data.eq(asked.data.asked),
        ]
        return m
