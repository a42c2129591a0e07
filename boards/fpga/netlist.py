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
from .design import Design
from .errors import BoardsMissing
from .ulx3s import NAME, Ulx3s

_RTLIL, _CONSTRAINTS, _FACTS = "top.il", "top.lpf", "facts.json"


@dataclass(frozen=True)
class Netlist:
    """What the tools start from. The top module is ``top``.

    Attributes
    ----------
    rtlil : text
    constraints : text in Lattice's LPF: pins and clocks
    memory_bytes : size of the board's memory
    """

    rtlil: str
    constraints: str
    memory_bytes: int


def netlist(design: Design, board: str = NAME, *, progress: Progress | None = None) -> Netlist:
    """The design of a board; ``board`` is the name that its link says.

    Raises
    ------
    BoardsMissing
        amaranth-boards is not installed.
    ValueError
        The board cannot do what ``design`` asks for.
    """
    if importlib.util.find_spec("amaranth_boards") is None:
        raise BoardsMissing("amaranth-boards is missing: run `pip install amaranth-boards`")
    top = Ulx3s(design, board)

    def fill(directory: Path) -> None:
        if progress:
            progress(f"generating the board's design, configuration {design.config.hash}")
        files = _platform().build(top, do_build=False, emit_src=False).files
        for name in (_RTLIL, _CONSTRAINTS):
            text = files[name]
            (directory / name).write_text(text if isinstance(text, str) else text.decode())
        (directory / _FACTS).write_text(json.dumps({"memory_bytes": top.memory_bytes}))

    chosen = {
        "config": design.config.to_dict(), "clock": design.clock_hz, "divisor": design.divisor,
        "memory": design.memory, "board": board,
    }  # fmt: skip
    directory = cached(f"board-{content_key(json.dumps(chosen), _sources())}", fill)
    return Netlist(
        (directory / _RTLIL).read_text(),
        (directory / _CONSTRAINTS).read_text(),
        json.loads((directory / _FACTS).read_text())["memory_bytes"],
    )


def _platform():
    """The board's platform, which writes its design and constraints and runs no tool."""
    from amaranth_boards.ulx3s import ULX3S_85F_Platform

    class Platform(ULX3S_85F_Platform):
        @property
        def file_templates(self):
            every = super().file_templates
            return {name: text for name, text in every.items() if name.endswith((".il", ".lpf"))}

        @property
        def command_templates(self):
            return []

    return Platform()


def _sources() -> str:
    """A hash of all that turns a design into RTLIL."""
    digest = hashlib.sha256(sys.version.encode())
    for package in ("amaranth", "amaranth-boards"):
        digest.update(f"{package} {importlib.metadata.version(package)}".encode())
    hardware, boards = Path(config_module.__file__).parent, Path(__file__).parents[1]
    paths = [boards / "fpga" / f"{name}.py" for name in ("pll", "system", "design", "ulx3s")]
    for root in (hardware, boards / "link", boards / "memory"):
        paths += sorted(root.rglob("*.py"))
    for path in paths:
        digest.update(f"{path.name} {path.stat().st_size} ".encode() + path.read_bytes())
    return digest.hexdigest()
