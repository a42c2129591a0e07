"""What a design takes of a 7 series FPGA, as far as Yosys says; Vivado does the rest."""

from pathlib import Path

from ...synth import tools, yosys

_SYNTH = "synth_xilinx -flatten -nowidelut -family xc7 -top top"
#: Yosys' script, from ``top.il`` to :data:`ember.synth.yosys.COUNTS`. Look-up tables are not joined
#: to wider ones: with those, mapping dies of designs of this size in the Yosys 0.70 of PyPI.
#: `opt_clean -purge` as for the ECP5.
SCRIPT = f"""\
read_rtlil {tools.inside("top.il")}
{_SYNTH} -run :map_luts
opt_clean -purge
{_SYNTH} -run map_luts:
tee -q -o {tools.inside(yosys.COUNTS)} stat -json
"""

#: Resource -> cell -> how much of it the cell takes. Inverters are part of what follows them.
#: Distributed RAM and shift registers are look-up tables; a block RAM is two of 18 kbit.
_WEIGHTS = {
    "lut": {
        **{f"LUT{inputs}": 1 for inputs in range(1, 7)},
        "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM32M": 4, "RAM64M": 4,
        "SRL16E": 1, "SRLC32E": 1,
    },
    "ff": {"FDRE": 1, "FDSE": 1, "FDCE": 1, "FDPE": 1},
    "bram": {"RAMB18E1": 1, "RAMB36E1": 2},
    "dsp": {"DSP48E1": 1},
}  # fmt: skip
#: What is there in numbers of its own, most of it beside the pins.
_OTHERS = {
    "INV", "CARRY4", "MUXF7", "MUXF8", "IBUF", "OBUF", "OBUFT", "BUFG", "PLLE2_BASE", "PLLE2_ADV",
    "IOBUF", "IOBUFDS", "OBUFDS", "ISERDESE2", "OSERDESE2", "IDELAYE2", "IDELAYCTRL",
}  # fmt: skip


def used(directory: Path) -> dict[str, int]:
    """``lut``, ``ff``, ``bram`` and ``dsp`` of a synthesized design.

    Raises
    ------
    SynthesisError
        It has cells that are not known here.
    """
    cells = yosys.cells(directory, yosys.TOP)
    unknown = set(cells) - _OTHERS - {cell for kinds in _WEIGHTS.values() for cell in kinds}
    if unknown:
        raise tools.SynthesisError(f"synth_xilinx made unknown cells: {', '.join(sorted(unknown))}")
    return yosys.weighed(cells, _WEIGHTS)
