"""Measured points: random bags on the RTL, each result checked bit for bit."""

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .api import compile_bags
from .check import compare_numpy
from .lookup import Lookup
from .options import RunOptions
from .parts import Config
from .tables import random_table
from .validate import check_lookups

#: Lines that move at each point unless said otherwise: enough that start and end do not count.
LINES = 100_000


@dataclass(frozen=True)
class Point:
    """One measurement; see :class:`ember.result.Result` for the figures."""

    dim: int
    pooling: int
    mode: str
    opt: str
    bags: int
    cycles: int
    bound_cycles: int
    utilization: float
    bytes_per_cycle: float
    bit_exact: bool
    cycles_per_second: float

    def to_dict(self) -> dict:
        """What is kept: the figures of the machine, not those of the simulator's host."""
        left_out = ("bags", "cycles_per_second")
        return {k: v for k, v in dataclasses.asdict(self).items() if k not in left_out}


def bag_lookup(
    config: Config, dim: int, pooling: int, mode: str, seed: int, *, lines: int, rows: int
) -> Lookup:
    """Bags of ``pooling`` random entries each, as many as move at least ``lines`` lines.

    The table has ``rows`` rows of ``dim`` normally distributed values; indices are int32.
    """
    bags = bags_for(config, dim, pooling, lines)
    rng = np.random.default_rng((seed, dim, pooling))
    indices = rng.integers(0, rows, bags * pooling, dtype=np.int32)
    offsets = np.arange(bags + 1, dtype=np.int32) * pooling
    return Lookup(
        random_table(rows, dim, seed), indices, offsets.astype(np.int32),
        include_last_offset=True, mode=mode,
    )  # fmt: skip


def bags_for(config: Config, dim: int, pooling: int, lines: int) -> int:
    """How many bags move at least ``lines`` lines."""
    row = -(-dim // config.lanes)
    per_bag = pooling * row + (pooling + 1) / config.lanes + dim / config.lanes
    return int(np.ceil(lines / per_bag)) + 1


def bag_points(
    config: Config,
    dims: Sequence[int],
    poolings: Sequence[int],
    modes: Sequence[str],
    opt: str,
    options: RunOptions,
    *,
    lines: int = LINES,
    rows: int = 1 << 14,
) -> Iterator[Point]:
    """Measure every combination, one after the other."""
    for mode in modes:
        for dim in dims:
            for pooling in poolings:
                lookup = bag_lookup(
                    config, dim, pooling, mode, options.seed, lines=lines, rows=rows
                )
                requests = check_lookups([lookup])
                compiled = compile_bags([requests[0].bag], config, opt)
                result = compiled.run_checked(requests, options)
                yield Point(
                    dim=dim, pooling=pooling, mode=mode, opt=opt, bags=result.bags,
                    cycles=result.cycles or 0, bound_cycles=result.bound_cycles,
                    utilization=result.utilization or 0.0,
                    bytes_per_cycle=result.bytes_per_cycle or 0.0,
                    bit_exact=compare_numpy(result).bit_exact,
                    cycles_per_second=(result.cycles or 0) / max(result.run_seconds, 1e-9),
                )  # fmt: skip
