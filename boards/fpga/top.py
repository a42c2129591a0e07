"""What the top levels of all boards share."""

from typing import Any

from amaranth.hdl import Elaboratable
from amaranth.lib import wiring

from ..link.protocol import BOARDS
from .design import Design
from .pads import lamps, serial_line
from .system import System


class Top(Elaboratable):
    """Top level of a board: a class for each makes memory and clock, and says what they are.

    Parameters
    ----------
    design : Design
    board : str
        Name that the link says, of :data:`.protocol.BOARDS`.
    memory : wiring.Component
        As :class:`.system.System` takes one.
    memory_bytes : int
        Its size.
    """

    def __init__(self, design: Design, board: str, memory: wiring.Component, memory_bytes: int):
        self._design, self._name, self._memory = design, board, memory
        self.memory_bytes = memory_bytes

    def _system(self, m, platform: Any, count: int) -> None:
        """Machine, link and memory, at the board's serial line and its first ``count`` lamps."""
        design = self._design
        m.submodules.system = inside = System(
            design.config, self._memory, divisor=design.divisor, memory_bytes=self.memory_bytes,
            clock_hz=design.clock_hz,
            board=next(number for number, name in BOARDS.items() if name == self._name),
        )  # fmt: skip
        serial_line(m, platform, inside)
        lamps(m, platform, inside, count)
