"""What a user chooses of a board's design, checked."""

from dataclasses import dataclass

from ...hw.config import Config
from ..link.uart import MAX_DIVISOR, MIN_DIVISOR
from ..memory.sdram_timing import SdramTiming
from .pll import pll

#: Where a board's lines may be.
MEMORIES = ("sdram", "block-ram")
#: Largest difference between the baud rate that is asked for and the one that a divisor gives.
_BAUD_ERROR = 0.02
#: Size of a memory in block RAM: what a machine of preset ``default`` leaves of the FPGA's.
BLOCK_RAM_BYTES = 128 << 10
#: Of the oscillator on the ULX3S.
OSCILLATOR_HZ = 25_000_000


@dataclass(frozen=True)
class Design:
    """A machine on a board.

    Attributes
    ----------
    config : Config
    clock_hz : of everything
    baud : of the serial line
    memory : one of :data:`MEMORIES`

    Raises
    ------
    ValueError
        A value that does not go with another one.
    """

    config: Config
    clock_hz: int
    baud: int
    memory: str = "sdram"

    def __post_init__(self) -> None:
        pll(OSCILLATOR_HZ, self.clock_hz)
        if self.memory not in MEMORIES:
            raise ValueError(f"memory must be one of {', '.join(MEMORIES)}, not {self.memory!r}")
        if self.memory == "sdram":
            SdramTiming().clocks(self.clock_hz)
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
    def divisor(self) -> int:
        """Clock cycles of a bit."""
        return max(MIN_DIVISOR, round(self.clock_hz / self.baud))
