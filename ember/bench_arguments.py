"""What the measuring commands share of their command lines."""

import argparse

from .files import check_writable
from .options import Latency, Progress, RunOptions


def add_json(parser: argparse.ArgumentParser) -> None:
    """Option ``--json``."""
    parser.add_argument(
        "--json", metavar="FILE", default=argparse.SUPPRESS,
        help="the points as JSON; - prints them instead of the table",
    )  # fmt: skip


def json_target(options: argparse.Namespace) -> None:
    """Refuse a file that cannot be written before minutes are spent on measuring."""
    if getattr(options, "json", "-") != "-":
        check_writable(options.json)


def run_options(
    options: argparse.Namespace, latency: Latency, progress: Progress
) -> RunOptions:
    """Options of a run at one of the latencies."""
    return RunOptions(
        latency=latency, seed=options.seed, max_cycles=options.max_cycles,
        max_seconds=options.max_seconds, progress=progress,
    )  # fmt: skip


def latency_text(options: argparse.Namespace) -> str:
    """The latencies as the command line has them."""
    return ",".join(RunOptions(latency=latency).latency_text for latency in options.latency)
