"""What a board cannot do is refused before anything is generated."""

import pytest
from ember.boards.fpga.boards import BOARDS
from ember.boards.fpga.design import Design
from ember.hw.config import Config

TINY = Config.preset("tiny")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (60_000_000, 1_000_000, "dram"),
            "memory of ulx3s must be one of sdram, block-ram, not 'dram'",
        ),
        (
            (60_000_000, 1_000_000, "sdram", BOARDS["arty-a7"]),
            "memory of arty-a7 must be one of block-ram, ddr3, not 'sdram'",
        ),
        (
            (61_300_000, 1_000_000, "block-ram", BOARDS["arty-a7"]),
            "clock must be one that the PLL makes of 100 MHz, as 50, 60 or 75 MHz, not 61.3",
        ),
        (
            (125_000_000, 1_000_000),
            "clock must be at most 100 MHz with a CAS latency of 2, not 125",
        ),
        (
            (80_000_000, 1_000_000, "ddr3", BOARDS["arty-a7"]),
            "clock must be one of 50, 60, 75, 100 MHz with a DDR3 memory, not 80",
        ),
        (
            (100_000_000, 1_000_000, "ddr3", BOARDS["ecpix-5"]),
            "clock must be one of 50, 60, 75 MHz with a DDR3 memory, not 100",
        ),
        ((60_000_000, 57), "baud must be 58..15000000 with a clock of 60 MHz, not 57"),
        ((60_000_000, 0), "baud must be 58..15000000 with a clock of 60 MHz, not 0"),
        (
            (60_000_000, 15_000_001),
            "baud must be 58..15000000 with a clock of 60 MHz, not 15000001",
        ),
        (
            (60_000_000, 8_000_000),
            "baud must be a part of the clock of 60 MHz to within 2 %, but 8000000 would be "
            "7500000",
        ),
        (
            (61_300_000, 1_000_000),
            "clock must be one that the PLL makes of 25 MHz, as 50, 60 or 75 MHz, not 61.3",
        ),
    ],
)
def test_refused(arguments, message):
    with pytest.raises(ValueError) as error:
        Design(TINY, *arguments)
    assert str(error.value) == message


def test_divisors():
    assert Design(TINY, 60_000_000, 1_000_000).divisor == 60
    assert Design(TINY, 60_000_000, 115_200).divisor == 521
    assert Design(TINY, 125_000_000, 1_000_000, "block-ram").divisor == 125


def test_lines_that_are_too_short_for_ddr3():
    narrow = TINY.replace(lanes=2)
    with pytest.raises(ValueError) as error:
        Design(narrow, 60_000_000, 1_000_000, "ddr3", BOARDS["ecpix-5"])
    assert str(error.value) == "lanes must be at least 4 with a DDR3 memory, not 2"
