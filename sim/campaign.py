"""Random programs on the RTL against the functional model, steered to what is not yet covered.

Each program runs several times, with another memory behaviour each time: timing may change how
fiber lanes interleave, never what a lane sees or what is stored. Some runs meet faults of the
memory, some come after a reset in the middle of a run.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..hw.config import Config
from .compare import Expected, Mismatch, check_program, clear, expect
from .cover_bins import Coverage
from .cover_wish import wish_for
from .coverage import machine_coverage
from .engine import RtlEngine
from .latency import Faults, FixedLatency, Latency, RandomLatency
from .random_faults import random_faults
from .random_program import RandomProgram, random_program
from .random_wish import NO_WISH, Wish
from .result import Hang

__all__ = ["Mismatch", "Tally", "Trial", "choose", "make_trial", "run_campaign"]

#: Memory behaviours: fast, the usual distance, and reordering with and without back-pressure.
LATENCIES: tuple[Latency, ...] = (
    FixedLatency(1),
    FixedLatency(37),
    RandomLatency(1, 12, 0.5),
    RandomLatency(1, 400, 0.0),
    RandomLatency(20, 150, 0.3),
)
_WISHED: dict[str, tuple[Latency, ...]] = {
    "shuffled": (
        RandomLatency(1, 12, 0.0),
        RandomLatency(1, 100, 0.2),
        RandomLatency(1, 400, 0.0),
        RandomLatency(1, 12, 0.0, late=0.03),
    ),
    "late": (
        RandomLatency(1, 12, 0.0, late=0.03),
        RandomLatency(1, 12, 0.0, late=0.005),
        RandomLatency(1, 40, 0.0, late=0.03),
        RandomLatency(1, 40, 0.0, late=0.005),
        RandomLatency(1, 100, 0.0, late=0.01),
    ),
    "stalled": (RandomLatency(1, 12, 0.7), RandomLatency(20, 40, 0.9)),
    "long": (FixedLatency(700), RandomLatency(500, 700, 0.0)),
}
#: Share of programs with wishes while bins are missing, how many, and share of runs after a reset.
WISHED, MOST_WISHES, RESETS = 0.8, 3, 0.03
#: With fewer bins missing there is one wish: what is hard to hit gets a program of its own.
FEW = 20


@dataclass(frozen=True)
class Tally:
    """What a campaign has done so far."""

    programs: int = 0
    runs: int = 0
    tokens: int = 0
    vectors: int = 0
    rows: int = 0
    errors: int = 0
    cycles: int = 0


@dataclass
class Trial:
    """One program with the faults it meets and what is expected of it."""

    seed: int
    wish: Wish
    subject: RandomProgram
    faults: Faults
    expected: Expected
    latencies: list[Latency]
    #: Cycles after which a run before each launch is cut off by a reset; 0: no such run.
    resets: list[int]

    @property
    def note(self) -> str:
        """What besides the seed made the program: for messages."""
        return f" wish ({self.wish})" if self.wish != NO_WISH else ""


def make_trial(
    config: Config, seed: int, wish: Wish = NO_WISH, *, rows: int = 40, launches: int = 2
) -> Trial:
    """The program of a seed and a wish, and all that its launches need."""
    rng = np.random.default_rng([seed, 0x7217])
    subject = random_program(config, seed, rows, wish)
    expected, faults = expect(config, subject), Faults()
    faults = random_faults(rng, config, subject, expected.trace, expected.outputs, wish)
    if faults != Faults():
        expected = expect(config, subject, faults)
    choices = _WISHED[wish.latency] if wish.latency else LATENCIES
    latencies = [choices[(seed + n) % len(choices)] for n in range(launches)]
    resets = [
        int(rng.integers(1, 400)) if wish.reset or rng.random() < RESETS else 0
        for _ in range(launches)
    ]
    return Trial(seed, wish, subject, faults, expected, latencies, resets)


def run_campaign(
    engine: RtlEngine,
    seeds: range,
    *,
    rows: int = 40,
    launches: int = 2,
    coverage: Coverage | None = None,
) -> Iterator[Tally]:
    """Compare the RTL with the model on the programs of ``seeds``; yields the tally so far.

    With ``coverage``, its bins are counted, and programs are steered to those that are missing.
    The same seeds from the first one on make the same programs again.

    Raises
    ------
    Mismatch
        They disagree.
    Hang
        The machine did not finish.
    """
    steered = coverage is not None
    coverage = machine_coverage(engine.config) if coverage is None else coverage
    programs = runs = tokens = vectors = found_rows = errors = cycles = 0
    engine.reset()
    before = "reset"
    for seed in seeds:
        wish = choose(engine.config, seed, coverage) if steered else NO_WISH
        trial = make_trial(engine.config, seed, wish, rows=rows, launches=launches)
        for latency, cut in zip(trial.latencies, trial.resets, strict=True):
            if cut:
                _cut_off(engine, trial, latency, cut)
                before = "reset"
            result = check_program(
                engine, trial.subject, trial.expected, latency, seed, faults=trial.faults,
                note=trial.note, coverage=coverage,
            )  # fmt: skip
            now = "clean" if result.error is None else "error"
            coverage["launches"].hit((before, now))
            before = now
            cycles += result.cycles
            errors += result.error is not None
        programs += 1
        runs += launches
        tokens += trial.expected.queues.tokens
        vectors += trial.expected.queues.vectors
        found_rows += trial.expected.queues.rows
        yield Tally(programs, runs, tokens, vectors, found_rows, errors, cycles)


def choose(config: Config, seed: int, coverage: Coverage) -> Wish:
    """Wishes for some bins that are missing, as far as they go together."""
    rng = np.random.default_rng([seed, 0x315])
    wish = NO_WISH
    if rng.random() >= WISHED:
        return wish
    missing = coverage.missing
    groups = [group for group in coverage if group.missing]
    most = MOST_WISHES if len(missing) >= FEW else 1
    for _ in range(most if groups else 0):
        # Half of the time one of the groups, else one of the bins.
        group = groups[int(rng.integers(len(groups)))]
        at = group.missing[int(rng.integers(len(group.missing)))]
        if rng.random() < 0.5:
            group, at = missing[int(rng.integers(len(missing)))]
        wish = wish.merged(wish_for(config, group, at)) or wish
    return wish


def _cut_off(engine: RtlEngine, trial: Trial, latency: Latency, cycles: int) -> None:
    """Start the program and reset the machine in the middle of it, if it lasts that long."""
    try:
        engine.run(
            trial.subject.program, trial.subject.memory, latency=latency, seed=trial.seed,
            faults=trial.faults, max_cycles=cycles,
        )  # fmt: skip
    except Hang:
        pass
    engine.reset()
    clear(trial.subject)
