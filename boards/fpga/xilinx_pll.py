"""The 7 series' clock generator, PLLE2_BASE: settings for a clock, computed."""

from dataclasses import dataclass

from amaranth.hdl import Instance, Signal

from .dividers import Ranges, dividers

#: Of the slowest speed grades, from the PLL characteristics of Xilinx' Artix-7 data sheet (DS181).
_RANGES = Ranges(
    phase_detector=(19_000_000, 450_000_000),
    oscillator=(800_000_000, 1_600_000_000),
    inputs=range(1, 57),
    multipliers=range(2, 65),
    outputs=range(1, 129),
    output_is_fed_back=False,
)


@dataclass(frozen=True)
class XilinxPll:
    """Dividers of a PLLE2_BASE.

    Attributes
    ----------
    input_hz, output_hz : of CLKIN1, and of CLKOUT0
    input_div, feedback_mult, output_div : DIVCLK_DIVIDE, CLKFBOUT_MULT, CLKOUT0_DIVIDE
    """

    input_hz: int
    output_hz: int
    input_div: int
    feedback_mult: int
    output_div: int

    @property
    def oscillator_hz(self) -> int:
        """Of the oscillator inside."""
        return self.output_hz * self.output_div

    def instance(self, clock: Signal, *, out: Signal, locked: Signal) -> Instance:
        """The cell. ``out`` has no global buffer yet."""
        feedback = Signal()
        return Instance(
            "PLLE2_BASE",
            p_BANDWIDTH="OPTIMIZED",
            p_CLKIN1_PERIOD=1e9 / self.input_hz,
            p_DIVCLK_DIVIDE=self.input_div,
            p_CLKFBOUT_MULT=self.feedback_mult,
            p_CLKFBOUT_PHASE=0.0,
            p_CLKOUT0_DIVIDE=self.output_div,
            p_CLKOUT0_PHASE=0.0,
            p_CLKOUT0_DUTY_CYCLE=0.5,
            p_STARTUP_WAIT="FALSE",
            i_CLKIN1=clock,
            i_CLKFBIN=feedback,
            i_RST=0,
            i_PWRDWN=0,
            o_CLKFBOUT=feedback,
            o_CLKOUT0=out,
            o_LOCKED=locked,
        )


def xilinx_pll(input_hz: int, output_hz: int) -> XilinxPll:
    """Settings that make exactly ``output_hz``, see :func:`.dividers.dividers`.

    Raises
    ------
    ValueError
        There are none.
    """
    return XilinxPll(input_hz, output_hz, *dividers(_RANGES, input_hz, output_hz))
