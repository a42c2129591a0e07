"""The compiler's figures: what its levels are worth, microcode by hand, and the time it takes."""

import itertools
import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from . import parts
from .bench_workloads import Workload
from .engines import borrowed
from .errors import RunError
from .options import LEVELS, RunOptions
from .parts import Config

#: Geometric means over O0, and the target of the last: the Ember paper's, over 13 workloads.
PUBLISHED = {"O1": 5.1, "O2": 8.5, "O3": 10.9}
#: Cycles of hand-written microcode by those of O3, at least on every workload.
HAND_TARGET = 1.0
#: Seconds that any compilation takes at most.
SECONDS_TARGET = 1.0
#: Tables of one operation, to see how the time grows.
TABLES = (1, 10, 100, 1000)
#: How much longer a table may take among many than among few: that is noise of the clock.
GROWTH = 1.5
#: A compilation is timed as often, and the least counts, unless it takes longer than a second.
REPEATS = 3


@dataclass(frozen=True)
class CompilerPoint:
    """A workload at a level.

    ``hand_cycles`` are those of the microcode that was written by hand; ``bit_exact`` is of both.
    ``compile_s`` is processor time, the least of a few. ``counters`` are the machine's.
    """

    workload: str
    source: str
    dim: int
    lookups: int
    opt: str
    cycles: int
    hand_cycles: int
    compile_s: float
    bit_exact: bool
    counters: dict[str, int]

    def to_dict(self) -> dict:
        """For the report."""
        return asdict(self)


@dataclass(frozen=True)
class CompileTime:
    """What it takes to compile bags of one table, or many, at O3; ``bags`` says which."""

    bags: str
    tables: int
    compile_s: float

    def to_dict(self) -> dict:
        """For the report."""
        return asdict(self)


def measure_workload(
    config: Config, workload: Workload, options: RunOptions
) -> Iterator[CompilerPoint]:
    """The workload at every level, beside its hand-written microcode."""
    hand, hand_exact, _ = run_programs(config, workload, hand_programs(config, workload), options)
    for opt in LEVELS:
        seconds, templates = _timed(lambda opt=opt: workload.compile(config, opt))

        def link(addresses: dict[str, int], templates=templates) -> Sequence:
            known = {("op", name): address for name, address in addresses.items()}
            return [template.link(known, config) for template in templates]

        cycles, exact, counters = run_programs(config, workload, link, options)
        yield CompilerPoint(
            workload=workload.name, source=workload.source, dim=workload.dim,
            lookups=workload.lookups, opt=opt, cycles=cycles, hand_cycles=hand,
            compile_s=seconds, bit_exact=exact and hand_exact, counters=counters,
        )  # fmt: skip


def hand_programs(config: Config, workload: Workload) -> Callable[[dict[str, int]], Sequence]:
    """What makes the hand-written programs for arrays at given addresses."""
    text = workload.assembly(config)

    def link(addresses: dict[str, int]) -> Sequence:
        symbols = {f"op.{name}": address for name, address in addresses.items()}
        return parts.asm().assemble(text, config, symbols)

    return link


def run_programs(
    config: Config,
    workload: Workload,
    link: Callable[[dict[str, int]], Sequence],
    options: RunOptions,
) -> tuple[int, bool, dict[str, int]]:
    """Cycles on the RTL, whether every bit is right, and the counters of the last launch.

    ``link`` makes programs from the arrays' addresses.

    Raises
    ------
    RunError
        The machine reports an error.
    """
    memory = parts.memory().Memory(config)
    out = np.full_like(workload.expected, np.nan)
    arrays = workload.arrays | {"out": out}
    addresses = {
        name: memory.place(array, writable=name == "out", name=name)
        for name, array in arrays.items()
    }
    cycles, counters = 0, {}
    for program in link(addresses):
        with borrowed(config, options.progress) as engine:
            if options.progress:
                options.progress(f"running {workload.name}")
            result = engine.run(
                program, memory, latency=options.latency_model(), seed=options.seed,
                max_cycles=options.max_cycles, max_seconds=options.max_seconds,
            )  # fmt: skip
        if result.error is not None:
            raise RunError(f"{workload.name}: {result.error}")
        cycles, counters = cycles + result.cycles, result.counters
    return cycles, bool(parts.golden().bitwise_equal(out, workload.expected)), counters


def _timed(work: Callable[[], Sequence]) -> tuple[float, Sequence]:
    """The least time that ``work`` takes of a processor, and its result. Compiling waits for
    nothing, so without other work on the machine this is what a clock shows."""
    best, result = math.inf, ()
    for _ in range(REPEATS):
        started = time.process_time()
        result = work()
        seconds = time.process_time() - started
        best = min(best, seconds)
        if seconds > SECONDS_TARGET:
            break
    return best, result


# Compile time -----------------------------------------------------------------------------


def compile_times(config: Config, counts: Sequence[int] = TABLES) -> Iterator[CompileTime]:
    """One table of every kind; then more and more tables, of one shape and all different."""
    spec, _ = parts.compiler()
    for mode, weighted, padded in itertools.product(spec.MODES, (False, True), (False, True)):
        if weighted and mode != "sum":
            continue
        words = [mode, "weighted" * weighted, "padding" * padded]
        one = spec.BagSpec(
            "t", rows=10_000, dim=64, bags=256, lookups=4096, mode=mode, weighted=weighted,
            padding_idx=0 if padded else None,
        )  # fmt: skip
        yield _compile_time(config, " ".join(filter(None, words)), [one])
    for name, changes in (("of one shape", 0), ("all different", 1)):
        for count in counts:
            tables = [
                spec.BagSpec(
                    f"t{n}", rows=10_000 + n, dim=64 if not changes else 1 + n % config.max_dim,
                    bags=256 + n * changes, lookups=4096 + n,
                )
                for n in range(count)
            ]  # fmt: skip
            yield _compile_time(config, name, tables)


def _compile_time(config: Config, name: str, tables: list) -> CompileTime:
    _, pipeline = parts.compiler()
    seconds, _ = _timed(lambda: pipeline.compile_bags(config, tables).templates)
    return CompileTime(name, len(tables), seconds)


# Summary ----------------------------------------------------------------------------------


def summary(points: Sequence[CompilerPoint], times: Sequence[CompileTime]) -> dict[str, dict]:
    """Geometric means, extremes, and whether the targets are met."""
    by_level = {opt: [point for point in points if point.opt == opt] for opt in LEVELS}
    speedup = {
        opt: statistics.geometric_mean(
            base.cycles / point.cycles
            for base, point in zip(by_level["O0"], by_level[opt], strict=True)
        )
        for opt in PUBLISHED
    }
    ratios = {point.workload: point.hand_cycles / point.cycles for point in by_level["O3"]}
    worst = min(ratios, key=ratios.__getitem__)
    longest = max(point.compile_s for point in points)
    grown = growth(times)
    return {
        "levels": {
            "geomean": speedup, "published": PUBLISHED, "target": PUBLISHED["O3"],
            "met": speedup["O3"] >= PUBLISHED["O3"],
        },
        "hand": {
            "geomean": statistics.geometric_mean(ratios.values()), "lowest": ratios[worst],
            "lowest_workload": worst, "target": HAND_TARGET, "met": ratios[worst] >= HAND_TARGET,
        },
        "compile_s": {
            "longest": longest, "target": SECONDS_TARGET, "met": longest < SECONDS_TARGET,
        },
        "growth": {
            "by_bags": grown, "target": GROWTH, "met": max(grown.values()) <= GROWTH,
        },
    }  # fmt: skip


def growth(times: Sequence[CompileTime]) -> dict[str, float]:
    """For each kind of which there are several counts: the time of a table among the most, by the
    longest of a table among fewer; at most 1 where time grows no worse than linearly."""
    kinds: dict[str, list[CompileTime]] = {}
    for one in times:
        kinds.setdefault(one.bags, []).append(one)
    each = {
        kind: [one.compile_s / one.tables for one in found]
        for kind, found in kinds.items()
        if len(found) > 1
    }
    return {kind: seconds[-1] / max(seconds[:-1]) for kind, seconds in each.items()}
