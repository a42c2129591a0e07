"""What the measuring commands share of their command lines."""

import argparse
from pathlib import Path

from .bench_locality import SHARES_2021, read_shares
from .files import check_writable
from .options import Latency, Progress, RunOptions

#: Used if it is there and no other file is named.
_LOCALITY = Path("../shared/data/meta_dlrm/locality_stats_2021.txt")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Option ``--json``."""
    parser.add_argument(
        "--json", metavar="FILE", default=argparse.SUPPRESS,
        help="the points as JSON; - prints them instead of the table",
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
