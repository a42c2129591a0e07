"""A board's design as RTLIL and constraints, kept in the build cache."""

import hashlib
import importlib.metadata
import importlib.util
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from ...hw import config as config_module
from ...sim.build import Progress
from ...sim.cache import cached, content_key
from .arty_a7 import ArtyA7
from .boards import Board
from .ddr3 import CONSTRAINTS, Ddr3
from .design import Design
from .dram_chips import CHIPS
from .dram_core import dram_core, dram_versions
from .errors import BoardsMissing
from .ulx3s import Ulx3s

_RTLIL, _FACTS = "top.il", "facts.json"
#: The core of a DDR3 memory, in Verilog.
CORE = "dram.v"
_CORE_CONSTRAINTS = "dram.xdc"
#: Top level of a board whose memory is not DDR3.
_TOPS = {"ulx3s": Ulx3s, "arty-a7": ArtyA7}
#: What a build ends with -> endings of the names of the files that it starts from.
_ENDINGS = {"bitstream": (".il", ".lpf"), "project": (".il", ".v", ".xdc", ".tcl")}


@dataclass(frozen=True)
class Netlist:
    """What the tools start from. The top module is ``top``.

    Attributes
    ----------
    rtlil : text
    files : name -> text: constraints (pins and clocks) in the format of the FPGA's tools,
        ``top.lpf`` or ``top.xdc``; with the latter the design as Verilog and a Tcl script; with
        DDR3 its core, :data:`CORE`, and for Vivado what it has to know of that
    memory_bytes : size of the board's memory
    """

    rtlil: str
    files: dict[str, str]
    memory_bytes: int


def netlist(
    design: Design, name: str | None = None, *, progress: Progress | None = None
) -> Netlist:
    """The design of a board; ``name`` is what its link says, its own if it is None.

    Raises
    ------
    BoardsMissing
        amaranth-boards is not installed, or LiteDRAM, which DDR3 needs.
    ValueError
        The board cannot do what ``design`` asks for.
    """
    if importlib.util.find_spec("amaranth_boards") is None:
        raise BoardsMissing("amaranth-boards is missing: run `pip install amaranth-boards`")
    name = name or design.link_name

    def fill(directory: Path) -> None:
        if progress:
            progress(f"generating the board's design, configuration {design.config.hash}")
        platform = _platform(design.board)
        if design.memory == "ddr3":
            top = Ddr3(design, name)
            platform.add_file(CORE, dram_core(CHIPS[design.board.name], design.clock_hz)[0])
            if design.board.makes == "project":
                platform.add_file(_CORE_CONSTRAINTS, CONSTRAINTS)
        else:
            top = _TOPS[design.board.name](design, name)
        plan = platform.build(top, do_build=False, emit_src=False)
        for file, text in plan.files.items():
            (directory / file).write_text(text if isinstance(text, str) else text.decode())
        (directory / _FACTS).write_text(json.dumps({"memory_bytes": top.memory_bytes}))

    chosen = {
        "config": design.config.to_dict(), "clock": design.clock_hz, "divisor": design.divisor,
        "memory": design.memory, "board": design.board.name, "name": name,
        "core": dram_versions() if design.memory == "ddr3" else None,
    }  # fmt: skip
    directory = cached(f"board-{content_key(json.dumps(chosen), _sources())}", fill)
    names = [path.name for path in sorted(directory.iterdir())]
    return Netlist(
        (directory / _RTLIL).read_text(),
        {n: (directory / n).read_text() for n in names if n not in (_RTLIL, _FACTS)},
        json.loads((directory / _FACTS).read_text())["memory_bytes"],
    )


def _platform(board: Board):
    """The board's platform, which writes its design and constraints and runs no tool."""
    from amaranth_boards.arty_a7 import ArtyA7_100Platform
    from amaranth_boards.ecpix5 import ECPIX585Platform
    from amaranth_boards.ulx3s import ULX3S_85F_Platform
    from amaranth_boards.versa_ecp5 import VersaECP5Platform

    base = {
        "ulx3s": ULX3S_85F_Platform, "ecpix-5": ECPIX585Platform,
        "versa-ecp5": VersaECP5Platform, "arty-a7": ArtyA7_100Platform,
    }[board.name]  # fmt: skip
    endings = _ENDINGS[board.makes]

    class Platform(base):
        @property
        def file_templates(self):
            every = super().file_templates
            wanted = {n: t for n, t in every.items() if n.endswith(endings) and "debug" not in n}
            return {"{{name}}.il": "{{emit_rtlil()}}\n", **wanted}

        @property
        def command_templates(self):
            return []

        @property
        def required_tools(self):
            return []

    return Platform()


def _sources() -> str:
    """A hash of all that turns a design into RTLIL."""
    digest = hashlib.sha256(sys.version.encode())
    for package in ("amaranth", "amaranth-boards"):
        digest.update(f"{package} {importlib.metadata.version(package)}".encode())
    hardware, boards = Path(config_module.__file__).parent, Path(__file__).parents[1]
    paths = sorted([*hardware.rglob("*.py"), *boards.rglob("*.py")])
    for path in paths:
        digest.update(f"{path.name} {path.stat().st_size} ".encode() + path.read_bytes())
    return digest.hexdigest()
