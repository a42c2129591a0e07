"""The page: what all documents have in common first, then a section for each."""

from collections.abc import Sequence
from html import escape

from . import histogram, over_time, stalls
from .bars import utilizations
from .counters import counter_table
from .documents import Document, Point
from .roofline import roofline
from .style import CSS
from .svg import legend

_LEVELS = {
    "dataq_level": ("DataQ occupancy", "vectors", "depth"),
    "ctrlq_level": ("CtrlQ occupancy", "tokens", "depth"),
    "outstanding": ("Loads outstanding", "loads", "MSHRs"),
}


def page(documents: Sequence[Document], version: str) -> str:
    """The whole page as text; at least one document."""
    machines: dict[str, list[Document]] = {}
    for document in documents:
        machines.setdefault(document.config_hash, []).append(document)
    parts = [_machine(mine) for mine in machines.values()]
    parts += [_document(document) for document in documents]
    title = documents[0].title if len(documents) == 1 else f"{len(documents)} reports"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{CSS}</style></head>\n<body><main>\n"
        f'<h1>Ember report</h1><p class="lead">{escape(title)}</p>\n{"".join(parts)}'
        f"<footer>Made by ember {escape(version)} from "
        f"{escape(', '.join(document.path for document in documents))}.</footer>\n"
        "</main></body></html>\n"
    )


def _machine(documents: Sequence[Document]) -> str:
    """Configuration and roofline of one machine."""
    config = documents[0].config
    settings = " ".join(f"{name}={value}" for name, value in config.items())
    out = [f"<h2>Machine {escape(documents[0].config_hash)}</h2>"]
    out.append(f'<p class="settings"><code>{escape(settings)}</code></p>\n')
    if any(document.points for document in documents):
        out.append(
            '<h3>Roofline</h3><p class="note-line">How far a point is below the port bound is its '
            "utilization. Left of the ridge the port limits, right of it the execute pipeline."
            "</p>\n"
        )
        if len(documents) > 1:
            out.append(
                legend((f"p{n % 4}", f"{d.title} ({d.path})") for n, d in enumerate(documents))
            )
        out.append(roofline(documents))
    return "".join(out)


def _document(document: Document) -> str:
    out = [f"<h2>{escape(document.title)}</h2>", _facts(document)]
    if document.missing:
        out.append(f'<p class="missing">{_code(document.missing)}</p>\n')
    points = document.points
    if document.kind == "bench" and points:
        out.append("<h3>Utilization</h3>")
        limits = [_limit(document, point) for point in points]
        if min(limits) < 1:
            out.append('<p class="note-line">Dashed: what Little\'s law allows.</p>\n')
        out.append(utilizations(points, limits))
    out.append(_section("What each unit does", stalls.units(document)))
    port = stalls.reasons(points, stalls.PORT, "Cycles of the read port")
    execute = stalls.reasons(points, stalls.EXECUTE, "Cycles of the execute pipeline")
    out.append(_section("Read port", port) + _section("Execute pipeline", execute))
    if timeline := document.timeline:
        if timeline.units:
            out.append(_section("Units over time", over_time.activity(timeline)))
        if timeline.ports:
            out.append(_section("Lines per cycle", over_time.throughput(timeline)))
        for name, found in timeline.levels.items():
            heading, what, limit = _LEVELS.get(name, (name, name, "limit"))
            charts = over_time.level(timeline, found, heading, what, limit)
            out.append(_section(heading, charts + histogram.histogram(found, heading, what)))
    if document.counters:
        out.append(counter_table(document.counters))
    return "".join(out)


def _facts(document: Document) -> str:
    facts = [
        ("configuration", document.config_hash), ("memory", document.latency),
        ("seed", str(document.seed)), *document.facts,
    ]  # fmt: skip
    items = "".join(f"<div><dt>{escape(n)}</dt><dd>{escape(v)}</dd></div>" for n, v in facts)
    return f'<div class="card"><dl class="facts">{items}</dl></div>\n'


def _section(heading: str, content: str) -> str:
    return f"<h3>{escape(heading)}</h3>{content}" if content else ""


def _limit(document: Document, point: Point) -> float:
    """Utilization that Little's law allows; 1 if it sets no limit."""
    mean = point.mean_latency
    if mean is None or point.law is None:
        return 1.0
    return min(1.0, document.config["mshrs"] / mean) * point.law


def _code(text: str) -> str:
    """Escaped text with what is in backquotes as code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{p}</code>" if n % 2 else p for n, p in enumerate(parts))
