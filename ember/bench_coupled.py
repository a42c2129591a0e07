"""The machine against two baselines made from the same RTL: coupled and windowed."""

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from .bench import measure_lookups, outstanding_limit
from .bench_locality import LEVELS, local_indices
from .bench_shape import Shape
from .lookup import Lookup
from .options import RunOptions
from .parts import Config
from .tables import random_table

#: Row length and pooling factor of shapes like those of the DLRM benchmarks RM1, RM2 and RM3.
MODELS = {"RM1": (32, 80), "RM2": (64, 120), "RM3": (128, 20)}
LATENCIES = (100, 200, 400)
#: Loads that a CPU core has outstanding at most, about.
WINDOW = 32
#: Lines that move at each point. A coupled machine takes some hundred cycles for a row, so it gets
#: fewer; the start then weighs more, and the ratio is that much lower.
LINES = 60_000
COUPLED_SHARE = 0.1

#: Geometric mean over the coupled machine, and how far below Little's law over the windowed one.
COUPLED_TARGET = 8.3
WINDOWED_TARGET = 0.03


@dataclass(frozen=True)
class Comparison:
    """A shape at a latency: what a baseline takes, in units of the decoupled machine.

    ``limit`` is the ratio that Little's law gives: lines per cycle with all loads outstanding
    that the machine can have, by lines per cycle with those of the baseline. A coupled machine
    has those of one row, and then none until the row has come.
    """

    shape: str
    dim: int
    pooling: int
    locality: str
    latency: int
    baseline: str
    config_hash: str
    cycles: int
    decoupled_cycles: int
    utilization: float
    decoupled_utilization: float
    ratio: float
    limit: float
    bit_exact: bool

    def to_dict(self) -> dict:
        """For the report."""
        return asdict(self)


def baselines(config: Config, window: int) -> dict[str, Config]:
    """The baselines of a machine: all else is equal.

    Raises
    ------
    ValueError
        The window is not below the machine's own, or not a power of two.
    """
    if config.row_window:
        raise ValueError(f"row_window must be 0 to be compared, not {config.row_window}")
    if not window < config.mshrs:
        raise ValueError(f"window must be below the machine's mshrs, {config.mshrs}, not {window}")
    if window & (window - 1):
        raise ValueError(f"window must be a power of two, not {window}")
    return {"coupled": config.replace(row_window=1), "windowed": config.replace(mshrs=window)}


def model_lookup(
    config: Config, model: str, level: str, shares: Sequence[float], seed: int, lines: int
) -> tuple[Shape, Lookup]:
    """Bags of a model's shape with a level of locality."""
    dim, pooling = MODELS[model]
    row = -(-dim // config.lanes)
    bags = math.ceil(lines / (pooling * (row + 1 / config.lanes) + row)) + 1
    rng = np.random.default_rng((seed, dim, pooling, LEVELS.index(level)))
    indices, rows = local_indices(bags * pooling, level, shares, rng)
    offsets = np.arange(bags + 1, dtype=np.int32) * np.int32(pooling)
    lookup = Lookup(
        random_table(rows, dim, seed), indices, offsets, include_last_offset=True, mode="sum"
    )
    return Shape(dim=dim, pooling=pooling, rows=rows, bags=bags), lookup


def comparisons(
    config: Config,
    others: dict[str, Config],
    latencies: Sequence[int],
    shares: Sequence[float],
    opt: str,
    options: RunOptions,
    lines: int,
) -> Iterator[Comparison]:
    """Measure every shape at every latency on the machine and on each of the ``others``."""
    for name, other in others.items():
        least = math.ceil(lines * COUPLED_SHARE) if other.row_window else lines
        for model, (dim, pooling) in MODELS.items():
            for level in LEVELS:
                shape, lookup = model_lookup(config, model, level, shares, options.seed, least)
                for latency in latencies:
                    run = replace(options, latency=latency)
                    ours, theirs = (
                        measure_lookups(machine, shape, [lookup], opt, run)
                        for machine in (config, other)
                    )
                    yield Comparison(
                        shape=f"{model} {level}", dim=dim, pooling=pooling, locality=level,
                        latency=latency, baseline=name, config_hash=other.hash,
                        cycles=theirs.cycles, decoupled_cycles=ours.cycles,
                        utilization=theirs.utilization, decoupled_utilization=ours.utilization,
                        ratio=theirs.cycles / ours.cycles,
                        limit=_rate(config, dim, latency) / _rate(other, dim, latency),
                        bit_exact=ours.bit_exact and theirs.bit_exact,
                    )  # fmt: skip


def _rate(config: Config, dim: int, latency: int) -> float:
    """Lines per cycle that Little's law allows."""
    rate = outstanding_limit(config, str(latency))
    if config.row_window:
        lines = config.row_window * -(-dim // config.lanes)
        rate = min(rate, lines / (latency + lines - 1))
    return rate


def geomean(points: Sequence[Comparison]) -> float:
    """Geometric mean of the ratios."""
    return statistics.geometric_mean(point.ratio for point in points)


def furthest_below(points: Sequence[Comparison]) -> float:
    """How far, at most, a ratio is below its limit, as a part of the limit."""
    return max(1 - point.ratio / point.limit for point in points)


def furthest_above(points: Sequence[Comparison]) -> float:
    """How far, at most, a ratio is above its limit, as a part of the limit."""
    return max(point.ratio / point.limit - 1 for point in points)
