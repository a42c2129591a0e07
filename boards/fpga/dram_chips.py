"""The boards' DDR3 memories, and how their FPGAs drive them."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class DramPhy:
    """How an FPGA drives DDR3.

    Attributes
    ----------
    settings : of LiteDRAM's generator
    clocks_mhz : clocks that LiteDRAM's PLL makes exactly of 100 MHz, with the other ones that it
        needs: of the memory, a multiple, and the settings' own
    both_of_a_pair : the design has both pins of a differential pair, or the cells know the other
    """

    settings: dict[str, Any]
    clocks_mhz: tuple[int, ...]
    both_of_a_pair: bool


ECP5 = DramPhy({"sdram_phy": "ECP5DDRPHY", "init_clk_freq": 25e6}, (50, 60, 75), False)
ARTIX7 = DramPhy(
    {"sdram_phy": "A7DDRPHY", "speedgrade": -1, "cmd_latency": 0, "iodelay_clk_freq": 200e6},
    (50, 60, 75, 100), True,
)  # fmt: skip


@dataclass(frozen=True)
class DramChip:
    """A board's DDR3 memory.

    Attributes
    ----------
    device : FPGA, as LiteX calls it
    phy : DramPhy
    module : memory chip, as LiteDRAM calls it
    bytes : size
    """

    device: str
    phy: DramPhy
    module: str
    bytes: int


#: Board -> its memory: the largest that LiteDRAM's tables and the board's pins have in common.
CHIPS = {
    "ecpix-5": DramChip("LFE5UM5G-85F-8BG554I", ECP5, "MT41K256M16", 512 << 20),
    "versa-ecp5": DramChip("LFE5UM-45F-8BG381C", ECP5, "MT41K64M16", 128 << 20),
    "arty-a7": DramChip("xc7a100ticsg324-1L", ARTIX7, "MT41K128M16", 256 << 20),
}
