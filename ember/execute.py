"""Run compiled bags on an engine."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import parts
from .board import check_memory, connected
from .compiled import CompiledBags
from .cpu import array_addresses
from .diagnose import diagnose
from .engines import borrowed
from .errors import RunError
from .lookup import Request
from .options import RunOptions
from .parts import Config, DramStatistics
from .placement import Placement, place
from .recorded import Launch
from .result import Result


@dataclass(frozen=True)
class Step:
    """Launch ``number`` of ``of``; ``before`` are the cycles of those before it."""

    number: int
    of: int
    before: int

    def window(self, first: int, last: int) -> tuple[int, int]:
        """The part of the run's cycles ``first`` .. ``last``: own first, and after the last."""
        return max(0, first - self.before), max(0, last + 1 - self.before)

    def __str__(self) -> str:
        return f"{self.number + 1} of {self.of}"


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
    if options.engine in ("board", "board-sim"):
        return _board(compiled, programs, placement, requests, options)
    runner = {"rtl": _rtl, "functional": _functional}[options.engine]
    cycles = 0 if options.engine == "rtl" else None
    counters: dict[str, int] = {}
    recorded: list[Launch] = []
    started = time.perf_counter()
    seconds = 0.0
    dram: DramStatistics | None = None
    for number, program in enumerate(programs):
        step = Step(number, len(programs), cycles or 0)
        with _kept(recorded, compiled, program, number):
            outcome = runner(config, program, placement, options, step)
        spent, counted, error, wall, moved, recording = outcome
        if recording is not None:
            recorded.append(_launch(compiled, program, number, recording))
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
        dram=dram, recorded=tuple(recorded),
    )  # fmt: skip


def _board(
    compiled: CompiledBags, programs, placement: Placement, requests: Sequence[Request],
    options: RunOptions,
) -> Result:  # fmt: skip
    """On a board: arrays go there once, and outputs come back once, whatever the launches."""
    say = options.progress or (lambda line: None)
    cycles, seconds = 0, 0.0
    counters: dict[str, int] = {}
    say("connecting to the board")
    with connected(compiled.config, options) as board:
        session = board.session
        check_memory(requests, placement, session.identity)
        say("loading the board's memory")
        started = time.perf_counter()
        session.load(placement.memory)
        loaded = time.perf_counter()
        for number, program in enumerate(programs):
            say(f"running on the board, launch {Step(number, len(programs), cycles)}")
            outcome = session.launch(
                program, max_cycles=options.max_cycles, max_seconds=options.max_seconds
            )
            if outcome.error is not None:
                name = compiled.table_of(number, outcome.error.segment)
                raise diagnose(outcome.error, next(r for r in requests if r.name == name))
            cycles += outcome.cycles
            seconds += outcome.wall_seconds
            _add(counters, outcome.counters)
        ended = time.perf_counter()
        say("bringing the outputs back")
        session.store(placement.memory)
        board.check()
        facts = board.facts(loaded - started, time.perf_counter() - ended)
    return Result(
        outputs=placement.outputs, requests=tuple(requests), config=compiled.config,
        opt=compiled.opt, options=options, launches=len(programs), cycles=cycles,
        counters=counters, addresses=placement.addresses, compile_seconds=compiled.seconds,
        run_seconds=seconds, board=facts,
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


def _launch(compiled: CompiledBags, program, number: int, recording) -> Launch:
    tables = [compiled.table_of(number, segment) for segment in range(len(program.segments))]
    return Launch(program, tuple(tables), recording)


@contextmanager
def _kept(recorded: list[Launch], compiled: CompiledBags, program, number: int) -> Iterator[None]:
    """A run that hangs hands on what was recorded until then."""
    try:
        yield
    except parts.result().Hang as hang:
        if hang.recording is not None:
            recorded.append(_launch(compiled, program, number, hang.recording))
        hang.recorded = tuple(recorded)
        raise


def _functional(
    config: Config, program, placement: Placement, options: RunOptions, step: Step
):
    if options.progress:
        options.progress(f"running the functional model, launch {step}")
    memory: Any = _Deadline(placement.memory, options.max_seconds)
    done = parts.model().run(program, config, memory, max_items=1 << 62)
    errors = done.queues.errors
    # The registers hold one; the lowest position is the one that a caller finds first.
    error = min(errors, key=lambda e: (e.segment, e.layer, e.position)) if errors else None
    return 0, {}, error, 0.0, None, None


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


def _rtl(config: Config, program, placement: Placement, options: RunOptions, step: Step):
    with borrowed(config, options.progress) as engine:
        if options.progress:
            options.progress(f"running the RTL, launch {step}")
        result = engine.run(
            program, placement.memory, latency=options.latency_model(), seed=options.seed,
            max_cycles=options.max_cycles, max_seconds=options.max_seconds,
            wave=_wave(options, step), record=_record(options, step),
        )  # fmt: skip
    return (
        result.cycles, result.counters, result.error, result.wall_seconds, result.dram,
        result.recording,
    )  # fmt: skip


def _wave(options: RunOptions, step: Step):
    """The waveform file of a launch, or None; one per launch if there are several."""
    if options.wave is None:
        return None
    path = Path(options.wave)
    if step.of > 1:
        path = path.with_name(f"{path.stem}.{step.number}{path.suffix}")
    first, last = options.wave_window
    return parts.wave().Wave(path, *step.window(first, last), step.before)


def _record(options: RunOptions, step: Step) -> tuple[int, int] | None:
    """The cycles of a launch to record in detail, or None to record nothing."""
    if options.trace is not None:
        return step.window(*options.trace)
    return (0, 0) if options.timeline else None
