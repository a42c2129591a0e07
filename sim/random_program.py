"""Random legal programs with their memory: every feature of the microcode, bounded in size."""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from ..hw import isa
from ..hw.config import Config
from ..hw.isa import Kind, Op, Operand, Sel
from ..hw.program import Fields, Program, Segment
from .bag_program import Bags, fused_bag_program
from .cover_trace import Trace, trace_access
from .legal import check
from .memory import Memory
from .model_queues import LaneQueues
from .random_code import OUTPUT_ROWS, Code, Situation
from .random_floats import random_floats
from .random_nest import Nest, Scope, Value, random_nest
from .random_wish import NO_WISH, Wish

__all__ = ["Bags", "RandomProgram", "fused_bag_program", "random_program"]

_ENV = (Operand.ENV0, Operand.ENV1, Operand.ENV2)
_U32 = 0xFFFFFFFF


@dataclass
class RandomProgram:
    """A program and the memory it runs on. The same seed makes the same ones again.

    Attributes
    ----------
    outputs : list of ndarray, uint32, 1-D
        The output area of each segment, mapped writable, filled with :data:`UNTOUCHED`.
    queues : LaneQueues
        What the access unit pushes, as the functional model has it.
    trace : Trace
        The events and loops that these come from.
    """

    program: Program
    memory: Memory
    outputs: list[np.ndarray]
    queues: LaneQueues
    trace: Trace


#: Fills output areas, so that a stray store shows.
UNTOUCHED = 0xA5A5A5A5
#: About the most steps of the execute pipeline that a segment takes.
MOST_STEPS = 1_000_000
#: Most output rows that the access unit stores.
MOST_ROWS = 200


def random_program(
    config: Config, seed: int, rows: int = 60, wish: Wish = NO_WISH
) -> RandomProgram:
    """A random legal program.

    Parameters
    ----------
    seed : int
        Determines everything.
    rows : int
        About the most rows that a program reads; many read far fewer.
    wish : Wish
        What the program should contain. Without one, all is chance.
    """
    rng = np.random.default_rng(seed)
    memory = Memory(config)
    code = Code(rng, config, wish)
    segments: list[Segment] = []
    reach: list[int] = []
    for _ in range(_segments(rng, config, wish)):
        if code.room < 6 and segments:
            segments.append(_again(segments[-1], memory))
            reach.append(reach[-1])
            continue
        builder = _Segment(rng, config, memory, code, rows, wish)
        segments.append(builder.build())
        reach.append(builder.reach)
    if not code.instructions and not config.store_streams:
        # No event got a token: nothing runs this, but a program without code is none.
        code.add([dict(op=Op.NOP, ret=1)])
    program = Program(config.hash, tuple(segments), tuple(code.instructions))
    check(program, config)
    queues, trace = trace_access(program, config, memory)
    segments, outputs = _place_outputs(rng, config, memory, program, queues, reach, wish)
    program = replace(program, segments=tuple(segments))
    if config.store_streams:
        # The access unit's stores have their addresses now.
        queues, trace = trace_access(program, config, memory)
    return RandomProgram(program, memory, outputs, queues, trace)


def _segments(rng: np.random.Generator, config: Config, wish: Wish) -> int:
    """Number of segments."""
    most = min(config.segments, 4)
    if wish.fill and wish.event in ("l0_beg", "l0_end"):
        # Once in a segment, and most of what may come before and after it is another one's.
        most = min(config.segments, 8)
        return int(rng.integers(min(2, most), most + 1))
    if wish.fill and rng.random() < 0.5:
        return 1
    return int(rng.integers(1, most + 1))


def _again(segment: Segment, memory: Memory) -> Segment:
    """The segment once more, for when there is no room for other callbacks; what its loops load
    is elsewhere, so that line buffers do not have it.
    """
    arrays = {base: array for base, _, array, _ in memory.segments()}
    line = max(8, memory.line_bytes)

    def moved(fields: Fields) -> Fields:
        bases = {n: fields[n] for n in ("m0_base", "m1_base") if n in fields}
        return fields | {
            name: memory.place(arrays[base].copy(), align=line, offset=base % line)
            for name, base in bases.items()
        }

    return replace(segment, layers=tuple(moved(fields) for fields in segment.layers))


class _Segment:
    """Builds one segment: nest, row, events and the callbacks of its tokens."""

    def __init__(
        self,
        rng: np.random.Generator,
        config: Config,
        memory: Memory,
        code: Code,
        rows: int,
        wish: Wish,
    ):
        self.rng = rng
        self.config = config
        self.memory = memory
        self.code = code
        self.rows = rows
        self.wish = wish
        self.wished: Operand | None = None
        #: Only the row's beginning has a token: so one that fills the DataQ costs little.
        self.token_per_row = False
        #: Operands of a beat of rows of which a few, or one, fill the DataQ to the last vector or
        #: two, so that the wished marker's operands wait; 0 if the program does not aim at that.
        self.brimful = 0
        #: Largest output row number that SETR may select.
        self.reach = 0

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    def build(self) -> Segment:
        """The segment, with its output at address 0 for now."""
        rng, config = self.rng, self.config
        wish = self.wish
        if self.stores():
            return self.build_stored()
        self.vector = int(self.chance(0.7)) if wish.vector is None else wish.vector
        if wish.fill == "vector" and self.chance(0.7):
            self.vector = 1
        self.token_per_row = wish.fill == "vector" and self.chance(0.7)
        #: Only tokens: no operand keeps the CtrlQ from running full.
        self.quiet = wish.fill == "token" and self.chance(0.8)
        if wish.fill == "vector" and wish.marker_layer is not None and self.chance(0.7):
            self.dim = self.pick_brimful()
        else:
            self.dim = self.pick_dim()
        nest = random_nest(rng, config, self.memory, self.rows_to_fill(), wish)
        self.wished = nest.wished
        marker = wish.event if wish.marker_layer is not None else None
        if marker:
            nest.layers[int(marker[1])][f"mark_{marker[3:]}"] = 1
        self.beats = self.beats_of(self.dim)
        chunks = -(-self.dim // config.lanes)
        self.reach = max(
            [OUTPUT_ROWS if config.fiber_lanes == 1 else 0]
            + [v.bound or 0 for scope in nest.scopes for v in scope.env if v.deals]
        )
        # Every lane sees layer 0's beg marker before all else of the segment.
        self.ready = bool(self.brimful) or self.chance(0.8)
        marshal: Fields = {}
        if self.ready:
            nest.layers[0]["mark_beg"] = 1
            start: list[Fields] = [
                dict(op=Op.MOV, dst=0), dict(op=Op.MOV, dst=1), dict(op=Op.SETA),
            ]  # fmt: skip
            self.event(marshal, "l0_beg", nest.scopes[0], start)
        # What matters most comes first: there is room for its callback.
        if self.brimful:
            self.row_events(marshal, nest)
        if marker and f"{marker}_token" not in marshal:
            self.event(marshal, marker, nest.scopes[int(marker[1])], [])
        if not self.brimful:
            self.row_events(marshal, nest)
            self.other_markers(marshal, nest)
        row = self.row(nest.scopes[-1])
        pad = 4 * int(rng.choice([0, 0, 1, 3]))
        execute: Fields = dict(
            row_stride=4 * self.dim + pad,
            chunks=chunks,
            tail=self.dim - (chunks - 1) * config.lanes,
            literal=int(random_floats(rng, 1).view(np.uint32)[0]),
        )
        return Segment(tuple(nest.layers), row, marshal, execute)

    def other_markers(self, marshal: Fields, nest: Nest) -> None:
        """Tokens of some of the markers that have none yet."""
        for layer in range(self.config.scalar_layers):
            for edge in ("beg", "end"):
                name = f"l{layer}_{edge}"
                if f"{name}_token" not in marshal and self.chance(0.7):
                    self.event(marshal, name, nest.scopes[layer], [])

    def stores(self) -> bool:
        """Whether the access unit stores the rows."""
        config, wish = self.config, self.wish
        if not config.store_streams or not config.execute:
            return bool(config.store_streams)
        if wish.stored is not None:
            return bool(wish.stored)
        return not (wish.event or wish.instruction or wish.fill) and self.chance(0.4)

    def build_stored(self) -> Segment:
        """A segment whose rows enter no queue. What numbers them names the lane: two lanes that
        store the same row have no order."""
        rng, config, wish = self.rng, self.config, self.wish
        self.vector = 1
        self.dim = self.pick_dim()
        for _ in range(20):
            nest = random_nest(rng, config, self.memory, self.rows_to_fill(), wish)
            slots = [n for n, value in enumerate(nest.scopes[-1].env) if self.numbers(value)]
            if slots:
                break
        else:
            nest, slots = self.plain_nest(), [0]
        slot = int(rng.choice(slots))
        self.reach = nest.scopes[-1].env[slot].bound or 0
        row = self.row(nest.scopes[-1])
        if config.execute:
            row["stored"] = 1
        store: Fields = dict(
            row_stride=4 * self.dim + 4 * int(rng.choice([0, 0, 1, 3])),
            row_sel=slot,
            tail=(self.dim - 1) % config.lanes + 1,
        )
        return Segment(tuple(nest.layers), row, {}, {}, store)

    def numbers(self, value: Value) -> bool:
        """Whether a value can number output rows: a few, each of them in one lane."""
        few = value.bound is not None and value.bound < MOST_ROWS
        return few and (value.deals or self.config.fiber_lanes == 1)

    def plain_nest(self) -> Nest:
        """Layer 0 counts, the others pass its iteration on."""
        count = int(self.rng.integers(0, 2 * self.config.fiber_lanes + 2))
        scopes = [Scope([Value(0)] * 3, Value(0))]
        layers: list[Fields] = [dict(kind=Kind.DENSE, stop=count, step=1, e0=Sel.ITE)]
        for _ in range(1, self.config.scalar_layers):
            layers.append(dict(kind=Kind.ONCE, step=1, e0=Sel.ENV0))
        number = Value(max(0, count - 1), deals=True)
        scopes += [Scope([number, Value(0), Value(0)], Value(0)) for _ in layers]
        return Nest(layers, scopes)

    def pick_dim(self) -> int:
        """Around the vector's width most of the time; single elements cost a beat each."""
        lanes, rng = self.config.lanes, self.rng
        top = self.config.max_dim if self.vector else min(self.config.max_dim, 40)
        around = [1, max(1, lanes - 1), lanes, lanes + 1, 2 * lanes, 33, int(rng.integers(1, 41))]
        dim = around[int(rng.integers(len(around)))]
        if self.wish.fill == "vector":
            # So long that the rows under way own more than the DataQ holds; or just as much, so
            # that it is what comes after a row that finds the queue full.
            under_way = self.config.row_window or self.config.ctrlq_depth + 1
            share = self.config.dataq_depth // int(rng.integers(1, min(under_way, 8) + 1))
            if self.chance(0.5):
                dim = max(dim, (share // 2 + 2) * lanes)
            else:
                vectors = (share - int(rng.integers(0, 4))) // isa.ROW_OPERANDS["row_ite"]
                dim = max(1, vectors) * lanes
        elif self.wish.fill == "token" and self.chance(0.5):
            # Its token may walk the row: that takes longer than to read it.
            dim = int(rng.integers(1, 17)) * lanes
        if self.wish.tail is not None:
            whole = dim // lanes if self.wish.fill else int(rng.integers(0, 3))
            return min(whole, top // lanes - 1) * lanes + self.wish.tail
        if self.vector and self.chance(0.05):
            dim = top - int(rng.integers(0, 2))
        return max(1, min(dim, top))

    def pick_brimful(self) -> int:
        """The length of rows that fill the DataQ while the first of them waits to be popped."""
        config = self.config
        under_way = min(config.row_window or config.ctrlq_depth + 1, 8)
        found = [
            (operands, config.dataq_depth // (rows * operands))
            for rows in range(1, under_way + 1)
            for operands in range(1, isa.ROW_OPERANDS["row_ite"] + 1)
            if config.dataq_depth % (rows * operands) < isa.MARKER_OPERANDS
        ]
        found = [(operands, beats) for operands, beats in found if 1 <= beats <= config.row_chunks]
        if not found:
            return self.pick_dim()
        self.vector, self.token_per_row = 1, True
        self.brimful, beats = found[int(self.rng.integers(len(found)))]
        return beats * config.lanes - int(self.rng.integers(config.lanes))

    def rows_to_fill(self) -> int:
        """Rows that it takes until the queue in question, and all that stands before it, is full.

        The first of them are consumed while the others come. Each beat of a row may have a token,
        whose callback may walk the whole row a few times, and if only the row has one, it and the
        markers around it may take many times: long rows are fewer.
        """
        config, fill = self.config, self.wish.fill
        beats = self.beats_of(self.dim)
        rows = self.rows
        if fill == "token":
            rows = min(3000, max(rows, 2 * config.ctrlq_depth + 20))
        elif fill == "vector":
            lines = config.ring_slots + config.dataq_depth
            rows = min(3000, max(rows, 2 * lines // beats + 20))
        few = self.token_per_row and self.wish.event != "row_ite"
        tokens = min(beats, 16) if few else beats
        steps = 4 * tokens * -(-self.dim // config.lanes)
        return max(1, min(rows, MOST_STEPS // steps))

    def beats_of(self, dim: int) -> int:
        """Beats of a row."""
        return -(-dim // self.config.lanes) if self.vector else dim

    def row(self, scope: Scope) -> Fields:
        """The row layer's entry and its array."""
        rng = self.rng
        # What a cache has cannot be overtaken: so most of the rows go past it.
        overtaken = self.config.cache_lines and self.wish.latency in ("shuffled", "late")
        past = self.chance(0.8 if overtaken else 0.3)
        fields: Fields = dict(dim=self.dim, vector=self.vector, nt=int(past))
        slots = [slot for slot in range(3) if scope.env[slot].small]
        wish = self.wish
        if slots and self.chance(0.85 if wish.index is None else wish.index):
            slot = int(rng.choice(slots))
            fields |= dict(index=1, start_sel=slot)
            last = scope.env[slot].bound or 0
        else:
            last = int(rng.integers(0, 50))
            fields["start"] = last
        wild = 0.2 if self.chance(0.4) else 0.01
        array = random_floats(rng, last + self.dim, special=wild, wild=wild)
        lanes = self.config.lanes
        offset = int(rng.integers(0, 2 * lanes))
        if wish.offset is not None:
            offset = (wish.offset - fields.get("start", 0)) % lanes
        fields["base"] = self.memory.place(array, offset=4 * offset)
        return fields

    # Events -------------------------------------------------------------------------------

    def event(self, marshal: Fields, name: str, scope: Scope, start: list[Fields]) -> None:
        """A marker's operands and token; neither if no callback fits."""
        operands = self.scalars(int(self.rng.integers(0, isa.MARKER_OPERANDS + 1)))
        operands = self.wished_operands(name, operands, isa.MARKER_OPERANDS)
        if self.brimful and name == self.wish.event:
            operands += self.scalars(isa.MARKER_OPERANDS - len(operands))
        elif self.brimful or self.quiet:
            operands = []
        vectors = [self.known(op, scope) for op in operands]
        ready = self.ready
        pc = self.code.random(Situation(vectors, False, ready), self.dim, start)
        if pc is None and start:
            operands = []
            pc = self.code.add([*start[:-1], start[-1] | dict(ret=1)])
            if pc is None:
                self.ready = False
        if pc is not None:
            marshal |= {f"{name}_token": 1, f"{name}_pc": pc}
            self.operands(marshal, name, operands, isa.MARKER_OPERANDS)

    def row_events(self, marshal: Fields, nest: Nest) -> None:
        """Which of the row's events carry tokens, and what each token's callback pops."""
        for _ in range(12):
            trial: Fields = {}
            if self.row_style(trial, nest):
                marshal |= trial
                return

    def row_style(self, marshal: Fields, nest: Nest) -> bool:
        """Try one random assignment of tokens and operands; False if a callback does not fit."""
        rng, scope = self.rng, nest.scopes[-1]
        tokens = {name: self.chance(p) for name, p in
                  (("row_beg", 0.7), ("row_ite", 0.4), ("row_end", 0.25))}  # fmt: skip
        if self.chance(0.3):
            tokens = dict(row_beg=True, row_ite=False, row_end=False)
        operands = {
            "row_beg": self.scalars(int(rng.integers(0, 3))),
            "row_ite": self.beat_operands(),
            "row_end": self.scalars(int(rng.integers(0, 2))),
        }
        if self.chance(0.4):
            operands = dict(row_beg=[], row_ite=[Operand.DATA], row_end=[])
        if self.token_per_row:
            tokens = dict(row_beg=True, row_ite=False, row_end=False)
            many = [Operand.DATA, Operand.DATA, Operand.DATA if self.chance(0.5) else Operand.ITE]
            operands = dict(
                row_beg=self.scalars(int(rng.integers(0, 3))), row_ite=many,
                row_end=self.scalars(int(rng.integers(0, 2))),
            )  # fmt: skip
            if self.brimful:
                operands = dict(row_beg=[], row_ite=[Operand.DATA] * self.brimful, row_end=[])
        elif self.quiet:
            operands = dict(row_beg=[], row_ite=[], row_end=[])
        for name in isa.ROW_OPERANDS:
            operands[name] = self.wished_operands(name, operands[name], isa.ROW_OPERANDS[name])
        if self.wish.event in tokens:
            owner = "row_beg" if self.wish.event == "row_ite" and self.chance(0.5) else None
            tokens[owner or self.wish.event] = True
        elif self.wish.event == "skip":
            tokens["row_beg"] = True
        # An operand needs a token before it in its row; a beat's token pops the same every time.
        if not tokens["row_beg"]:
            operands["row_beg"] = []
            if not tokens["row_ite"]:
                operands["row_ite"] = []
        if not tokens["row_end"] and (
            (tokens["row_ite"] and self.beats > 1) or not (tokens["row_ite"] or tokens["row_beg"])
        ):
            operands["row_end"] = []

        beg, ite, end = ([self.known(op, scope) for op in operands[name]] for name in operands)
        if not tokens["row_end"]:
            if tokens["row_ite"]:
                ite, end = ite + end, []
            else:
                beg, end = beg + ite * self.beats + end, []
        elif not tokens["row_ite"]:
            beg = beg + ite * self.beats
        for name, vectors in zip(tokens, (beg, ite, end), strict=True):
            may_skip = name == "row_beg" and nest.skips
            if tokens[name]:
                waits = self.brimful > 0 and self.ready
                situation = Situation(vectors, may_skip, self.ready, waits)
                pc = self.code.random(situation, self.dim)
                if pc is None:
                    return False
                marshal |= {f"{name}_token": 1, f"{name}_pc": pc}
            self.operands(marshal, name, operands[name], isa.ROW_OPERANDS[name])
        return True

    def wished_operands(
        self, name: str, operands: list[Operand], places: int
    ) -> list[Operand]:
        """With the operand that the wish wants of this event, and without any if it wants none."""
        wish = self.wish
        if name != wish.event or wish.push is None:
            return operands
        if wish.push == "token":
            return operands if self.chance(0.5) else []
        choices = {"stream": [self.wished], "ENV": list(_ENV), "any": [*_ENV, Operand.ARG]}
        wanted = choices.get(wish.push) or [Operand[wish.push]]
        operand = wanted[int(self.rng.integers(len(wanted)))]
        if operand is None or operand in operands:
            return operands
        return [*operands[: places - 1], operand]

    def beat_operands(self) -> list[Operand]:
        """Operands of every vector or element of a row."""
        choices = [
            [Operand.DATA], [Operand.ITE, Operand.DATA], [Operand.DATA, Operand.ITE],
            [Operand.ITE, *self.scalars(1), Operand.DATA], [*self.scalars(1), Operand.DATA],
            self.scalars(int(self.rng.integers(0, 4))), [Operand.DATA, Operand.DATA],
            [Operand.ITE, Operand.DATA, Operand.DATA],
        ]  # fmt: skip
        return choices[int(self.rng.integers(len(choices)))]

    def scalars(self, count: int) -> list[Operand]:
        """Operands that any event may push."""
        choices = [*_ENV, Operand.ARG]
        return [choices[int(self.rng.integers(len(choices)))] for _ in range(count)]

    def known(self, operand: Operand, scope: Scope) -> Value:
        """What is known of element 0 of the vector that an operand pushes."""
        if operand == Operand.DATA:
            return Value(None)
        if operand == Operand.ITE:
            return Value(self.dim - 1)
        if operand == Operand.ARG:
            value = scope.arg
        else:
            value = scope.env[operand - Operand.ENV0]
        # Only 32 bits are pushed.
        return value if value.bound is not None and value.bound <= _U32 else Value(None)

    def operands(self, marshal: Fields, name: str, operands: list[Operand], places: int) -> None:
        """Write an event's operands in order, with unused places anywhere between them."""
        used = np.sort(self.rng.permutation(places)[: len(operands)])
        for place, operand in zip(used, operands, strict=True):
            marshal[f"{name}_op{place}"] = operand


def _place_outputs(
    rng: np.random.Generator,
    config: Config,
    memory: Memory,
    program: Program,
    queues: LaneQueues,
    reach: list[int],
    wish: Wish,
) -> tuple[list[Segment], list[np.ndarray]]:
    """Give each segment an output area that its addresses cannot leave."""
    bumps = [_bumps(program.code, pc) for pc in range(len(program.code))]
    most = [0] * len(program.segments)
    for lane in queues.lanes:
        steps: Counter[int] = Counter()
        for token in lane.tokens:
            steps[token.segment] += bumps[token.pc]
        most = [max(most[n], steps[n]) for n in range(len(most))]
    segments, outputs = [], []
    for number, segment in enumerate(program.segments):
        stride = (segment.store or segment.execute)["row_stride"] // 4
        rows = reach[number] + 1
        if not segment.store:
            rows = max(config.fiber_lanes, rows) + config.fiber_lanes * most[number]
        output = np.full(rows * stride, UNTOUCHED, np.uint32)
        offset = int(rng.integers(0, 2 * config.lanes))
        if wish.store_offset is not None:
            offset = wish.store_offset
        base = memory.place(output, writable=True, offset=4 * offset)
        if segment.store:
            segments.append(replace(segment, store=segment.store | dict(base=base)))
        else:
            segments.append(replace(segment, execute=segment.execute | dict(base=base)))
        outputs.append(output)
    return segments, outputs


def _bumps(code: tuple[Fields, ...], pc: int) -> int:
    """Most times that the callback at ``pc`` advances the address."""
    count = 0
    for fields in code[pc:]:
        count += fields.get("bump", 0) * bool(fields.get("emit", 0))
        if fields.get("ret", 0):
            break
    return count
