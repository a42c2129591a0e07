"""The ECP5's clock generator, EHXPLLL: settings for a clock, computed."""

from dataclasses import dataclass

from amaranth.hdl import Instance, Signal

from .dividers import Ranges, dividers

#: From Lattice's ECP5 family data sheet (FPGA-DS-02012), table 3.22.
_RANGES = Ranges(
    phase_detector=(3_125_000, 400_000_000),
    oscillator=(400_000_000, 800_000_000),
    inputs=range(1, 129),
    multipliers=range(1, 81),
    outputs=range(1, 129),
    output_is_fed_back=True,
)


@dataclass(frozen=True)
class Pll:
    """Dividers of an EHXPLLL whose output CLKOP is fed back.

    Attributes
    ----------
    input_hz, output_hz : of CLKI, and of CLKOP and CLKOS
    input_div, feedback_div, output_div : CLKI_DIV, CLKFB_DIV, CLKOP_DIV
    """

    input_hz: int
    output_hz: int
    input_div: int
    feedback_div: int
    output_div: int

    @property
    def oscillator_hz(self) -> int:
        """Of the oscillator inside."""
        return self.output_hz * self.output_div

    def instance(self, clock: Signal, *, out: Signal, late: Signal, locked: Signal) -> Instance:
        """The cell. ``late`` is ``out`` a quarter of a period later."""
        eighths = 2 * self.output_div  # of the oscillator's periods, in a quarter of the output's
        phase = self.output_div // 2
        return Instance(
            "EHXPLLL",
            p_PLLRST_ENA="DISABLED",
            p_INTFB_WAKE="DISABLED",
            p_STDBY_ENABLE="DISABLED",
            p_DPHASE_SOURCE="DISABLED",
            p_FEEDBK_PATH="CLKOP",
            p_CLKI_DIV=self.input_div,
            p_CLKFB_DIV=self.feedback_div,
            p_OUTDIVIDER_MUXA="DIVA",
            p_CLKOP_ENABLE="ENABLED",
            p_CLKOP_DIV=self.output_div,
            p_CLKOP_CPHASE=phase,
            p_CLKOP_FPHASE=0,
            p_OUTDIVIDER_MUXB="DIVB",
            p_CLKOS_ENABLE="ENABLED",
            p_CLKOS_DIV=self.output_div,
            p_CLKOS_CPHASE=phase + eighths // 8,
            p_CLKOS_FPHASE=eighths % 8,
            # What Lattice's tools choose, as Project Trellis' ecppll writes it.
            a_ICP_CURRENT="12",
            a_LPF_RESISTOR="8",
            a_MFG_ENABLE_FILTEROPAMP="1",
            a_MFG_GMCREF_SEL="2",
            i_RST=0,
            i_STDBY=0,
            i_PHASESEL0=0,
            i_PHASESEL1=0,
            i_PHASEDIR=1,
            i_PHASESTEP=1,
            i_PHASELOADREG=1,
            i_PLLWAKESYNC=0,
            i_ENCLKOP=0,
            i_CLKI=clock,
            i_CLKFB=out,
            o_CLKOP=out,
            o_CLKOS=late,
            o_LOCK=locked,
        )


def pll(input_hz: int, output_hz: int) -> Pll:
    """Settings that make exactly ``output_hz``, see :func:`.dividers.dividers`.

    Raises
    ------
    ValueError
        There are none.
    """
    return Pll(input_hz, output_hz, *dividers(_RANGES, input_hz, output_hz))
