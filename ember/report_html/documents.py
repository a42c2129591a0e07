"""JSON files of runs, traces and benches, as what the charts need."""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError
from ..files import read_text

#: A latency in cycles, or a range of them; a DRAM's is none.
_LATENCY = re.compile(r"([1-9]\d{0,8})(?:\.\.([1-9]\d{0,8}))?", re.ASCII)

#: Benches of which there is nothing to draw, by what only their files have.
_WITHOUT_UTILIZATION = {"compile_times": "compiler", "torch": "cpu"}


@dataclass(frozen=True)
class Point:
    """One measurement.

    Attributes
    ----------
    label : what was measured
    latency : of the memory, or which DRAM it is, as the command line writes it
    utilization : bound by measured cycles
    intensity : elements accumulated for each byte that the busier port must move
    line_bytes : of a memory line
    bit_exact : whether the result was right
    cycles : measured
    counters : of the machine; empty if the file has none
    law : what Little's law allows, by what it allows the machine of the file: below 1 for a
        baseline with fewer loads; None if it sets no limit, as behind a read cache
    """

    label: str
    latency: str
    utilization: float
    intensity: float
    line_bytes: int
    bit_exact: bool
    cycles: int
    counters: dict[str, int] = field(default_factory=dict)
    law: float | None = 1.0

    @property
    def where(self) -> str:
        """What was measured, and on which memory."""
        return f"{self.label}, {'latency ' if self.mean_latency else ''}{self.latency}"

    @property
    def mean_latency(self) -> float | None:
        """Cycles of the memory's latency, on the average; None if it is not known beforehand."""
        match = _LATENCY.fullmatch(self.latency)
        if match is None:
            return None
        return (int(match[1]) + int(match[2] or match[1])) / 2

    @property
    def rate(self) -> float:
        """Elements accumulated per cycle."""
        return self.intensity * self.line_bytes * self.utilization


@dataclass(frozen=True)
class Levels:
    """A level over time: see :func:`ember.timeline.timeline`."""

    sums: list[int]
    peaks: list[int]
    histogram: list[int]
    capacity: int


@dataclass(frozen=True)
class Timeline:
    """A run over time: see :func:`ember.timeline.timeline`."""

    launches: list[int]
    bins: list[int]
    units: dict[str, dict[str, list[int]]]
    ports: dict[str, list[int]]
    levels: dict[str, Levels]


@dataclass(frozen=True)
class Document:
    """What a file says.

    Attributes
    ----------
    path, title, kind : file; what was run; ``"run"`` or ``"bench"``
    config, config_hash, seed, latency : of the machine and of the run
    points : measurements; none if the functional engine ran
    counters : of a run; empty if there are none
    timeline : of a run, if it was recorded
    facts : further figures, name and value
    """

    path: str
    title: str
    kind: str
    config: dict[str, int]
    config_hash: str
    seed: int
    latency: str
    points: tuple[Point, ...]
    counters: dict[str, int] = field(default_factory=dict)
    timeline: Timeline | None = None
    facts: tuple[tuple[str, str], ...] = ()

    @property
    def missing(self) -> str:
        """What a page about this file cannot show, and why; empty if nothing is missing."""
        if self.kind == "bench":
            return "A bench keeps no course of time: run one point with `ember run .. --json`."
        if not self.points:
            return "The functional engine has no clock: no cycles, counters or course of time."
        if self.timeline is None:
            return "The run was not recorded: no course of time."
        return ""


def read_document(path: str) -> Document:
    """Read a file that ``ember run --json``, ``--trace`` or ``ember bench --json`` wrote.

    Raises
    ------
    InputError
        It cannot be read, is not JSON, or is nothing of these.
    """
    try:
        content = json.loads(read_text(path))
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{path} must be JSON: {error}") from None
    if isinstance(content, dict) and "traceEvents" in content:
        content = (content.get("otherData") or {}).get("ember")
        if content is None:
            raise InputError(f"{path} is the trace of a run that did not finish: it has no report")
    kind = None
    if isinstance(content, dict):
        kind = "bench" if "points" in content else "run" if "bound_lines" in content else None
    if isinstance(content, dict) and "function" in content:
        raise InputError(f"{path} is of `ember run nest`, which measures no utilization")
    if kind is None:
        raise InputError(
            f"{path} must be what `ember run --json`, `ember run --trace` or `ember bench --json` "
            "writes"
        )
    for key, bench in _WITHOUT_UTILIZATION.items():
        if kind == "bench" and key in content:
            raise InputError(f"{path} is of `ember bench {bench}`, which measures no utilization")
    try:
        return _bench(path, content) if kind == "bench" else _run(path, content)
    except KeyError as error:
        raise InputError(f"{path} must have {error.args[0]!r}") from None
    except (TypeError, ValueError, AttributeError, ZeroDivisionError, OverflowError) as error:
        raise InputError(f"{path} has a value that no report has: {error}") from None


def _run(path: str, content: dict[str, Any]) -> Document:
    config = _config(content)
    counters = _counts(content["counters"])
    elements = sum(_count(t["lookups"]) * _count(t["dim"]) for t in content["tables"])
    cycles = content["cycles"]
    points: list[Point] = []
    tables = content["tables"]
    facts = [
        ("compiled", str(content["opt"])),
        ("tables", f"{len(tables):,}"),
        ("bags", f"{_count(content['bags']):,}"),
        ("lookups", f"{_count(content['lookups']):,}"),
        ("launches", f"{_count(content['launches']):,}"),
    ]
    if cycles:
        bound = _count(content["bound_cycles"])
        share = bound / _count(cycles)
        points.append(
            Point(
                "this run", str(content["latency"]), share, _intensity(elements, bound, config),
                _line_bytes(config), content["bit_exact"] is True, cycles, counters, _law(config),
            )
        )  # fmt: skip
        facts += [
            ("cycles", f"{cycles:,}"),
            ("port-bound cycles", f"{bound:,}"),
            ("utilization", f"{100 * share:.1f} %"),
            ("bytes per cycle", f"{_share(content['bytes_per_cycle']):.1f}"),
        ]
    facts.append(("result", "bit-exact" if content["bit_exact"] is True else "WRONG"))
    return Document(
        path, str(content["title"]), "run", config, str(content["config_hash"]),
        _count(content["seed"]), str(content["latency"]), tuple(points), counters,
        _timeline(content.get("timeline")), tuple(facts),
    )  # fmt: skip


def _bench(path: str, content: dict[str, Any]) -> Document:
    config = _config(content)
    points = [p for entry in content["points"] for p in _bench_points(entry, config)]
    right = sum(point.bit_exact for point in points)
    facts = (("points", f"{len(points):,}"), ("bit-exact", f"{right:,} of {len(points):,}"))
    kind = "coupled" if content["points"] and "baseline" in content["points"][0] else "bag"
    if "caches" in content:
        kind = "cache"
    elif "memories" in content:
        kind = "memory"
    elif "rows" in content:
        kind = "rate"
    return Document(
        path, f"ember bench {kind}", "bench", config, str(content["config_hash"]),
        _count(content["seed"]), str(content["memories" if "memories" in content else "latency"]),
        tuple(points), facts=facts,
    )  # fmt: skip


def _bench_points(entry: dict[str, Any], config: dict[str, int]) -> list[Point]:
    latency = str(entry["memory" if "memory" in entry else "latency"])
    exact = entry["bit_exact"] is True
    dim, line_bytes = _count(entry["dim"]), _line_bytes(config)
    if "baseline" in entry:
        shape, intensity = str(entry["shape"]), _aligned_intensity(entry, config)
        return [
            Point(f"{shape}, {name}", latency, _share(entry[share]), intensity, line_bytes, exact,
                  _count(entry[cycles]), law=law)
            for name, share, cycles, law in (
                ("decoupled", "decoupled_utilization", "decoupled_cycles", 1.0),
                (str(entry["baseline"]), "utilization", "cycles", 1 / _share(entry["limit"])),
            )
        ]  # fmt: skip
    if "cache_lines" in entry:
        lines = _count(entry["cache_lines"])
        label = f"{entry['shape']}, {f'cache of {lines:,} lines' if lines else 'no cache'}"
        return [
            Point(label, latency, _share(entry["utilization"]), _aligned_intensity(entry, config),
                  line_bytes, exact, _count(entry["cycles"]), law=None if lines else 1.0)
        ]  # fmt: skip
    bound = _count(entry["bound_cycles"])
    intensity = _intensity(_count(entry["lookups"]) * dim, bound, config)
    if "shape" in entry:
        label = str(entry["shape"])
    else:
        label = f"D={dim} pooling={entry['pooling']} {entry['mode']}"
    if entry.get("weighted"):
        label += " weighted"
    if entry.get("index_type", "i32") != "i32":
        label += f" {entry['index_type']}"
    if entry.get("tables", 1) != 1:
        label += f" {entry['tables']} tables"
    return [
        Point(label, latency, _share(entry["utilization"]), intensity, line_bytes, exact,
              _count(entry["cycles"]), _counts(entry.get("counters", {})), _law(config))
    ]  # fmt: skip


def _timeline(content: dict[str, Any] | None) -> Timeline | None:
    if content is None:
        return None
    bins = _counts_of(content["bins"])
    if not bins:
        return None
    units = {
        str(unit): {state: _counts_of(states[state], len(bins)) for state in STATES}
        for unit, states in content["units"].items()
    }
    ports = {str(port): _counts_of(lines, len(bins)) for port, lines in content["ports"].items()}
    levels = {
        str(name): Levels(
            _counts_of(level["sum"], len(bins)), _counts_of(level["peak"], len(bins)),
            _counts_of(level["histogram"]), _count(level["capacity"]),
        )
        for name, level in content["levels"].items()
    }  # fmt: skip
    return Timeline(_counts_of(content["launches"]), bins, units, ports, levels)


#: What a unit does in a cycle, in the order of the charts.
STATES = ("busy", "blocked", "starved")


def _config(content: dict[str, Any]) -> dict[str, int]:
    config = _counts(content["config"])
    for name in ("lanes", "mshrs"):
        if not config[name]:
            raise ValueError(f"{name} must be at least 1, not {config[name]}")
    return config


def _law(config: dict[str, int]) -> float | None:
    """A hit in a read cache frees its load at once, whatever the memory's latency."""
    return None if config.get("cache_lines") else 1.0


def _line_bytes(config: dict[str, int]) -> int:
    return 4 * config["lanes"]


def _intensity(elements: int, bound_cycles: int, config: dict[str, int]) -> float:
    return elements / (max(bound_cycles, 1) * _line_bytes(config))


def _aligned_intensity(entry: dict[str, Any], config: dict[str, int]) -> float:
    """Of rows that begin with a line: a lookup's lines follow from its row and pooling factor."""
    dim, lanes = _count(entry["dim"]), config["lanes"]
    lines = -(-dim // lanes) + (1 + 1 / _count(entry["pooling"])) / lanes
    return dim / (lines * _line_bytes(config))


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"must be an integer of at least 0, not {value!r}")
    return value


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"must be a number, not {value!r}")
    return float(value)


def _counts(values: dict[str, object]) -> dict[str, int]:
    return {str(name): _count(value) for name, value in values.items()}


def _counts_of(values: Sequence[object], size: int | None = None) -> list[int]:
    if not isinstance(values, list) or size not in (None, len(values)):
        raise ValueError(f"must be a list of {size} integers")
    return [_count(value) for value in values]
