"""The machine with read caches of several sizes, and without one, on lookups with reuse."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from .bench import Point, measure_lookups
from .bench_coupled import MODELS, model_lookup
from .bench_locality import LEVELS
from .options import Latency, RunOptions
from .parts import Config

#: Lines of the caches, lines that move at each point, and the memories.
SIZES = (512, 4096)
LINES = 60_000
MEMORIES = "200,ddr4-2400,hbm2"


@dataclass(frozen=True)
class CachePoint:
    """A shape on a memory, with a cache of ``cache_lines`` lines; 0 is the machine without.

    ``hit_rate`` and ``merged_rate`` are the shares of the read requests whose line was there, or
    on its way; ``lines_memory`` are the lines that the memory read, of ``lines_port`` that the
    machine asked for. ``speedup`` is over the machine without a cache.
    """

    shape: str
    dim: int
    pooling: int
    locality: str
    memory: str
    cache_lines: int
    config_hash: str
    cycles: int
    utilization: float
    speedup: float
    hit_rate: float
    merged_rate: float
    lines_port: int
    lines_memory: int
    bit_exact: bool

    def to_dict(self) -> dict:
        """For the report."""
        return asdict(self)


def cached(config: Config, sizes: Sequence[int]) -> tuple[Config, dict[int, Config]]:
    """The machine without a cache, which has as many loads outstanding as the caches have lines
    on their way; and those with caches, by size.

    Raises
    ------
    ValueError
        A size is not possible.
    """
    without = config.replace(cache_lines=0, mshrs=min(config.mshrs, config.cache_fetches))
    return without, {size: config.replace(cache_lines=size) for size in sizes}


def cache_points(
    without: Config,
    caches: dict[int, Config],
    memories: Sequence[Latency],
    shares: Sequence[float],
    opt: str,
    options: RunOptions,
    lines: int,
) -> Iterator[CachePoint]:
    """Measure every shape on every memory, first without a cache."""
    for model in MODELS:
        for level in LEVELS:
            shape, lookup = model_lookup(without, model, level, shares, options.seed, lines)
            for memory in memories:
                run = replace(options, latency=memory)
                base = measure_lookups(without, shape, [lookup], opt, run)
                yield _point(model, level, without, base, base)
                for config in caches.values():
                    yield _point(
                        model, level, config, measure_lookups(config, shape, [lookup], opt, run),
                        base,
                    )  # fmt: skip


def _point(model: str, level: str, config: Config, point: Point, base: Point) -> CachePoint:
    counters = point.counters
    asked = max(counters["port_busy"], 1)
    return CachePoint(
        shape=f"{model} {level}", dim=point.dim, pooling=int(point.pooling), locality=level,
        memory=point.latency, cache_lines=config.cache_lines, config_hash=config.hash,
        cycles=point.cycles, utilization=point.utilization, speedup=base.cycles / point.cycles,
        hit_rate=counters["cache_hits"] / asked, merged_rate=counters["cache_merged"] / asked,
        lines_port=counters["port_busy"], lines_memory=counters["lines_memory"],
        bit_exact=point.bit_exact,
    )  # fmt: skip
