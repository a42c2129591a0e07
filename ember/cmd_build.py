"""``ember build`` and ``ember program``: the machine on a board."""

import argparse
import shutil
import sys
from pathlib import Path

from . import parts
from .bench_arguments import json_target, text_stream, write_report
from .board_report import as_json, clock_text, slowest, table
from .cli_arguments import add_machine, configuration, number
from .cli_errors import WRONG, reading_input, running
from .files import check_writable
from .options import BAUD
from .progress import Progress

#: nextpnr's own bound.
_MAX_SEED = 2**31 - 1


def add_parser(commands) -> None:
    """Add both commands."""
    build = commands.add_parser(
        "build", help="a bitstream for a board",
        description="ember build: the machine on a board, with Yosys, nextpnr and ecppack. Results "
        "are kept in the build cache.",
    )  # fmt: skip
    build.set_defaults(command=_build)
    build.add_argument("board", metavar="BOARD", help="the board: ulx3s")
    build.add_argument(
        "-o", "--output", metavar="FILE", default=argparse.SUPPRESS,
        help="the bitstream (default: BOARD.bit)",
    )  # fmt: skip
    build.add_argument(
        "--clock-mhz", type=float, metavar="N", default=argparse.SUPPRESS,
        help="clock of the machine (default: the board's, 60)",
    )  # fmt: skip
    build.add_argument(
        "--baud", type=number(1), default=BAUD, help="bits per second of the serial line"
    )
    build.add_argument(
        "--memory", default="sdram", help="where the arrays are: sdram, or block-ram with 128 KiB"
    )
    build.add_argument(
        "--seed", type=number(0, _MAX_SEED), default=1, help="of placement and routing"
    )
    build.add_argument(
        "--json", metavar="FILE", default=argparse.SUPPRESS,
        help="the figures as JSON; - prints them instead of the table",
    )  # fmt: skip
    add_machine(build)

    program = commands.add_parser(
        "program", help="load a bitstream into a board",
        description="ember program: load a bitstream into a board, with openFPGALoader.",
    )  # fmt: skip
    program.set_defaults(command=_program)
    program.add_argument("board", metavar="BOARD", help="the board: ulx3s")
    program.add_argument(
        "bitstream", metavar="FILE", nargs="?", default=None, help="(default: BOARD.bit)"
    )
    program.add_argument(
        "--flash", action="store_true", help="into the flash memory, from which the board starts"
    )


def _build(options: argparse.Namespace) -> int:
    out = text_stream(options)
    with reading_input():
        board = parts.board_names().board(options.board)
        output = getattr(options, "output", f"{board.name}.bit")
        check_writable(output)
        json_target(options)
        config = configuration(options)
        clock_mhz = getattr(options, "clock_mhz", board.clock_mhz)
    design_module, flow = parts.board_build()
    targets, _, _, tools = parts.synthesis()
    target = targets.target(board.target)
    with Progress() as progress, running():
        tools.require()
        versions = tools.versions()
        with reading_input():
            design = design_module.Design(
                config, round(clock_mhz * 1e6), options.baud, options.memory
            )
        built = flow.build(design, target, options.seed, progress=progress)
    report = as_json(board, options.preset, design, target, options.seed, versions, built)
    if built.bitstream is not None:
        shutil.copyfile(built.bitstream, output)
    print(table(board, options.preset, design, target, options.seed, versions, built), file=out)
    write_report(options, report)
    misfit = built.figures.misfit(target)
    if misfit is None and built.bitstream is None:
        print(f"\n{slowest(built)}", file=out)
        misfit = clock_text(board, design, built)
    if misfit is not None:
        print(f"ember: {misfit}", file=sys.stderr)
        return WRONG
    print(f"\nwrote {output}: load it with `ember program {board.name} {output}`", file=out)
    return 0


def _program(options: argparse.Namespace) -> int:
    with reading_input():
        board = parts.board_names().board(options.board)
        bitstream = options.bitstream or f"{board.name}.bit"
        if not Path(bitstream).is_file():
            raise ValueError(
                f"bitstream {bitstream} does not exist: make it with `ember build {board.name}`"
            )
    with running():
        parts.board_program().program(board.name, bitstream, flash=options.flash)
    return 0
