"""A layer above the row: fibers, iteration and loads, one behind the other."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..config import Config
from ..layouts import error_report
from ..program_memory import ProgramWrite
from .fibers import Fibers
from .gather import Gather
from .item import item
from .iterate import Iterate
from .load_addresses import STREAMS


class ScalarLayer(wiring.Component):
    """One loop of the nest, for all fiber lanes: docs/machine.md section 2.

    Parameters
    ----------
    config : Config
    layer : int
        0 for the outermost, which deals its iterations to the lanes.

    Members
    -------
    flush : In(1), start of a run
    program : In(ProgramWrite)
    i, o : In, Out(stream of item)
    requests, fills, unknown : see Gather
    errors : Out(2 x {valid, report})

    Latency: about 29 cycles plus the load's. Throughput: one iteration per cycle, lanes together.
    """

    flush: Signal
    program: wiring.PureInterface
    i: stream.Interface
    o: stream.Interface
    requests: list[stream.Interface]
    fills: data.View
    unknown: Signal
    errors: data.View

    def __init__(self, config: Config, layer: int):
        self._fibers = Fibers(config, layer, 1 if layer == 0 else config.fiber_lanes)
        self._iterate = Iterate(config, layer, 1 if layer == 0 else config.fiber_lanes)
        self._gather = Gather(config, layer, 1 if layer == 0 else config.fiber_lanes)
        report = data.StructLayout({"valid": 1, "report": error_report(config)})
        gather = self._gather.signature.members
        super().__init__(
            {
                "flush": In(1),
                "program": In(ProgramWrite()),
                "i": In(stream.Signature(item(config))),
                "o": Out(stream.Signature(item(config))),
                "requests": gather["requests"],
                "fills": gather["fills"],
                "unknown": Out(1),
                "errors": Out(data.ArrayLayout(report, 2)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.fibers = fibers = self._fibers
        m.submodules.iterate = iterate = self._iterate
        m.submodules.gather = gather = self._gather
        wiring.connect(m, wiring.flipped(self.program), fibers.program)
        wiring.connect(m, wiring.flipped(self.program), gather.program)
        wiring.connect(m, wiring.flipped(self.i), fibers.i)
        wiring.connect(m, iterate.o, gather.i)
        wiring.connect(m, gather.o, wiring.flipped(self.o))
        for k in range(STREAMS):
            wiring.connect(m, gather.requests[k], wiring.flipped(self.requests[k]))
        m.d.comb += [
            iterate.heads.eq(fibers.heads),
            fibers.slot.eq(iterate.slot),
            iterate.item.eq(fibers.item),
            iterate.bounds.eq(fibers.bounds),
            fibers.take.eq(iterate.take),
            gather.flush.eq(self.flush),
            gather.fills.eq(self.fills),
            self.unknown.eq(gather.unknown),
            self.errors[0].eq(gather.error),
            self.errors[1].eq(fibers.error),
        ]
        return m
