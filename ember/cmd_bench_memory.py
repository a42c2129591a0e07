"""``ember bench memory``: the machine on fixed and random latencies and on DRAMs."""

import argparse

from .bench_arguments import (
    add_json,
    add_lines,
    add_locality,
    add_memories,
    chosen_shares,
    json_target,
    latency_text,
    run_options,
    text_stream,
    write_report,
)
from .bench_memory import LINES, MEMORIES, ROWS, MemoryPoint, batches, memory_points
from .cli_arguments import add_level, add_limits, add_machine, configuration, level, number
from .cli_errors import WRONG, reading_input, running
from .cli_memory import add_clock, at_clock
from .columns import heading, line
from .progress import Progress

_COLUMNS = (
    ("shape", 11), ("memory", 11), ("cycles", 10), ("utilization", 11), ("bytes/cycle", 11),
    ("GB/s", 7), ("of peak", 7), ("bus busy", 8), ("row hits", 8), ("latency", 7), ("", 9),
)  # fmt: skip


def add_parser(kinds) -> None:
    """Add the command."""
    memory = kinds.add_parser(
        "memory", help="the machine on different memories",
        description="ember bench memory: shapes like those of DLRM benchmarks on fixed and random "
        "latencies and on DRAMs, with the bandwidth against the peak.",
    )  # fmt: skip
    memory.set_defaults(command=_bench)
    add_memories(memory, MEMORIES)
    add_clock(memory)
    add_locality(memory)
    add_lines(memory, LINES)
    memory.add_argument(
        "--rows", type=number(1, 1 << 31), default=ROWS,
        help="rows of the table, over which those that are used are scattered",
    )  # fmt: skip
    add_json(memory)
    add_machine(memory, preset="paper")
    add_level(memory)
    add_limits(memory)


def _bench(options: argparse.Namespace) -> int:
    out = text_stream(options)
    with Progress() as progress:
        with reading_input():
            config = configuration(options)
            json_target(options)
            options.latency = at_clock(options, options.memories)
            source, shares = chosen_shares(options)
            run = run_options(options, options.latency[0], progress)
            measured = batches(config, shares, options.seed, options.lines, options.rows)
        print(
            f"ember bench memory: preset {options.preset}, configuration {config.hash}, seed "
            f"{options.seed}\n  locality {source}\n\n{heading(_COLUMNS)}",
            file=out, flush=True,
        )  # fmt: skip
        points: list[MemoryPoint] = []
        with running():
            for point in memory_points(config, measured, options.latency, level(options), run):
                points.append(point)
                progress.hide()
                print(line(_COLUMNS, _cells(point)), file=out, flush=True)
    report = {
        "config": config.to_dict(),
        "config_hash": config.hash,
        "seed": options.seed,
        "memories": latency_text(options),
        "locality": source,
        "rows": options.rows,
        "points": [point.to_dict() for point in points],
    }
    write_report(options, report)
    return 0 if all(point.bit_exact for point in points) else WRONG


def _cells(point: MemoryPoint) -> list[str]:
    dram = point.dram
    figures = ["-"] * 5
    if dram is not None:
        figures = [
            f"{dram['bytes_per_second'] / 1e9:.1f}",
            *(f"{100 * dram[name]:.1f} %" for name in ("of_peak", "bus_busy", "row_hit_rate")),
            f"{dram['mean_read_cycles']:.0f}",
        ]
    return [
        point.shape, point.memory, f"{point.cycles:,}", f"{100 * point.utilization:.1f} %",
        f"{point.bytes_per_cycle:.1f}", *figures, "bit-exact" if point.bit_exact else "WRONG",
    ]  # fmt: skip
