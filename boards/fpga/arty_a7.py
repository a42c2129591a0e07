"""Digilent Arty A7-100 with an Artix-7 100T: clock, reset, serial line, block RAM, LEDs.

Pins come from amaranth-boards, whose tables follow Digilent's constraint file.
"""

from typing import Any

from amaranth.hdl import ClockDomain, ClockSignal, Instance, Module, Signal
from amaranth.lib import io
from amaranth.lib.cdc import ResetSynchronizer

from ..memory.line_ram import LineRam
from .design import Design
from .top import Top
from .xilinx_pll import xilinx_pll

_LEDS = 4


class ArtyA7(Top):
    """Top level of the Arty A7.

    The serial line is that of the USB socket J10 (FT2232). Button RESET resets everything but the
    memory's contents. LED 0 (LD4) blinks, LED 1 shows that the link works, LED 2 that a run is
    done.

    Raises
    ------
    ValueError
        The PLL cannot make the clock.
    """

    def __init__(self, design: Design, board: str):
        self._pll = xilinx_pll(design.board.oscillator_hz, design.clock_hz)
        size = design.board.block_ram_bytes
        memory = LineRam(design.config, size // design.config.line_bytes)
        super().__init__(design, board, memory, size)

    def elaborate(self, platform: Any):  # an Amaranth platform with the board's resources
        m = Module()
        pin, button = platform.request("clk100", dir="-"), platform.request("rst", dir="-")
        m.submodules.clk100 = clk100 = io.Buffer(io.Direction.Input, pin)
        m.submodules.button = button = io.Buffer(io.Direction.Input, button)
        made, clock, locked = Signal(), Signal(), Signal()
        m.submodules.pll = self._pll.instance(clk100.i, out=made, locked=locked)
        m.submodules.bufg = Instance("BUFG", i_I=made, o_O=clock)
        m.domains.sync = ClockDomain()
        m.d.comb += ClockSignal("sync").eq(clock)
        m.submodules.reset = ResetSynchronizer(~locked | button.i, domain="sync")
        self._system(m, platform, _LEDS)
        return m
