"""``ember run``: embed real inputs and say whether every bit is right."""

import argparse
import sys
from collections.abc import Callable
from contextlib import nullcontext

from . import cmd_run_nest
from .api import compile_bags
from .check import compare_numpy, compare_torch
from .cli_arguments import (
    add_level,
    add_machine,
    add_operation,
    add_run,
    configuration,
    level,
    number,
    operation,
)
from .cli_errors import WRONG, compiling, reading_input, running
from .cli_memory import add_memory
from .cli_run import (
    check_outputs,
    engine_options,
    note_missing_waves,
    save_reports,
    traced_if_it_hangs,
)
from .coding import CODINGS
from .input_criteo import criteo_lookups
from .input_movielens import movielens_lookups
from .input_npz import archive_names, npz_lookups
from .input_text import text_lookups
from .lookup import Lookup
from .parts import Config
from .progress import Progress
from .report import json_report, text_report
from .validate import check_lookups

_MAX_BUCKETS = 1 << 31


def add_parser(commands) -> None:
    """Add the command and its kinds of input."""
    run = commands.add_parser("run", help="embed a file and check every bit", description=__doc__)
    kinds = run.add_subparsers(title="inputs", metavar="INPUT", required=True)

    text = _kind(kinds, "text", "each line of a text is a bag of hashed word n-grams", _text)
    text.add_argument("files", nargs="+", metavar="FILE", help="text file; - is standard input")
    text.add_argument("--buckets", type=number(1, _MAX_BUCKETS), default=1 << 14, help="table rows")
    text.add_argument("--ngrams", type=number(1, 16), default=3, help="words of the longest n-gram")
    _dim(text, 64)

    criteo = _kind(kinds, "criteo", "26 categorical columns C1..C26, a table each", _criteo)
    movielens = _kind(kinds, "movielens", "column genres, a multi-hot field", _movielens)
    for csv in (criteo, movielens):
        csv.add_argument("file", metavar="FILE.csv", help="table with a header line")
        csv.add_argument(
            "--coding", choices=CODINGS, default="vocabulary",
            help="rows are numbered by first appearance, or hashed",
        )  # fmt: skip
        csv.add_argument(
            "--buckets", type=number(1, _MAX_BUCKETS), default=1 << 14,
            help="table rows with --coding hash",
        )  # fmt: skip
        _dim(csv, 16 if csv is criteo else 64)

    bag = _kind(kinds, "bag", "arrays table, indices, offsets or lengths, and weights if any", _bag)
    bag.add_argument("file", metavar="FILE.npz", help="NumPy archive")
    bag.add_argument(
        "--include-last-offset", action="store_true", help="offsets ends with the number of indices"
    )

    cmd_run_nest.add_parser(kinds)


def _kind(kinds, name: str, what: str, read: Callable) -> argparse.ArgumentParser:
    parser = kinds.add_parser(name, help=what, description=f"ember run {name}: {what}.")
    parser.set_defaults(command=_run, read=read)
    add_operation(parser)
    add_machine(parser)
    add_level(parser)
    add_memory(parser)
    add_run(parser)
    return parser


def _dim(parser: argparse.ArgumentParser, default: int) -> None:
    parser.add_argument("--dim", type=number(1, 1 << 20), default=default, help="elements of a row")


def _text(options: argparse.Namespace) -> list[Lookup]:
    return text_lookups(
        options.files, buckets=options.buckets, ngrams=options.ngrams, dim=options.dim,
        seed=options.seed, **operation(options),
    )  # fmt: skip


def _criteo(options: argparse.Namespace) -> list[Lookup]:
    return criteo_lookups(
        options.file, coding=options.coding, buckets=options.buckets, dim=options.dim,
        seed=options.seed, **operation(options),
    )  # fmt: skip


def _movielens(options: argparse.Namespace) -> list[Lookup]:
    return movielens_lookups(
        options.file, coding=options.coding, buckets=options.buckets, dim=options.dim,
        seed=options.seed, **operation(options),
    )  # fmt: skip


def _bag(options: argparse.Namespace) -> list[Lookup]:
    return npz_lookups(
        options.file, include_last_offset=options.include_last_offset, **operation(options)
    )


def _run(options: argparse.Namespace) -> int:
    title = _title(options)
    json_file, trace_file = getattr(options, "json", None), getattr(options, "trace", None)
    with Progress() as progress:
        with reading_input():
            config = configuration(options)
            settings = engine_options(options, progress)
            wave = None if settings.wave is None else str(settings.wave)
            outputs = {"--wave": wave, "--trace": trace_file, "--json": json_file}
            check_outputs(outputs, _inputs(options))
            _check_size(options, config)
            lookups = options.read(options)
            with archive_names() if options.read is _bag else nullcontext():
                requests = check_lookups(lookups, config=config)
        with running():
            progress(f"compiling for configuration {config.hash}")
            with compiling():
                compiled = compile_bags([r.bag for r in requests], config, level(options))
            with traced_if_it_hangs(trace_file, config):
                result = compiled.run_checked(requests, settings)
        progress("comparing every value")
        comparisons = [compare_numpy(result), compare_torch(result)]
    report = json_report(title, result, comparisons)
    with reading_input():
        save_reports(trace_file, json_file, result.recorded, config, report)
    note_missing_waves(settings, result.cycles)
    if "-" not in (json_file, trace_file):
        sys.stdout.write(text_report(title, result, comparisons))
    return 0 if report["bit_exact"] else WRONG


def _check_size(options: argparse.Namespace, config: Config) -> None:
    """Refuse a table that cannot fit before minutes are spent on making it."""
    if "buckets" not in options or getattr(options, "coding", "hash") != "hash":
        return
    size = options.buckets * options.dim * 4
    if size >> config.addr_width:
        raise ValueError(
            f"table must fit the address space of 2**{config.addr_width} bytes, but "
            f"{options.buckets} buckets x {options.dim} x 4 bytes are {size}"
        )


def _title(options: argparse.Namespace) -> str:
    kind = options.read.__name__.removeprefix("_")
    return f"ember run {kind} {' '.join(_inputs(options))}"


def _inputs(options: argparse.Namespace) -> list[str]:
    return options.files if options.read is _text else [options.file]
