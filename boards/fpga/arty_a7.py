"""Digilent Arty A7-100 with an Artix-7 100T: clock, reset, serial line, block RAM, LEDs.

Pins come from amaranth-boards, whose tables follow Digilent's constraint file.
"""

from typing import Any

from amaranth.hdl import ClockDomain, ClockSignal, Elaboratable, Instance, Module, Signal
from amaranth.lib import io
from amaranth.lib.cdc import ResetSynchronizer

from ..memory.line_ram import LineRam
from .design import Design
from .pads import system
from .xilinx_pll import xilinx_pll

_LEDS = 4


class ArtyA7(Elaboratable):
    """Top level.

    The serial line is that of the USB socket J10 (FT2232). Button RESET resets everything but the
    memory's contents. LED 0 (LD4) blinks, LED 1 shows that the link works, LED 2 that a run is
    done.

    Parameters
    ----------
    design : Design
    board : str
        Name that the link says, of :data:`.protocol.BOARDS`.

    Raises
    ------
    ValueError
        The PLL cannot make the clock.
    """

    def __init__(self, design: Design, board: str):
        self._design = design
        self._name = board
        self._pll = xilinx_pll(design.board.oscillator_hz, design.clock_hz)
        self.memory_bytes = design.board.block_ram_bytes
        self._memory = LineRam(design.config, self.memory_bytes // design.config.line_bytes)

    def elaborate(self, platform: Any):  # an Amaranth platform with the board's resources
        m = Module()
        design = self._design
        pin, button = platform.request("clk100", dir="-"), platform.request("rst", dir="-")
        m.submodules.clk100 = clk100 = io.Buffer(io.Direction.Input, pin)
        m.submodules.button = button = io.Buffer(io.Direction.Input, button)
        made, clock, locked = Signal(), Signal(), Signal()
        m.submodules.pll = self._pll.instance(clk100.i, out=made, locked=locked)
        m.submodules.bufg = Instance("BUFG", i_I=made, o_O=clock)
        m.domains.sync = ClockDomain()
        m.d.comb += ClockSignal("sync").eq(clock)
        m.submodules.reset = ResetSynchronizer(~locked | button.i, domain="sync")
        system(
            m, platform, design, self._memory, memory_bytes=self.memory_bytes, board=self._name,
            count=_LEDS,
        )  # fmt: skip
        return m
