"""The access unit's last stage: what each event pushes into the DataQ and the CtrlQ."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .. import isa
from ..config import Config
from ..layouts import token, vector
from ..program_memory import ProgramMemory, ProgramWrite
from ..queues.queue import Queue
from ..queues.stage import Stage
from .align import beat
from .item import ENV_SLOTS, ItemType

#: Events of one beat, in push order.
_EVENTS = ("row_beg", "row_ite", "row_end")
#: Operands of one beat by the number of their event, in push order.
_OWNERS = tuple(
    number for number, event in enumerate(_EVENTS) for _ in range(isa.ROW_OPERANDS[event])
)
#: Beats that may be between the input and the pushes.
_DEPTH = 4


def _pushes(config: Config) -> data.StructLayout:
    """What a beat has to push."""
    shapes = {name: shape.shape for name, shape in token(config) if name not in ("pc", "halt")}
    return data.StructLayout(
        {
            "tokens": len(_EVENTS),
            "pc": data.ArrayLayout(token(config)["pc"].shape, len(_EVENTS)),
            "halt": 1,
            "flags": data.StructLayout(shapes),
            "operands": len(_OWNERS),
            "select": data.ArrayLayout(isa.Operand, len(_OWNERS)),
            "is_item": 1,
            "env": data.ArrayLayout(config.addr_width, ENV_SLOTS),
            "position": beat(config)["position"].shape,
            "data": vector(config),
            "row_end": 1,
        }
    )


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
    pushed : Out(1), a vector is on its way to ``vector_o``
    row_pushed : Out(1), with its last vector, all of a row's last beat is

    Latency: 2 cycles for a token, 3 for a vector. Throughput: one beat per cycle if it pushes at
    most one token and one operand; otherwise as many cycles as it pushes tokens or operands,
    whichever is more.
    Back-pressure: a beat that enters has a place in the queue in front of the pushes.
    """

    program: wiring.PureInterface
    i: stream.Interface
    token_o: stream.Interface
    vector_o: stream.Interface
    pushed: Signal
    row_pushed: Signal

    def __init__(self, config: Config):
        self._config = config
        super().__init__(
            {
                "program": In(ProgramWrite()),
                "i": In(stream.Signature(beat(config))),
                "token_o": Out(stream.Signature(token(config))),
                "vector_o": Out(stream.Signature(vector(config))),
                "pushed": Out(1),
                "row_pushed": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.ahead = ahead = Queue(_pushes(self._config), _DEPTH)
        self._decode(m, ahead)
        self._push(m, ahead.o)
        return m

    def _decode(self, m, ahead):
        """From a beat and its segment's entry to what it has to push; nothing stalls here."""
        config = self._config
        window, layout, depth = isa.windows(config)["marshal"]
        m.submodules.entry = memory = ProgramMemory(window, layout, depth, latency=1)
        entry = memory.entry
        wiring.connect(m, wiring.flipped(self.program), memory.write)

        room = Signal(range(_DEPTH + 1), init=_DEPTH)
        entering = Signal()
        m.d.comb += [
            self.i.ready.eq(room != 0),
            entering.eq(self.i.valid & self.i.ready),
            memory.address.eq(self.i.payload.item.segment),
        ]
        m.d.sync += room.eq(room + (ahead.o.valid & ahead.o.ready) - entering)
        fetched, fetched_valid = Signal(beat(config)), Signal()
        m.d.sync += [fetched.eq(self.i.payload), fetched_valid.eq(entering)]

        pushes = ahead.i.payload
        item = fetched.item
        m.d.comb += [
            ahead.i.valid.eq(fetched_valid),
            *(field.eq(item[name]) for name, field in _fields(pushes.flags)),
            pushes.is_item.eq(item.type == ItemType.ITEM),
            pushes.env.eq(item.env),
            pushes.position.eq(fetched.position),
            pushes.data.eq(fetched.data),
            pushes.row_end.eq(fetched.has_data & fetched.end),
            pushes.operands.eq(Cat(select != isa.Operand.NONE for select in pushes.select)),
        ]
        stops = Signal(range(config.fiber_lanes + 1))
        active = {
            "row_beg": fetched.beg,
            "row_ite": fetched.has_data,
            "row_end": fetched.end & fetched.has_data,
        }
        with m.Switch(item.type):
            with m.Case(ItemType.ITEM):
                for number, event in enumerate(_EVENTS):
                    present = active[event]
                    m.d.comb += [
                        pushes.tokens[number].eq(present & entry[f"{event}_token"]),
                        pushes.pc[number].eq(entry[f"{event}_pc"]),
                    ]
                    with m.If(present & fetched.has_data):
                        mine = [n for n, owner in enumerate(_OWNERS) if owner == number]
                        for k, n in enumerate(mine):
                            m.d.comb += pushes.select[n].eq(entry[f"{event}_op{k}"])
            with m.Case(ItemType.MARK):
                # A marker is one event; its operands borrow the first places.
                for layer in range(config.scalar_layers):
                    for is_end, event in enumerate(("beg", "end")):
                        name = f"l{layer}_{event}"
                        with m.If((item.mark_layer == layer) & (item.mark_end == is_end)):
                            m.d.comb += [
                                pushes.tokens[0].eq(entry[f"{name}_token"]),
                                pushes.pc[0].eq(entry[f"{name}_pc"]),
                            ]
                            for n in range(isa.MARKER_OPERANDS):
                                m.d.comb += pushes.select[n].eq(entry[f"{name}_op{n}"])
            with m.Case(ItemType.STOP):
                m.d.comb += [
                    pushes.halt.eq(stops == config.fiber_lanes - 1),
                    pushes.tokens[0].eq(pushes.halt),
                ]
                with m.If(fetched_valid):
                    m.d.sync += stops.eq(Mux(pushes.halt, 0, stops + 1))

    def _push(self, m, i):
        """Pushes what the beat at the front asks for, and lets it go with the last of it."""
        now = i.payload
        fresh = Signal(init=1)  # nothing of this beat has been pushed
        left_tokens, left_operands = Signal(len(_EVENTS)), Signal(len(_OWNERS))
        tokens, later_tokens = Signal(len(_EVENTS)), Signal(len(_EVENTS))
        operands, later_operands = Signal(len(_OWNERS)), Signal(len(_OWNERS))
        m.d.comb += [
            tokens.eq(Mux(i.valid, Mux(fresh, now.tokens, left_tokens), 0)),
            operands.eq(Mux(i.valid, Mux(fresh, now.operands, left_operands), 0)),
        ]
        m.d.sync += [
            fresh.eq(i.ready | ~i.valid),
            left_tokens.eq(later_tokens),
            left_operands.eq(later_operands),
        ]

        # Next token: the lowest pending event's.
        first_token = Signal(range(len(_EVENTS)))
        for number in reversed(range(len(_EVENTS))):
            with m.If(tokens[number]):
                m.d.comb += first_token.eq(number)
        token_fire = Signal()
        out = self.token_o.payload
        m.d.comb += [
            self.token_o.valid.eq(tokens.any()),
            token_fire.eq(self.token_o.valid & self.token_o.ready),
            later_tokens.eq(tokens & ~Mux(token_fire, 1 << first_token, 0)),
            out.pc.eq(now.pc[first_token]),
            out.halt.eq(now.halt),
            *(out[name].eq(field) for name, field in _fields(now.flags)),
        ]

        # Next operand: the lowest pending one, once the tokens up to its event are on their way.
        # A marker's third operand stands in row_ite's place but belongs to the marker's event.
        # The stage keeps the DataQ's storage away from the choice; a scalar is put in place of the
        # data behind it, so that the choice need not reach each element.
        shape = data.StructLayout({"data": now.data.shape(), "is_data": 1, "scalar": 32})
        m.submodules.vector = ahead = Stage(shape)
        chosen = ahead.o.payload
        m.d.comb += [
            self.vector_o.valid.eq(ahead.o.valid),
            ahead.o.ready.eq(self.vector_o.ready),
        ]
        for n, element in enumerate(self.vector_o.payload):
            m.d.comb += element.eq(Mux(chosen.is_data, chosen.data[n], 0 if n else chosen.scalar))
        first_operand = Signal(range(len(_OWNERS)))
        owner, select = Signal(range(len(_EVENTS))), Signal(isa.Operand)
        for n in reversed(range(len(_OWNERS))):
            with m.If(operands[n]):
                m.d.comb += [first_operand.eq(n), owner.eq(_OWNERS[n]), select.eq(now.select[n])]
        allowed = Signal()
        with m.Switch(Mux(now.is_item, owner, 0)):
            for number in range(len(_EVENTS)):
                with m.Case(number):
                    m.d.comb += allowed.eq(~later_tokens[: number + 1].any())
        m.d.comb += [
            ahead.i.valid.eq(operands.any() & allowed),
            self.pushed.eq(ahead.i.valid & ahead.i.ready),
            later_operands.eq(operands & ~Mux(self.pushed, 1 << first_operand, 0)),
        ]
        scalar = Signal(32)
        with m.Switch(select):
            with m.Case(isa.Operand.ITE):
                m.d.comb += scalar.eq(now.position)
            for n, case in enumerate((isa.Operand.ENV0, isa.Operand.ENV1, isa.Operand.ENV2)):
                with m.Case(case):
                    m.d.comb += scalar.eq(now.env[n])
            with m.Case(isa.Operand.ARG):
                m.d.comb += scalar.eq(now.flags.arg)
        m.d.comb += [
            ahead.i.payload.data.eq(now.data),
            ahead.i.payload.is_data.eq(select == isa.Operand.DATA),
            ahead.i.payload.scalar.eq(scalar),
        ]

        # The beat goes when nothing is left of it. Said without the order of pushes, which takes
        # long: with one token and one operand left, both go if both queues take them.
        m.d.comb += [
            i.ready.eq(
                _at_most_one(tokens)
                & _at_most_one(operands)
                & (self.token_o.ready | ~tokens.any())
                & (ahead.i.ready | ~operands.any())
            ),
            self.row_pushed.eq(i.valid & i.ready & now.row_end),
        ]


def _fields(view):
    """Names and values of a struct's fields."""
    return [(name, view[name]) for name, _ in view.shape()]


def _at_most_one(bits):
    """One bit of ``bits`` is 1 at the most."""
    return (bits & (bits - 1)) == 0
