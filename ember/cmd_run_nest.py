"""``ember run nest``: run a loop nest on arrays and say whether every bit is right."""

import argparse
import sys

from .cli_arguments import add_level, add_machine, add_run, configuration, level
from .cli_errors import WRONG, compiling, reading_input, running
from .cli_memory import add_memory
from .cli_run import (
    check_outputs,
    engine_options,
    note_missing_waves,
    save_reports,
    traced_if_it_hangs,
)
from .errors import InputError
from .execute_nest import compile_nest, execute_nest
from .files import read_text
from .input_npz import read_archive
from .nest import check_engine, read_nest
from .nest_check import compare_interpreter
from .output_npz import write_archive
from .progress import Progress
from .report_nest import nest_json, nest_text


def add_parser(kinds) -> None:
    """Add the kind of input."""
    what = "a loop nest (func, scf, memref, arith) on arrays of your own"
    parser = kinds.add_parser("nest", help=what, description=f"ember run nest: {what}.")
    parser.set_defaults(command=_run)
    parser.add_argument(
        "file", metavar="FILE.mlir", help="module with one function; - is standard input"
    )
    parser.add_argument(
        "arrays", metavar="ARRAYS.npz", help="NumPy archive with the function's arguments by name"
    )
    parser.add_argument(
        "--output", metavar="OUT.npz", default=argparse.SUPPRESS,
        help="NumPy archive for the arrays that the nest has written",
    )  # fmt: skip
    parser.add_argument(
        "--narrow-f64", action="store_true", help="make f32 of f64, which is rounded"
    )
    add_machine(parser)
    add_level(parser)
    add_memory(parser)
    add_run(parser)


def _run(options: argparse.Namespace) -> int:
    title = f"ember run nest {options.file} {options.arrays}"
    json_file, trace_file = getattr(options, "json", None), getattr(options, "trace", None)
    output = getattr(options, "output", None)
    with Progress() as progress:
        with reading_input():
            config = configuration(options)
            check_engine(options.engine)
            settings = engine_options(options, progress)
            wave = None if settings.wave is None else str(settings.wave)
            outputs = {
                "--output": output, "--wave": wave, "--trace": trace_file, "--json": json_file
            }  # fmt: skip
            check_outputs(outputs, [options.file, options.arrays])
            if output == "-":
                raise InputError("cannot write an archive to standard output: give a file")
            text, arrays = read_text(options.file), read_archive(options.arrays)
        with running():
            progress(f"compiling for configuration {config.hash}")
            with reading_input():
                source = read_nest(
                    text, arrays, options.file, config, narrow_f64=options.narrow_f64
                )
            with compiling():
                compiled = compile_nest(source, config, level(options))
            with traced_if_it_hangs(trace_file, config):
                result = execute_nest(compiled, settings)
        progress("comparing every value with the interpreter")
        comparison = compare_interpreter(result)
    report = nest_json(title, result, comparison)
    with reading_input():
        if output is not None:
            write_archive(output, result.arrays)
        save_reports(trace_file, json_file, result.recorded, config, report)
    note_missing_waves(settings, result.cycles)
    if "-" not in (json_file, trace_file):
        sys.stdout.write(nest_text(title, result, comparison))
    return 0 if comparison.bit_exact else WRONG
