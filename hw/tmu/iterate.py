"""Middle of a scalar layer: walks the fibers of all lanes, one iteration per cycle in total."""

from functools import reduce
from operator import or_

from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..config import Config
from .fibers import Phase, bounds, fiber
from .item import ItemType, item
from .turn import Turn


class StepType(enum.Enum, shape=2):
    """What a step is."""

    PASS = 0  # an item that needs no load: passed through, a marker, or a skip
    PRIME = 1  # load the first element of a pair stream; yields nothing
    ITERATION = 2  # one iteration of the loop


def step(config: Config) -> data.StructLayout:
    """One step of a layer: the item it will yield, but for what is loaded or computed."""
    return data.StructLayout({"type": StepType, "item": item(config), "ite": config.addr_width})


class Iterate(wiring.Component):
    """Chooses a lane each cycle and does the next step of its fiber in the next one.

    Markers and iterations come in program order; there is no idle cycle between two fibers that
    wait, and none between two lanes. An empty fiber that sends nothing takes one cycle.

    Parameters
    ----------
    config : Config
    layer : int
        Number of the scalar layer. Layer 0 deals: iteration n goes to lane n mod ``fiber_lanes``,
        markers and STOP go to all lanes.
    contexts : int
        Lanes with a queue of fibers.

    Members
    -------
    heads : In(ArrayLayout of {valid, more, fiber}), slot : Out, item : In, bounds : In,
        take : Out(contexts): see Fibers
    o : Out(stream of step)

    Latency: 2 cycles. Throughput: one step per cycle.
    """

    heads: data.View
    slot: Signal
    item: data.View
    bounds: data.View
    take: Signal
    o: stream.Interface

    def __init__(self, config: Config, layer: int, contexts: int):
        self._config, self._layer, self._contexts = config, layer, contexts
        head = data.StructLayout({"valid": 1, "more": 1, "fiber": fiber(config)})
        super().__init__(
            {
                "heads": In(data.ArrayLayout(head, contexts)),
                "slot": Out(fiber(config).members["slot"]),
                "item": In(item(config)),
                "bounds": In(bounds(config)),
                "take": Out(contexts),
                "o": Out(stream.Signature(step(config))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, n = self._config, self._contexts
        deal = self._layer == 0 and config.fiber_lanes > 1

        # State of each lane's fiber in progress.
        phases = Array(Signal(Phase, name=f"phase_{k}") for k in range(n))
        # Once it runs: position of the next iteration, what is left from there on, is it the last.
        running = Signal(n)
        place = data.StructLayout({"position": config.addr_width, "length": config.addr_width})
        m.submodules.places = places = Memory(shape=place, depth=max(2, n), init=[])
        there, next_there = places.read_port(domain="comb"), places.write_port()
        lasts = Signal(n)
        broadcast, dealt = Signal(range(config.fiber_lanes)), Signal(range(config.fiber_lanes))

        m.submodules.turn = turn = Turn(n)
        head = Signal(fiber(config))
        lane = turn.lane
        advance = Signal()
        m.d.comb += [
            turn.valid.eq(Cat(self.heads[k].valid for k in range(n))),
            turn.more.eq(Cat(self.heads[k].more for k in range(n))),
        ]

        def of_mine(values):
            masked = (Mux(turn.mine[k], value, 0) for k, value in enumerate(values))
            return reduce(or_, masked)

        m.d.comb += [
            Value.cast(head).eq(of_mine(Value.cast(self.heads[k].fiber) for k in range(n))),
            self.slot.eq(head.slot),
            there.addr.eq(lane),
            next_there.addr.eq(lane),
        ]

        # Of each lane's fiber: the phase of its next step, where phases that it does not have are
        # passed over in the same cycle; and whether that step is its last. This is known for each
        # lane before it is known whose turn it is: what removes a fiber must not come late.
        own, ends = [], Signal(n)
        for k, front in enumerate(self.heads[k].fiber for k in range(n)):
            own.append(mine := Signal(Phase, name=f"own_phase_{k}"))
            m.d.comb += mine.eq(phases[k])
            with m.If((phases[k] == Phase.PRIME) | ((phases[k] == Phase.BEG) & ~front.mark_beg)):
                m.d.comb += mine.eq(front.after_beg)
            last_body = front.empty | Mux(running[k], lasts[k], front.once)
            with m.Switch(mine):
                with m.Case(Phase.BEG):
                    m.d.comb += ends[k].eq(front.through | front.bare)
                with m.Case(Phase.PRIME):
                    m.d.comb += ends[k].eq(front.through)
                with m.Case(Phase.BODY):
                    m.d.comb += ends[k].eq(front.through | (last_body & ~front.mark_end))
                with m.Case(Phase.END):
                    m.d.comb += ends[k].eq(1)
        phase = Signal(Phase)
        m.d.comb += Value.cast(phase).eq(of_mine(Value.cast(value) for value in own))

        # Whether the next iteration will be the last is found out together with its position, not
        # when it is due: its way to the lane's state is long enough without a comparison.
        position, length = Signal(config.addr_width), Signal(config.addr_width)
        is_first, is_last = Signal(), Signal()
        m.d.comb += [
            is_first.eq(~(running & turn.mine).any()),
            position.eq(Mux(is_first, self.bounds.start, there.data.position)),
            length.eq(Mux(is_first, self.bounds.length, there.data.length)),
            is_last.eq(Mux(is_first, head.once, (lasts & turn.mine).any())),
        ]

        produced, next_phase = Signal(step(config)), Signal(Phase)
        nothing = Signal()
        m.d.comb += [
            produced.item.eq(self.item),
            produced.ite.eq(position),
            next_phase.eq(phase),
        ]
        broadcasting = Signal()  # this step is repeated for every lane
        with m.If(head.through):
            m.d.comb += broadcasting.eq(head.stop)
        with m.Else():
            with m.Switch(phase):
                with m.Case(Phase.BEG, Phase.END):
                    m.d.comb += [
                        produced.item.type.eq(ItemType.MARK),
                        produced.item.mark_layer.eq(self._layer),
                        produced.item.mark_end.eq(phase == Phase.END),
                        produced.item.first.eq(0),
                        produced.item.last.eq(0),
                        broadcasting.eq(1),
                    ]
                    with m.If(phase == Phase.END):
                        m.d.comb += nothing.eq(~head.mark_end)
                    with m.Else():
                        m.d.comb += next_phase.eq(Phase.PRIME)
                with m.Case(Phase.PRIME):
                    m.d.comb += [
                        produced.type.eq(StepType.PRIME),
                        next_phase.eq(Phase.BODY),
                    ]
                with m.Default():
                    with m.If(head.empty):
                        m.d.comb += produced.item.skip.eq(1)
                        with m.If(head.flags):
                            m.d.comb += [produced.item.first.eq(1), produced.item.last.eq(1)]
                    with m.Else():
                        m.d.comb += produced.type.eq(StepType.ITERATION)
                        outer_first = Mux(head.flags, 1, self.item.first)
                        outer_last = Mux(head.flags, 1, self.item.last)
                        m.d.comb += [
                            produced.item.first.eq(is_first & outer_first),
                            produced.item.last.eq(is_last & outer_last),
                        ]
                    with m.If(head.empty | is_last):
                        m.d.comb += next_phase.eq(Phase.END)
                    with m.Else():
                        m.d.comb += next_phase.eq(Phase.BODY)

        # Layer 0 sends one step to all lanes, one lane per cycle, or deals iterations.
        last_lane = Signal(init=1)
        if deal:
            with m.If(broadcasting):
                m.d.comb += [
                    last_lane.eq(broadcast == config.fiber_lanes - 1),
                    produced.item.lane.eq(broadcast),
                ]
            with m.Else():
                m.d.comb += [last_lane.eq(1), produced.item.lane.eq(dealt)]
            with m.If(advance):
                with m.If(broadcasting & ~nothing):
                    m.d.sync += broadcast.eq(broadcast + 1)
                with m.Elif(produced.type == StepType.ITERATION):
                    m.d.sync += dealt.eq(dealt + 1)
                with m.If((ends & turn.mine).any() & (last_lane | nothing)):
                    m.d.sync += dealt.eq(0)
        else:
            m.d.comb += last_lane.eq(1)

        m.d.comb += [
            advance.eq(turn.active & (~self.o.valid | self.o.ready)),
            turn.done.eq(advance & (last_lane | nothing)),
            turn.remove.eq((ends & turn.mine).any()),
        ]
        with m.If(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        with m.If(advance):
            m.d.sync += [self.o.payload.eq(produced), self.o.valid.eq(~nothing)]
            with m.If(last_lane | nothing):
                for k in range(n):
                    with m.If(turn.mine[k]):
                        m.d.comb += self.take[k].eq(ends[k])
                        m.d.sync += phases[k].eq(Mux(ends[k], Phase.BEG, next_phase))
                        with m.If(ends[k]):
                            m.d.sync += running[k].eq(0)
                        with m.Elif(produced.type == StepType.ITERATION):
                            m.d.sync += [
                                running[k].eq(1),
                                lasts[k].eq(length <= self.bounds.step << 1),
                            ]
        m.d.comb += [
            next_there.data.position.eq(position + self.bounds.step),
            next_there.data.length.eq(length - self.bounds.step),
            next_there.en.eq(advance & (produced.type == StepType.ITERATION)),
        ]
        return m
