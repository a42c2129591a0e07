"""Request streams on the DRAM model: in C++ (dram_bench.cpp), and the same in Python."""

import ctypes
import functools
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from ember.sim import dram_native, tools
from ember.sim.dram import Dram
from ember.sim.dram_model import READ, WRITE, DramCommand, DramModel

KINDS = ("activate", "precharge", "read", "write", "precharge_all", "refresh")


@dataclass(frozen=True)
class Requests:
    """Lines that a port asks for in order, each from a cycle on; the port takes no answer in the
    cycles whose number, modulo the length of ``busy``, is true there."""

    lines: Sequence[int] = ()
    earliest: Sequence[int] | None = None
    busy: Sequence[bool] = (False,)

    @property
    def starts(self) -> Sequence[int]:
        return [0] * len(self.lines) if self.earliest is None else self.earliest


@dataclass(frozen=True)
class Outcome:
    """Cycles in which each request was taken and answered, and what the channels were told."""

    cycles: int
    accepted: list[list[int]]
    answered: list[list[int]]
    counts: dict[str, int]
    commands: list[DramCommand] = field(repr=False)


class _Stream(ctypes.Structure):
    _fields_ = [
        ("count", ctypes.c_uint64),
        *((name, ctypes.c_void_p)
          for name in ("lines", "earliest", "busy", "accepted", "answered")),
        ("sent", ctypes.c_uint64), ("done", ctypes.c_uint64),
        ("ready", ctypes.c_bool), ("answering", ctypes.c_bool),
    ]  # fmt: skip


_COMMAND = np.dtype([("clock", "i8"), ("row", "u8"), ("channel", "u4"), ("kind", "u4"),
                     ("bank", "u4"), ("unused", "u4")])  # fmt: skip


@functools.cache
def _library() -> ctypes.CDLL:
    source = Path(__file__).parent / "dram_bench.cpp"
    include = Path(dram_native.__file__).parent
    with tempfile.TemporaryDirectory(prefix="ember-dram-") as directory:
        path = Path(directory) / "dram.so"
        subprocess.run(
            [tools.cxx(), "-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared",
             f"-I{include}", str(source), "-o", str(path)], check=True,
        )  # fmt: skip
        library = ctypes.CDLL(str(path))
    library.run.restype = ctypes.c_uint64
    return library


def native(
    dram: Dram, line_bytes: int, reads: Requests, writes: Requests, cycles: int = 10_000_000,
    mutant: dict[str, int] | None = None,
) -> Outcome:  # fmt: skip
    """Run in C++; ``mutant`` replaces settings behind the back of the model's validation."""
    settings = dram_native.settings(dram, line_bytes)
    for name, value in (mutant or {}).items():
        setattr(settings, name, value)
    period = len(reads.busy)
    assert len(writes.busy) == period
    streams, arrays = (_Stream * 2)(), []
    for stream, requests in zip(streams, (reads, writes), strict=True):
        count = stream.count = len(requests.lines)
        for name, values in (
            ("lines", np.array(requests.lines, np.uint64)),
            ("earliest", np.array(requests.starts, np.uint64)),
            ("busy", np.array(requests.busy, np.uint8)),
            ("accepted", np.zeros(count, np.uint64)), ("answered", np.zeros(count, np.uint64)),
        ):  # fmt: skip
            arrays.append(values)
            setattr(stream, name, values.ctypes.data)
    counts, told, length = dram_native.Counts(), ctypes.c_void_p(), ctypes.c_uint64()
    ended = _library().run(
        ctypes.byref(settings), streams, ctypes.c_uint64(period), ctypes.c_uint64(cycles),
        ctypes.byref(counts), ctypes.byref(told), ctypes.byref(length),
    )  # fmt: skip
    assert all(stream.done == stream.count for stream in streams), f"not done in {cycles} cycles"
    commands = []
    if length.value:
        raw = ctypes.string_at(told.value or 0, length.value * _COMMAND.itemsize)
        for c in np.frombuffer(raw, _COMMAND).tolist():
            commands.append(DramCommand(c[0], c[2], KINDS[c[3]], c[4], c[1]))
    return Outcome(
        ended, [arrays[3].tolist(), arrays[8].tolist()], [arrays[4].tolist(), arrays[9].tolist()],
        counts.to_dict(), commands,
    )  # fmt: skip


def python(
    dram: Dram, line_bytes: int, reads: Requests, writes: Requests, cycles: int = 10_000_000
) -> Outcome:
    """The same in Python."""
    commands: list[DramCommand] = []
    model: DramModel[int] = DramModel(dram, line_bytes, commands.append)
    streams = (reads, writes)
    accepted: list[list[int]] = [[], []]
    answered = [[0] * len(stream.lines) for stream in streams]
    ready, answering, done = [False, False], [False, False], [0, 0]
    for now in range(cycles):
        left = any(done[port] < len(streams[port].lines) for port in (READ, WRITE))
        for port, stream in enumerate(streams):
            at = len(accepted[port])
            if ready[port] and at < len(stream.lines) and stream.starts[at] <= now:
                accepted[port].append(now)
                model.take(port, stream.lines[at], at)
            if answering[port] and not stream.busy[now % len(stream.busy)]:
                answered[port][model.front(port)] = now
                model.pop(port)
                answering[port] = False
                done[port] += 1
        if not left:
            counts = {"clocks": model.clock, **model.counts}
            return Outcome(now, accepted, answered, counts, commands)
        model.advance(now + 1)
        for port in (READ, WRITE):
            answering[port] = answering[port] or model.answers(port)
            ready[port] = model.accepts(port)
    raise AssertionError(f"not done in {cycles} cycles")
