"""Measured points: made-up bags on the RTL, each result checked bit for bit."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from .api import compile_bags
from .bench_shape import Shape, shape_lookups
from .check import compare_numpy
from .lookup import Lookup
from .options import RunOptions
from .parts import Config
from .validate import check_lookups


@dataclass(frozen=True)
class Point:
    """One measurement; see :class:`ember.result.Result` for the figures.

    ``overhead_cycles`` are the cycles beyond the bound: with one bag, the cost of starting.
    ``dram`` has the figures of :class:`ember.DramStatistics` where the memory is a DRAM.
    """

    dim: int
    pooling: int | str
    mode: str
    index_type: str
    weighted: bool
    tables: int
    opt: str
    latency: str
    bags: int
    lookups: int
    launches: int
    cycles: int
    bound_cycles: int
    overhead_cycles: int
    utilization: float
    bytes_per_cycle: float
    cycles_per_lookup: float | None
    bit_exact: bool
    counters: dict[str, int]
    cycles_per_second: float
    dram: dict | None = None

    @property
    def load_cycles(self) -> float:
        """For how long a load is outstanding, on the average."""
        return self.counters["outstanding_sum"] / max(self.counters["port_busy"], 1)

    def to_dict(self) -> dict:
        """What is kept: the figures of the machine, not those of the simulator's host."""
        kept = dataclasses.asdict(self)
        del kept["cycles_per_second"]
        if self.dram is None:
            del kept["dram"]
        return kept


def measure(config: Config, shape: Shape, opt: str, options: RunOptions) -> Point:
    """Measure one shape."""
    return measure_lookups(config, shape, shape_lookups(config, shape, options.seed), opt, options)


def measure_lookups(
    config: Config, shape: Shape, lookups: Sequence[Lookup], opt: str, options: RunOptions
) -> Point:
    """Measure lookups that have the given shape."""
    requests = check_lookups(lookups)
    compiled = compile_bags([request.bag for request in requests], config, opt)
    result = compiled.run_checked(requests, options)
    cycles = result.cycles or 0
    return Point(
        dim=shape.dim, pooling=shape.pooling, mode=shape.mode, index_type=shape.index_type,
        weighted=shape.weighted, tables=shape.tables, opt=opt, latency=options.latency_text,
        bags=result.bags, lookups=result.lookups, launches=result.launches, cycles=cycles,
        bound_cycles=result.bound_cycles, overhead_cycles=cycles - result.bound_cycles,
        utilization=result.utilization or 0.0, bytes_per_cycle=result.bytes_per_cycle or 0.0,
        cycles_per_lookup=result.cycles_per_lookup,
        bit_exact=compare_numpy(result).bit_exact, counters=result.counters,
        cycles_per_second=cycles / max(result.run_seconds, 1e-9),
        dram=result.dram.to_dict() if result.dram else None,
    )  # fmt: skip


def latency_limit(config: Config, points: Sequence[Point]) -> int | None:
    """The longest memory latency that ``config.mshrs`` outstanding loads cover at full rate.

    A load is outstanding for the memory's latency and some cycles of pipeline; how many is
    measured. None if no point has a fixed latency.
    """
    for point in points:
        if point.latency.isdecimal() and point.load_cycles:
            return config.mshrs - round(point.load_cycles - int(point.latency))
    return None


def outstanding_limit(config: Config, latency: str) -> float:
    """Lines per cycle that Little's law allows with ``config.mshrs`` outstanding loads."""
    low, _, high = latency.partition("..")
    return min(1.0, config.mshrs / ((int(low) + int(high or low)) / 2))
