"""The report of a nest's run, for people and as JSON."""

from collections.abc import Sequence

from .check import Comparison
from .nest_result import NestResult
from .report import (
    Row,
    comparisons_json,
    cycles_row,
    figures_table,
    machine_json,
    machine_rows,
    memory_rows,
    stalls,
    table,
    verdicts,
)
from .timeline import timeline


def nest_text(title: str, result: NestResult, comparison: Comparison) -> str:
    """Aligned plain text."""
    what = [("operation", f"nest {result.function!r}"), *machine_rows(result)]
    what += [("converted", line) for line in result.converted]
    rows = [cycles_row(result)]
    if result.options.engine == "cpu":
        rows.append(("milliseconds", f"{1e3 * result.run_seconds:,.3f}", ""))
    parts: Sequence[list[str]] = [
        table(what),
        figures_table(_arguments(result)),
        figures_table(rows + memory_rows(result)),
        *stalls(result),
        verdicts([comparison]),
    ]
    return "\n".join([title, *(line for part in parts for line in ("", *part))]) + "\n"


def nest_json(title: str, result: NestResult, comparison: Comparison) -> dict:
    """The same as a dictionary of plain values."""
    source = result.source
    return {
        "title": title,
        **machine_json(result),
        "function": result.function,
        "arrays": [
            {
                "name": argument.name, "dtype": argument.dtype,
                "shape": list(source.arrays[argument.name].shape), "written": argument.written,
            }
            for argument in source.signature
            if argument.name in source.arrays
        ],
        "integers": dict(source.integers),
        "converted": list(result.converted),
        "launches": result.launches,
        "cycles": result.cycles,
        "counters": result.counters,
        "compile_seconds": result.compile_seconds,
        "run_seconds": result.run_seconds,
        **comparisons_json([comparison]),
        "timeline": timeline(list(result.recorded), result.config) if result.recorded else None,
    }  # fmt: skip


def _arguments(result: NestResult) -> list[Row]:
    """Name, shape or value, and what the nest does with it."""
    source, rows = result.source, []
    for argument in source.signature:
        name = argument.name
        if name in source.integers:
            rows.append((name, str(source.integers[name]), argument.type))
            continue
        shape = " x ".join(map(str, source.arrays[name].shape))
        use = "written" if argument.written else "read"
        rows.append((name, shape or "1", f"{argument.dtype}, {use}"))
    return rows
