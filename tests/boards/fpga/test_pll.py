"""Settings of the PLL, against the ranges of its data sheet."""

import pytest
from amaranth.hdl import Signal
from ember.boards.fpga.pll import pll
from ember.boards.fpga.xilinx_pll import xilinx_pll


@pytest.mark.parametrize("mhz", [10, 25, 40, 50, 60, 62.5, 65, 75, 80, 100])
def test_settings(mhz):
    found = pll(25_000_000, round(mhz * 1e6))
    detector = 25e6 / found.input_div
    assert 3.125e6 <= detector <= 400e6 and 400e6 <= found.oscillator_hz <= 800e6
    # CLKOP is fed back: it runs at the detector's frequency times CLKFB_DIV.
    assert detector * found.feedback_div == mhz * 1e6
    assert found.oscillator_hz / found.output_div == mhz * 1e6
    assert 1 <= found.input_div <= 128 and 1 <= found.feedback_div <= 80
    assert 1 <= found.output_div <= 128


def test_phase():
    """CLKOS is a quarter of a period behind: counted in periods of the oscillator, and eighths."""
    for mhz in (50, 60, 75, 100):
        found = pll(25_000_000, mhz * 1_000_000)
        cell = found.instance(Signal(), out=Signal(), late=Signal(), locked=Signal())
        p = cell.parameters
        late = p["CLKOS_CPHASE"] - p["CLKOP_CPHASE"] + p["CLKOS_FPHASE"] / 8
        assert late / found.output_div == 0.25 and p["CLKOS_DIV"] == p["CLKOP_DIV"]
        assert p["CLKOS_CPHASE"] < 128 and 0 <= p["CLKOS_FPHASE"] < 8


@pytest.mark.parametrize("mhz", [0, 1, 61.3, 1000])
def test_clocks_that_cannot_be_made(mhz):
    with pytest.raises(ValueError) as error:
        pll(25_000_000, round(mhz * 1e6))
    assert str(error.value) == (
        f"clock must be one that the PLL makes of 25 MHz, as 50, 60 or 75 MHz, not {mhz:g}"
    )


@pytest.mark.parametrize("mhz", [10, 25, 50, 60, 62.5, 75, 80, 100, 200])
def test_settings_of_xilinx(mhz):
    found = xilinx_pll(100_000_000, round(mhz * 1e6))
    detector = 100e6 / found.input_div
    assert 19e6 <= detector <= 450e6 and 800e6 <= found.oscillator_hz <= 1600e6
    assert detector * found.feedback_mult == found.oscillator_hz
    assert found.oscillator_hz / found.output_div == mhz * 1e6
    assert 2 <= found.feedback_mult <= 64 and 1 <= found.output_div <= 128


@pytest.mark.parametrize("mhz", [0, 1, 61.3, 1700])
def test_clocks_that_xilinx_cannot_make(mhz):
    with pytest.raises(ValueError) as error:
        xilinx_pll(100_000_000, round(mhz * 1e6))
    assert str(error.value) == (
        f"clock must be one that the PLL makes of 100 MHz, as 50, 60 or 75 MHz, not {mhz:g}"
    )
