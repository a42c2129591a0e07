"""``ember bench compiler``: levels, microcode by hand, and compile time, beside their targets."""

import argparse

from .bench_arguments import (
    add_json,
    add_lines,
    chosen_shares,
    json_target,
    run_options,
    text_stream,
    write_report,
)
from .bench_compiler import (
    CompilerPoint,
    CompileTime,
    compile_times,
    measure_workload,
    summary,
)
from .bench_workloads import LINES, workloads
from .cli_arguments import add_limits, add_machine, configuration
from .cli_errors import WRONG, compiling, reading_input, running
from .columns import heading, line
from .options import LEVELS
from .progress import Progress

#: Of the memory, in cycles.
LATENCY = 200

_COLUMNS = (
    ("workload", 15), ("dim", 4), ("lookups", 7), ("O0", 10), ("O1", 8), ("O2", 8), ("O3", 8),
    ("by hand", 8), ("O0/O1", 6), ("O0/O2", 6), ("O0/O3", 6), ("hand/O3", 7), ("ms", 5), ("", 9),
)  # fmt: skip
_TIMES = (("tables", 22), ("number", 6), ("seconds", 9), ("ms per table", 12))


def add_parser(kinds) -> None:
    """Add the command."""
    compiler = kinds.add_parser(
        "compiler", help="the compiler: its levels, microcode by hand, compile time",
        description="ember bench compiler: cycles at every level beside those of microcode that "
        "was written by hand, and how long compiling takes.",
    )  # fmt: skip
    compiler.set_defaults(command=_bench)
    add_lines(compiler, LINES, more=", about, where rows are vectors")
    add_json(compiler)
    add_machine(compiler, preset="paper")
    add_limits(compiler)


def _bench(options: argparse.Namespace) -> int:
    out = text_stream(options)
    points: list[CompilerPoint] = []
    times: list[CompileTime] = []
    with Progress() as progress:
        with reading_input():
            config = configuration(options)
            json_target(options)
            source, shares = chosen_shares(options)
            run = run_options(options, LATENCY, progress)
        print(
            f"ember bench compiler: preset {options.preset}, configuration {config.hash}, latency "
            f"{run.latency_text}, seed {options.seed}\n\n{heading(_COLUMNS)}",
            file=out, flush=True,
        )  # fmt: skip
        with running(), compiling():
            for workload in workloads(config, shares, source, options.seed, options.lines):
                found = list(measure_workload(config, workload, run))
                points += found
                progress.hide()
                print(_row(found), file=out, flush=True)
            print(f"\n{heading(_TIMES)}", file=out, flush=True)
            for one in compile_times(config):
                times.append(one)
                progress.hide()
                print(_time(one), file=out, flush=True)
        figures = summary(points, times)
        print(f"\n{_summary_text(figures)}", file=out, flush=True)
    report = {
        "config": config.to_dict(),
        "config_hash": config.hash,
        "seed": options.seed,
        "latency": run.latency_text,
        "points": [point.to_dict() for point in points],
        "compile_times": [one.to_dict() for one in times],
        "summary": figures,
    }
    write_report(options, report)
    return 0 if all(point.bit_exact for point in points) else WRONG


def _row(points: list[CompilerPoint]) -> str:
    """The levels of one workload."""
    base, last = points[0], points[-1]
    cells = (
        last.workload, str(last.dim), f"{last.lookups:,}",
        *(f"{point.cycles:,}" for point in points), f"{last.hand_cycles:,}",
        *(f"{base.cycles / point.cycles:.2f}" for point in points[1:]),
        f"{last.hand_cycles / last.cycles:.3f}", f"{1e3 * last.compile_s:.0f}",
        "bit-exact" if all(point.bit_exact for point in points) else "WRONG",
    )  # fmt: skip
    return line(_COLUMNS, cells)


def _time(one: CompileTime) -> str:
    per_table = 1e3 * one.compile_s / one.tables
    cells = (one.bags, f"{one.tables:,}", f"{one.compile_s:.3f}", f"{per_table:.2f}")
    return line(_TIMES, cells)


def _summary_text(figures: dict[str, dict]) -> str:
    levels, hand = figures["levels"], figures["hand"]
    seconds, grown = figures["compile_s"], figures["growth"]
    each = ", ".join(
        f"{opt} {levels['geomean'][opt]:.1f} (published {levels['published'][opt]:g})"
        for opt in LEVELS[1:]
    )
    growth = ", ".join(f"{kind} {value:.2f}" for kind, value in grown["by_bags"].items())
    return "\n".join(
        [
            f"over O0, geometric mean: {each}",
            f"  target {levels['target']:g} at O3: {_met(levels)}",
            f"cycles by hand over those of O3: geometric mean {hand['geomean']:.3f}, lowest "
            f"{hand['lowest']:.3f} ({hand['lowest_workload']})",
            f"  target {hand['target']:.2f} everywhere: {_met(hand)}",
            f"a workload compiles in {seconds['longest']:.3f} s at most, without torch",
            f"  target below {seconds['target']:g} s: {_met(seconds)}",
            f"time per table with the most tables, over the longest with fewer: {growth}",
            f"  target {grown['target']:g} at most: {_met(grown)}",
        ]
    )


def _met(figure: dict) -> str:
    return "met" if figure["met"] else "MISSED"
