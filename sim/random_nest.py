"""Random legal loop nests: the scalar layers of a segment and the arrays they read.

Legality is kept by construction: every value that flows down carries an upper bound, arrays are
as long as the largest element number that can reach them, and only values that are known to be
small become bounds or addresses.
"""

from dataclasses import dataclass, field

import numpy as np

from ..hw.config import Config
from ..hw.isa import AluOp, ArgSel, Kind, Operand, Sel
from ..hw.program import Fields
from .memory import Memory
from .random_floats import random_floats
from .random_wish import NO_WISH, Wish

#: Largest value that may become an element number, so that arrays stay small.
SMALL = 20_000
_ENV = (Sel.ENV0, Sel.ENV1, Sel.ENV2)


@dataclass(frozen=True)
class Value:
    """What is known of a stream: ``bound`` is its largest value, None if it may be anything."""

    bound: int | None = None
    #: It is the iteration number of layer 0, so that modulo ``fiber_lanes`` it names the lane.
    deals: bool = False

    @property
    def small(self) -> bool:
        """It may be an element number."""
        return self.bound is not None and self.bound <= SMALL


@dataclass
class Scope:
    """What a fiber sees: its environment, its scalar, and the pairs of slots that bound a loop."""

    env: list[Value]
    arg: Value
    #: (slot of the start, slot of the end, most iterations)
    pairs: list[tuple[int, int, int]] = field(default_factory=list)


@dataclass
class Nest:
    """The scalar layers of a segment; ``scopes[n]`` is seen by layer n's fibers and markers.

    ``wished`` is the operand with which an event pushes the stream that was wished for.
    """

    layers: list[Fields]
    scopes: list[Scope]
    wished: Operand | None = None

    @property
    def skips(self) -> bool:
        """A skipped item with ``first`` or ``last`` may reach the row layer.

        Every load counts, because its response may carry an error.
        """
        flagged = False
        for fields in self.layers:
            flagged = flagged or bool(fields.get("flags", 0))
            loads = fields.get("m0_en", 0) or fields.get("m1_en", 0)
            if flagged and (loads or fields["kind"] != Kind.ONCE):
                return True
        return False


def random_nest(
    rng: np.random.Generator, config: Config, memory: Memory, rows: int, wish: Wish = NO_WISH
) -> Nest:
    """A nest that sends at most about ``rows`` items to the row layer; about as many, if a queue
    is to be filled.
    """
    zero = Value(0)
    full_segment = rng.random() < 0.5
    nest = Nest([], [Scope([zero] * 3, zero)])
    for layer in range(config.scalar_layers):
        depth_left = config.scalar_layers - layer
        mine = wish if wish.layer == layer else NO_WISH
        builder = _Layer(rng, config, memory, nest.scopes[-1], layer, mine)
        builder.pairs_below = wish.kind == Kind.RANGE and wish.layer == layer + 1
        room = max(1, rows)
        if wish.fill:
            builder.full = True
            # From the marker's own loop on they are short, so that it comes often; of layer 0's,
            # only half of the time: once in a segment, and what fills the queue may all be there.
            many = wish.marker_layer
            if many is None or (many == 0 and full_segment):
                many = config.scalar_layers
            room = round(room ** (1 / (many - layer))) if layer < many else int(rng.integers(1, 4))
        elif depth_left > 1:
            room = max(1, int(rng.integers(0, 2 * room ** (1 / depth_left) + 1)))
        builder.build(min(room, max(1, rows)), last=depth_left == 1)
        nest.layers.append(builder.fields)
        nest.scopes.append(builder.child)
        if mine.stream:
            nest.wished = builder.wished
        rows //= max(1, builder.most)
    return nest


class _Layer:
    """Builds one scalar layer and the scope of its children."""

    def __init__(
        self,
        rng: np.random.Generator,
        config: Config,
        memory: Memory,
        scope: Scope,
        layer: int,
        wish: Wish,
    ):
        self.rng = rng
        self.config = config
        self.memory = memory
        self.scope = scope
        self.layer = layer
        self.wish = wish
        #: The loop below wants its bounds from pairs.
        self.pairs_below = False
        #: Iterations are not to be left out.
        self.full = False
        self.wished: Operand | None = None
        self.fields: Fields = {}
        self.most = 1
        self.streams: dict[int, Value] = {Sel.ZERO: Value(0)}
        self.pairs: list[tuple[int, int, int]] = []

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    def build(self, most: int, last: bool) -> None:
        """At most ``most`` iterations for each fiber, unless a range brings more."""
        for slot, value in enumerate(self.scope.env):
            self.streams[_ENV[slot]] = value
        plain = self.wish == NO_WISH and not self.pairs_below
        if plain and not last and self.layer and self.chance(0.15):
            self.forward()
        else:
            self.bounds(most)
            self.memory0(most, last)
            self.memory1()
            self.alu()
            self.select()
        self.fields |= dict(
            flags=int(self.chance(0.4)) if self.wish.flags is None else self.wish.flags,
            mark_beg=int(self.chance(0.3)),
            mark_end=int(self.chance(0.3)),
        )

    def forward(self) -> None:
        """Pass the parent's values through, as the compiler does with a layer it has no use for."""
        self.fields = dict(kind=Kind.ONCE, step=1, e0=Sel.ENV0, e1=Sel.ENV1, e2=Sel.ENV2)
        self.child = Scope(list(self.scope.env), self.scope.arg, list(self.scope.pairs))

    # Bounds -------------------------------------------------------------------------------

    def bounds(self, most: int) -> None:
        """Kind, step and the induction variable's bound."""
        rng, env = self.rng, self.scope.env
        starts = [slot for slot in range(3) if env[slot].small]
        # Unordered ranges: the end bounds the number of iterations, the start may be above it.
        loose = [slot for slot in starts if (env[slot].bound or 0) <= most]
        weights = {
            Kind.ONCE: 1,
            Kind.DENSE: 6 if self.layer == 0 else 2,
            Kind.RANGE: 8 if self.scope.pairs else 0.5 if loose else 0,
            Kind.INDEX: 2 if starts else 0,
        }
        total = sum(weights.values())
        kind = Kind(int(rng.choice(4, p=[weights[k] / total for k in Kind])))
        wish = self.wish
        if wish.kind is not None and weights[wish.kind]:
            kind = wish.kind
        elif self.full or self.pairs_below:
            kind = Kind.DENSE
        simple = wish.pairs or wish.deals or self.pairs_below
        step = 1 if simple or self.chance(0.75) else int(rng.choice([2, 3, 7]))
        count = 0 if self.chance(0.05) else int(rng.integers(max(1, most // 2), most + 1))
        if self.full or simple or wish.stream:
            count = max(count, 1)
        if wish.size is not None:
            count = {"empty": 0, "one": 1, "more": max(2, count)}[wish.size]
        if wish.iterations is not None:
            count = wish.iterations
        span = (count - 1) * step + 1 + int(rng.integers(0, step)) if count else 0
        deals = False
        self.fields = dict(kind=kind, step=step)
        if kind == Kind.ONCE:
            bound, self.most, deals = 0, 1, self.layer == 0
        elif kind == Kind.DENSE:
            start = 0 if wish.deals or self.chance(0.6) else int(rng.integers(0, 20))
            if not count and self.chance(0.5):
                start, span = start + 3, -2  # an end below the start is an empty loop, too
            self.fields |= dict(start=start, stop=start + span)
            bound, self.most = start + max(span, 1) - 1, count
            deals = self.layer == 0 and start == 0 and step == 1
        elif kind == Kind.INDEX:
            slot = int(rng.choice(starts))
            self.fields |= dict(start_sel=slot, stop=span)
            bound, self.most = (env[slot].bound or 0) + max(span, 1) - 1, count
            deals = self.layer == 0 and step == 1
        else:
            if self.scope.pairs:
                at = int(rng.integers(len(self.scope.pairs)))
                start, stop, self.most = self.scope.pairs[at]
            else:
                start, stop = int(rng.integers(0, 3)), int(rng.choice(loose))
                self.most = env[stop].bound or 0
            self.fields |= dict(start_sel=start, stop_sel=stop)
            bound = max(0, (env[stop].bound or 0) - 1)
        self.streams[Sel.ITE] = Value(bound, deals)

    # Loads --------------------------------------------------------------------------------

    def memory0(self, most: int, last: bool) -> None:
        """Stream 0: pairs of offsets, starts of ranges, or indices with checks and skips."""
        # NEXT means something only with pairs.
        self.streams[Sel.MEM0] = self.streams[Sel.MEM1] = Value(0)
        pairs = self.wish.pairs or self.pairs_below
        if not pairs and self.wish.memory != 0 and self.chance(0.15):
            return
        at, elements = self.element(Sel.ITE if pairs or self.wish.event == "skip" else None)
        pairable = at == Sel.ITE and self.fields["step"] == 1
        # Offsets grow with their number: few of them, or they stop being element numbers.
        few = elements <= 500
        length = max(1, int(self.rng.integers(0, most + 3)))
        if self.wish.leaves_out in ("value", "m0", "next"):
            few = False  # offsets are never left out
        if not last and pairable and few and (self.pairs_below or self.chance(0.7)):
            self.offsets(at, elements, length)
        elif not last and self.wish == NO_WISH and self.chance(0.3):
            self.two_arrays(at, elements, length)
        else:
            values = self.rng.integers(0, self.top(), elements + 1)
            pair = int(pairable and (self.wish.pairs or self.chance(0.2)))
            self.fields["m0_pair"] = pair
            value = self.stream("m0", at, values[: elements + pair], may_skip=True)
            self.streams[Sel.MEM0] = value
            if pair:
                self.streams[Sel.NEXT] = value

    def offsets(self, at: Sel, elements: int, length: int) -> None:
        """A non-decreasing array, empty ranges included, sometimes with a decrease in it."""
        lengths = self.rng.integers(0, length + 1, elements + 1)
        lengths[self.rng.random(elements + 1) < 0.2] = 0
        values = np.cumsum(lengths) - lengths + int(self.rng.integers(0, 5))
        if self.chance(0.2):
            back = (self.rng.random(elements + 1) < 0.1) * self.rng.integers(1, 4, elements + 1)
            values = np.maximum(values - back, 0)
            length += 3
        self.fields["m0_pair"] = 1
        value = self.stream("m0", at, values, may_skip=False)
        self.streams[Sel.MEM0] = self.streams[Sel.NEXT] = value
        self.pairs.append((Sel.MEM0, Sel.NEXT, length))

    def two_arrays(self, at: Sel, elements: int, length: int) -> None:
        """Starts and ends in arrays of their own, sometimes an end before its start."""
        starts = self.rng.integers(0, self.top(), elements)
        lengths = self.rng.integers(0, length + 1, elements)
        lengths[self.rng.random(elements) < 0.2] = 0
        ends = starts + lengths
        if self.chance(0.2):
            ends = np.where(self.rng.random(elements) < 0.1, starts // 2, ends)
        self.streams[Sel.MEM0] = self.stream("m0", at, starts, may_skip=False)
        self.streams[Sel.MEM1] = self.stream("m1", at, ends, may_skip=False)
        self.pairs.append((Sel.MEM0, Sel.MEM1, length))

    def memory1(self) -> None:
        """Stream 1: weights, or more indices."""
        wished = self.wish.memory == 1
        if self.fields.get("m1_en", 0) or (not wished and self.chance(0.4)):
            return
        at, elements = self.element()
        weights = not (self.wish.leaves_out == "m1" or self.wish.wide(1))
        if weights and self.chance(0.6):
            weights = random_floats(self.rng, elements)
            self.fields |= dict(m1_en=1, m1_at=at, m1_base=self.place(weights))
            self.streams[Sel.MEM1] = Value(None)
        else:
            values = self.rng.integers(0, self.top(), elements)
            self.streams[Sel.MEM1] = self.stream("m1", at, values, may_skip=False)

    def element(self, wanted: Sel | None = None) -> tuple[Sel, int]:
        """Which stream numbers the elements, and how many the array needs."""
        if wanted is not None:
            return wanted, (self.streams[wanted].bound or 0) + 1
        choices = [sel for sel in _ENV if self.streams[sel].small]
        if not choices or self.chance(0.8):
            choices = [Sel.ITE]
        at = choices[int(self.rng.integers(len(choices)))]
        return at, (self.streams[at].bound or 0) + 1

    def top(self) -> int:
        """Bound of random indices: narrow, so that values repeat, or wide."""
        return int(self.rng.choice([2, 8, 100, 5000]))

    def stream(self, name: str, at: Sel, values: np.ndarray, may_skip: bool) -> Value:
        """Turn a stream on that loads ``values``; returns what is known of what it passes on."""
        rng, config = self.rng, self.config
        wide = self.wish.wide(int(name[1]))
        if wide is None:
            wide = self.chance(0.5)
        bound = int(values.max(initial=0))
        values = values.astype(np.uint64)
        fields: Fields = {
            f"{name}_en": 1, f"{name}_at": at, f"{name}_size": int(wide),
            f"{name}_nt": int(self.chance(0.3)),
        }  # fmt: skip
        leaves_out = self.wish.leaves_out
        # Where a queue is to be filled, what nobody asked to be left out would be missed.
        some_out = 0.0 if self.full else 0.5
        if may_skip and (leaves_out == "value" or self.chance(some_out)):
            skip = int(rng.choice(values))
            fields |= dict(m0_skip_en=1, m0_skip=skip)
            values[rng.random(len(values)) < 0.2] = skip
            if self.wish.event == "skip":
                values[-1] = skip
        wrong_wished = leaves_out == name or (leaves_out == "next" and name == "m0")
        checked = wrong_wished or self.chance(0.5)
        if checked:
            limit = bound + 1 if self.full or self.chance(0.7) else max(1, bound)
            fields |= {f"{name}_check": 1, f"{name}_limit": limit}
            if wrong_wished or self.chance(some_out):
                high = (1 << 64 if wide else 1 << 32) - 1
                wrong = rng.random(len(values)) < (0.3 if wrong_wished else 0.05)
                outside = rng.integers(limit, high, len(values), np.uint64, endpoint=True)
                values = np.where(wrong, outside, values)
            bound = limit - 1
        elif wide and config.addr_width < 64 and self.chance(0.3):
            # Bits above the address width are dropped, after the comparison with m0_skip.
            junk = rng.integers(0, 1 << (64 - config.addr_width), len(values), np.uint64)
            values |= junk << np.uint64(config.addr_width)
        if wide and config.lanes == 1:
            # Only the low half is read, so that a value out of range can become a small one.
            junk = rng.integers(0, 1 << 32, len(values), np.uint64)
            values = (values & np.uint64(0xFFFFFFFF)) | junk << np.uint64(32)
        fields[f"{name}_base"] = self.place(values.astype(np.uint64 if wide else np.uint32))
        self.fields |= fields
        return Value(bound)

    def place(self, array: np.ndarray) -> int:
        """Place an array anywhere within a line that its element size allows."""
        offset = array.itemsize * int(self.rng.integers(0, 2 * self.config.lanes))
        return self.memory.place(array, offset=offset)

    # Children -----------------------------------------------------------------------------

    def alu(self) -> None:
        """The integer operation; its result is an address only if it is known to be small."""
        rng, streams = self.rng, self.streams
        imm = int(rng.choice([1, 2, 3, 33, int(rng.integers(0, 1 << 32))]))
        streams[Sel.IMM] = Value(imm)
        names = list(streams)
        a, b = (names[int(rng.integers(len(names)))] for _ in range(2))
        op = AluOp(int(rng.integers(len(AluOp))))
        if op == AluOp.SHL and self.chance(0.7):
            imm = int(rng.integers(0, 8))
            streams[Sel.IMM] = Value(imm)
        left, right = streams[a].bound, streams[b].bound
        result = None
        if left is not None:
            if op == AluOp.ADD and right is not None:
                result = left + right
            elif op == AluOp.MUL:
                result = left * imm
            elif op == AluOp.SHL:
                result = left << (imm & 63)
        if result is not None and result >> self.config.addr_width:
            result = None
        self.fields |= dict(alu_op=op, alu_a=a, alu_b=b, alu_imm=imm)
        streams[Sel.ALU] = Value(result)

    def select(self) -> None:
        """The children's environment and scalar; bounds of a loop are passed on if there are."""
        rng = self.rng
        names = list(self.streams)
        chosen = [names[int(rng.integers(len(names)))] for _ in range(3)]
        inherited = [(_ENV[a], _ENV[b], most) for a, b, most in self.scope.pairs]
        pairs = self.pairs + inherited
        if pairs and self.chance(0.9):
            start, stop, _ = pairs[0]
            first, second = rng.permutation(3)[:2]
            chosen[first], chosen[second] = start, stop
            free = 3 - int(first) - int(second)
        else:
            free = int(rng.integers(3))
        if self.wish.sel is not None:
            chosen[free] = self.wish.sel
            self.wished = Operand(Operand.ENV0 + free)
        self.fields |= dict(e0=chosen[0], e1=chosen[1], e2=chosen[2])
        found = [
            (chosen.index(start), chosen.index(stop), most)
            for start, stop, most in pairs
            if start in chosen and stop in chosen
        ]
        arg = ArgSel(int(rng.choice([ArgSel.PARENT, ArgSel.MEM0, ArgSel.MEM1], p=[0.4, 0.2, 0.4])))
        if self.wish.arg is not None:
            arg, self.wished = self.wish.arg, Operand.ARG
        source = {
            ArgSel.PARENT: self.scope.arg,
            ArgSel.MEM0: self.streams[Sel.MEM0],
            ArgSel.MEM1: self.streams[Sel.MEM1],
        }
        self.fields["arg"] = arg
        self.child = Scope([self.streams[sel] for sel in chosen], source[arg], found)
