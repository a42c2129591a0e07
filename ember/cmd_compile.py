"""``ember compile``: print what the compiler makes of an embedding bag or of a nest, at a stage."""

import argparse
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from . import parts
from .api import compile_bag
from .bag import INDEX_TYPES, Bag
from .cli_arguments import (
    add_level,
    add_machine,
    add_operation,
    configuration,
    level,
    number,
    operation,
)
from .cli_errors import compiling, reading_input, running
from .compiled import STAGES
from .errors import InputError
from .files import read_text, written


def add_parser(commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "compile", help="print a stage of the compiler", description=__doc__
    )
    parser.set_defaults(command=_compile)
    parser.add_argument(
        "file", metavar="FILE.mlir", nargs="?",
        help="a loop nest (func, scf, memref, arith); - is standard input; without one, a bag",
    )  # fmt: skip
    parser.add_argument(
        "--argument", metavar="NAME=VALUE", action="append", default=[],
        help="of a nest: n=5, or sizes of an array, table=10x8; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--narrow-f64", action="store_true", help="of a nest: make f32 of f64, which is rounded"
    )
    parser.add_argument(
        "--emit", choices=STAGES, help="stage to print; by default slc of a bag, asm of a nest"
    )
    parser.add_argument("-o", "--output", metavar="FILE", default="-", help="- is standard output")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="explain each decision, on standard error"
    )
    shape = parser.add_argument_group("shape of a bag")
    shape.add_argument("--rows", type=number(0, 1 << 48), default=16384, help="rows of the table")
    shape.add_argument("--dim", type=number(1, 1 << 20), default=64, help="elements of a row")
    shape.add_argument("--bags", type=number(1, 1 << 31), default=128, help="output rows")
    shape.add_argument("--pooling", type=number(0, 1 << 20), default=16, help="entries of each bag")
    shape.add_argument("--index-type", choices=INDEX_TYPES, default="i64", help="of the indices")
    shape.add_argument("--offset-type", choices=INDEX_TYPES, default="i64", help="of the offsets")
    shape.add_argument("--weighted", action="store_true", help="a weight per entry, mode sum")
    add_operation(parser)
    add_machine(parser)
    add_level(parser)


def _compile(options: argparse.Namespace) -> int:
    with _explained() if options.verbose else nullcontext():
        text = _bag(options) if options.file is None else _nest(options)
    with reading_input(), written(options.output) as out:
        out.append(text if text.endswith("\n") else f"{text}\n")
    return 0


def _bag(options: argparse.Namespace) -> str:
    with reading_input():
        if options.argument:
            raise InputError("--argument is of a nest: a FILE.mlir is missing")
        if options.narrow_f64:
            raise InputError("--narrow-f64 is of a nest: a FILE.mlir is missing")
        config = configuration(options)
        bag = Bag(
            options.rows, options.dim, options.bags, options.bags * options.pooling,
            index_type=options.index_type, offset_type=options.offset_type,
            weighted=options.weighted, **operation(options),
        )  # fmt: skip
    with running(), compiling():
        return compile_bag(bag, config, level(options)).text(options.emit or "slc")


def _nest(options: argparse.Namespace) -> str:
    stage = options.emit or "asm"
    with reading_input():
        config = configuration(options)
        text = read_text(options.file)
    with running(), compiling():
        nest, _ = parts.nests()
        what = (config, text, options.file, level(options), options.argument)
        if stage == "llvm":
            parts.llvm()  # says so if llvmlite is missing
            return nest.host_text(*what, narrow_f64=options.narrow_f64)
        return nest.compile_nests(*what, narrow_f64=options.narrow_f64)[stage]


@contextmanager
def _explained() -> Iterator[None]:
    """Print decisions meanwhile."""
    _, errors = parts.nests()
    listener = _Decisions()
    errors.DECISIONS.addHandler(listener)
    errors.DECISIONS.setLevel(logging.INFO)
    try:
        yield
    finally:
        errors.DECISIONS.removeHandler(listener)
        errors.DECISIONS.setLevel(logging.NOTSET)


class _Decisions(logging.Handler):
    """Prints what passes say of their decisions, each once."""

    def __init__(self):
        super().__init__(logging.INFO)
        self.seen: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if message not in self.seen:
            self.seen.add(message)
            print(message, file=sys.stderr)
