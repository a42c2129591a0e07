"""Front of a gather: where the elements that a step loads are."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .. import isa
from ..config import Config
from ..layouts import index_width
from ..program_memory import ProgramMemory, ProgramWrite
from ..queues.queue import Queue
from .iterate import StepType, step

#: Memory streams of a scalar layer.
STREAMS = 2
#: Steps that may be between the input and the output.
_DEPTH = 8


def loads(config: Config) -> data.StructLayout:
    """What a step loads, if anything, and what the gather has to know of it until it has."""
    return data.StructLayout(
        {
            "type": StepType,
            "segment": index_width(config.segments),
            "address": data.ArrayLayout(config.addr_width, STREAMS),
            "en": STREAMS,
            "wide": STREAMS,  # 8 bytes instead of 4
            "nt": STREAMS,
        }
    )


class LoadAddresses(wiring.Component):
    """Computes the byte address of each memory stream's element.

    Parameters
    ----------
    config : Config
    layer : int
        Number of the scalar layer.

    Members
    -------
    program : In(ProgramWrite)
    i : In(stream of step), o : Out(stream of :func:`loads`)

    Latency: 5 cycles. Throughput: one step per cycle.
    Back-pressure: a step that enters has a place in the queue at the output.
    """

    program: wiring.PureInterface
    i: stream.Interface
    o: stream.Interface

    def __init__(self, config: Config, layer: int):
        self._config, self._layer = config, layer
        super().__init__(
            {
                "program": In(ProgramWrite()),
                "i": In(stream.Signature(step(config))),
                "o": Out(stream.Signature(loads(config))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        a = self._config.addr_width
        window, layout, depth = isa.windows(self._config)[f"layer{self._layer}"]
        m.submodules.entry = memory = ProgramMemory(window, layout, depth, latency=2)
        entry = memory.entry
        wiring.connect(m, wiring.flipped(self.program), memory.write)
        m.submodules.ahead = ahead = Queue(loads(self._config), _DEPTH)
        wiring.connect(m, ahead.o, wiring.flipped(self.o))

        room = Signal(range(_DEPTH + 1), init=_DEPTH)
        entering = Signal()
        new = self.i.payload
        m.d.comb += [
            self.i.ready.eq(room != 0),
            entering.eq(self.i.valid & self.i.ready),
            memory.address.eq(new.item.segment),
        ]
        m.d.sync += room.eq(room + (ahead.o.valid & ahead.o.ready) - entering)

        # Stages 0 and 1 hold the step while its entry is read, stage 2 the operands of its
        # addresses, stage 3 the addresses.
        needed = data.StructLayout(
            {
                "valid": 1,
                "type": StepType,
                "segment": new.item.segment.shape(),
                "ite": a,
                "env": new.item.env.shape(),
            }
        )
        step0, step1, following = Signal(needed), Signal(needed), Signal(a)
        m.d.sync += [
            step0.valid.eq(entering),
            step0.type.eq(new.type),
            step0.segment.eq(new.item.segment),
            step0.ite.eq(new.ite),
            step0.env.eq(new.item.env),
            step1.eq(step0),
            following.eq(step0.ite + 1),
        ]
        ite, env, type1 = step1.ite, step1.env, step1.type

        def chosen(select):
            """The element index that a stream's ``at`` field chooses."""
            others = Mux(select == isa.Sel.ENV1, env[1], Mux(select == isa.Sel.ENV2, env[2], ite))
            return Mux(select == isa.Sel.ENV0, env[0], others)

        # The pair's second element is the one loaded; its first was loaded a step earlier.
        of_pair = Mux(type1 == StepType.ITERATION, following, ite)
        valid2, stage2 = Signal(), Signal(loads(self._config))
        at = [Signal(a, name=f"at{k}") for k in range(STREAMS)]
        base = [Signal(a, name=f"base{k}") for k in range(STREAMS)]
        m.d.sync += [
            valid2.eq(step1.valid),
            at[0].eq(Mux(entry.m0_pair, of_pair, chosen(entry.m0_at))),
            at[1].eq(chosen(entry.m1_at)),
            base[0].eq(entry.m0_base),
            base[1].eq(entry.m1_base),
            stage2.type.eq(type1),
            stage2.segment.eq(step1.segment),
            stage2.en[0].eq(entry.m0_en & (type1 != StepType.PASS)),
            stage2.en[1].eq(entry.m1_en & (type1 == StepType.ITERATION)),
            stage2.wide.eq(Cat(entry.m0_size, entry.m1_size)),
            stage2.nt.eq(Cat(entry.m0_nt, entry.m1_nt)),
        ]
        valid3, stage3 = Signal(), Signal(loads(self._config))
        m.d.sync += [valid3.eq(valid2), stage3.eq(stage2)]
        for k in range(STREAMS):
            scaled = Mux(stage2.wide[k], at[k] << 3, at[k] << 2)
            m.d.sync += stage3.address[k].eq(base[k] + scaled)
        m.d.comb += [ahead.i.valid.eq(valid3), ahead.i.payload.eq(stage3)]
        return m
