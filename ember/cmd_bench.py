"""``ember bench``: measure utilization."""

import argparse

from . import (
    cmd_bench_cache,
    cmd_bench_compiler,
    cmd_bench_coupled,
    cmd_bench_cpu,
    cmd_bench_memory,
    cmd_bench_rate,
)
from .bag import INDEX_TYPES
from .bench import Point, measure
from .bench_arguments import (
    add_json,
    add_lines,
    json_target,
    latency_text,
    run_options,
    text_stream,
    write_report,
)
from .bench_cocotb import Speeds, compare_speed
from .bench_shape import LINES, ROWS, ZIPF, Shape
from .bench_table import heading, limit_text, row
from .cli_arguments import (
    add_level,
    add_limits,
    add_machine,
    configuration,
    level,
    modes,
    number,
    numbers,
)
from .cli_errors import WRONG, reading_input, running
from .cli_memory import add_memory, chosen_memories
from .progress import Progress


def add_parser(commands) -> None:
    """Add the command and what can be measured."""
    bench = commands.add_parser("bench", help="measure utilization", description=__doc__)
    kinds = bench.add_subparsers(title="operations", metavar="OPERATION", required=True)
    bag = kinds.add_parser(
        "bag", help="embedding bags with random indices",
        description="ember bench bag: embedding bags with random indices, on the RTL.",
    )  # fmt: skip
    bag.set_defaults(command=_bench)
    bag.add_argument(
        "--dims", type=numbers(1, 1 << 20), default="16,32,64,128,256", help="row lengths"
    )
    bag.add_argument(
        "--pooling", type=_poolings, default="1,4,16,64", metavar="N | zipf, ..",
        help="pooling factors; zipf is heavy-tailed, with 20 %% empty bags",
    )  # fmt: skip
    bag.add_argument("--modes", type=modes, default="sum", help="pooling modes")
    bag.add_argument(
        "--index-type", choices=INDEX_TYPES, default="i32", help="of indices and offsets"
    )
    bag.add_argument("--weighted", action="store_true", help="each entry has a weight; mode sum")
    bag.add_argument("--tables", type=number(1, 1 << 10), default=1, help="looked up in one run")
    bag.add_argument("--rows", type=number(1, 1 << 31), default=ROWS, help="rows of a table")
    bag.add_argument(
        "--bags", type=numbers(1, 1 << 31), default=argparse.SUPPRESS,
        help="bags of each table (default: as many as move --lines lines)",
    )  # fmt: skip
    add_lines(bag, LINES)
    add_json(bag)
    bag.add_argument(
        "--no-cocotb", action="store_true",
        help="leave out the comparison of the simulators' speed",
    )  # fmt: skip
    add_machine(bag, preset="paper")
    add_level(bag)
    add_memory(bag, several=True)
    add_limits(bag)
    cmd_bench_rate.add_parser(kinds)
    cmd_bench_coupled.add_parser(kinds)
    cmd_bench_memory.add_parser(kinds)
    cmd_bench_cache.add_parser(kinds)
    cmd_bench_compiler.add_parser(kinds)
    cmd_bench_cpu.add_parser(kinds)


def _poolings(text: str) -> list[int | str]:
    one = number(0, 1 << 20)
    return [ZIPF if part.strip() == ZIPF else one(part.strip()) for part in text.split(",")]


def _shapes(options: argparse.Namespace) -> list[Shape]:
    """Every combination."""
    if options.weighted and set(options.modes) != {"sum"}:
        raise ValueError(f"--weighted must come with --modes sum, not {','.join(options.modes)}")
    return [
        Shape(
            dim=dim, pooling=pooling, mode=mode, index_type=options.index_type,
            weighted=options.weighted, tables=options.tables, rows=options.rows, bags=bags,
            lines=options.lines,
        )
        for mode in options.modes
        for dim in options.dims
        for pooling in options.pooling
        for bags in getattr(options, "bags", [None])
    ]  # fmt: skip


def _bench(options: argparse.Namespace) -> int:
    out = text_stream(options)
    with Progress() as progress:
        with reading_input():
            config = configuration(options)
            json_target(options)
            shapes = _shapes(options)
            options.latency = chosen_memories(options)
            runs = [run_options(options, latency, progress) for latency in options.latency]
        print(
            f"ember bench bag: preset {options.preset}, configuration {config.hash}, latency "
            f"{latency_text(options)}, seed {options.seed}\n\n{heading()}",
            file=out, flush=True,
        )  # fmt: skip
        points: list[Point] = []
        with running():
            for shape in shapes:
                for run in runs:
                    points.append(measure(config, shape, level(options), run))
                    progress.hide()
                    print(row(points[-1]), file=out, flush=True)
            for line in _notes(options, config, points):
                print(f"\n{line}", file=out, flush=True)
            speeds = None
            if not options.no_cocotb:
                speeds = compare_speed(config, shapes[0], level(options), runs[0])
                progress.hide()
                print(_speeds(speeds), file=out, flush=True)
    report = {
        "config": config.to_dict(),
        "config_hash": config.hash,
        "seed": options.seed,
        "latency": latency_text(options),
        "points": [point.to_dict() for point in points],
    }
    if speeds is not None:
        report["simulators"] = speeds.to_dict()
    write_report(options, report)
    return 0 if all(point.bit_exact for point in points) else WRONG


def _notes(options: argparse.Namespace, config, points: list[Point]) -> list[str]:
    notes = []
    if "bags" in options:
        least = min(points, key=lambda point: point.lookups)
        notes.append(
            f"start-up: {least.overhead_cycles:,} cycles beyond the bound with {least.bags:,} "
            f"bags, at a latency of {least.latency}"
        )
    if len(options.latency) > 1:
        notes += limit_text(config, points)
    return notes


def _speeds(speeds: Speeds | None) -> str:
    if speeds is None:
        return "\nsimulators: cocotb is not installed (pip install cocotb), nothing to compare"
    return (
        f"\nsimulators, the same run of {speeds.cycles:,} cycles (mode {speeds.mode}, dim "
        f"{speeds.dim}, pooling {speeds.pooling}):\n"
        f"  native engine  {speeds.native:>12,.0f} cycles/s\n"
        f"  cocotb         {speeds.cocotb:>12,.0f} cycles/s\n"
        f"  ratio          {speeds.ratio:>12.1f}"
    )
