"""FPGAs that a design can be measured on."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """An FPGA with the package and speed grade of real boards.

    Attributes
    ----------
    name : as on the command line
    part : ordering code
    nextpnr : options that choose it
    capacity : what it has of each resource: ``lut`` and ``ff`` count 4-input look-up tables and
        flip-flops, ``bram`` 18 kbit blocks, ``dsp`` 18 x 18 multipliers
    router : of nextpnr's: ``router1`` knows which nets are urgent
    """

    name: str
    part: str
    nextpnr: tuple[str, ...]
    capacity: dict[str, int]
    router: str = "router1"


#: Lattice's ECP5 family data sheet (FPGA-DS-02012), table 1.1, has the capacities. The part is that
#: of the ULX3S and ECPIX-5 boards, in the slowest speed grade: what meets its clock here meets it
#: on every board.
TARGETS = {
    "ecp5-85f": Target(
        "ecp5-85f",
        "LFE5U-85F-6BG381C",
        ("--85k", "--package", "CABGA381", "--speed", "6"),
        {"lut": 83640, "ff": 83640, "bram": 208, "dsp": 156},
    ),
}


def target(name: str) -> Target:
    """The target of this name.

    Raises
    ------
    ValueError
        No such target.
    """
    if name not in TARGETS:
        raise ValueError(f"target must be one of {', '.join(TARGETS)}, not {name!r}")
    return TARGETS[name]
