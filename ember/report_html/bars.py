"""Horizontal bars: stacked shares that add up to 100 %, and shares of a bound."""

from collections.abc import Sequence

from .documents import Point
from .svg import Chart, linear

_ROW = 26

Shares = Sequence[tuple[str, str, float]]


def stacked(rows: Sequence[tuple[str, Shares]], label: str) -> str:
    """A bar for each row; its shares are (class, meaning, part of all cycles)."""
    left = _left([name for name, _ in rows])
    bottom = 8 + _ROW * len(rows)
    chart = Chart(920, bottom + 44, (left, 8, 900, bottom), label)
    x = linear((0, 1), (chart.left, chart.right))
    chart.x_axis([n / 5 for n in range(6)], x, "share of the cycles", _percent)
    for n, (name, shares) in enumerate(rows):
        top = chart.top + n * _ROW
        chart.text(left - 10, top + 17, _short(name), "row", "end")
        at = 0.0
        for kind, meaning, share in shares:
            wide = x(share) - x(0)
            text = f"{100 * share:.1f} %"
            chart.rect(x(at), top + 3, wide, _ROW - 6, kind, f"{name}: {meaning} {text}")
            if wide > 48:
                chart.text(x(at) + wide / 2, top + 17, text, f"on {kind}", "middle")
            at += share
    return chart.svg()


def utilizations(points: Sequence[Point], limits: Sequence[float]) -> str:
    """A bar for each point, and a mark where Little's law puts its limit."""
    names = [point.where for point in points]
    left = _left(names)
    bottom = 8 + _ROW * len(points)
    chart = Chart(920, bottom + 44, (left, 8, 850, bottom), "Utilization of each point")
    x = linear((0, 1), (chart.left, chart.right))
    label = "utilization: port-bound by measured cycles"
    chart.x_axis([n / 5 for n in range(6)], x, label, _percent)
    for n, (name, point, limit) in enumerate(zip(names, points, limits, strict=True)):
        top = chart.top + n * _ROW
        text = f"{100 * point.utilization:.1f} %" + ("" if point.bit_exact else ", WRONG")
        chart.text(left - 10, top + 17, _short(name), "row", "end")
        wide = x(min(point.utilization, 1)) - x(0)
        kind = "busy" if point.bit_exact else "blocked"
        chart.rect(x(0), top + 4, wide, _ROW - 8, kind, f"{name}: {point.cycles:,} cycles")
        if limit < 1:
            chart.line(x(limit), top + 1, x(limit), top + _ROW - 1, "limit")
        chart.text(max(x(0) + wide, x(limit) if limit < 1 else 0) + 8, top + 17, text, "label")
    return chart.svg()


def _left(names: Sequence[str]) -> int:
    """Room for names, at some 7 pixels a letter."""
    return min(330, max(110, 20 + 7 * max(len(_short(name)) for name in names)))


def _short(name: str) -> str:
    return name if len(name) <= 44 else f"{name[:43]}…"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
