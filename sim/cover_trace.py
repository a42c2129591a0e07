"""Runs of the functional model that remember where each push and each store comes from.

What the RTL pushes is compared with the model's queues, entry by entry. These traces then say
which event, operand and loop an entry belongs to, so that a bin counts only for what the RTL did.
"""

from dataclasses import dataclass, field

import numpy as np

from ..hw import isa
from ..hw.config import Config
from ..hw.isa import Emit, Kind, Op, Operand, SrcA, SrcB, SrcC
from ..hw.program import Program
from .cover_execute import WITHOUT_C
from .memory import Memory
from .model_access import Access
from .model_execute import Execute
from .model_marshal import Marshal
from .model_queues import Item, LaneQueues

#: Code of a vector: ((segment * EVENTS + event) * OPERANDS + operand) * 2 + whether it is of the
#: row's last beat.
EVENTS, OPERANDS = 16, 8


def event_names(config: Config) -> list[str]:
    """Events that push: the scalar layers' markers, a row's three, and the skip item's token."""
    marks = [f"l{n}_{edge}" for n in range(config.scalar_layers) for edge in ("beg", "end")]
    return [*marks, *isa.ROW_OPERANDS, "skip"]


@dataclass
class Pushes:
    """The events of one lane's pushes, in order."""

    tokens: list[np.ndarray] = field(default_factory=list)
    vectors: list[np.ndarray] = field(default_factory=list)
    count: int = 0


@dataclass
class Trace:
    """What a program exercises, by the model.

    Attributes
    ----------
    token_events : per lane, uint8: number in :func:`event_names` of each token
    vector_codes : per lane, uint32: see :data:`EVENTS`
    alignments : (vector mode, offset, dim) of each row that delivers data
    fibers : (layer, kind, size, flags) of fibers that lead to a push; size is 0, 1 or 2 for more
    skips : (layer, reason) of iterations left out
    lines : name of a read stream -> numbers of the lines that it reads
    """

    token_events: list[np.ndarray]
    vector_codes: list[np.ndarray]
    alignments: set[tuple[int, int, int]]
    fibers: set[tuple[int, int, int, int]]
    skips: set[tuple[int, str]]
    lines: dict[str, set[int]]


class _Marshal(Marshal):
    """Notes the event of each push."""

    def __init__(self, program: Program, config: Config, memory: Memory, bad_lines: frozenset[int]):
        super().__init__(program, config, memory, bad_lines)
        names = event_names(config)
        self.numbers = {name: number for number, name in enumerate(names)}
        self.pushes = [Pushes() for _ in range(config.fiber_lanes)]
        self.alignments: set[tuple[int, int, int]] = set()
        self.lines_read: set[int] = set()
        self._patterns: dict[tuple[int, str], tuple[np.ndarray, np.ndarray]] = {}

    def mark(self, layer: int, edge: str, item: Item) -> None:
        super().mark(layer, edge, item)
        self._note(item.lane, self._pattern(item.segment, f"l{layer}_{edge}"))

    def skip(self, item: Item) -> None:
        super().skip(item)
        if item.first or item.last:
            self._note(item.lane, self._pattern(item.segment, "skip"))

    def row(self, item: Item) -> None:
        super().row(item)
        row, config = self._rows[item.segment], self._config
        start = row.start if row.slot is None else item.env[row.slot]
        address = (row.base + 4 * start) & self._mask
        line, last = address >> config.line_shift, address + 4 * row.dim - 1 >> config.line_shift
        self.lines_read.update(range(line, last + 1))
        if row.stored or Operand.DATA in row.ite.operands:
            self.alignments.add((row.vector, address // 4 % config.lanes, row.dim))
        if row.stored:
            self.pushes[item.lane].count += 1
            return
        self._note(item.lane, self._pattern(item.segment, "row"))

    @property
    def pushed(self) -> int:
        """Pushes so far, and rows stored."""
        return sum(pushes.count for pushes in self.pushes)

    def _note(self, lane: int, pattern: tuple[np.ndarray, np.ndarray]) -> None:
        tokens, vectors = pattern
        pushes = self.pushes[lane]
        if len(tokens):
            pushes.tokens.append(tokens)
        if len(vectors):
            pushes.vectors.append(vectors)
        pushes.count += len(tokens) + len(vectors)

    def _pattern(self, segment: int, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Events of the tokens and codes of the vectors that an item pushes."""
        if (segment, name) not in self._patterns:
            self._patterns[segment, name] = self._make(segment, name)
        return self._patterns[segment, name]

    def _make(self, segment: int, name: str) -> tuple[np.ndarray, np.ndarray]:
        row, tokens, vectors = self._rows[segment], [], []

        def push(event, number: int, last: bool, operands: bool = True) -> None:
            if event.pc is not None:
                tokens.append(number)
            for operand in event.operands if operands else ():
                vectors.append(((segment * EVENTS + number) * OPERANDS + operand) * 2 + last)

        if name == "row":
            push(row.beg, self.numbers["row_beg"], False)
            for beat in range(row.beats):
                push(row.ite, self.numbers["row_ite"], beat == row.beats - 1)
            push(row.end, self.numbers["row_end"], True)
        elif name == "skip":
            push(row.beg, self.numbers["skip"], False, operands=False)
        else:
            layer, edge = int(name[1]), name[3:]
            push(row.marks[layer][edge], self.numbers[name], False)
        return np.array(tokens, np.uint8), np.array(vectors, np.uint32)


class _Access(Access):
    """Notes the fibers, and why iterations are left out."""

    make_marshal = _Marshal
    marshal: _Marshal

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.fibers: set[tuple[int, int, int, int]] = set()
        self.skips: set[tuple[int, str]] = set()

    def fiber(self, layer: int, item: Item) -> None:
        before = self.marshal.pushed
        super().fiber(layer, item)
        if self.marshal.pushed == before:
            return
        entry = self.nests[item.segment][layer]
        start, stop = entry.bounds(item.env)
        if entry.kind == Kind.RANGE:
            stop = max(start, stop)
        size = min(2, len(range(start, stop, entry.step)))
        self.fibers.add((layer, entry.kind, size, entry.flags))

    def loads(self, entry, layer: int, item: Item, ites: range):
        found = super().loads(entry, layer, item, ites)
        values, nexts, others, _ = found
        if entry.skip_value is not None and entry.skip_value in values:
            self.skips.add((layer, "value"))
        checks = [("m0", values, entry.m0.limit), ("m1", others, entry.m1.limit)]
        if entry.pair:
            checks.append(("next", nexts, entry.m0.limit))
        for name, loaded, limit in checks:
            if limit is not None and max(loaded) >= limit:
                self.skips.add((layer, name))
        return found

    def report(self, kind: isa.Error, layer: int, item: Item, position: int, value: int) -> None:
        super().report(kind, layer, item, position, value)
        if kind == isa.Error.READ:
            self.skips.add((layer, "read"))


def trace_access(
    program: Program, config: Config, memory: Memory, bad_lines: frozenset[int] = frozenset()
) -> tuple[LaneQueues, Trace]:
    """As :func:`ember.sim.model_access.access`, with the trace."""
    run = _Access(program, config, memory, 10_000_000, bad_lines)
    queues = run.run()
    marshal = run.marshal

    def joined(parts: list[np.ndarray], kind: type) -> np.ndarray:
        return np.concatenate(parts) if parts else np.zeros(0, kind)

    trace = Trace(
        [joined(pushes.tokens, np.uint8) for pushes in marshal.pushes],
        [joined(pushes.vectors, np.uint32) for pushes in marshal.pushes],
        marshal.alignments, run.fibers, run.skips,
        {
            f"l{layer}m{stream}": lines
            for layer, streams in enumerate(run.lines)
            for stream, lines in enumerate(streams)
        } | {"row": marshal.lines_read},
    )  # fmt: skip
    return queues, trace


@dataclass
class Executed:
    """Bins of the execute pipeline that a run has hit, by group."""

    hits: dict[str, dict[tuple, int]] = field(default_factory=dict)

    def hit(self, group: str, *at) -> None:
        bins = self.hits.setdefault(group, {})
        bins[at] = bins.get(at, 0) + 1


class _Execute(Execute):
    """Notes every instruction with its operands and the token that it ran for."""

    def __init__(self, program: Program, config: Config, memory: Memory):
        super().__init__(program, config, memory)
        self.seen = Executed()

    def count(self, lane, token, instruction):
        before, after = super().count(lane, token, instruction)
        kind = isa.Count(instruction.count).name
        self.seen.hit("counting", kind, token.first, token.skip, int(before > 0))
        op = Op(instruction.op)
        if op in (Op.NOP, Op.POP, Op.SETA, Op.SETR):
            register = {Op.POP: instruction.rd, Op.SETR: instruction.at}.get(op, 0)
            self.seen.hit("control", op.name, register, kind)
        self.seen.hit("returns", op.name, instruction.ret)
        return before, after

    def vector(self, lane, token, instruction, output, scalars, before, after, where):
        super().vector(lane, token, instruction, output, scalars, before, after, where)
        op, hit = Op(instruction.op).name, self.seen.hit
        a = "-" if op == "MOV" else SrcA(instruction.a).name
        c = "-" if op in WITHOUT_C else SrcC(instruction.c).name
        start = "off" if not instruction.init else "counted" if before else "fresh"
        hit("init", op, start, token.skip)
        if token.skip:
            hit("skipped", op, a, c)
        else:
            hit("operations", op, a, c, isa.Span(instruction.span).name)
            if op in ("MUL", "FMA"):
                hit("multipliers", op, SrcB(instruction.b).name)
        if instruction.emit:
            emit = Emit(instruction.emit)
            stored = emit == Emit.ALWAYS or bool(token.last)
            kind = emit.name if emit == Emit.ALWAYS else f"LAST{'' if stored else ', not yet'}"
            divided = "no" if not instruction.div else "counter" if after else "counter 0"
            hit("emission", kind, divided, instruction.bump, token.skip)

    def store(self, lane, instruction, output, row):
        lanes = self.config.lanes
        self.seen.hit("stores", lane.address // 4 % lanes, (output.dim - 1) % lanes + 1)
        super().store(lane, instruction, output, row)


def trace_execute(
    program: Program, config: Config, queues: LaneQueues, memory: Memory
) -> tuple[Executed, int]:
    """As :func:`ember.sim.model_execute.execute`; returns the trace and the lines stored."""
    run = _Execute(program, config, memory)
    run.run(queues)
    return run.seen, run.result.lines_out
