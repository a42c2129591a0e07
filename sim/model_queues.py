"""What the access unit hands to the execute pipeline: the queues' contents, lane by lane."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..hw import isa


class ModelError(Exception):
    """A program that the machine's contract does not allow, found while it was modeled."""


class Token(NamedTuple):
    """One CtrlQ entry, and how many DataQ vectors belong to it."""

    pc: int
    lane: int
    segment: int
    first: int
    last: int
    skip: int
    arg: int
    #: Vectors pushed with or after this token and before the next one of the same item. A legal
    #: callback pops exactly these: other lanes' items may follow.
    vectors: int


class Item(NamedTuple):
    """What one layer sends to the next: an iteration, or (without flags) a marker."""

    segment: int
    lane: int
    first: int
    last: int
    env: tuple[int, ...]
    arg: int


class Report(NamedTuple):
    """One error, as the control block would see it, and the lane that met it."""

    kind: int
    segment: int
    layer: int
    position: int
    value: int
    lane: int


class Stored(NamedTuple):
    """A row that the access unit stores: its segment, byte address and binary32 words."""

    segment: int
    address: int
    words: np.ndarray


@dataclass
class LaneQueue:
    """The pushes of one fiber lane, in order.

    Attributes
    ----------
    tokens : list of Token
        Without the final ``halt``, which belongs to no lane.
    vectors : ndarray, uint32, shape (n, lanes)
    groups : list of (tokens, vectors)
        Length of each run of pushes that nothing of another lane may interrupt: a row, or a
        marker. Items that push nothing are left out.
    stored : list of Stored
        Rows that enter no queue.
    """

    tokens: list[Token]
    vectors: np.ndarray
    groups: list[tuple[int, int]]
    stored: list[Stored] = field(default_factory=list)


@dataclass
class LaneQueues:
    """Everything that the access unit produces in one run.

    Attributes
    ----------
    lanes : list of LaneQueue
        One for each fiber lane. The hardware interleaves them freely, by groups.
    errors : list of Report
        In order for each layer and lane.
    rows : int
        Rows read.
    lines : dict of str to int
        By counter name. ``lines_row`` is exact. ``lines_l0m0`` and so on are the distinct lines
        of a stream: a lower bound, which is reached unless a line was replaced too early.
    """

    lanes: list[LaneQueue]
    errors: list[Report] = field(default_factory=list)
    rows: int = 0
    lines: dict[str, int] = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        """Tokens of all lanes, without ``halt``."""
        return sum(len(lane.tokens) for lane in self.lanes)

    @property
    def vectors(self) -> int:
        """DataQ vectors of all lanes."""
        return sum(len(lane.vectors) for lane in self.lanes)

    def possible_first_errors(self) -> set[tuple[int, int, int, int, int]]:
        """``(kind, segment, layer, position, value)`` that the registers may hold at the end.

        Lanes and layers run at once, so any one's first error may be the first of all. Bounds
        are checked when a fiber starts, loaded values when they arrive, maybe fibers later: both
        count apart.
        """
        seen: dict[tuple[int, int, bool], tuple[int, int, int, int, int]] = {}
        for report in self.errors:
            kind, segment, layer, position, value, lane = report
            context = layer, lane, kind == isa.Error.BOUNDS
            seen.setdefault(context, (kind, segment, layer, position, value))
        return set(seen.values())
