"""Where the cycles went: what each unit did, why it waited, and how full the queues were."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from .parts import Config, bin_levels, isa
from .recorded import unit_name

_BAR = 30
_LEVEL_BAR = 20

#: What a unit does in a cycle, with its mark in the bars.
_STATES = {"busy": "#", "blocked": "x", "starved": "."}

#: Unit -> state -> the counters that it is made of, and what the unit waited for.
_REASONS = {
    "loads": {
        "blocked": {"port_mshr": "a free MSHR", "port_memory": "the memory"},
        "starved": {"port_ring": "a free slot in the row buffer", "port_idle": "a request"},
    },
    "execute": {
        "blocked": {"exec_hazard": "its own result", "exec_store": "the store unit"},
        "starved": {"exec_token": "a token", "exec_data": "data"},
    },
}


def shares(parts: Sequence[int], total: int) -> list[int]:
    """``parts`` scaled to whole numbers that add up to ``total``; the largest remainders go up."""
    whole = sum(parts)
    if not whole:
        return [0] * len(parts)
    scaled = [part * total // whole for part in parts]
    order = sorted(range(len(parts)), key=lambda k: -(parts[k] * total % whole))
    for k in order[: total - sum(scaled)]:
        scaled[k] += 1
    return scaled


def unit_table(config: Config, counters: Mapping[str, int]) -> list[str]:
    """What each unit did: a line per unit, whose three percentages add up to 100.0."""
    head = "".join(f"{state:>9}" for state in _STATES)
    marks = ", ".join(f"{mark} {state}" for state, mark in _STATES.items())
    lines = [f"  % of the cycles{head}   {marks}"]
    for unit in isa.units(config):
        cycles = [counters[f"{unit}_{state}"] for state in _STATES]
        percent = "".join(f"{_percent(share):>9}" for share in shares(cycles, 1000))
        bar = "".join(
            mark * n for mark, n in zip(_STATES.values(), shares(cycles, _BAR), strict=True)
        )
        lines.append(f"    {unit_name(unit):<13}{percent}   {bar}")
    return lines


def wait_table(counters: Mapping[str, int]) -> list[str]:
    """What load unit and execute pipeline waited for, in parts of the unit table's figures."""
    lines = ["  waited for"]
    for unit, states in _REASONS.items():
        whole = shares([counters[f"{unit}_{state}"] for state in _STATES], 1000)
        percent = dict(zip(_STATES, whole, strict=True))
        for state, causes in states.items():
            split = shares([counters[name] for name in causes], percent[state])
            texts = ", ".join(
                f"{text} {_percent(share)}"
                for text, share in zip(causes.values(), split, strict=True)
            )
            name = unit_name(unit) if state == "blocked" else ""
            lines.append(f"    {name:<15}{state:<9}{texts}")
    return lines


def queue_table(config: Config, counters: Mapping[str, int]) -> list[str]:
    """How full the queues were, side by side; each column adds up to 100.0."""
    columns = [
        _levels(name, depth, counters)
        for name, depth in (("DataQ", config.dataq_depth), ("CtrlQ", config.ctrlq_depth))
    ]
    return [f"  {left:<42}{right}".rstrip() for left, right in zip_longest(*columns, fillvalue="")]


def _levels(name: str, depth: int, counters: Mapping[str, int]) -> list[str]:
    bins = [
        (_range(levels), counters[f"{name.lower()}_bin{k}"])
        for k, levels in enumerate(bin_levels(depth))
        if levels
    ]
    cycles = [count for _, count in bins]
    percent, bars = shares(cycles, 1000), shares(cycles, _LEVEL_BAR)
    return [
        f"{name + ' level':<13}{'%':>7}",
        *(
            f"  {text:<11}{_percent(share):>7}   {'#' * bar}"
            for (text, _), share, bar in zip(bins, percent, bars, strict=True)
        ),
    ]


def _range(levels: range) -> str:
    return str(levels[0]) if len(levels) == 1 else f"{levels[0]}-{levels[-1]}"


def _percent(share: int) -> str:
    return f"{share // 10}.{share % 10}"
