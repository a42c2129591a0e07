"""The table of rates that the ``paper`` preset must reach."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from .bench import Point, latency_limit, measure
from .bench_shape import LINES, ZIPF, Shape
from .options import RunOptions
from .parts import Config

#: Furthest that the utilizations at different latencies may be apart.
SPREAD = 0.03
#: Round trips to the memory that one bag of one row may take: offsets, index, row and output
#: need one each, and two more.
ROUND_TRIPS = 4 + 2

LATENCIES = (50, 100, 200, 400)
DIMS = (16, 32, 64, 128, 256)
BAGS = (1, 10, 100, 10_000)


@dataclass(frozen=True)
class Row:
    """A row of the table: shapes, and what they must reach.

    ``target`` is the least utilization, ``latencies`` None is the one of the run options. A row
    of kind ``"spread"`` must have utilizations at most ``target`` apart, one of kind ``"start"``
    must take at most ``target`` memory latencies. Without a target a row is recorded only.
    """

    name: str
    target: float | None
    shapes: tuple[Shape, ...]
    latencies: tuple[int, ...] | None = None
    kind: str = "rate"


@dataclass(frozen=True)
class Verdict:
    """A measured row: its figure (worst utilization, spread or round trips) and target."""

    row: str
    kind: str
    target: float | None
    worst: float
    met: bool | None
    points: tuple[Point, ...]

    def to_dict(self) -> dict:
        """For the report; the points are listed on their own."""
        return {k: v for k, v in asdict(replace(self, points=())).items() if k != "points"}


def table(lines: int = LINES) -> tuple[Row, ...]:
    """All rows; each point moves at least ``lines`` lines."""

    def every(dims: Sequence[int], poolings: Sequence[int | str], **options) -> tuple[Shape, ...]:
        return tuple(
            Shape(dim=dim, pooling=pooling, lines=lines, **options)
            for dim in dims
            for pooling in poolings
        )

    def usual(**options) -> tuple[Shape, ...]:
        return every((64,), (16, 64), **options)

    return (
        Row("D = 32..256, pooling 16, 64", 0.97, every(DIMS[1:], (16, 64))),
        Row("D = 16, pooling 16, 64", 0.92, every((16,), (16, 64))),
        Row("D = 16..256, pooling 1, 4", 0.90, every(DIMS, (1, 4))),
        Row("D = 33, 100: unaligned rows", 0.92, every((33, 100), (1, 4, 16, 64))),
        Row("heavy-tailed pooling, 20 % empty", 0.90, every(DIMS, (ZIPF,))),
        Row("int64 indices", 0.90, usual(index_type="i64")),
        Row("weighted sum", 0.90, usual(weighted=True)),
        Row("mean", 0.90, usual(mode="mean")),
        Row("max", 0.90, usual(mode="max")),
        Row("8 tables in one launch", 0.90, usual(tables=8)),
        Row("latency 50, 100, 200, 400, D = 64", SPREAD, usual(), LATENCIES, "spread"),
        Row("1 .. 10,000 bags, D = 64, pooling 16", None,
            tuple(Shape(dim=64, pooling=16, bags=bags) for bags in BAGS)),
        Row("one bag of one row", ROUND_TRIPS, (Shape(dim=64, pooling=1, bags=1),), None, "start"),
    )  # fmt: skip


def measure_row(
    config: Config, row: Row, opt: str, options: RunOptions, known: dict | None = None
) -> Iterator[Point]:
    """Measure all shapes of a row at all its latencies; what is in ``known`` is taken from there
    and what is measured goes into it."""
    known = {} if known is None else known
    for shape in row.shapes:
        for latency in row.latencies or (options.latency,):
            key = (shape, latency)
            if key not in known:
                known[key] = measure(config, shape, opt, replace(options, latency=latency))
            yield known[key]


def judge(config: Config, row: Row, points: Sequence[Point]) -> Verdict:
    """Compare a row's points with its target."""
    if row.kind == "start":
        worst = max(point.cycles / _mean_latency(point) for point in points)
        met = worst <= (row.target or 0)
    elif row.kind == "spread":
        limit = latency_limit(config, points) or 0
        worst = max(_spreads(points, limit), default=0.0)
        met = worst <= (row.target or 0)
    else:
        worst = min(point.utilization for point in points)
        met = None if row.target is None else worst >= row.target
    return Verdict(row.name, row.kind, row.target, worst, met, tuple(points))


def _spreads(points: Sequence[Point], limit: int) -> Iterator[float]:
    """Of each shape: how far apart the utilizations are, at the latencies up to the limit."""
    for pooling in {(point.dim, point.pooling) for point in points}:
        covered = [
            point.utilization
            for point in points
            if (point.dim, point.pooling) == pooling and int(point.latency) <= limit
        ]
        if covered:
            yield max(covered) - min(covered)


def _mean_latency(point: Point) -> float:
    low, _, high = point.latency.partition("..")
    return (int(low) + int(high or low)) / 2
