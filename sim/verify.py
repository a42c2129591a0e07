"""Proof of one configuration: the cocotb regression, random programs, and what both covered."""

import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from amaranth.lib import wiring

from ..hw.config import Config
from ..hw.top import Machine
from .build import Progress
from .campaign import Mismatch, Tally, run_campaign
from .cocotb_support import BenchFailed, run_bench
from .cover_bins import Coverage
from .cover_report import coverage_dict, coverage_text
from .coverage import machine_coverage
from .engine import RtlEngine
from .result import Hang

#: Random programs that are enough for every legal bin of the presets.
PROGRAMS = 2000
#: Wall-clock limit of the cocotb regression; the largest machines simulate slowly.
REGRESSION_SECONDS = 3600.0


@dataclass(frozen=True)
class Verdict:
    """What is known of a configuration.

    Attributes
    ----------
    regression : cocotb tests that ran, all of which passed
    failure : what disagreed, with seed and place; None if nothing did
    """

    config: Config
    seed: int
    regression: int
    tally: Tally
    coverage: Coverage
    failure: str | None
    seconds: float

    @property
    def passed(self) -> bool:
        """Nothing disagreed, and every legal bin was hit."""
        return self.failure is None and self.coverage.complete

    def text(self) -> str:
        """The report."""
        lines = [f"configuration {self.config.hash}, seed {self.seed}, {self.seconds:.0f} s"]
        if self.regression:
            lines.append(f"cocotb regression: {self.regression} tests passed")
        if self.tally.programs:
            lines.append(
                f"random programs: {self.tally.programs} agree in {self.tally.runs} runs, "
                f"{self.tally.cycles} cycles, {self.tally.errors} with an error as expected"
            )
        lines.append(coverage_text(self.coverage))
        return "\n".join([*lines, f"verdict: {self._verdict()}"])

    def _verdict(self) -> str:
        if self.failure is not None:
            return f"FAILED: {self.failure}"
        if self.coverage.impossible:
            return f"FAILED: {len(self.coverage.impossible)} bins hit that no machine can hit"
        if self.coverage.missing:
            missing = len(self.coverage.missing)
            return f"INCOMPLETE: {missing} legal bins not hit, give it more --programs"
        return "verified: nothing disagrees, every legal bin was hit"

    def to_dict(self) -> dict:
        """For JSON."""
        return {
            "seed": self.seed, "regression": self.regression, "campaign": asdict(self.tally),
            "failure": self.failure, "passed": self.passed, "seconds": self.seconds,
            **coverage_dict(self.config, self.coverage),
        }  # fmt: skip


def verify(
    config: Config,
    *,
    programs: int = PROGRAMS,
    seed: int = 0,
    progress: Progress | None = None,
    machine: Callable[[Config], wiring.Component] | None = None,
) -> Verdict:
    """Run the regression, then the campaign; the first disagreement ends it.

    Parameters
    ----------
    programs : random programs of the campaign, twice each
    seed : of everything that is random
    machine : makes the top component, with probes; the default is the machine itself

    Raises
    ------
    ToolMissing, BuildError
        A simulator cannot be built.
    """
    say = progress or (lambda line: None)
    coverage, tally, ran, failure = machine_coverage(config), Tally(), 0, None
    started = time.monotonic()
    try:
        ran = _regression(config, seed, coverage, say, machine)
        with RtlEngine(config, progress=progress, machine=machine) as engine:
            engine.build()
            for tally in run_campaign(engine, range(seed, seed + programs), coverage=coverage):
                if tally.programs % 50 == 0:
                    missing = f"{len(coverage.missing)} of {coverage.legal} bins missing"
                    say(f"{tally.programs} of {programs} random programs, {missing}")
    except (BenchFailed, Mismatch, Hang) as error:
        failure = str(error)
    seconds = time.monotonic() - started
    return Verdict(config, seed, ran, tally, coverage, failure, seconds)


def _regression(config: Config, seed: int, coverage: Coverage, say: Progress, machine) -> int:
    """Run the cocotb bench of the machine; adds what it covered."""
    say("cocotb regression: building")
    component = Machine(config, probes=True) if machine is None else machine(config)
    with tempfile.TemporaryDirectory(prefix="ember-verify-") as directory:
        path = Path(directory) / "coverage.json"
        ran = run_bench(
            component, "ember.sim.bench_machine", config=config, seed=seed,
            env={"EMBER_BENCH_COVERAGE": str(path)}, timeout_s=REGRESSION_SECONDS,
            progress=lambda line: say(f"cocotb regression: {line}"),
        )  # fmt: skip
        coverage.merge(json.loads(path.read_text()))
    return ran
