"""Roofline: how fast elements are accumulated, against what the ports and the pipeline allow.

Ref: S. Williams, A. Waterman, D. Patterson: "Roofline: an insightful visual performance model for
multicore architectures", Communications of the ACM 52(4), 2009.
"""

import math
from collections.abc import Sequence

from .documents import Document, Point
from .svg import Chart, log, number

#: Points with their labels beside them; more than that would be a blot.
_LABELLED = 6


def roofline(documents: Sequence[Document]) -> str:
    """The chart of documents with one configuration."""
    config = documents[0].config
    lanes, line_bytes = config["lanes"], 4 * config["lanes"]
    points = [(n, point) for n, d in enumerate(documents) for point in d.points if point.intensity]
    lows = [p.intensity for _, p in points]
    x_domain = (_power(min(lows, default=0.25)) / 2, 1.0)
    y_low = min([p.rate for _, p in points if p.rate] or [lanes / 16])
    y_domain = (_power(min(y_low, x_domain[0] * line_bytes)) / 2, lanes * 2.0)
    chart = Chart(920, 420, (76, 20, 900, 360), "Roofline of the machine with measured points")
    x = log(x_domain, (chart.left, chart.right))
    y = log(y_domain, (chart.bottom, chart.top))
    chart.x_axis(
        _powers(*x_domain), x, "elements accumulated per byte of the busier port", _fraction
    )
    chart.y_axis(_powers(*y_domain), y, "elements accumulated per cycle", _fraction)

    def roof(share: float, kind: str, text: str, side: int, *places: float) -> None:
        """What ``share`` lines per cycle allow.

        The text is above (-1) or below (1) the line, at the first part of its length where no
        point is in its way.
        """
        slope = share * line_bytes
        ridge = min(lanes / slope, x_domain[1])
        start = max(x_domain[0], y_domain[0] / slope)
        chart.path([(x(start), y(start * slope)), (x(ridge), y(ridge * slope))], kind)
        ats = [start ** (1 - along) * ridge**along for along in places]
        half = 3.5 * len(text)

        def free(at: float) -> bool:
            return not any(
                abs(x(p.intensity) - x(at)) < half
                and -4 < side * (y(max(p.rate, y_domain[0])) - y(p.intensity * slope)) < 28
                for _, p in points
            )

        at = next(filter(free, ats), ats[0])
        angle = math.degrees(
            math.atan2(y(ridge * slope) - y(start * slope), x(ridge) - x(start))
        )
        chart.text(
            x(at) - 4 * side, y(at * slope) + 13 * side + 4, text, "note", "middle",
            turn=round(angle),
        )  # fmt: skip

    chart.line(x(lanes / line_bytes), y(lanes), x(x_domain[1]), y(lanes), "roof")
    chart.text(
        chart.right - 6, y(lanes) - 9, f"execute pipeline: {number(lanes)} per cycle", "note", "end"
    )
    roof(1, "roof", f"port bound: 1 line of {line_bytes} bytes per cycle", -1, 0.45, 0.3)
    for latency, share in _covered(config["mshrs"], points):
        text = f"{config['mshrs']} loads / {latency:g} cycles: {share:.2g} lines per cycle"
        roof(share, "roof little", text, 1, 0.65, 0.3, 0.8)
    for place, (source, point) in enumerate(points):
        where = x(point.intensity), y(max(point.rate, y_domain[0]))
        kind = f"point p{source % 4}" + ("" if point.bit_exact else " wrong")
        chart.dot(*where, kind, _describe(point))
        if len(points) <= _LABELLED:
            label = f"{point.label}: {100 * point.utilization:.1f} %"
            chart.text(where[0] + 10, where[1] + 18 + 15 * (place % 2), label, "label")
    return chart.svg()


def _describe(point: Point) -> str:
    return (
        f"{point.where}: {100 * point.utilization:.1f} % of the port "
        f"bound, {point.rate:.3g} elements per cycle, {point.cycles:,} cycles"
        + ("" if point.bit_exact else ", WRONG")
    )


def _covered(mshrs: int, points: Sequence[tuple[int, Point]]) -> list[tuple[float, float]]:
    """Latencies that the outstanding loads do not cover, and lines per cycle by Little's law."""
    found = {}
    for _, point in points:
        mean = point.mean_latency
        if point.law is not None and mean is not None and mean > mshrs:
            found[mean] = mshrs / mean
    return sorted(found.items())


def _power(value: float) -> float:
    """The power of two at or below."""
    return 2.0 ** math.floor(math.log2(value))


def _powers(low: float, high: float) -> list[float]:
    first, last = math.ceil(math.log2(low)), math.floor(math.log2(high))
    return [2.0**n for n in range(first, last + 1, max(1, (last - first) // 6))]


def _fraction(value: float) -> str:
    return number(value) if value >= 1 else f"1/{number(1 / value)}"
