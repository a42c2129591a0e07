"""Front of a scalar layer: an incoming item becomes a fiber with bounds, queued for its lane."""

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from .. import isa
from ..config import Config
from ..layouts import error_report
from ..program_memory import ProgramMemory, ProgramWrite
from ..queues.queue import Queue
from ..queues.stage import Stage
from .item import ItemType, item


class Phase(enum.Enum, shape=2):
    """What a fiber does next."""

    BEG = 0
    PRIME = 1
    BODY = 2
    END = 3


def fiber(config: Config) -> data.StructLayout:
    """An item with its loop's bounds, and what the iteration needs to know of the loop."""
    a = config.addr_width
    return data.StructLayout(
        {
            "item": item(config),
            "through": 1,  # passes to the next layer as it is
            "start": a,
            "length": a,  # stop - start; counts unless empty
            "empty": 1,
            "once": 1,  # the first iteration is the last
            "step": 16,
            "flags": 1,
            "mark_beg": 1,
            "mark_end": 1,
            # Loads pairs: the first element is loaded ahead of the first iteration.
            "prime": 1,
            "after_beg": Phase,  # the first phase that it has but for BEG
            "bare": 1,  # it has neither iterations nor an end marker
        }
    )


def _bounds(config: Config) -> data.StructLayout:
    """A fiber whose bounds are being computed."""
    a = config.addr_width
    return data.StructLayout(
        {
            "fiber": fiber(config),
            "stop": a,
            "relative": 1,  # to `start`
            "range": 1,  # a start above the stop is an error
            "above": 1,  # and there is one
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
    heads : Out(ArrayLayout of {valid, more, fiber}), oldest fiber of each lane, and whether there
        is another one behind it
    take : In(contexts), remove that lane's head this cycle
    error : Out({valid, report}), a range whose start is above its end

    Latency: 7 cycles. Throughput: one item per cycle.
    Back-pressure: an item waits while its lane's queue is full, and those behind it too.
    """

    program: wiring.PureInterface
    i: stream.Interface
    heads: data.View
    take: Signal
    error: data.View

    def __init__(self, config: Config, layer: int, contexts: int):
        self._config, self._layer, self._contexts = config, layer, contexts
        head = data.StructLayout({"valid": 1, "more": 1, "fiber": fiber(config)})
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

        # One after the other, with registers between them: the entry is read; its operands are
        # chosen; bounds; length; is the first iteration the last?
        item1, valid1 = Signal(item(config)), Signal()
        stages = [Stage(_bounds(config)) for _ in range(3)]
        m.submodules.operands, m.submodules.bounds, m.submodules.length = stages
        operands, bounds, length = (stage.i for stage in stages)
        with_operands, with_bounds, with_length = (stage.o for stage in stages)
        # The queue keeps what the stages are ready for away from the layer above.
        m.submodules.items = items = Queue(item(config), 2)
        wiring.connect(m, wiring.flipped(self.i), items.i)
        m.d.comb += [
            operands.valid.eq(valid1),
            items.o.ready.eq(~valid1 | operands.ready),
            memory.address.eq(items.o.payload.segment),
            memory.enable.eq(items.o.valid & items.o.ready),
        ]
        with m.If(items.o.ready):
            m.d.sync += [item1.eq(items.o.payload), valid1.eq(items.o.valid)]

        start, stop = operands.payload.fiber.start, operands.payload.stop
        env = Array(item1.env[k] for k in (0, 1, 2, 2))
        with m.Switch(entry.kind):
            with m.Case(isa.Kind.ONCE):
                m.d.comb += stop.eq(1)
            with m.Case(isa.Kind.DENSE):
                m.d.comb += [start.eq(entry.start), stop.eq(entry.stop)]
            with m.Case(isa.Kind.RANGE):
                m.d.comb += [start.eq(env[entry.start_sel]), stop.eq(env[entry.stop_sel])]
            with m.Case(isa.Kind.INDEX):
                m.d.comb += [start.eq(env[entry.start_sel]), stop.eq(entry.stop)]
        m.d.comb += [
            operands.payload.relative.eq(entry.kind == isa.Kind.INDEX),
            operands.payload.range.eq(entry.kind == isa.Kind.RANGE),
            operands.payload.fiber.item.eq(item1),
            operands.payload.fiber.through.eq((item1.type != ItemType.ITEM) | item1.skip),
            operands.payload.fiber.step.eq(entry.step),
            operands.payload.fiber.flags.eq(entry.flags),
            operands.payload.fiber.mark_beg.eq(entry.mark_beg),
            operands.payload.fiber.mark_end.eq(entry.mark_end),
            operands.payload.fiber.prime.eq(entry.m0_pair & entry.m0_en),
        ]
        # A dense loop that lacks a step would never end; a step of 0 counts as 1.
        with m.If((entry.step == 0) | (entry.kind == isa.Kind.ONCE)):
            m.d.comb += operands.payload.fiber.step.eq(1)

        chosen = with_operands.payload
        from_zero = Mux(chosen.relative, chosen.fiber.start, 0)
        wiring.connect(m, with_operands, bounds)
        m.d.comb += bounds.payload.stop.eq(chosen.stop + from_zero)

        bounded = with_bounds.payload
        below = Signal(config.addr_width + 1)
        wiring.connect(m, with_bounds, length)
        m.d.comb += [
            below.eq(bounded.stop - bounded.fiber.start),
            length.payload.fiber.length.eq(below),
            length.payload.fiber.empty.eq(below[-1] | (bounded.stop == bounded.fiber.start)),
            length.payload.above.eq(below[-1] & bounded.range & ~bounded.fiber.through),
        ]

        last = with_length.payload
        queued, has_body = Signal(fiber(config)), Signal()
        m.d.comb += [
            queued.eq(last.fiber),
            queued.once.eq(last.fiber.length <= last.fiber.step),
            has_body.eq(
                ~last.fiber.empty
                | last.fiber.flags
                | last.fiber.item.first
                | last.fiber.item.last
            ),
            queued.bare.eq(~has_body & ~last.fiber.mark_end),
        ]
        with m.If(last.fiber.prime & ~last.fiber.empty):
            m.d.comb += queued.after_beg.eq(Phase.PRIME)
        with m.Elif(has_body):
            m.d.comb += queued.after_beg.eq(Phase.BODY)
        with m.Else():
            m.d.comb += queued.after_beg.eq(Phase.END)
        with m.If(with_length.valid & with_length.ready & last.above):
            m.d.comb += [
                self.error.valid.eq(1),
                self.error.report.kind.eq(isa.Error.BOUNDS),
                self.error.report.segment.eq(last.fiber.item.segment),
                self.error.report.layer.eq(self._layer),
                self.error.report.position.eq(last.fiber.start),
                self.error.report.value.eq(last.stop),
            ]
        for k in range(self._contexts):
            m.submodules[f"lane{k}"] = q = Queue(fiber(config), config.fiber_depth)
            mine = 1 if self._contexts == 1 else last.fiber.item.lane == k
            m.d.comb += [
                q.i.payload.eq(queued),
                q.i.valid.eq(with_length.valid & mine),
                self.heads[k].valid.eq(q.o.valid),
                self.heads[k].more.eq(q.level > 1),
                self.heads[k].fiber.eq(q.o.payload),
                q.o.ready.eq(self.take[k]),
            ]
            with m.If(mine):
                m.d.comb += with_length.ready.eq(q.i.ready)
        return m
