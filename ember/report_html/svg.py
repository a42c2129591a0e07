"""What every chart needs: scales, axes, marks, and text that cannot break out of the page."""

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape

Scale = Callable[[float], float]


def linear(domain: tuple[float, float], place: tuple[float, float]) -> Scale:
    """Map ``domain`` onto ``place``; an empty domain maps onto its start."""
    (low, high), (start, stop) = domain, place
    span = (high - low) or 1
    return lambda value: start + (value - low) / span * (stop - start)


def log(domain: tuple[float, float], place: tuple[float, float]) -> Scale:
    """As :func:`linear`, of logarithms."""
    inner = linear((math.log(domain[0]), math.log(domain[1])), place)
    return lambda value: inner(math.log(value))


def ticks(high: float, count: int = 5) -> list[float]:
    """About ``count`` round numbers from 0 to ``high``."""
    if high <= 0:
        return [0]
    raw = high / count
    power = 10 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw * 0.999)
    return [n * step for n in range(math.floor(high / step * 1.0001) + 1)]


def number(value: float) -> str:
    """A tick's or a figure's text."""
    if value and abs(value) < 1:
        return f"{value:.3g}"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def cycles(value: float) -> str:
    """Cycles, short."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.4g} {unit}"
    return f"{value:.4g}"


class Chart:
    """An SVG that grows by marks. Coordinates are CSS pixels at its design width.

    ``plot`` is left, top, right and bottom of the area inside the axes.
    """

    def __init__(self, width: int, height: int, plot: tuple[int, int, int, int], label: str):
        self.width, self.height = width, height
        self.left, self.top, self.right, self.bottom = plot
        self._label = label
        self._parts: list[str] = []

    def add(self, mark: str) -> None:
        """Raw SVG."""
        self._parts.append(mark)

    def text(
        self, x: float, y: float, text: str, kind: str = "", anchor: str = "start", turn: int = 0
    ) -> None:
        """Text of class ``kind``, turned by ``turn`` degrees."""
        turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
        self.add(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}"{turned}>'
            f"{escape(text)}</text>"
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        """A straight line of class ``kind``."""
        self.add(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'
        )

    def rect(self, x: float, y: float, w: float, h: float, kind: str, title: str = "") -> None:
        """A box with a tooltip."""
        self.add(
            f'<rect x="{x:.2f}" y="{y:.2f}" width="{max(w, 0):.2f}" height="{max(h, 0):.2f}" '
            f'class="{kind}">{_title(title)}</rect>'
        )

    def dot(self, x: float, y: float, kind: str, title: str, radius: float = 5) -> None:
        """A point with a tooltip."""
        self.add(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" class="{kind}">'
            f"{_title(title)}</circle>"
        )

    def path(self, points: Iterable[tuple[float, float]], kind: str, close: bool = False) -> None:
        """A polyline, or an area if it is to be closed."""
        d = "L".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.add(f'<path d="M{d}{"Z" if close else ""}" class="{kind}"/>')

    def x_axis(
        self, at: Sequence[float], scale: Scale, label: str, text: Callable[[float], str] = number
    ) -> None:
        """Ticks below the plot, with grid lines."""
        for value in at:
            x = scale(value)
            self.line(x, self.top, x, self.bottom, "grid")
            self.text(x, self.bottom + 18, text(value), "tick", "middle")
        self.text((self.left + self.right) / 2, self.bottom + 38, label, "axis", "middle")

    def y_axis(
        self, at: Sequence[float], scale: Scale, label: str, text: Callable[[float], str] = number
    ) -> None:
        """Ticks left of the plot, with grid lines."""
        for value in at:
            y = scale(value)
            self.line(self.left, y, self.right, y, "grid")
            self.text(self.left - 8, y + 4, text(value), "tick", "end")
        middle = (self.top + self.bottom) / 2
        self.text(self.left - 52, middle, label, "axis", "middle", turn=-90)

    def svg(self) -> str:
        """The finished chart; it scrolls where the page is too narrow for it."""
        return (
            f'<div class="chart"><svg viewBox="0 0 {self.width} {self.height}" role="img" '
            f'aria-label="{escape(self._label)}">{"".join(self._parts)}</svg></div>\n'
        )


def legend(entries: Iterable[tuple[str, str]]) -> str:
    """Swatches of classes with their meaning."""
    items = "".join(
        f'<span class="key"><svg width="12" height="12" aria-hidden="true"><rect width="12" '
        f'height="12" rx="2" class="{kind}"/></svg>{escape(text)}</span>'
        for kind, text in entries
    )
    return f'<p class="legend">{items}</p>\n'


def _title(text: str) -> str:
    return f"<title>{escape(text)}</title>" if text else ""
