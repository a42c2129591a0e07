"""A run over time: levels, port throughput, and what each unit does."""

from collections.abc import Callable, Sequence
from itertools import accumulate

from ..recorded import unit_name
from .documents import STATES, Levels, Timeline
from .svg import Chart, Scale, cycles, legend, linear, number, ticks

#: Points of a line; more than that cannot be seen.
_POINTS = 300
_STRIP = 34
#: Launches whose borders are drawn.
_BORDERS = 40


class Axis:
    """Bins of time, coarse enough to be drawn."""

    def __init__(self, timeline: Timeline):
        group = -(-len(timeline.bins) // _POINTS)
        self._group = group
        self.widths = self._grouped(timeline.bins, sum)
        self.edges = [0, *accumulate(self.widths)]
        launches = list(accumulate(timeline.launches))[:-1]
        self.borders = launches if len(launches) < _BORDERS else []

    def shares(self, values: Sequence[int]) -> list[float]:
        """Sums over the drawn bins, by their cycles."""
        totals = self._grouped(values, sum)
        return [total / width for total, width in zip(totals, self.widths, strict=True)]

    def highest(self, values: Sequence[int]) -> list[int]:
        """The highest in each drawn bin."""
        return self._grouped(values, max)

    def _grouped(self, values: Sequence[int], what: Callable) -> list[int]:
        return [what(values[n : n + self._group]) for n in range(0, len(values), self._group)]

    def steps(self, values: Sequence[float], x: Scale, y: Scale) -> list[tuple[float, float]]:
        """A line that is level within each bin."""
        points = []
        for n, value in enumerate(values):
            points += [(x(self.edges[n]), y(value)), (x(self.edges[n + 1]), y(value))]
        return points


def level(timeline: Timeline, found: Levels, name: str, what: str, limit: str) -> str:
    """Mean and peak of a level in each bin, and the most that it can be, called ``limit``."""
    axis = Axis(timeline)
    means = axis.shares(found.sums)
    chart = Chart(920, 230, (76, 14, 900, 180), f"{name} over time")
    x, y = _scales(chart, axis, found.capacity * 1.12)
    chart.y_axis(_levels(found.capacity), y, what)
    line = axis.steps(means, x, y)
    chart.path([(x(0), y(0)), *line, (x(axis.edges[-1]), y(0))], "area", close=True)
    chart.path(axis.steps(axis.highest(found.peaks), x, y), "peak")
    chart.path(line, "mean")
    chart.line(chart.left, y(found.capacity), chart.right, y(found.capacity), "limit")
    text = f"{limit}: {number(found.capacity)}"
    chart.text(chart.right - 4, y(found.capacity) - 5, text, "note", "end")
    return legend([("mean-key", "mean of the cycles"), ("peak-key", "highest")]) + chart.svg()


def throughput(timeline: Timeline) -> str:
    """Lines per cycle that each port moves."""
    axis = Axis(timeline)
    chart = Chart(920, 230, (76, 14, 900, 180), "Lines per cycle over time")
    x, y = _scales(chart, axis, 1.06)
    chart.y_axis([0, 0.25, 0.5, 0.75, 1], y, "lines per cycle")
    for port, lines in timeline.ports.items():
        chart.path(axis.steps(axis.shares(lines), x, y), f"line {port}")
    chart.line(chart.left, y(1), chart.right, y(1), "limit")
    return legend([(f"{port}-key", f"{port} port") for port in timeline.ports]) + chart.svg()


def activity(timeline: Timeline) -> str:
    """A strip for each unit: what part of each bin it was busy, blocked or starved."""
    axis = Axis(timeline)
    bottom = 10 + _STRIP * len(timeline.units)
    chart = Chart(920, bottom + 44, (110, 10, 900, bottom), "What each unit does over time")
    x, _ = _scales(chart, axis, 1)
    for n, (unit, states) in enumerate(timeline.units.items()):
        top, base = chart.top + n * _STRIP + 3, chart.top + (n + 1) * _STRIP - 3
        y = linear((0, 1), (base, top))
        chart.text(chart.left - 10, (top + base) / 2 + 4, unit_name(unit), "row", "end")
        below = [0.0] * len(axis.widths)
        for state in STATES:
            above = [a + b for a, b in zip(below, axis.shares(states[state]), strict=True)]
            outline = axis.steps(above, x, y) + axis.steps(below, x, y)[::-1]
            chart.path(outline, state, close=True)
            below = above
    return legend([(state, state) for state in STATES]) + chart.svg()


def _scales(chart: Chart, axis: Axis, high: float) -> tuple[Scale, Scale]:
    x = linear((0, axis.edges[-1]), (chart.left, chart.right))
    chart.x_axis(ticks(axis.edges[-1], 8), x, "cycles from the start of the run", cycles)
    for border in axis.borders:
        chart.line(x(border), chart.top, x(border), chart.bottom, "border")
    return x, linear((0, high), (chart.bottom, chart.top))


def _levels(capacity: int) -> list[float]:
    return [tick for tick in ticks(capacity, 4) if float(tick).is_integer()]
