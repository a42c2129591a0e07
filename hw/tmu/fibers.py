"""Front of a scalar layer: an incoming item becomes a fiber with bounds, queued for its lane."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .. import isa
from ..config import Config
from ..layouts import error_report, index_width
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
    """What decides on a fiber's steps; `slot` says where the rest of it waits."""
    return data.StructLayout(
        {
            "slot": index_width(slots(config)),
            "through": 1,  # passes to the next layer as it is
            "stop": 1,  # and is the end of the program
            "empty": 1,
            "once": 1,  # the first iteration is the last
            "flags": 1,
            "mark_beg": 1,
            "mark_end": 1,
            "after_beg": Phase,  # the first phase that it has but for BEG
            "bare": 1,  # it has neither iterations nor an end marker
        }
    )


def bounds(config: Config) -> data.StructLayout:
    """Where a fiber begins, how far it goes, and in which steps."""
    a = config.addr_width
    # `length` counts unless the fiber is empty.
    return data.StructLayout({"start": a, "length": a, "step": 16})


def slots(config: Config) -> int:
    """Places for fibers of a layer: those of a lane follow each other."""
    return config.fiber_lanes << (config.fiber_depth - 1).bit_length()


def _loop(config: Config) -> data.StructLayout:
    """A fiber whose bounds are being computed."""
    a = config.addr_width
    return data.StructLayout(
        {
            "fiber": fiber(config),
            "lane": index_width(config.fiber_lanes),
            "segment": index_width(config.segments),
            "bounds": bounds(config),
            "stop": a,
            "relative": 1,  # to `start`
            "range": 1,  # a start above the stop is an error
            "above": 1,  # and there is one
            "prime": 1,  # loads pairs: the first element is loaded ahead of the first iteration
            "framed": 1,  # first or last of a loop further up: not left out, even if it is empty
        }
    )


class Fibers(wiring.Component):
    """Computes bounds and queues fibers by lane.

    A fiber gets a slot where it enters, and leaves there what only travels with it; its bounds
    follow when they are known. The queues hold what decides on the next step, and the slot. With
    the slot a place in the queue is reserved, so that nothing on its way there ever waits.

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
    slot : In, the fiber whose ``item`` and ``bounds`` to show in this cycle
    take : In(contexts), remove that lane's head this cycle
    error : Out({valid, report}), a range whose start is above its end

    Latency: 9 cycles. Throughput: one item per cycle, as long as they take turns in ``fiber_depth``
    slots of each lane.
    Back-pressure: an item waits for a slot of its lane, and those behind it too.
    """

    program: wiring.PureInterface
    i: stream.Interface
    heads: data.View
    slot: Signal
    item: data.View
    bounds: data.View
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
                "slot": In(index_width(slots(config))),
                "item": Out(item(config)),
                "bounds": Out(bounds(config)),
                "take": In(contexts),
                "error": Out(data.StructLayout({"valid": 1, "report": error_report(config)})),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, n = self._config, self._contexts
        window, layout, depth = isa.windows(config)[f"layer{self._layer}"]
        m.submodules.entry = memory = ProgramMemory(window, layout, depth, latency=2)
        entry = memory.entry
        wiring.connect(m, wiring.flipped(self.program), memory.write)

        # The queue keeps what this layer is ready for away from the layer above.
        m.submodules.items = items = Queue(item(config), 2)
        wiring.connect(m, wiring.flipped(self.i), items.i)
        new = items.o.payload
        new_lane = new.lane if n > 1 else 0
        entering = Signal()
        rooms = [Signal(range(config.fiber_depth + 1), init=config.fiber_depth, name=f"room_{k}")
                 for k in range(n)]  # fmt: skip
        places = Array(Signal(range(max(2, config.fiber_depth)), name=f"place_{k}")
                       for k in range(n))  # fmt: skip
        mine = [new_lane == k for k in range(n)] if n > 1 else [1]
        m.d.comb += [
            items.o.ready.eq(Array(room != 0 for room in rooms)[new_lane]),
            entering.eq(items.o.valid & items.o.ready),
            memory.address.eq(new.segment),
        ]
        for k in range(n):
            enters = entering & mine[k]
            m.d.sync += rooms[k].eq(rooms[k] + self.take[k] - enters)
            with m.If(enters):
                m.d.sync += places[k].eq(places[k] + 1)
                with m.If(places[k] == config.fiber_depth - 1):
                    m.d.sync += places[k].eq(0)
        place_bits = (config.fiber_depth - 1).bit_length()
        slot = Cat(places[new_lane][:place_bits], new_lane)

        m.submodules.item_ram = item_ram = Memory(
            shape=item(config), depth=max(2, slots(config)), init=[]
        )
        m.submodules.bounds_ram = bounds_ram = Memory(
            shape=bounds(config), depth=max(2, slots(config)), init=[]
        )
        item_write, item_read = item_ram.write_port(), item_ram.read_port(domain="comb")
        bounds_write, bounds_read = bounds_ram.write_port(), bounds_ram.read_port(domain="comb")
        m.d.comb += [
            item_write.addr.eq(slot),
            item_write.data.eq(new),
            item_write.en.eq(entering),
            item_read.addr.eq(self.slot),
            self.item.eq(item_read.data),
            bounds_read.addr.eq(self.slot),
            self.bounds.eq(bounds_read.data),
        ]

        # One after the other, with registers between them: the entry is read, in two cycles; its
        # operands are chosen; bounds; length; is the first iteration the last?
        arrived = data.StructLayout({"valid": 1, "slot": self.slot.shape(), "item": item(config)})
        arrived0, arrived1 = Signal(arrived), Signal(arrived)
        item1, valid1, slot1 = arrived1.item, arrived1.valid, arrived1.slot
        chosen_valid, bounded_valid, measured_valid = Signal(), Signal(), Signal()
        chosen, bounded, measured = (
            Signal(_loop(config), name=name) for name in ("chosen", "bounded", "measured")
        )
        m.d.sync += [
            arrived0.valid.eq(entering),
            arrived0.item.eq(new),
            arrived0.slot.eq(slot),
            arrived1.eq(arrived0),
            chosen_valid.eq(valid1),
            bounded_valid.eq(chosen_valid),
            measured_valid.eq(bounded_valid),
        ]

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
                m.d.comb += [start.eq(env[entry.start_sel]), stop.eq(entry.stop)]
        m.d.sync += [
            chosen.fiber.slot.eq(slot1),
            chosen.fiber.through.eq((item1.type != ItemType.ITEM) | item1.skip),
            chosen.fiber.stop.eq(item1.type == ItemType.STOP),
            chosen.fiber.flags.eq(entry.flags),
            chosen.fiber.mark_beg.eq(entry.mark_beg),
            chosen.fiber.mark_end.eq(entry.mark_end),
            chosen.lane.eq(item1.lane),
            chosen.segment.eq(item1.segment),
            chosen.bounds.start.eq(start),
            chosen.bounds.step.eq(entry.step),
            chosen.stop.eq(stop),
            chosen.relative.eq(entry.kind == isa.Kind.INDEX),
            chosen.range.eq(entry.kind == isa.Kind.RANGE),
            chosen.prime.eq(entry.m0_pair & entry.m0_en),
            chosen.framed.eq(item1.first | item1.last),
        ]
        # A dense loop that lacks a step would never end; a step of 0 counts as 1.
        with m.If((entry.step == 0) | (entry.kind == isa.Kind.ONCE)):
            m.d.sync += chosen.bounds.step.eq(1)

        from_zero = Mux(chosen.relative, chosen.bounds.start, 0)
        m.d.sync += [bounded.eq(chosen), bounded.stop.eq(chosen.stop + from_zero)]

        below = Signal(config.addr_width + 1)
        m.d.comb += below.eq(bounded.stop - bounded.bounds.start)
        m.d.sync += [
            measured.eq(bounded),
            measured.bounds.length.eq(below),
            measured.fiber.empty.eq(below[-1] | (bounded.stop == bounded.bounds.start)),
            measured.above.eq(below[-1] & bounded.range & ~bounded.fiber.through),
        ]

        last = measured.fiber
        queued, has_body = Signal(fiber(config)), Signal()
        m.d.comb += [
            queued.eq(last),
            queued.once.eq(measured.bounds.length <= measured.bounds.step),
            has_body.eq(~last.empty | last.flags | measured.framed),
            queued.bare.eq(~has_body & ~last.mark_end),
            bounds_write.addr.eq(last.slot),
            bounds_write.data.eq(measured.bounds),
            bounds_write.en.eq(measured_valid),
        ]
        with m.If(measured.prime & ~last.empty):
            m.d.comb += queued.after_beg.eq(Phase.PRIME)
        with m.Elif(has_body):
            m.d.comb += queued.after_beg.eq(Phase.BODY)
        with m.Else():
            m.d.comb += queued.after_beg.eq(Phase.END)
        with m.If(measured_valid & measured.above):
            m.d.comb += [
                self.error.valid.eq(1),
                self.error.report.kind.eq(isa.Error.BOUNDS),
                self.error.report.segment.eq(measured.segment),
                self.error.report.layer.eq(self._layer),
                self.error.report.position.eq(measured.bounds.start),
                self.error.report.value.eq(measured.stop),
            ]
        # What decides on a lane's next step comes from registers.
        lanes = [Queue(fiber(config), config.fiber_depth) for _ in range(n)]
        heads = [Stage(fiber(config)) for _ in range(n)]
        for k, (q, head) in enumerate(zip(lanes, heads, strict=True)):
            m.submodules[f"lane{k}"], m.submodules[f"head{k}"] = q, head
            wiring.connect(m, q.o, head.i)
            m.d.comb += [
                q.i.payload.eq(queued),
                q.i.valid.eq(measured_valid & (measured.lane == k if n > 1 else 1)),
                self.heads[k].valid.eq(head.o.valid),
                self.heads[k].more.eq(q.o.valid),
                self.heads[k].fiber.eq(head.o.payload),
                head.o.ready.eq(self.take[k]),
            ]
        return m
