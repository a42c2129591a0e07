"""The row layer and the marshaling stage of the functional model: items in, pushes out."""

import numpy as np

from ..hw import isa
from ..hw.config import Config
from ..hw.isa import Operand
from ..hw.program import Program, Segment
from .memory import Memory
from .model_queues import Item, LaneQueue, Report, Stored, Token

_U32 = 0xFFFFFFFF


class _Event:
    """One event's pushes: ``pc`` is None without a token."""

    def __init__(self, fields: dict[str, int], name: str):
        get = fields.get
        self.pc = get(f"{name}_pc", 0) if get(f"{name}_token", 0) else None
        count = isa.ROW_OPERANDS.get(name, isa.MARKER_OPERANDS)
        operands = [get(f"{name}_op{n}", 0) for n in range(count)]
        self.operands = [op for op in operands if op != Operand.NONE]


class _Row:
    """A segment's row layer entry, and the events of its rows and markers."""

    def __init__(self, segment: Segment, config: Config):
        row, marshal, store = segment.row, segment.marshal, segment.store
        self.stored = row.get("stored", 0) or not config.execute
        self.out = store.get("base", 0), store.get("row_stride", 0), store.get("row_sel", 0)
        self.base = row.get("base", 0)
        self.slot = row.get("start_sel", 0) if row.get("index", 0) else None
        self.start = row.get("start", 0)
        self.dim = row["dim"]
        self.vector = row.get("vector", 0)
        self.beats = -(-self.dim // config.lanes) if self.vector else self.dim
        self.stride = config.lanes if self.vector else 1
        self.beg = _Event(marshal, "row_beg")
        self.ite = _Event(marshal, "row_ite")
        self.end = _Event(marshal, "row_end")
        self.only_data = self.ite.operands == [Operand.DATA]
        self.marks = [
            {edge: _Event(marshal, f"l{n}_{edge}") for edge in ("beg", "end")}
            for n in range(config.scalar_layers)
        ]


class Marshal:
    """Takes the items that leave the last scalar layer; collects each lane's pushes.

    Parameters
    ----------
    bad_lines : frozenset of int
        Line numbers that come with an error response.
    """

    def __init__(self, program: Program, config: Config, memory: Memory, bad_lines: frozenset[int]):
        self._config = config
        self._memory = memory
        self._mask = (1 << config.addr_width) - 1
        self._bad_lines = bad_lines
        self._rows = [_Row(segment, config) for segment in program.segments]
        lanes = range(config.fiber_lanes)
        self._tokens: list[list[Token]] = [[] for _ in lanes]
        self._blocks: list[list[np.ndarray]] = [[] for _ in lanes]
        self._groups: list[list[tuple[int, int]]] = [[] for _ in lanes]
        self._stored: list[list[Stored]] = [[] for _ in lanes]
        self.rows = 0
        self.lines = 0
        self.errors: list[Report] = []

    def queues(self) -> list[LaneQueue]:
        """What has been pushed so far."""
        return [
            LaneQueue(
                tokens,
                np.concatenate(blocks) if blocks else np.zeros((0, self._config.lanes), np.uint32),
                groups,
                stored,
            )
            for tokens, blocks, groups, stored in zip(
                self._tokens, self._blocks, self._groups, self._stored, strict=True
            )
        ]

    def beats(self, segment: int) -> int:
        """Beats of a row, the unit that bounds a run's length."""
        return self._rows[segment].beats

    def mark(self, layer: int, edge: str, item: Item) -> None:
        """A marker of scalar layer ``layer``; ``edge`` is ``beg`` or ``end``."""
        event = self._rows[item.segment].marks[layer][edge]
        lane, count = item.lane, len(event.operands)
        if event.pc is not None:
            token = Token(event.pc, lane, item.segment, 0, 0, 0, item.arg, count)
            self._tokens[lane].append(token)
        if count:
            self._blocks[lane].append(self._scalars(event, item))
        if count or event.pc is not None:
            self._groups[lane].append((int(event.pc is not None), count))

    def skip(self, item: Item) -> None:
        """An ITEM with ``skip``: a bag that is empty, or an entry that is left out."""
        segment, lane, first, last, _, arg = item
        event = self._rows[segment].beg
        if event.pc is not None and (first or last):
            self._tokens[lane].append(Token(event.pc, lane, segment, first, last, 1, arg, 0))
            self._groups[lane].append((1, 0))

    def row(self, item: Item) -> None:
        """An ITEM: reads its row, and stores it or pushes the row's events."""
        segment, lane, first, last, _, arg = item
        row = self._rows[segment]
        beg, ite, end = row.beg, row.ite, row.end
        data = self._load(row, item)
        if row.stored:
            base, stride, slot = row.out
            address = base + (item.env[slot] & _U32) * stride & self._mask
            words = data.reshape(-1)[: row.dim]
            self._stored[lane].append(Stored(segment, address, words.copy()))
            return
        per_beat = len(ite.operands)
        at_end = len(end.operands)

        # A token owns all that is pushed until the next token of the row.
        after_last_ite = 0 if end.pc is not None else at_end
        tokens = self._tokens[lane]
        before = len(tokens)
        if beg.pc is not None:
            owned = len(beg.operands)
            if ite.pc is None:
                owned += row.beats * per_beat + after_last_ite
            tokens.append(Token(beg.pc, lane, segment, first, last, 0, arg, owned))
        if ite.pc is not None:
            token = Token(ite.pc, lane, segment, first, last, 0, arg, per_beat)
            tokens.extend([token] * (row.beats - 1))
            tokens.append(token._replace(vectors=per_beat + after_last_ite))
        if end.pc is not None:
            tokens.append(Token(end.pc, lane, segment, first, last, 0, arg, at_end))

        blocks = self._blocks[lane]
        if beg.operands:
            blocks.append(self._scalars(beg, item))
        if row.only_data:
            blocks.append(data)
        elif per_beat:
            blocks.append(self._mixed(row, data, item))
        if at_end:
            blocks.append(self._scalars(end, item))

        group = len(tokens) - before, len(beg.operands) + row.beats * per_beat + at_end
        if group != (0, 0):
            self._groups[lane].append(group)

    # --------------------------------------------------------------------------------------

    def _load(self, row: _Row, item: Item) -> np.ndarray:
        """The row's beats: uint32, shape (beats, lanes)."""
        config = self._config
        start = row.start if row.slot is None else item.env[row.slot]
        address = (row.base + 4 * start) & self._mask
        line = address >> config.line_shift
        lines = ((address + 4 * row.dim - 1) >> config.line_shift) - line + 1
        self.rows += 1
        self.lines += lines
        if self._bad_lines and not self._bad_lines.isdisjoint(range(line, line + lines)):
            layer = config.layers - 1
            self.errors.append(Report(isa.Error.READ, item.segment, layer, 0, 0, item.lane))

        words = self._memory.load(address, 4 * row.dim).view("<u4")
        if not row.vector:
            block = np.zeros((row.beats, config.lanes), np.uint32)
            block[:, 0] = words
        elif row.dim % config.lanes:
            block = np.zeros((row.beats, config.lanes), np.uint32)
            block.reshape(-1)[: row.dim] = words
        else:
            block = words.reshape(row.beats, config.lanes)
        return block

    def _scalars(self, event: _Event, item: Item) -> np.ndarray:
        """An event's operands, none of them per beat: uint32, shape (operands, lanes)."""
        block = np.zeros((len(event.operands), self._config.lanes), np.uint32)
        for n, operand in enumerate(event.operands):
            block[n, 0] = _scalar(operand, item)
        return block

    def _mixed(self, row: _Row, data: np.ndarray, item: Item) -> np.ndarray:
        """All beats' operands in push order: uint32, shape (beats * operands, lanes)."""
        operands = row.ite.operands
        block = np.zeros((row.beats, len(operands), self._config.lanes), np.uint32)
        for n, operand in enumerate(operands):
            if operand == Operand.DATA:
                block[:, n] = data
            elif operand == Operand.ITE:
                block[:, n, 0] = np.arange(row.beats) * row.stride
            else:
                block[:, n, 0] = _scalar(operand, item)
        return block.reshape(-1, self._config.lanes)


def _scalar(operand: int, item: Item) -> int:
    return item.arg if operand == Operand.ARG else item.env[operand - Operand.ENV0] & _U32
