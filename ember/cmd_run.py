"""``ember run``: embed real inputs and say whether every bit is right."""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext

from . import parts
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
from .cli_memory import add_memory, chosen_memories
from .coding import CODINGS
from .files import check_apart, check_writable, json_text, written
from .input_criteo import criteo_lookups
from .input_movielens import movielens_lookups
from .input_npz import archive_names, npz_lookups
from .input_text import text_lookups
from .lookup import Lookup
from .options import RunOptions
from .parts import Config
from .progress import Progress
from .recorded import Launch
from .report import json_report, text_report
from .result import Result
from .trace import CYCLES as TRACE_CYCLES
from .trace import cut_text, write_trace
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
            run_options = _run_options(options, progress)
            wave = None if run_options.wave is None else str(run_options.wave)
            outputs = {"--wave": wave, "--trace": trace_file, "--json": json_file}
            check_apart(outputs, _inputs(options))
            for path in outputs.values():
                if path not in (None, "-"):
                    check_writable(path)
            _check_size(options, config)
            lookups = options.read(options)
            with archive_names() if options.read is _bag else nullcontext():
                requests = check_lookups(lookups, config=config)
        with running():
            progress(f"compiling for configuration {config.hash}")
            with compiling():
                compiled = compile_bags([r.bag for r in requests], config, level(options))
            with _traced_if_it_hangs(trace_file, config):
                result = compiled.run_checked(requests, run_options)
        progress("comparing every value")
        comparisons = [compare_numpy(result), compare_torch(result)]
    report = json_report(title, result, comparisons)
    with reading_input():
        if trace_file is not None:
            _trace(trace_file, result.recorded, config, report)
        if json_file is not None:
            with written(json_file) as out:
                out.append(json_text(report))
    _note_missing_waves(run_options, result)
    if "-" not in (json_file, trace_file):
        sys.stdout.write(text_report(title, result, comparisons))
    return 0 if report["bit_exact"] else WRONG


def _run_options(options: argparse.Namespace, progress: Progress) -> RunOptions:
    [latency] = chosen_memories(options)
    rtl = options.engine == "rtl"
    return RunOptions(
        engine=options.engine, port=getattr(options, "port", None),
        baud=getattr(options, "baud", None), latency=latency, seed=options.seed,
        max_cycles=options.max_cycles, max_seconds=options.max_seconds,
        wave=getattr(options, "wave", None), wave_from=getattr(options, "wave_from", None),
        wave_to=getattr(options, "wave_to", None), timeline=rtl and "json" in options,
        trace=_trace_window(options), progress=progress,
    )  # fmt: skip


def _trace_window(options: argparse.Namespace) -> tuple[int, int] | None:
    if "trace" not in options:
        for name in ("trace_from", "trace_to"):
            if name in options:
                raise ValueError(f"{name} must come with trace")
        return None
    first = getattr(options, "trace_from", 0)
    return first, getattr(options, "trace_to", first + TRACE_CYCLES - 1)


@contextmanager
def _traced_if_it_hangs(path: str | None, config: Config) -> Iterator[None]:
    """A machine that hangs leaves its trace, which is when one is needed most."""
    try:
        yield
    except parts.result().Hang as hang:
        if path is not None and hang.recorded:
            with reading_input():
                _trace(path, hang.recorded, config, None)
        raise


def _trace(path: str, launches: Sequence[Launch], config: Config, report: dict | None) -> None:
    """Write the trace of what was recorded, if anything; say what is not in it."""
    if not launches:
        _note(f"trace {path} not written: nothing ran")
        return
    write_trace(path, launches, config, report)
    if cut := cut_text(launches):
        _note(f"trace {path}: {cut} (--trace-from and --trace-to choose)")


def _note_missing_waves(options: RunOptions, result: Result) -> None:
    if options.wave is None:
        return
    first, _ = options.wave_window
    if first >= (result.cycles or 0):
        _note(
            f"waveform file {options.wave} not written: the run took {result.cycles:,} cycles, "
            f"but wave_from is {first:,}"
        )


def _note(line: str) -> None:
    print(f"ember: {line}", file=sys.stderr)


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
