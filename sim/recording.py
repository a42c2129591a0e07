"""What a launch did, cycle by cycle: the host's half of ``recorder.h``.

A *track* is a part of the state probe: the activity of a unit, a handshake, or a level. For a whole
launch there are exact sums over bins of time; for a window of cycles, every change and every token.
"""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..hw import isa, layouts
from ..hw.activity import Activity
from ..hw.config import Config
from ..hw.program import Program
from .rtl import StateField

#: Ports of which every transfer is followed, and levels, by their names in ``probe_state``.
PORTS = ("read", "write")
LEVELS = ("dataq_level", "ctrlq_level", "outstanding")

_ACTIVITY = "activity."
_EXECUTE = _ACTIVITY + "execute"
_TOKENS, _CHANGES, _SUMS, _HISTOGRAM = range(4)


@dataclass(frozen=True)
class Levels:
    """A level over time.

    Attributes
    ----------
    sums, peaks : int64 [bins], over the cycles of each bin
    histogram : int64 [highest level + 1], cycles at each level
    """

    sums: np.ndarray
    peaks: np.ndarray
    histogram: np.ndarray


@dataclass(frozen=True)
class Recording:
    """A recorded launch. Cycles count from 0 as the machine's own counters do.

    Attributes
    ----------
    cycles : of the launch
    bin_cycles : cycles of a bin, a power of two; the last bin may have fewer
    units : unit -> int64 [bins, 3], cycles of each :class:`ember.hw.activity.Activity`
    ports : ``read``, ``write`` -> int64 [bins], lines requested
    levels : ``dataq_level``, ``ctrlq_level``, ``outstanding`` -> :class:`Levels`
    window : cycles, first and after the last, of which there are changes and tokens
    changes : track -> int64 [n, 2], a cycle and the value from it on; tracks are the units, the
        ports (1 while a line is requested) and the levels
    tokens : structured array [tokens]: ``pushed``, ``begin`` and ``end`` (after the last step), in
        cycles, and the fields of :func:`ember.hw.layouts.token`; those that ended in the window
    """

    cycles: int
    bin_cycles: int
    units: dict[str, np.ndarray]
    ports: dict[str, np.ndarray]
    levels: dict[str, Levels]
    window: tuple[int, int]
    changes: dict[str, np.ndarray] = field(repr=False)
    tokens: np.ndarray = field(repr=False)


class _Plan(ctypes.Structure):
    _fields_ = [
        ("start", ctypes.c_uint64),
        ("stop", ctypes.c_uint64),
        ("tracks", ctypes.c_uint32),
        ("execute", ctypes.c_uint32),
        ("code", ctypes.c_uint32),
        ("busy", ctypes.c_uint32),
        ("running", ctypes.c_uint32),
    ]


class _Track(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("offset", "width", "level")]


class Recorder:
    """Asks a simulator to record one launch, and fetches what it recorded.

    Parameters
    ----------
    lib, handle : the simulator
    state : fields of its state probe
    program : that is launched
    config : of the machine
    window : cycles of the launch, first and after the last, for changes and tokens
    """

    def __init__(
        self,
        lib: ctypes.CDLL,
        handle: int | None,
        state: Sequence[StateField],
        program: Program,
        config: Config,
        window: tuple[int, int],
    ):
        self._lib, self._handle, self._config, self._window = lib, handle, config, window
        self._tracks = _tracks(state)
        names = list(self._tracks)
        execute = names.index(_EXECUTE) if _EXECUTE in names else len(names)
        counts = np.array(step_counts(program), np.uint32)
        code = counts.shape[1]
        [running] = [f.offset for f in state if f.name == "running"]
        plan = _Plan(*window, len(names), execute, code, Activity.BUSY.value, running)
        tracks = (_Track * len(names))(*self._tracks.values())
        lib.ember_record(
            handle, ctypes.byref(plan), tracks, counts.ctypes.data, len(program.segments)
        )

    def finish(self) -> Recording:
        """Stop, and fetch."""
        count, size = ctypes.c_uint64(), ctypes.c_uint64()
        self._lib.ember_record_stop(self._handle, ctypes.byref(count), ctypes.byref(size))
        cycles, bin_cycles = count.value, size.value
        bins = -(-cycles // bin_cycles)
        units, ports, levels, changes = {}, {}, {}, {}
        for n, (name, track) in enumerate(self._tracks.items()):
            sums = self._fetch(_SUMS, n, 2 if track.level else 4)[:bins]
            seen = self._fetch(_CHANGES, n, 2)
            if name in LEVELS:
                histogram = np.trim_zeros(self._fetch(_HISTOGRAM, n, 1)[:, 0], "b")
                levels[name] = Levels(sums[:, 0], sums[:, 1], histogram)
                changes[name] = seen
            elif name in PORTS:
                # Valid is the lower bit of a handshake, ready the upper.
                ports[name] = sums[:, 3]
                changes[name] = _changes(seen[:, 0], seen[:, 1] == 3)
            else:
                unit = name.removeprefix(_ACTIVITY)
                units[unit] = sums[:, :3]
                changes[unit] = seen
        window = min(self._window[0], cycles), min(self._window[1], cycles)
        return Recording(
            cycles, bin_cycles, units, ports, levels, window, changes, self._tokens()
        )

    def _tokens(self) -> np.ndarray:
        words = -(-layouts.token(self._config).size // 32)
        rows = self._fetch(_TOKENS, 0, 3 + words)
        return unpack_tokens(self._config, rows[:, 3:], pushed=rows[:, 0], begin=rows[:, 1],
                             end=rows[:, 2])  # fmt: skip

    def _fetch(self, what: int, track: int, columns: int) -> np.ndarray:
        """[n, columns] of one list."""
        pointer = ctypes.POINTER(ctypes.c_uint64)()
        count = self._lib.ember_recorded(self._handle, what, track, ctypes.byref(pointer))
        if not count:
            return np.zeros((0, columns), np.int64)
        found = np.ctypeslib.as_array(pointer, (count,)).astype(np.int64)
        return found.reshape(-1, columns)


def unpack_tokens(config: Config, words: np.ndarray, **times: np.ndarray) -> np.ndarray:
    """Tokens as a structured array, from their 32-bit words [tokens, words], lowest first.

    ``times`` are further fields, in cycles.
    """
    layout, words = layouts.token(config), words.astype(np.uint64)
    fields = [(name, np.int64) for name in times]
    table = np.zeros(len(words), [*fields, *((str(name), np.uint32) for name, _ in layout)])
    for name, part in layout:
        first, shift = divmod(part.offset, 32)
        value = words[:, first] >> np.uint64(shift)
        if shift + part.width > 32:
            value |= words[:, first + 1] << np.uint64(32 - shift)
        table[str(name)] = value & np.uint64((1 << part.width) - 1)
    for name, cycles in times.items():
        table[name] = cycles
    return table


def step_counts(program: Program) -> list[list[int]]:
    """For each segment and program counter: cycles in which the callback that starts there issues.

    A vector operation on a row takes one for each chunk, everything else takes one.
    """
    return [
        [_steps(program, pc, segment.execute.get("chunks", 0)) for pc in range(len(program.code))]
        for segment in program.segments
    ]


def _steps(program: Program, pc: int, chunks: int) -> int:
    steps = 0
    for fields in program.code[pc:]:
        row = fields.get("op", 0) in isa.VECTOR_OPS and fields.get("span", 0) == isa.Span.ROW
        steps += chunks if row else 1
        if fields.get("ret", 0):
            break
    return steps


def _tracks(state: Sequence[StateField]) -> dict[str, _Track]:
    """What is recorded of a state probe, by the name that it has there."""
    fields = {f.name: f for f in state}
    tracks = {
        name: _Track(f.offset, f.width, 0)
        for name, f in fields.items()
        if name.startswith(_ACTIVITY)
    }
    for port in PORTS:
        if f"{port}.valid" in fields:
            tracks[port] = _Track(fields[f"{port}.valid"].offset, 2, 0)
    for name in LEVELS:
        if name in fields:
            tracks[name] = _Track(fields[name].offset, fields[name].width, 1)
    return tracks


def _changes(cycles: np.ndarray, values: np.ndarray) -> np.ndarray:
    """[n, 2] without the entries that repeat the one before."""
    keep = np.ones(len(values), bool)
    keep[1:] = values[1:] != values[:-1]
    return np.stack([cycles[keep], values[keep].astype(np.int64)], axis=1)
