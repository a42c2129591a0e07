"""Shapes like those of DLRM benchmarks on different memories."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from .bench import measure_lookups
from .bench_coupled import MODELS, model_lookup
from .bench_locality import LEVELS
from .bench_shape import Shape
from .lookup import Lookup
from .options import Latency, RunOptions
from .parts import Config

#: Lines that move at each point.
LINES = 20_000

#: Rows of the table, all but the used ones empty: far more than the rows of a DRAM that are open.
ROWS = 1 << 20

#: The memories, as the command line has them.
MEMORIES = "200,100..300,ddr4-2400:1,ddr4-2400:4,hbm2:16"


@dataclass(frozen=True)
class MemoryPoint:
    """A shape on a memory.

    ``read_port`` is the share of the cycles in which the machine's read port moved a line. The
    figures of ``dram`` are those of :class:`ember.DramStatistics`; None where it is a latency.
    """

    shape: str
    dim: int
    pooling: int
    locality: str
    memory: str
    bags: int
    lookups: int
    cycles: int
    bound_cycles: int
    utilization: float
    read_port: float
    bytes_per_cycle: float
    bit_exact: bool
    dram: dict | None

    def to_dict(self) -> dict:
        """For the report."""
        return asdict(self)


def spread(shape: Shape, lookup: Lookup, rows: int, seed: int) -> tuple[Shape, Lookup]:
    """The same lookup with its rows scattered over a table of ``rows``.

    Its own table is as small as the measured batch, and would stay in a DRAM's open rows. Memory
    that is not used costs nothing: the operating system gives it when it is first written.

    Raises
    ------
    ValueError
        The lookup uses more rows than that.
    """
    table, indices = np.asarray(lookup.table), np.asarray(lookup.indices)
    if len(table) > rows:
        raise ValueError(f"rows must be at least the {len(table)} that are used, not {rows}")
    places = np.random.default_rng((seed, rows)).choice(rows, len(table), replace=False)
    wide = np.zeros((rows, table.shape[1]), np.float32)
    wide[places] = table
    scattered = places.astype(np.int32)[indices]
    return replace(shape, rows=rows), replace(lookup, table=wide, indices=scattered)


@dataclass(frozen=True)
class Batch:
    """Bags of a model's shape with a level of locality."""

    model: str
    level: str
    shape: Shape
    lookup: Lookup


def batches(
    config: Config, shares: Sequence[float], seed: int, lines: int, rows: int
) -> list[Batch]:
    """A batch of each model with each level of locality, in a table of ``rows``.

    Raises
    ------
    ValueError
        One needs more rows than that.
    """
    return [
        Batch(model, level, *spread(*model_lookup(config, model, level, shares, seed, lines),
                                    rows, seed))
        for model in MODELS for level in LEVELS
    ]  # fmt: skip


def memory_points(
    config: Config,
    measured: Sequence[Batch],
    memories: Sequence[Latency],
    opt: str,
    options: RunOptions,
) -> Iterator[MemoryPoint]:
    """Measure every batch on every memory."""
    for batch in measured:
        for memory in memories:
            run = replace(options, latency=memory)
            point = measure_lookups(config, batch.shape, [batch.lookup], opt, run)
            yield MemoryPoint(
                shape=f"{batch.model} {batch.level}", dim=point.dim,
                pooling=MODELS[batch.model][1], locality=batch.level, memory=point.latency,
                bags=point.bags, lookups=point.lookups, cycles=point.cycles,
                bound_cycles=point.bound_cycles, utilization=point.utilization,
                read_port=point.counters["port_busy"] / max(point.cycles, 1),
                bytes_per_cycle=point.bytes_per_cycle, bit_exact=point.bit_exact, dram=point.dram,
            )  # fmt: skip
