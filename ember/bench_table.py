"""Points as lines of text."""

from collections.abc import Sequence

from . import columns
from .bench import Point, latency_limit
from .parts import Config

#: What a counter means, for the reason of a miss. What the port and the pipeline do when they
#: are busy is left out.
_REASONS = {
    "port_mshr": "all MSHRs in use",
    "port_memory": "memory not ready",
    "port_ring": "row buffer full",
    "port_idle": "nothing to request",
    "exec_token": "execute waited for a token",
    "exec_data": "execute waited for data",
    "exec_hazard": "execute waited for its own result",
    "exec_store": "execute waited for the store unit",
}

_COLUMNS = (
    ("mode", 5), ("dim", 5), ("pooling", 7), ("options", 16), ("latency", 8), ("bags", 8),
    ("cycles", 10), ("bound", 10), ("utilization", 11), ("bytes/cycle", 11),
    ("cycles/lookup", 13), ("kcycles/s", 9), ("", 9),
)  # fmt: skip


def heading() -> str:
    """Names of the columns."""
    return columns.heading(_COLUMNS)


def row(point: Point) -> str:
    """One line under :func:`heading`."""
    per_lookup = "-" if point.cycles_per_lookup is None else f"{point.cycles_per_lookup:.2f}"
    cells = (
        point.mode, str(point.dim), str(point.pooling), variant(point), point.latency,
        f"{point.bags:,}", f"{point.cycles:,}", f"{point.bound_cycles:,}",
        f"{100 * point.utilization:.1f} %", f"{point.bytes_per_cycle:.1f}", per_lookup,
        f"{point.cycles_per_second / 1e3:,.0f}", "bit-exact" if point.bit_exact else "WRONG",
    )  # fmt: skip
    return columns.line(_COLUMNS, cells)


def variant(point: Point) -> str:
    """What is special about a point: ``O3``, ``O3 i64 weighted``, ``O3 8 tables``."""
    words = [point.opt]
    if point.index_type != "i32":
        words.append(point.index_type)
    if point.weighted:
        words.append("weighted")
    if point.tables > 1:
        words.append(f"{point.tables} tables")
    return " ".join(words)


def limit_text(config: Config, points: Sequence[Point]) -> list[str]:
    """A line on the latency that the outstanding loads cover; none without a fixed latency."""
    limit = latency_limit(config, points)
    if limit is None:
        return []
    return [
        f"{config.mshrs} outstanding loads cover a memory latency of {limit} cycles: a load is "
        f"outstanding for the latency and {config.mshrs - limit} cycles of pipeline"
    ]


def reasons(point: Point) -> str:
    """What the two pipelines mostly waited for, ``nothing to request 8.1 %, ...``."""
    cycles = point.counters["cycles"]
    shares = [(point.counters[name] / cycles, text) for name, text in _REASONS.items()]
    shares = sorted((s for s in shares if s[0] >= 0.01), reverse=True)
    return ", ".join(f"{text} {100 * share:.1f} %" for share, text in shares)
