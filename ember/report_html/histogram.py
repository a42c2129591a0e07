"""For how many cycles a level was what it was."""

from .documents import Levels
from .svg import Chart, linear, number, ticks

_BARS = 48


def histogram(found: Levels, name: str, what: str) -> str:
    """Share of the cycles at each level, or at each range of levels if there are many."""
    total = sum(found.histogram) or 1
    group = -(-(found.capacity + 1) // _BARS)
    counts = found.histogram + [0] * (found.capacity + 1 - len(found.histogram))
    bars = [sum(counts[n : n + group]) / total for n in range(0, len(counts), group)]
    chart = Chart(920, 200, (76, 14, 900, 150), f"Histogram of the {name}")
    high = max(bars)
    x = linear((0, len(bars)), (chart.left, chart.right))
    y = linear((0, high * 1.05), (chart.bottom, chart.top))
    chart.y_axis(ticks(high, 4), y, "share of cycles", lambda share: f"{100 * share:.3g} %")
    every = -(-len(bars) // 16)
    for n, share in enumerate(bars):
        low, top = n * group, min((n + 1) * group - 1, found.capacity)
        text = number(low) if low == top else f"{low}–{top}"
        wide = x(1) - x(0)
        title = f"{text} {what}: {100 * share:.2f} % of the cycles"
        chart.rect(x(n) + wide * 0.08, y(share), wide * 0.84, chart.bottom - y(share), "bar", title)
        if n % every == 0:
            chart.text(x(n) + wide / 2, chart.bottom + 18, number(low), "tick", "middle")
    chart.text((chart.left + chart.right) / 2, chart.bottom + 38, f"{what} held", "axis", "middle")
    return chart.svg()
