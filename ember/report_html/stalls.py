"""Where the cycles went: each bar adds up to all of them."""

from collections.abc import Sequence

from ..recorded import unit_name
from .bars import stacked
from .documents import STATES, Document, Point
from .svg import legend

#: Counter -> its class and what it means. Each group adds up to the cycles.
PORT = {
    "port_busy": ("busy", "line requested"),
    "port_mshr": ("blocked", "all MSHRs in use"),
    "port_memory": ("memory", "memory not ready"),
    "port_ring": ("ring", "row buffer full"),
    "port_idle": ("starved", "nothing to request"),
}
EXECUTE = {
    "exec_busy": ("busy", "operation issued"),
    "exec_store": ("blocked", "waited for the store unit"),
    "exec_hazard": ("memory", "waited for its own result"),
    "exec_data": ("ring", "waited for data"),
    "exec_token": ("starved", "waited for a token"),
}


def units(document: Document) -> str:
    """Busy, blocked and starved cycles of each unit of a run; empty if nobody counted them."""
    rows = []
    for unit, states in _by_unit(document).items():
        total = sum(states.values())
        if total:
            shares = [(state, state, states[state] / total) for state in STATES]
            rows.append((unit_name(unit), shares))
    if not rows:
        return ""
    return legend([(state, state) for state in STATES]) + stacked(rows, "Cycles of each unit")


def _by_unit(document: Document) -> dict[str, dict[str, int]]:
    """Unit -> state -> cycles: from the machine's counters, or else as recorded."""
    counters = document.counters
    found = {
        name.removesuffix("_starved"): {
            state: counters.get(f"{name.removesuffix('_starved')}_{state}", 0) for state in STATES
        }
        for name in counters
        if name.endswith("_starved")
    }
    if not found and document.timeline is not None:
        for unit, states in document.timeline.units.items():
            found[unit] = {state: sum(cycles) for state, cycles in states.items()}
    return found


def reasons(points: Sequence[Point], group: dict[str, tuple[str, str]], label: str) -> str:
    """A bar for each point with counters: what a unit waited for."""
    rows = []
    for point in points:
        total = sum(point.counters.get(name, 0) for name in group)
        if total:
            name = point.label if len(points) == 1 else point.where
            shares = [(k, what, point.counters.get(n, 0) / total) for n, (k, what) in group.items()]
            rows.append((name, shares))
    return legend(group.values()) + stacked(rows, label) if rows else ""
