"""``ember build`` and ``ember program``: the machine on a board."""

import argparse
import shutil
import sys
from pathlib import Path

from . import parts
from .bench_arguments import json_target, text_stream, write_report
from .board_report import as_json, clock_text, slowest, table
from .cli_arguments import add_machine, configuration, megahertz, number
from .cli_errors import WRONG, reading_input, running
from .files import check_directory, check_writable, write_tree
from .options import BAUD
from .progress import Progress

_BOARDS = "the board: ulx3s, ecpix-5, versa-ecp5 or arty-a7"
#: nextpnr's own bound.
_MAX_SEED = 2**31 - 1


def add_parser(commands) -> None:
    """Add both commands."""
    build = commands.add_parser(
        "build", help="a bitstream for a board",
        description="ember build: the machine on a board, with Yosys, nextpnr and ecppack; for "
        "arty-a7 a project for Vivado. Results are kept in the build cache.",
    )  # fmt: skip
    build.set_defaults(command=_build)
    build.add_argument("board", metavar="BOARD", help=_BOARDS)
    build.add_argument(
        "-o", "--output", metavar="FILE", default=argparse.SUPPRESS,
        help="the bitstream (default: BOARD.bit), or the folder of the project (BOARD)",
    )  # fmt: skip
    build.add_argument(
        "--clock-mhz", type=megahertz, metavar="N", default=argparse.SUPPRESS,
        help="clock of the machine (default: the board's, 60)",
    )  # fmt: skip
    build.add_argument(
        "--baud", type=number(1), default=BAUD, help="bits per second of the serial line"
    )
    build.add_argument(
        "--memory", metavar="KIND", default=argparse.SUPPRESS,
        help="where the arrays are: sdram, ddr3 or block-ram, see docs/boards.md (default: the "
        "board's)",
    )  # fmt: skip
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
    program.add_argument("board", metavar="BOARD", help=_BOARDS)
    program.add_argument(
        "bitstream", metavar="FILE", nargs="?", default=None,
        help="(default: where ember build, or the project's script, leaves it)",
    )  # fmt: skip
    program.add_argument(
        "--flash", action="store_true", help="into the flash memory, from which the board starts"
    )


def _build(options: argparse.Namespace) -> int:
    out = text_stream(options)
    with reading_input():
        board = parts.board_names().board(options.board)
        is_project = board.makes == "project"
        output = getattr(options, "output", board.name if is_project else f"{board.name}.bit")
        (check_directory if is_project else check_writable)(output)
        json_target(options)
        config = configuration(options)
        clock_mhz = getattr(options, "clock_mhz", board.clock_mhz)
        memory = getattr(options, "memory", board.memories[0])
    design_module, flow = parts.board_build()
    _, _, _, tools = parts.synthesis()
    with Progress() as progress, running():
        tools.require()
        versions = tools.versions()
        with reading_input():
            design = design_module.Design(
                config, round(clock_mhz * 1e6), options.baud, memory, board
            )
        built = flow.build(design, options.seed, progress=progress)
    report = as_json(options.preset, design, options.seed, versions, built)
    misfit = built.figures.misfit(board.target)
    if built.bitstream is not None:
        shutil.copyfile(built.bitstream, output)
    if is_project and misfit is None:
        with reading_input():
            write_tree(Path(output), {n: text.encode() for n, text in built.project.items()})
    print(table(options.preset, design, options.seed, versions, built), file=out)
    write_report(options, report)
    if misfit is None and not is_project and built.bitstream is None:
        print(f"\n{slowest(built)}", file=out)
        misfit = clock_text(design, built, flow.MARGIN)
    if misfit is not None:
        print(f"ember: {misfit}", file=sys.stderr)
        return WRONG
    print(f"\n{_next_step(board, output)}", file=out)
    return 0


def _next_step(board, output: str) -> str:
    if board.makes == "project":
        return (
            f"wrote {output}/: no tool of the vendor was run; its clock is what Vivado says: "
            f"`vivado -mode batch -source top.tcl` there, then `ember program {board.name} "
            f"{output}/top.bit`"
        )
    return f"wrote {output}: load it with `ember program {board.name} {output}`"


def _program(options: argparse.Namespace) -> int:
    with reading_input():
        board = parts.board_names().board(options.board)
        made = f"{board.name}/top.bit" if board.makes == "project" else f"{board.name}.bit"
        bitstream = options.bitstream or made
        if not Path(bitstream).is_file():
            raise ValueError(
                f"bitstream {bitstream} does not exist: make it with `ember build {board.name}`"
            )
    with running():
        parts.board_program().program(board.loader, bitstream, flash=options.flash)
    return 0
