"""Front of a scalar layer: an incoming item becomes a fiber with bounds, queued for its lane."""

from amaranth.hdl import Array, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .. import isa
from ..config import Config
from ..layouts import error_report
from ..program_memory import ProgramMemory, ProgramWrite
from ..queues.queue import Queue
from .item import ItemType, item


def fiber(config: Config) -> data.StructLayout:
    """An item with its loop's bounds, and what the iteration needs to know of the loop."""
    a = config.addr_width
    return data.StructLayout(
        {
            "item": item(config),
            "through": 1,  # passes to the next layer as it is
            "start": a,
            "stop": a,
            "empty": 1,
            "step": 16,
            "flags": 1,
            "mark_beg": 1,
            "mark_end": 1,
            "prime": 1,  # loads pairs: the first element is loaded ahead of the first iteration
        }
    )


class Fibers(wiring.Component):
    """Computes bounds and queues fibers by lane.

    Parameters
    ----------
    config : Config
    layer : int
        Number of the scalar layer.
    contexts : int
        Lanes that have a queue: 1 for layer 0, ``fiber_lanes`` below.

    Members
    -------
    program : In(ProgramWrite)
    i : In(stream of item)
    heads : Out(ArrayLayout of {valid, fiber}), oldest fiber of each lane
    take : In(contexts), remove that lane's head this cycle
    error : Out({valid, report}), a range whose start is above its end

    Latency: 4 cycles. Throughput: one item per cycle.
    Back-pressure: an item waits while its lane's queue is full, and those behind it too.
    """

    program: wiring.PureInterface
    i: stream.Interface
    heads: data.View
    take: Signal
    error: data.View

    def __init__(self, config: Config, layer: int, contexts: int):
        self._config, self._layer, self._contexts = config, layer, contexts
        head = data.StructLayout({"valid": 1, "fiber": fiber(config)})
        super().__init__(
            {
                "program": In(ProgramWrite()),
                "i": In(stream.Signature(item(config))),
                "heads": Out(data.ArrayLayout(head, contexts)),
                "take": In(contexts),
                "error": Out(data.StructLayout({"valid": 1, "report": error_report(config)})),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        window, layout, depth = isa.windows(config)[f"layer{self._layer}"]
        m.submodules.entry = memory = ProgramMemory(window, layout, depth)
        entry = memory.entry
        wiring.connect(m, wiring.flipped(self.program), memory.write)

        # Stage 1: the entry is read. Stage 2: bounds. Stage 3: compare and queue.
        item1, valid1 = Signal(item(config)), Signal()
        fiber2, valid2, bad2 = Signal(fiber(config)), Signal(), Signal()
        ready1, ready2 = Signal(), Signal()
        m.d.comb += [
            ready1.eq(~valid2 | ready2),
            self.i.ready.eq(~valid1 | ready1),
            memory.address.eq(self.i.payload.segment),
            memory.enable.eq(self.i.valid & self.i.ready),
        ]
        with m.If(self.i.ready):
            m.d.sync += [item1.eq(self.i.payload), valid1.eq(self.i.valid)]

        start, stop = Signal(config.addr_width), Signal(config.addr_width)
        env = Array(item1.env[k] for k in (0, 1, 2, 2))
        with m.Switch(entry.kind):
            with m.Case(isa.Kind.ONCE):
                m.d.comb += stop.eq(1)
            with m.Case(isa.Kind.DENSE):
                m.d.comb += [start.eq(entry.start), stop.eq(entry.stop)]
            with m.Case(isa.Kind.RANGE):
                m.d.comb += [start.eq(env[entry.start_sel]), stop.eq(env[entry.stop_sel])]
            with m.Case(isa.Kind.INDEX):
                m.d.comb += [
                    start.eq(env[entry.start_sel]),
                    stop.eq(env[entry.start_sel] + entry.stop),
                ]
        with m.If(ready1):
            m.d.sync += [
                valid2.eq(valid1),
                bad2.eq(entry.kind == isa.Kind.RANGE),
                fiber2.item.eq(item1),
                fiber2.through.eq((item1.type != ItemType.ITEM) | item1.skip),
                fiber2.start.eq(start),
                fiber2.stop.eq(stop),
                fiber2.step.eq(entry.step),
                fiber2.flags.eq(entry.flags),
                fiber2.mark_beg.eq(entry.mark_beg),
                fiber2.mark_end.eq(entry.mark_end),
                fiber2.prime.eq(entry.m0_pair & entry.m0_en),
            ]
            # A dense loop that lacks a step would never end; a step of 0 counts as 1.
            with m.If((entry.step == 0) | (entry.kind == isa.Kind.ONCE)):
                m.d.sync += fiber2.step.eq(1)

        payload3 = Signal(fiber(config))
        above = Signal()
        m.d.comb += [
            above.eq(fiber2.start > fiber2.stop),
            payload3.eq(fiber2),
            payload3.empty.eq(fiber2.start >= fiber2.stop),
        ]
        with m.If(valid2 & ready2 & bad2 & above & ~fiber2.through):
            m.d.comb += [
                self.error.valid.eq(1),
                self.error.report.kind.eq(isa.Error.BOUNDS),
                self.error.report.segment.eq(fiber2.item.segment),
                self.error.report.layer.eq(self._layer),
                self.error.report.position.eq(fiber2.start),
                self.error.report.value.eq(fiber2.stop),
            ]
        for k in range(self._contexts):
            m.submodules[f"lane{k}"] = q = Queue(fiber(config), config.fiber_depth)
            mine = 1 if self._contexts == 1 else fiber2.item.lane == k
            m.d.comb += [
                q.i.payload.eq(payload3),
                q.i.valid.eq(valid2 & mine),
                self.heads[k].valid.eq(q.o.valid),
                self.heads[k].fiber.eq(q.o.payload),
                q.o.ready.eq(self.take[k]),
            ]
            with m.If(mine):
                m.d.comb += ready2.eq(q.i.ready)
        return m
