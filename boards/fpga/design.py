"""What a user chooses of a board's design, checked."""

from dataclasses import dataclass

from ...hw.config import Config
from ..link import protocol
from ..link.uart import MAX_DIVISOR, MIN_DIVISOR
from ..memory.lite_dram import check_lines
from ..memory.sdram_timing import SdramTiming
from .boards import BOARDS, Board
from .dram_chips import CHIPS
from .pll import pll
from .xilinx_pll import xilinx_pll

#: Largest difference between the baud rate that is asked for and the one that a divisor gives.
_BAUD_ERROR = 0.02


@dataclass(frozen=True)
class Design:
    """A machine on a board.

    Attributes
    ----------
    config : Config
    clock_hz : of everything
    baud : of the serial line
    memory : one of the board's
    board : Board

    Raises
    ------
    ValueError
        A value that does not go with another one.
    """

    config: Config
    clock_hz: int
    baud: int
    memory: str = "sdram"
    board: Board = BOARDS["ulx3s"]

    def __post_init__(self) -> None:
        settings = xilinx_pll if self.board.makes == "project" else pll
        settings(self.board.oscillator_hz, self.clock_hz)
        memories = self.board.memories
        if self.memory not in memories:
            raise ValueError(
                f"memory of {self.board.name} must be one of {', '.join(memories)}, not "
                f"{self.memory!r}"
            )
        if self.memory == "sdram":
            SdramTiming().clocks(self.clock_hz)
        if self.memory == "ddr3":
            check_lines(self.config)
            clocks_mhz = CHIPS[self.board.name].phy.clocks_mhz
            if self.clock_hz / 1e6 not in clocks_mhz:
                clocks = ", ".join(map(str, clocks_mhz))
                raise ValueError(
                    f"clock must be one of {clocks} MHz with a DDR3 memory, not "
                    f"{self.clock_hz / 1e6:g}"
                )
        slowest = -(-self.clock_hz // MAX_DIVISOR)
        fastest = self.clock_hz // MIN_DIVISOR
        if not slowest <= self.baud <= fastest:
            raise ValueError(
                f"baud must be {slowest}..{fastest} with a clock of {self.clock_hz / 1e6:g} MHz, "
                f"not {self.baud}"
            )
        made = self.clock_hz / self.divisor
        if abs(made / self.baud - 1) > _BAUD_ERROR:
            raise ValueError(
                f"baud must be a part of the clock of {self.clock_hz / 1e6:g} MHz to within 2 %, "
                f"but {self.baud} would be {made:.0f}"
            )

    @property
    def link_name(self) -> str:
        """What its link says that it is: whoever talks to it has to set DDR3 up."""
        both = f"{self.board.name}-{self.memory}"
        return both if both in protocol.BOARDS.values() else self.board.name

    @property
    def divisor(self) -> int:
        """Clock cycles of a bit."""
        return max(MIN_DIVISOR, round(self.clock_hz / self.baud))
