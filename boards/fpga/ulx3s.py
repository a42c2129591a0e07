"""Radiona ULX3S with an ECP5-85F: clock, reset, serial line, SDRAM, LEDs.

Pins come from amaranth-boards, whose tables follow the board's constraint file
``ulx3s_v20.lpf``.
"""

from typing import Any

from amaranth.hdl import (
    Cat,
    ClockDomain,
    ClockSignal,
    Const,
    Instance,
    Module,
    Signal,
)
from amaranth.lib import io

from ..memory.line_ram import LineRam
from ..memory.sdram import Sdram
from .design import Design
from .pll import pll
from .top import Top

_LEDS = 8
_IN, _OUT, _BOTH = io.Direction.Input, io.Direction.Output, io.Direction.Bidir


class Ulx3s(Top):
    """Top level of the ULX3S.

    The serial line is that of the USB socket US1 (FT231X). Button FIRE 1 resets everything but
    the SDRAM's contents. LED 0 blinks, LED 1 shows that the link works, LED 2 that a run is done.

    The chip's own reset, GSR, which needs no routing, holds all registers until the PLL has locked
    and while the button is pressed.

    The SDRAM's clock is a quarter of a period late, so that commands and data are stable around
    its rising edge, and words that it sends around ours.

    Raises
    ------
    ValueError
        The PLL cannot make the clock, or the SDRAM is too slow for it.
    """

    def __init__(self, design: Design, board: str):
        self._pll = pll(design.board.oscillator_hz, design.clock_hz)
        if design.memory == "sdram":
            memory = Sdram(design.config, design.clock_hz)
            size = memory.bytes
        else:
            size = design.board.block_ram_bytes
            memory = LineRam(design.config, size // design.config.line_bytes)
        super().__init__(design, board, memory, size)

    def elaborate(self, platform: Any):  # an Amaranth platform with the board's resources
        m = Module()
        self._clock(m, platform)
        self._system(m, platform, _LEDS)
        if isinstance(self._memory, Sdram):
            self._sdram(m, platform, self._memory.pins)
        return m

    def _clock(self, m, platform: Any):
        # nextpnr derives the constraint of the PLL's outputs from that of the oscillator's pin.
        clock, late, locked = Signal(), Signal(), Signal()
        m.submodules.clk25 = clk25 = io.Buffer(_IN, platform.request("clk25", dir="-"))
        m.submodules.button = button = io.Buffer(_IN, platform.request("button_fire", 0, dir="-"))
        m.submodules.pll = self._pll.instance(clk25.i, out=clock, late=late, locked=locked)
        m.domains.sync = ClockDomain(reset_less=True)
        m.domains.sdram = ClockDomain(reset_less=True, local=True)
        m.d.comb += [ClockSignal("sync").eq(clock), ClockSignal("sdram").eq(late)]
        run = [locked & ~button.i, Signal(), Signal()]
        for before, after in zip(run, run[1:], strict=False):
            # They make the reset, so it is not for them.
            m.submodules += Instance("FD1S3AX", p_GSR="DISABLED", i_CK=clock, i_D=before, o_Q=after)
        m.submodules.gsr = Instance("SGSR", i_CLK=clock, i_GSR=run[-1])

    def _sdram(self, m, platform: Any, pins):
        names = ("clk", "clk_en", "cs", "we", "ras", "cas", "ba", "a", "dq", "dqm")
        port = platform.request("sdram", 0, dir=dict.fromkeys(names, "-"))
        m.submodules.sdram_clk = clk = io.DDRBuffer(_OUT, port.clk, o_domain="sdram")
        m.d.comb += Cat(clk.o).eq(Const(0b01, 2))
        for name, value in (
            ("clk_en", pins.cke), ("cs", pins.cs), ("we", pins.we), ("ras", pins.ras),
            ("cas", pins.cas), ("ba", pins.ba), ("a", pins.a), ("dqm", pins.dqm),
        ):  # fmt: skip
            m.submodules[f"sdram_{name}"] = pin = io.FFBuffer(_OUT, getattr(port, name))
            m.d.comb += pin.o.eq(value)
        m.submodules.sdram_dq = dq = io.FFBuffer(_BOTH, port.dq)
        m.d.comb += [dq.o.eq(pins.dq_o), dq.oe.eq(pins.dq_oe), pins.dq_i.eq(dq.i)]
