"""``ember export``: the machine with a bus around it, and all that its users' tools want."""

import argparse
import sys
from pathlib import Path

from . import __version__, parts
from .cli_arguments import add_machine, configuration, number
from .cli_errors import reading_input, running
from .files import check_directory, write_tree
from .progress import Progress

_BUSES = ("axi4", "wishbone", "native")


def add_parser(commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "export", help="write the machine as IP with AXI4, Wishbone or its own ports",
        description="ember export: Verilog, FuseSoC core, register map, black box and example, "
        "the same bytes each time.",
    )  # fmt: skip
    parser.set_defaults(command=_export)
    parser.add_argument("--bus", choices=_BUSES, required=True, help="what is around the machine")
    parser.add_argument(
        "-o", "--output", metavar="DIR", required=True, help="directory; made if it is not there"
    )
    parser.add_argument(
        "--data-width", type=number(32), metavar="BITS", default=argparse.SUPPRESS,
        help="of the memory's data bus (axi4, wishbone; default: a line)",
    )  # fmt: skip
    parser.add_argument(
        "--id-width", type=number(1), metavar="BITS", default=argparse.SUPPRESS,
        help="of AXI IDs (axi4; default: a read tag)",
    )  # fmt: skip
    add_machine(parser)


def _export(options: argparse.Namespace) -> int:
    widths = {name: getattr(options, name, None) for name in ("data_width", "id_width")}
    with reading_input():
        config = configuration(options)
        check_directory(options.output)
        buses, export = parts.boards()
        component = buses.machine(config, options.bus, **widths)
    with Progress() as progress, running():
        progress(f"generating configuration {config.hash} with bus {options.bus}")
        files, complete = export.export_files(
            config, options.bus, component, parts.to_verilog, __version__
        )
    with reading_input():
        write_tree(Path(options.output), files)
    if not complete:
        print(
            "ember: registers.h and html/ are left out: they need PeakRDL: "
            "pip install 'ember-dae[export]'",
            file=sys.stderr,
        )
    return 0
