"""Run the launches of a program one after the other, on the RTL or on the functional model."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import parts
from .engines import borrowed
from .errors import RunError
from .options import RunOptions
from .parts import Config, DramStatistics
from .recorded import Launch

#: Name of the table that a segment of a launch works on, from the numbers of both.
TableOf = Callable[[int, int], str]


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


@dataclass
class Ran:
    """What the launches of a run took, all together.

    Attributes
    ----------
    cycles : None with an engine without a clock
    counters : name of :data:`ember.hw.isa.COUNTERS` -> value; empty without a clock
    seconds : wall-clock time
    dram : what the memory did, where it is a DRAM
    recorded : every launch, if it was recorded
    """

    cycles: int | None
    counters: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    dram: DramStatistics | None = None
    recorded: list[Launch] = field(default_factory=list)


def run_launches(
    programs: Sequence[Any],
    table_of: TableOf,
    memory: Any,
    config: Config,
    options: RunOptions,
    explain: Callable[[Any, str], Exception],
) -> Ran:
    """Run programs in order, on one memory.

    Parameters
    ----------
    programs : :class:`ember.hw.program.Program` each
    table_of : names of tables
    memory : :class:`ember.sim.memory.Memory`
    options : with engine ``"rtl"`` or ``"functional"``
    explain : the exception for an error that the machine reports, and the name of its table

    Raises
    ------
    RuntimeError
        A hang, a missing tool, a failed build; and what ``explain`` makes.
    """
    rtl = options.engine == "rtl"
    runner = _rtl if rtl else _functional
    ran = Ran(cycles=0 if rtl else None)
    started = time.perf_counter()
    for number, program in enumerate(programs):
        step = Step(number, len(programs), ran.cycles or 0)
        with _kept(ran.recorded, table_of, program, number):
            outcome = runner(config, program, memory, options, step)
        spent, counted, error, wall, moved, recording = outcome
        if recording is not None:
            ran.recorded.append(_launch(table_of, program, number, recording))
        if error is not None:
            raise explain(error, table_of(number, error.segment))
        if ran.cycles is not None:
            ran.cycles += spent
        add_counters(ran.counters, counted)
        ran.dram = moved if ran.dram is None else ran.dram + moved
        ran.seconds += wall
    if not rtl:
        ran.seconds = time.perf_counter() - started
    return ran


def add_counters(total: dict[str, int], more: dict[str, int]) -> None:
    """Add what a launch counted to ``total``; of peaks the highest stays."""
    for name, value in more.items():
        old = total.get(name, 0)
        total[name] = max(old, value) if name.endswith("_peak") else old + value


def _launch(table_of: TableOf, program, number: int, recording) -> Launch:
    tables = [table_of(number, segment) for segment in range(len(program.segments))]
    return Launch(program, tuple(tables), recording)


@contextmanager
def _kept(recorded: list[Launch], table_of: TableOf, program, number: int) -> Iterator[None]:
    """A run that hangs hands on what was recorded until then."""
    try:
        yield
    except parts.result().Hang as hang:
        if hang.recording is not None:
            recorded.append(_launch(table_of, program, number, hang.recording))
        hang.recorded = tuple(recorded)
        raise


def _functional(config: Config, program, memory: Any, options: RunOptions, step: Step):
    if options.progress:
        options.progress(f"running the functional model, launch {step}")
    watched: Any = _Deadline(memory, options.max_seconds)
    done = parts.model().run(program, config, watched, max_items=1 << 62)
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


def _rtl(config: Config, program, memory: Any, options: RunOptions, step: Step):
    with borrowed(config, options.progress) as engine:
        if options.progress:
            options.progress(f"running the RTL, launch {step}")
        result = engine.run(
            program, memory, latency=options.latency_model(), seed=options.seed,
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
