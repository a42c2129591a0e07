"""Run compiled bags on an engine."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import parts
from .compiled import CompiledBags
from .cpu import array_addresses
from .diagnose import diagnose
from .engines import borrowed
from .errors import RunError
from .lookup import Request
from .options import RunOptions
from .parts import Config, DramStatistics
from .placement import Placement, place
from .result import Result


def execute(compiled: CompiledBags, requests: Sequence[Request], options: RunOptions) -> Result:
    """Place the arrays, run every launch, collect outputs, cycles and counters.

    Raises
    ------
    ValueError
        The arrays do not fit the address space, or the machine met a bad index or offset.
    RuntimeError
        A hang, a missing tool, a failed build, an error that the machine reports.
    """
    if options.engine == "cpu":
        return _cpu(compiled, requests, options)
    config = compiled.config
    placement = place(requests, config)
    programs = compiled.link(placement.addresses)
    runner = {"rtl": _rtl, "functional": _functional}[options.engine]
    cycles = 0 if options.engine == "rtl" else None
    counters: dict[str, int] = {}
    started = time.perf_counter()
    seconds = 0.0
    dram: DramStatistics | None = None
    for number, program in enumerate(programs):
        outcome = runner(config, program, placement, options, len(programs), number)
        spent, counted, error, wall, moved = outcome
        if error is not None:
            name = compiled.table_of(number, error.segment)
            raise diagnose(error, next(r for r in requests if r.name == name))
        if cycles is not None:
            cycles += spent
        _add(counters, counted)
        dram = moved if dram is None else dram + moved
        seconds += wall
    if options.engine != "rtl":
        seconds = time.perf_counter() - started
    return Result(
        outputs=placement.outputs, requests=tuple(requests), config=config, opt=compiled.opt,
        options=options, launches=len(programs), cycles=cycles, counters=counters,
        addresses=placement.addresses, compile_seconds=compiled.seconds, run_seconds=seconds,
        dram=dram,
    )  # fmt: skip


def _cpu(compiled: CompiledBags, requests: Sequence[Request], options: RunOptions) -> Result:
    """On the host's processor: the caller's arrays are used where they are."""
    compile_seconds, seconds = compiled.seconds, 0.0
    outputs = tuple(np.empty((r.bag.bags, r.bag.dim), np.float32) for r in requests)
    addresses = array_addresses(requests, outputs)
    if compiled.active:
        if options.progress:
            options.progress("running on this processor")
        program = compiled.cpu
        compile_seconds += program.seconds
        started = time.perf_counter()
        failure = program.run(addresses)
        seconds = time.perf_counter() - started
        if failure is not None:
            name = program.table_of(failure.segment)
            raise diagnose(failure, next(r for r in requests if r.name == name))
    return Result(
        outputs=outputs, requests=tuple(requests), config=compiled.config, opt=compiled.opt,
        options=options, launches=int(bool(compiled.active)), cycles=None, counters={},
        addresses=addresses, compile_seconds=compile_seconds, run_seconds=seconds,
    )  # fmt: skip


def _add(total: dict[str, int], more: dict[str, int]) -> None:
    for name, value in more.items():
        old = total.get(name, 0)
        total[name] = max(old, value) if name.endswith("_peak") else old + value


def _functional(
    config: Config, program, placement: Placement, options: RunOptions, of: int, n: int
):
    if options.progress:
        options.progress(f"running the functional model, launch {n + 1} of {of}")
    memory: Any = _Deadline(placement.memory, options.max_seconds)
    done = parts.model().run(program, config, memory, max_items=1 << 62)
    errors = done.queues.errors
    # The registers hold one; the lowest position is the one that a caller finds first.
    error = min(errors, key=lambda e: (e.segment, e.layer, e.position)) if errors else None
    return 0, {}, error, 0.0, None


class _Deadline:
    """A memory that ends a run which takes too long: every step of the model comes by."""

    def __init__(self, memory: Any, seconds: float) -> None:
        self._memory, self._seconds = memory, seconds
        self._end = time.monotonic() + seconds

    def load(self, *args: Any) -> Any:
        self._look()
        return self._memory.load(*args)

    def store(self, *args: Any) -> Any:
        self._look()
        return self._memory.store(*args)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._memory, name)

    def _look(self) -> None:
        if time.monotonic() > self._end:
            raise RunError(f"functional model did not finish within {self._seconds:g} s")


def _rtl(config: Config, program, placement: Placement, options: RunOptions, of: int, n: int):
    wave = options.wave
    if wave is not None and of > 1:
        path = Path(wave)
        wave = str(path.with_name(f"{path.stem}.{n}{path.suffix}"))
    with borrowed(config, options.progress) as engine:
        if options.progress:
            options.progress(f"running the RTL, launch {n + 1} of {of}")
        result = engine.run(
            program, placement.memory, latency=options.latency_model(), seed=options.seed,
            max_cycles=options.max_cycles, max_seconds=options.max_seconds, wave=wave,
        )  # fmt: skip
    return result.cycles, result.counters, result.error, result.wall_seconds, result.dram
