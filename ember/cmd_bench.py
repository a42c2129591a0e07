"""``ember bench``: measure utilization over row lengths, pooling factors and modes."""

import argparse
import json
import sys

from .bench import LINES, Point, bag_points
from .bench_cocotb import Speeds, compare_speed
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
from .files import check_writable, written
from .options import RunOptions
from .progress import Progress

_COLUMNS = (
    ("mode", 5), ("dim", 5), ("pooling", 7), ("opt", 4), ("bags", 8), ("cycles", 10),
    ("bound", 10), ("utilization", 11), ("bytes/cycle", 11), ("kcycles/s", 9), ("", 9),
)  # fmt: skip


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
        "--pooling", type=numbers(0, 1 << 20), default="1,4,16,64", help="pooling factors"
    )
    bag.add_argument("--modes", type=modes, default="sum", help="pooling modes")
    bag.add_argument("--rows", type=number(1, 1 << 31), default=1 << 14, help="rows of the table")
    bag.add_argument(
        "--lines", type=number(1), default=LINES, help="lines that move at each point, at least"
    )
    bag.add_argument(
        "--json", metavar="FILE", default=argparse.SUPPRESS,
        help="the points as JSON; - prints them instead of the table",
    )  # fmt: skip
    bag.add_argument(
        "--no-cocotb", action="store_true",
        help="leave out the comparison of the simulators' speed",
    )  # fmt: skip
    add_machine(bag, preset="paper")
    add_level(bag)
    add_limits(bag)


def _bench(options: argparse.Namespace) -> int:
    json_file = getattr(options, "json", None)
    out = sys.stdout if json_file != "-" else sys.stderr
    with Progress() as progress:
        with reading_input():
            config = configuration(options)
            run_options = RunOptions(
                latency=options.latency, seed=options.seed, max_cycles=options.max_cycles,
                max_seconds=options.max_seconds, progress=progress,
            )  # fmt: skip
            if json_file not in (None, "-"):
                check_writable(json_file)
        print(
            f"ember bench bag: preset {options.preset}, configuration {config.hash}, latency "
            f"{run_options.latency_text}, seed {options.seed}\n\n"
            + "  ".join(f"{name:>{width}}" for name, width in _COLUMNS).rstrip(),
            file=out, flush=True,
        )  # fmt: skip
        points: list[Point] = []
        with running():
            for point in bag_points(
                config, options.dims, options.pooling, options.modes, level(options), run_options,
                lines=options.lines, rows=options.rows,
            ):  # fmt: skip
                points.append(point)
                progress.hide()
                print(_row(point), file=out, flush=True)
            speeds = None
            if not options.no_cocotb:
                speeds = compare_speed(
                    config, options.dims[0], options.pooling[0], options.modes[0], level(options),
                    run_options, rows=options.rows,
                )  # fmt: skip
                progress.hide()
                print(_speeds(speeds), file=out, flush=True)
    report = {
        "config": config.to_dict(),
        "config_hash": config.hash,
        "seed": options.seed,
        "latency": run_options.latency_text,
        "points": [point.to_dict() for point in points],
    }
    if speeds is not None:
        report["simulators"] = speeds.to_dict()
    if json_file is not None:
        with reading_input(), written(json_file) as text:
            text.append(json.dumps(report, indent=2) + "\n")
    return 0 if all(point.bit_exact for point in points) else WRONG


def _row(point: Point) -> str:
    cells = (
        point.mode, str(point.dim), str(point.pooling), point.opt, f"{point.bags:,}",
        f"{point.cycles:,}", f"{point.bound_cycles:,}", f"{100 * point.utilization:.1f} %",
        f"{point.bytes_per_cycle:.1f}", f"{point.cycles_per_second / 1e3:,.0f}",
        "bit-exact" if point.bit_exact else "WRONG",
    )  # fmt: skip
    widths = (width for _, width in _COLUMNS)
    return "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))


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
