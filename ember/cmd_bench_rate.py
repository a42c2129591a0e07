"""``ember bench rate``: measure the whole table of rates and compare it with its targets."""

import argparse

from .bench_arguments import (
    add_json,
    add_lines,
    json_target,
    latency_text,
    run_options,
    text_stream,
    write_report,
)
from .bench_rate import Row, Verdict, judge, measure_row, table
from .bench_shape import LINES
from .bench_table import heading, limit_text, reasons, row
from .cli_arguments import add_level, add_limits, add_machine, configuration, level
from .cli_errors import WRONG, reading_input, running
from .cli_memory import add_latency
from .progress import Progress


def add_parser(kinds) -> None:
    """Add the command."""
    rate = kinds.add_parser(
        "rate", help="the table of rates, each row beside its target",
        description="ember bench rate: the table of rates, each row beside its target. The "
        "targets are those of the paper preset at a latency of 200 cycles.",
    )  # fmt: skip
    rate.set_defaults(command=_bench)
    add_lines(rate, LINES)
    add_json(rate)
    add_machine(rate, preset="paper")
    add_level(rate)
    add_latency(rate)
    add_limits(rate)


def _bench(options: argparse.Namespace) -> int:
    out = text_stream(options)
    options.latency = [options.latency]
    with Progress() as progress:
        with reading_input():
            config = configuration(options)
            json_target(options)
            run = run_options(options, options.latency[0], progress)
        print(
            f"ember bench rate: preset {options.preset}, configuration {config.hash}, latency "
            f"{run.latency_text}, seed {options.seed}",
            file=out, flush=True,
        )  # fmt: skip
        verdicts: list[Verdict] = []
        known: dict = {}
        with running():
            for wanted in table(options.lines):
                print(f"\n{wanted.name}{_wants(wanted)}\n{heading()}", file=out, flush=True)
                points = []
                for point in measure_row(config, wanted, level(options), run, known):
                    points.append(point)
                    progress.hide()
                    print(row(point), file=out, flush=True)
                    if wanted.kind == "rate" and point.utilization < (wanted.target or 0):
                        print(f"       below the target: {reasons(point)}", file=out, flush=True)
                verdicts.append(judge(config, wanted, points))
                if wanted.kind == "spread":
                    print(*limit_text(config, points), sep="\n", file=out, flush=True)
                print(f"  {_result(verdicts[-1])}", file=out, flush=True)
        print(f"\n{_summary(verdicts)}", file=out, flush=True)
    report = {
        "config": config.to_dict(),
        "config_hash": config.hash,
        "seed": options.seed,
        "latency": latency_text(options),
        "points": [
            {"row": verdict.row, "target": verdict.target, **point.to_dict()}
            for verdict in verdicts
            for point in verdict.points
        ],
        "rows": [verdict.to_dict() for verdict in verdicts],
    }
    write_report(options, report)
    exact = all(point.bit_exact for verdict in verdicts for point in verdict.points)
    return 0 if exact else WRONG


def _wants(row: Row) -> str:
    if row.target is None:
        return ""
    if row.kind == "start":
        return f": at most {row.target:g} memory latencies"
    if row.kind == "spread":
        return f": utilizations at most {row.target:g} apart"
    return f": utilization at least {row.target:g}"


def _result(verdict: Verdict) -> str:
    figure = f"{verdict.worst:.3f}"
    if verdict.met is None:
        return f"worst {figure}, no target"
    what = {"rate": "worst", "spread": "spread", "start": "memory latencies"}[verdict.kind]
    return f"{what} {figure}, target {verdict.target:g}: {'met' if verdict.met else 'MISSED'}"


def _summary(verdicts: list[Verdict]) -> str:
    width = max(len(verdict.row) for verdict in verdicts)
    return "\n".join(f"{verdict.row:<{width}}  {_result(verdict)}" for verdict in verdicts)
