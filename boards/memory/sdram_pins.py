"""The pins of an SDRAM, and the commands on them."""

import enum

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class SdramCommand(enum.IntEnum):
    """Bits 0 to 2: ``ras``, ``cas``, ``we``; 1 is asserted, which on the pins is low."""

    NOP = 0b000
    ACTIVATE = 0b001
    READ = 0b010
    REFRESH = 0b011
    PRECHARGE = 0b101
    WRITE = 0b110
    MODE = 0b111


class SdramPins(wiring.Signature):
    """Pins of a 16-bit SDRAM, seen from the controller; 1 is asserted.

    Between the controller and each pin is one register, in the pin's cell, in both directions.

    Members
    -------
    cke, cs, ras, cas, we : Out(1)
    a : Out(13), ba : Out(2)
    dqm : Out(2), high masks a byte, the low one first
    dq_o : Out(16), dq_oe : Out(1), dq_i : In(16)
    """

    def __init__(self):
        super().__init__(
            {
                "cke": Out(1),
                "cs": Out(1),
                "ras": Out(1),
                "cas": Out(1),
                "we": Out(1),
                "a": Out(13),
                "ba": Out(2),
                "dqm": Out(2),
                "dq_o": Out(16),
                "dq_oe": Out(1),
                "dq_i": In(16),
            }
        )
