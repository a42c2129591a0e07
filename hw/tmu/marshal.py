"""The access unit's last stage: what each event pushes into the DataQ and the CtrlQ."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .. import isa
from ..config import Config
from ..layouts import token, vector
from ..program_memory import ProgramMemory, ProgramWrite
from .align import beat
from .item import ItemType

#: Events of one beat, in push order.
_EVENTS = ("row_beg", "row_ite", "row_end")


class Marshal(wiring.Component):
    """Pushes tokens and operands in program order, at most one of each per cycle.

    A token enters the CtrlQ no later than its first operand enters the DataQ: with queues of any
    depth the execute pipeline always knows what to do with the vector it sees.

    Parameters
    ----------
    config : Config

    Members
    -------
    program : In(ProgramWrite)
    i : In(stream of beat)
    token_o : Out(stream of token), vector_o : Out(stream of vector)

    Latency: 2 cycles. Throughput: one beat per cycle if it pushes at most one token and one
    operand; otherwise as many cycles as it pushes tokens or operands, whichever is more.
    """

    program: wiring.PureInterface
    i: stream.Interface
    token_o: stream.Interface
    vector_o: stream.Interface

    def __init__(self, config: Config):
        self._config = config
        super().__init__(
            {
                "program": In(ProgramWrite()),
                "i": In(stream.Signature(beat(config))),
                "token_o": Out(stream.Signature(token(config))),
                "vector_o": Out(stream.Signature(vector(config))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        window, layout, depth = isa.windows(config)["marshal"]
        m.submodules.entry = memory = ProgramMemory(window, layout, depth, latency=1)
        entry = memory.entry
        wiring.connect(m, wiring.flipped(self.program), memory.write)

        # Fetch: the entry is read. Decode: what it asks for goes into registers with the beat.
        fetched, fetched_valid = Signal(beat(config)), Signal()
        current, advance = Signal(beat(config)), Signal()
        m.d.comb += [
            self.i.ready.eq(~fetched_valid | advance),
            memory.address.eq(self.i.payload.item.segment),
            memory.enable.eq(self.i.valid & self.i.ready),
        ]
        with m.If(self.i.ready):
            m.d.sync += [fetched.eq(self.i.payload), fetched_valid.eq(self.i.valid)]
        with m.If(advance):
            m.d.sync += current.eq(fetched)

        # What this beat has to push: for each event a token and some operands.
        tokens = Signal(len(_EVENTS))
        pcs = [Signal(token(config)["pc"].shape, name=f"pc_{e}") for e in _EVENTS]
        operands = []  # (event number, selector), in push order
        for number, event in enumerate(_EVENTS):
            for n in range(isa.ROW_OPERANDS[event]):
                operands.append((number, Signal(3, name=f"{event}_{n}")))
        marker = [operands[n][1] for n in range(isa.ROW_OPERANDS["row_beg"])]
        # A marker is an event with three operands; it borrows the first three places.
        marker.append(operands[len(marker)][1])

        stops = Signal(range(config.fiber_lanes + 1))
        halts = Signal()
        active = {
            "row_beg": fetched.beg,
            "row_ite": fetched.has_data,
            "row_end": fetched.end & fetched.has_data,
        }
        with m.Switch(fetched.item.type):
            with m.Case(ItemType.ITEM):
                for number, event in enumerate(_EVENTS):
                    present = active[event]
                    m.d.comb += [
                        tokens[number].eq(present & entry[f"{event}_token"]),
                        pcs[number].eq(entry[f"{event}_pc"]),
                    ]
                    with m.If(present & fetched.has_data):
                        mine = [signal for owner, signal in operands if owner == number]
                        for n, signal in enumerate(mine):
                            m.d.comb += signal.eq(entry[f"{event}_op{n}"])
            with m.Case(ItemType.MARK):
                for layer in range(config.scalar_layers):
                    for is_end, event in enumerate(("beg", "end")):
                        name = f"l{layer}_{event}"
                        chosen = (fetched.item.mark_layer == layer) & (
                            fetched.item.mark_end == is_end
                        )
                        with m.If(chosen):
                            m.d.comb += [
                                tokens[0].eq(entry[f"{name}_token"]),
                                pcs[0].eq(entry[f"{name}_pc"]),
                            ]
                            for n, signal in enumerate(marker):
                                m.d.comb += signal.eq(entry[f"{name}_op{n}"])
            with m.Case(ItemType.STOP):
                m.d.comb += [halts.eq(stops == config.fiber_lanes - 1), tokens[0].eq(halts)]
                with m.If(advance & fetched_valid):
                    m.d.sync += stops.eq(Mux(halts, 0, stops + 1))

        # Push: what is pending shrinks from cycle to cycle.
        pending_tokens, later_tokens = Signal(len(_EVENTS)), Signal(len(_EVENTS))
        pending_operands, later_operands = Signal(len(operands)), Signal(len(operands))
        pc = Array(Signal.like(signal, name_suffix="_now") for signal in pcs)
        selects = [Signal(3, name=f"select_{n}") for n in range(len(operands))]
        halt = Signal()
        with m.If(advance):
            wanted = Cat(signal != isa.Operand.NONE for _, signal in operands)
            m.d.sync += [
                pending_tokens.eq(Mux(fetched_valid, tokens, 0)),
                pending_operands.eq(Mux(fetched_valid, wanted, 0)),
                *(now.eq(signal) for now, signal in zip(pc, pcs, strict=True)),
                *(now.eq(signal) for now, (_, signal) in zip(selects, operands, strict=True)),
                halt.eq(halts),
            ]
        with m.Else():
            m.d.sync += [pending_tokens.eq(later_tokens), pending_operands.eq(later_operands)]

        # Next token: the lowest pending event's.
        first_token = Signal(range(len(_EVENTS)))
        for number in reversed(range(len(_EVENTS))):
            with m.If(pending_tokens[number]):
                m.d.comb += first_token.eq(number)
        token_fire = Signal()
        out = self.token_o.payload
        m.d.comb += [
            self.token_o.valid.eq(pending_tokens.any()),
            token_fire.eq(self.token_o.valid & self.token_o.ready),
            later_tokens.eq(pending_tokens & ~Mux(token_fire, 1 << first_token, 0)),
            out.pc.eq(pc[first_token]),
            out.lane.eq(current.item.lane),
            out.segment.eq(current.item.segment),
            out.first.eq(current.item.first),
            out.last.eq(current.item.last),
            out.skip.eq(current.item.skip),
            out.arg.eq(current.item.arg),
            out.halt.eq(halt),
        ]

        # Next operand: the lowest pending one, once the tokens up to its event are on their way.
        # A marker's third operand stands in row_ite's place but belongs to the marker's event.
        is_item = current.item.type == ItemType.ITEM
        first_operand = Signal(range(len(operands)))
        owner, select = Signal(range(len(_EVENTS))), Signal(3)
        for n in reversed(range(len(operands))):
            with m.If(pending_operands[n]):
                m.d.comb += [first_operand.eq(n), owner.eq(operands[n][0]), select.eq(selects[n])]
        allowed, vector_fire = Signal(), Signal()
        with m.Switch(Mux(is_item, owner, 0)):
            for number in range(len(_EVENTS)):
                with m.Case(number):
                    m.d.comb += allowed.eq(~later_tokens[: number + 1].any())
        m.d.comb += [
            self.vector_o.valid.eq(pending_operands.any() & allowed),
            vector_fire.eq(self.vector_o.valid & self.vector_o.ready),
            later_operands.eq(pending_operands & ~Mux(vector_fire, 1 << first_operand, 0)),
            advance.eq(~later_tokens.any() & ~later_operands.any()),
        ]
        scalar = Signal(32)
        with m.Switch(select):
            with m.Case(isa.Operand.ITE):
                m.d.comb += scalar.eq(current.position)
            for n, case in enumerate((isa.Operand.ENV0, isa.Operand.ENV1, isa.Operand.ENV2)):
                with m.Case(case):
                    m.d.comb += scalar.eq(current.item.env[n])
            with m.Case(isa.Operand.ARG):
                m.d.comb += scalar.eq(current.item.arg)
        with m.If(select == isa.Operand.DATA):
            m.d.comb += self.vector_o.payload.eq(current.data)
        with m.Else():
            m.d.comb += self.vector_o.payload[0].eq(scalar)
        return m
