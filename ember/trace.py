"""Traces in the Chrome trace event format, which ui.perfetto.dev opens. 1 us is 1 cycle.

Ref: "Trace Event Format", Google, the JSON object format: metadata events (``M``), complete events
(``X``) and counter events (``C``).
"""

import json
from collections.abc import Iterable, Iterator, Sequence

from .files import written
from .parts import Config
from .recorded import Launch, unit_name

#: Cycles of a trace, unless told otherwise; a busy machine fills some 10 MB with them.
CYCLES = 20_000

_PROCESS = 1
_STATES = ("starved", "busy", "blocked")
_LEVELS = {
    "dataq_level": ("DataQ level", "vectors"),
    "ctrlq_level": ("CtrlQ level", "tokens"),
    "outstanding": ("loads outstanding", "loads"),
}
_PORTS = {"read": "read port", "write": "write port"}

Event = dict[str, object]


def write_trace(
    path: str, launches: Sequence[Launch], config: Config, report: dict | None = None
) -> None:
    """Write a trace of recorded launches, one after the other.

    Parameters
    ----------
    path : file; ``-`` is standard output
    launches : at least one
    config : of the machine
    report : kept in the file as ``otherData.ember``, for ``ember report``

    Raises
    ------
    InputError
        The file cannot be written.
    """
    other = {"time": "1 us is 1 cycle from the start of the run", "cut": cut_text(launches)}
    with written(path) as out:
        out.append('{"displayTimeUnit": "ms",\n"traceEvents": [\n')
        separator = ""
        for event in events(launches, config):
            out.append(separator + json.dumps(event, separators=(",", ":")))
            separator = ",\n"
        out.append('\n],\n"otherData": ' + json.dumps({**other, "ember": report}) + "}\n")


def cut_text(launches: Sequence[Launch]) -> str:
    """What of the run is not in its trace; empty if nothing is missing."""
    cycles = sum(launch.recording.cycles for launch in launches)
    kept = [(offset + a, offset + b) for offset, (a, b) in _windows(launches) if a < b]
    if not kept:
        return f"no cycle of the run's {cycles:,} is in the trace's window"
    first, after = kept[0][0], kept[-1][1]
    if (first, after) == (0, cycles):
        return ""
    return f"cycles {first:,} to {after - 1:,} of {cycles:,}; the others are cut"


def events(launches: Sequence[Launch], config: Config) -> Iterator[Event]:
    """Names first, then everything else in the order of time."""
    units = list(launches[0].recording.units)
    threads = ["launch"]
    for unit in units:
        threads.append(unit)
        if unit == "execute":
            threads.append("tokens")
    numbers = {thread: number for number, thread in enumerate(threads, 1)}
    yield _metadata(0, "process_name", name=f"ember {config.hash}")
    for thread, number in numbers.items():
        yield _metadata(number, "thread_name", name=_thread_name(thread))
        yield _metadata(number, "thread_sort_index", sort_index=number)
    for number, (launch, (offset, window)) in enumerate(
        zip(launches, _windows(launches), strict=True)
    ):
        if window[0] == window[1]:
            continue
        mine = [
            *_launch(launch, number, numbers["launch"], window),
            *_units(launch, numbers, window[1]),
            *_tokens(launch, numbers.get("tokens", 0), window),
            *_counters(launch),
        ]
        mine.sort(key=lambda event: event["ts"])  # type: ignore[arg-type]
        for event in mine:
            event["ts"] = offset + int(event["ts"])  # type: ignore[call-overload]
            yield event


def _windows(launches: Sequence[Launch]) -> Iterator[tuple[int, tuple[int, int]]]:
    """For each launch: the cycles before it, and its window."""
    offset = 0
    for launch in launches:
        yield offset, launch.recording.window
        offset += launch.recording.cycles


def _thread_name(thread: str) -> str:
    own = {"launch": "launch", "tokens": "execute: tokens"}
    return own.get(thread) or unit_name(thread)


def _metadata(thread: int, name: str, /, **args: object) -> Event:
    return {"ph": "M", "pid": _PROCESS, "tid": thread, "ts": 0, "name": name, "args": args}


def _slice(thread: int, name: str, kind: str, start: int, stop: int, **args: object) -> Event:
    event: Event = {
        "ph": "X", "pid": _PROCESS, "tid": thread, "ts": start, "dur": stop - start,
        "name": name, "cat": kind,
    }  # fmt: skip
    return {**event, "args": args} if args else event


def _launch(
    launch: Launch, number: int, thread: int, window: tuple[int, int]
) -> Iterator[Event]:
    tables = ", ".join(dict.fromkeys(launch.tables))
    yield _slice(thread, f"launch {number}", "launch", *window, tables=tables)


def _units(launch: Launch, numbers: dict[str, int], stop: int) -> Iterator[Event]:
    for unit in launch.recording.units:
        changes = launch.recording.changes[unit].tolist()
        for (start, state), (end, _) in zip(changes, [*changes[1:], (stop, 0)], strict=True):
            yield _slice(numbers[unit], _STATES[state], "unit", start, end)


def _tokens(launch: Launch, thread: int, window: tuple[int, int]) -> Iterator[Event]:
    """Each from its first step to its last, as far as it is in the window."""
    for token in launch.recording.tokens:
        start, stop = max(int(token["begin"]), window[0]), min(int(token["end"]), window[1])
        names = ("pushed", "pc", "lane", "segment", "first", "last", "arg")
        args = {name: int(token[name]) for name in names}
        yield _slice(thread, launch.token_name(token), "token", start, stop, **args)


def _counters(launch: Launch) -> Iterator[Event]:
    changes = launch.recording.changes
    for level, (name, what) in _LEVELS.items():
        yield from _counter(name, what, changes.get(level, ()))
    for port, name in _PORTS.items():
        yield from _counter(name, "lines", changes.get(port, ()))


def _counter(name: str, what: str, changes: Iterable) -> Iterator[Event]:
    for cycle, value in changes:
        yield {
            "ph": "C", "pid": _PROCESS, "tid": 0, "ts": int(cycle), "name": name,
            "args": {what: int(value)},
        }  # fmt: skip
