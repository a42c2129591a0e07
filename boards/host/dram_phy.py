"""What the driver has to know of LiteDRAM's PHYs to set a DDR3 memory up behind them.

Numbers are those of the generated core: addresses as LiteX lists them, the rest from the header
that it writes for a processor.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..link.protocol import BOARDS


@dataclass(frozen=True)
class Phy:
    """A PHY, or the model of one with its memory.

    Attributes
    ----------
    registers : name -> byte address of a control register
    phases : commands in one clock cycle, ``pi0`` and up
    words : of 32 bits that a phase carries, two of the memory's 16 bits in each
    read_phase, write_phase : where those commands go
    mode : of mode register 0: CAS latency, bursts of 8, DLL reset
    modules : bytes of the data bus; each has delays of its own, or none has, then 0
    delays, bitslips : settings of a byte that is read: parts of a bit's time, whole ones
    write_slips : whole ones of a byte that is written
    tells_bursts : it says whether it saw the strobe of a read
    """

    registers: dict[str, int]
    phases: int = 1
    words: int = 0
    read_phase: int = 0
    write_phase: int = 0
    mode: int = 0x320
    modules: int = 0
    delays: int = 0
    bitslips: int = 0
    write_slips: Sequence[int] = (0,)
    tells_bursts: bool = False


def _commands(base: int, phases: int, words: int) -> dict[str, int]:
    """Registers of the commands: one for each member of a phase, ``words`` for each of its data."""
    registers = {"sdram_dfii_control": base}
    at = base + 4
    for phase in range(phases):
        for name, size in (
            ("command", 1), ("command_issue", 1), ("address", 1), ("baddress", 1),
            ("wrdata", words), ("rddata", words),
        ):  # fmt: skip
            registers[f"sdram_dfii_pi{phase}_{name}"] = at
            at += 4 * size
    return registers


def _listed(base: int, *names: str) -> dict[str, int]:
    return {f"ddrphy_{name}": base + 4 * n for n, name in enumerate(names)}


_DONE = {"ddrctrl_init_done": 0}
ECP5 = Phy(
    _DONE
    | _listed(
        0x800, "dly_sel", "rdly_dq_rst", "rdly_dq_inc", "rdly_dq_bitslip_rst", "rdly_dq_bitslip",
        "burstdet_clr", "burstdet_seen",
    )
    | _commands(0x1000, 2, 2),
    phases=2, words=2, read_phase=0, write_phase=1, mode=0x320, modules=2, delays=8, bitslips=4,
    tells_bursts=True,
)  # fmt: skip
#: Without delays of its own for what is written: the memory's clock may be some cycles away from
#: the strobe, and CAS latency 7 instead of 6 leaves room for it. A cycle is two bits long.
ARTIX7 = Phy(
    _DONE
    | _listed(
        0x800, "rst", "dly_sel", "half_sys8x_taps", "wlevel_en", "wlevel_strobe", "rdly_dq_rst",
        "rdly_dq_inc", "rdly_dq_bitslip_rst", "rdly_dq_bitslip", "wdly_dq_bitslip_rst",
        "wdly_dq_bitslip",
    )
    | _commands(0x1000, 4, 1),
    phases=4, words=1, read_phase=2, write_phase=3, mode=0x930, modules=2, delays=32, bitslips=8,
    write_slips=range(0, 8, 2),
)  # fmt: skip
#: LiteDRAM's model has the registers of its data elsewhere, and they are not needed.
MODEL = Phy(_DONE | {n: a for n, a in _commands(0x800, 1, 1).items() if "data" not in n})

#: What a board's link says it is -> its PHY, if its memory has to be set up.
PHYS = {"ecpix-5": ECP5, "versa-ecp5": ECP5, "arty-a7-ddr3": ARTIX7, "dram-sim": MODEL}
assert PHYS.keys() <= set(BOARDS.values())
