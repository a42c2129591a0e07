"""``ember verilog``: write the machine as Verilog, the same bytes each time."""

import argparse

from . import parts
from .cli_arguments import add_machine, configuration
from .cli_errors import reading_input, running
from .files import check_writable, written
from .progress import Progress


def add_parser(commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "verilog", help="write the machine as Verilog", description=__doc__
    )
    parser.set_defaults(command=_verilog)
    parser.add_argument("-o", "--output", metavar="FILE", default="-", help="- is standard output")
    parser.add_argument("--top", default="ember", metavar="NAME", help="name of the top module")
    add_machine(parser)


def _verilog(options: argparse.Namespace) -> int:
    with reading_input():
        config = configuration(options)
        if not (options.top.isascii() and options.top.isidentifier()):
            raise ValueError(f"top must be a Verilog name, not {options.top!r}")
        if options.output != "-":
            check_writable(options.output)
    with Progress() as progress, running():
        progress(f"generating configuration {config.hash}")
        text = parts.verilog(config, options.top)
    with reading_input(), written(options.output) as out:
        out.append(text)
    return 0
