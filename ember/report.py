"""The report of a run, for people and as JSON."""

import dataclasses
from collections.abc import Sequence

from .board import BoardFacts
from .check import Comparison
from .nest_result import NestResult
from .options import RunOptions
from .parts import Dram, DramStatistics
from .result import Result
from .stalls import queue_table, unit_table, wait_table
from .timeline import timeline

AnyResult = Result | NestResult

#: Name, figure, note.
Row = tuple[str, str, str]


def text_report(title: str, result: Result, comparisons: Sequence[Comparison]) -> str:
    """Aligned plain text."""
    parts = [_what(result), _figures(result), *stalls(result), verdicts(comparisons)]
    return "\n".join([title, *(line for part in parts for line in ("", *part))]) + "\n"


def json_report(title: str, result: Result, comparisons: Sequence[Comparison]) -> dict:
    """The same as a dictionary of plain values."""
    bound = result.bound
    return {
        "title": title,
        **machine_json(result),
        "tables": [
            {
                "name": r.bag.name, "rows": r.bag.rows, "dim": r.bag.dim, "bags": r.bag.bags,
                "lookups": r.bag.lookups, "mode": r.bag.mode, "weighted": r.bag.weighted,
                "padding_idx": r.bag.padding_idx,
            }
            for r in result.requests
        ],
        "bags": result.bags,
        "lookups": result.lookups,
        "launches": result.launches,
        "cycles": result.cycles,
        "bound_cycles": result.bound_cycles,
        "bound_lines": {
            "table": bound.table, "indices": bound.indices, "offsets": bound.offsets,
            "weights": bound.weights, "output": bound.output,
        },
        "utilization": result.utilization,
        "bytes_per_cycle": result.bytes_per_cycle,
        "cycles_per_lookup": result.cycles_per_lookup,
        "counters": result.counters,
        "compile_seconds": result.compile_seconds,
        "run_seconds": result.run_seconds,
        **comparisons_json(comparisons),
        "timeline": timeline(result.recorded, result.config) if result.recorded else None,
    }  # fmt: skip


def machine_json(result: AnyResult) -> dict:
    """Keys of a report that say on what it ran."""
    board = _board_of(result)
    return {
        "config": result.config.to_dict(),
        "config_hash": result.config.hash,
        "opt": result.opt,
        "engine": result.options.engine,
        "latency": None if board else result.options.latency_text,
        "dram": result.dram.to_dict() if result.dram else None,
        "board": dataclasses.asdict(board) if board else None,
        "seed": result.options.seed,
    }


def comparisons_json(comparisons: Sequence[Comparison]) -> dict:
    """Keys ``bit_exact`` and ``comparisons`` of a report."""
    return {
        "bit_exact": all(c.bit_exact for c in comparisons),
        "comparisons": [
            {
                "reference": c.reference, "values": c.values, "bit_exact": c.bit_exact,
                "skipped": c.skipped, "mismatch": str(c.mismatch) if c.mismatch else None,
            }
            for c in comparisons
        ],
    }  # fmt: skip


def table(pairs: Sequence[tuple[str, str]], indent: str = "  ") -> list[str]:
    """Names and values in two columns."""
    width = max(len(name) for name, _ in pairs)
    return [f"{indent}{name:<{width}}  {value}".rstrip() for name, value in pairs]


def _what(result: Result) -> list[str]:
    first = result.requests[0].bag
    modes = ", ".join(sorted({r.bag.mode for r in result.requests}))
    if len(result.requests) == 1:
        what = f"{modes} over {first.rows:,} x {first.dim} float32"
    else:
        rows = sum(r.bag.rows for r in result.requests)
        dims = sorted({r.bag.dim for r in result.requests})
        what = (
            f"{modes} over {len(result.requests)} tables, {rows:,} rows x "
            f"{', '.join(map(str, dims))} float32"
        )
    if any(r.bag.weighted for r in result.requests):
        what += ", weighted"
    return table([("operation", what), *machine_rows(result)])


def machine_rows(result: AnyResult) -> list[tuple[str, str]]:
    """Configuration, compilation and engine: names and values."""
    config = " ".join(f"{key}={value}" for key, value in result.config.to_dict().items())
    words, lines = config.split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) > 76:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    options = result.options
    engine = options.engine
    if engine == "rtl":
        engine += f", memory {_memory(options)}, seed {options.seed}"
    board = _board_of(result)
    if board is not None:
        engine += f": {board}"
    return [
        ("configuration", f"{result.config.hash}: {lines[0]}"),
        *(("", line) for line in lines[1:]),
        ("compiled", f"{result.opt}, {_count(result.launches, 'launch', 'launches')}, "
                     f"{result.compile_seconds:.2f} s"),
        ("engine", engine),
    ]  # fmt: skip


def _board_of(result: AnyResult) -> BoardFacts | None:
    """The board that it ran on; a nest runs on none."""
    return result.board if isinstance(result, Result) else None


def _memory(options: RunOptions) -> str:
    if isinstance(options.latency, Dram):
        return str(options.latency)
    return f"latency {options.latency_text} cycles"


def _figures(result: Result) -> list[str]:
    bound = result.bound
    lines = (
        f"lines: {bound.table:,} table, {bound.indices:,} index, {bound.offsets:,} offset, "
        + (f"{bound.weights:,} weight, " if bound.weights else "")
        + f"{bound.output:,} output"
    )
    empty = sum(int((r.offsets[1:] == r.offsets[:-1]).sum()) for r in result.requests)
    rows = [
        ("bags", f"{result.bags:,}", f"{empty:,} of them empty" if empty else ""),
        ("lookups", f"{result.lookups:,}", ""),
    ]
    rows.append(cycles_row(result))
    if result.options.engine == "cpu":
        rows.append(_time(result))
    rows.append(("port-bound cycles", f"{bound.cycles:,}", lines))
    if result.utilization is not None and result.bytes_per_cycle is not None:
        rows.append(("utilization", f"{100 * result.utilization:.1f} %", _in_flight(result)))
        rows.append(
            ("bytes per cycle", f"{result.bytes_per_cycle:.1f}",
             f"of {bound.line_bytes} that each port can move")
        )  # fmt: skip
    rows += memory_rows(result)
    if result.cycles_per_lookup is not None:
        rows.append(("cycles per lookup", f"{result.cycles_per_lookup:.2f}", ""))
    return figures_table(rows)


def figures_table(rows: Sequence[Row]) -> list[str]:
    """Names, figures and notes in three columns."""
    names = max(len(name) for name, _, _ in rows)
    values = max(len(value) for _, value, _ in rows)
    return [f"  {n:<{names}}  {v:>{values}}  {note}".rstrip() for n, v, note in rows]


def cycles_row(result: AnyResult) -> Row:
    """Cycles, and how fast they were simulated."""
    if result.cycles is None:
        return "cycles", "-", f"the {result.options.engine} engine has no clock"
    speed = ""
    board = _board_of(result)
    if board is not None:
        speed = _on_board(board, result.cycles)
    elif result.run_seconds > 0 and result.cycles:
        rate = result.cycles / result.run_seconds
        speed = f"simulated in {result.run_seconds:.2f} s, {rate / 1e3:,.0f} thousand per second"
    return "cycles", f"{result.cycles:,}", speed


def memory_rows(result: AnyResult) -> list[Row]:
    """What a read cache and a DRAM did, where there are such."""
    rows = [_cache(result.counters)] if result.cycles and result.config.cache_lines else []
    return rows + (_dram(result.dram) if result.dram is not None else [])


def _on_board(board: BoardFacts, cycles: int) -> str:
    took = f"{1e3 * cycles / board.clock_hz:,.3f} ms of the board's clock"
    moved = f"arrays there in {board.load_seconds:.1f} s, back in {board.store_seconds:.1f} s"
    return f"{took}; {moved}"


def _time(result: Result) -> Row:
    """What the host's processor took."""
    seconds, lookups = result.run_seconds, result.lookups
    each = f"{1e9 * seconds / lookups:.1f} ns per lookup" if lookups else ""
    return "milliseconds", f"{1e3 * seconds:,.3f}", each


def _cache(counters: dict[str, int]) -> Row:
    asked, hits = counters["port_busy"], counters["cache_hits"]
    rest = ", ".join(f"{counters[f'cache_{n}']:,} {n}" for n in ("merged", "misses", "bypassed"))
    return "cache hits", f"{100 * hits / max(asked, 1):.1f} %", f"{hits:,} of {asked:,}; {rest}"


def _dram(dram: DramStatistics) -> list[Row]:
    peak = dram.dram.peak_bytes_per_second / 1e9
    return [
        ("memory bandwidth", f"{dram.bytes_per_second / 1e9:.1f} GB/s",
         f"{100 * dram.of_peak:.1f} % of the peak, {peak:.1f} GB/s; "
         f"data buses busy {100 * dram.bus_busy:.1f} %"),
        ("row hits", f"{100 * dram.row_hit_rate:.1f} %",
         f"{dram.row_hits:,}; {dram.row_misses:,} misses, {dram.row_conflicts:,} conflicts, "
         + _count(dram.refreshes, "refresh", "refreshes")),
        ("read latency", f"{dram.mean_read_cycles:.1f}", "cycles in the memory, on the average"),
    ]  # fmt: skip


def _in_flight(result: Result) -> str:
    """What Little's law leaves of the read port, if that is the limit."""
    if result.board is not None or result.config.cache_lines:
        return ""  # a hit in the read cache frees its MSHR at once
    latency, mshrs = result.options.latency, result.config.mshrs
    if isinstance(latency, Dram):
        return ""  # a DRAM's latency is for the most part its queues'
    mean = sum(latency) / 2 if isinstance(latency, tuple) else latency
    if mshrs >= mean or result.bound.reads < result.bound.writes:
        return ""
    return f"{mshrs} MSHRs / {mean:g} cycles of latency allow {100 * mshrs / mean:.1f} %"


def stalls(result: AnyResult) -> list[list[str]]:
    """Tables of what each unit did and waited for; none without counters."""
    config, counters = result.config, result.counters
    cycles = counters.get("cycles")
    if not cycles:
        return []
    mean = counters["outstanding_sum"] / cycles
    levels = (
        f"  highest levels: DataQ {counters['dataq_peak']} of {config.dataq_depth}, "
        f"CtrlQ {counters['ctrlq_peak']} of {config.ctrlq_depth}, "
        f"loads outstanding {counters['outstanding_peak']} of {config.mshrs} (mean {mean:.1f})"
    )
    return [
        unit_table(config, counters),
        wait_table(counters),
        queue_table(config, counters),
        [levels],
    ]


def verdicts(comparisons: Sequence[Comparison]) -> list[str]:
    """A line for each comparison."""
    out = []
    for c in comparisons:
        if c.skipped:
            out.append(f"  not compared with {c.reference}: {c.skipped}")
        elif c.mismatch:
            out.append(f"  WRONG against {c.reference}: {c.mismatch} (of {c.values:,})")
        else:
            out.append(f"  bit-exact against {c.reference}: {c.values:,} values compared")
    return out


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
