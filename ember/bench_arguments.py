"""What the measuring commands share of their command lines."""

import argparse
import json
import sys
from pathlib import Path
from typing import TextIO

from .bench_locality import SHARES_2021, read_shares
from .cli_arguments import number
from .cli_errors import reading_input
from .cli_memory import memories
from .files import check_writable, written
from .options import Latency, Progress, RunOptions

#: Used if it is there and no other file is named.
_LOCALITY = Path("../shared/data/meta_dlrm/locality_stats_2021.txt")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Option ``--json``."""
    parser.add_argument(
        "--json", metavar="FILE", default=argparse.SUPPRESS,
        help="the points as JSON; - prints them instead of the table",
    )  # fmt: skip


def add_lines(parser: argparse.ArgumentParser, default: int, *, more: str = "") -> None:
    """Option ``--lines``; ``more`` is said of it at the end."""
    parser.add_argument(
        "--lines", type=number(1), default=default,
        help=f"lines that move at each point, at least{more}",
    )  # fmt: skip


def add_memories(parser: argparse.ArgumentParser, default: str) -> None:
    """Option ``--memories``; see :func:`ember.cli_memory.at_clock`."""
    parser.add_argument(
        "--memories", type=memories, default=default,
        metavar="N | LOW..HIGH | NAME[:CHANNELS], ..", help="latencies in cycles, and DRAMs",
    )  # fmt: skip


def add_locality(parser: argparse.ArgumentParser) -> None:
    """Option ``--locality``; read it with :func:`chosen_shares`."""
    parser.add_argument(
        "--locality", metavar="FILE", default=argparse.SUPPRESS,
        help=f"histograms of reuse (default: {_LOCALITY} if it is there, else the same numbers)",
    )  # fmt: skip


def chosen_shares(options: argparse.Namespace) -> tuple[str, tuple[float, ...]]:
    """Where the histogram of reuse is from, and the histogram."""
    if "locality" in options:
        return options.locality, read_shares(options.locality)
    if _LOCALITY.is_file():
        return str(_LOCALITY), read_shares(str(_LOCALITY))
    return "built in (dlrm_datasets, locality_stats_2021.txt)", SHARES_2021


def json_target(options: argparse.Namespace) -> None:
    """Refuse a file that cannot be written before minutes are spent on measuring."""
    if getattr(options, "json", "-") != "-":
        check_writable(options.json)


def text_stream(options: argparse.Namespace) -> TextIO:
    """Where the text goes: JSON on standard output moves it to standard error."""
    return sys.stderr if getattr(options, "json", None) == "-" else sys.stdout


def write_report(options: argparse.Namespace, report: dict) -> None:
    """Write ``--json``, if it was asked for."""
    if "json" in options:
        with reading_input(), written(options.json) as text:
            text.append(json.dumps(report, indent=2) + "\n")


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
