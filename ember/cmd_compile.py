"""``ember compile``: print what the compiler makes of an embedding bag, at any stage."""

import argparse

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
from .files import written


def add_parser(commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "compile", help="print a stage of the compiler", description=__doc__
    )
    parser.set_defaults(command=_compile)
    parser.add_argument("--emit", choices=STAGES, default="slc", help="stage to print")
    parser.add_argument("-o", "--output", metavar="FILE", default="-", help="- is standard output")
    shape = parser.add_argument_group("shape")
    shape.add_argument("--rows", type=number(0, 1 << 48), default=16384, help="rows of the table")
    shape.add_argument("--dim", type=number(1, 1 << 20), default=64, help="elements of a row")
    shape.add_argument("--bags", type=number(1, 1 << 31), default=128, help="output rows")
    shape.add_argument(
        "--pooling", type=number(0, 1 << 20), default=16, help="entries of each bag"
    )
    shape.add_argument("--index-type", choices=INDEX_TYPES, default="i64", help="of the indices")
    shape.add_argument("--offset-type", choices=INDEX_TYPES, default="i64", help="of the offsets")
    shape.add_argument("--weighted", action="store_true", help="a weight per entry, mode sum")
    add_operation(parser)
    add_machine(parser)
    add_level(parser)


def _compile(options: argparse.Namespace) -> int:
    with reading_input():
        config = configuration(options)
        bag = Bag(
            options.rows, options.dim, options.bags, options.bags * options.pooling,
            index_type=options.index_type, offset_type=options.offset_type,
            weighted=options.weighted, **operation(options),
        )  # fmt: skip
    with running(), compiling():
        text = compile_bag(bag, config, level(options)).text(options.emit)
    with reading_input(), written(options.output) as out:
        out.append(text if text.endswith("\n") else f"{text}\n")
    return 0
