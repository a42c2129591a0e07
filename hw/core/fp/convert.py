"""Integers to binary32."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .bits import leading_zeros, round_half_even

__all__ = ["UINT_TO_F32_LATENCY", "UintToF32"]

#: Cycles from the integer to its binary32 value.
UINT_TO_F32_LATENCY = 2


class UintToF32(wiring.Component):
    """Unsigned 32-bit integer to the nearest binary32, ties to even.

    Members
    -------
    i : In(32)
        Integer, sampled in cycle t.
    o : Out(32)
        Bits of the binary32 value, registered, valid in cycle t + ``UINT_TO_F32_LATENCY``.

    Latency: ``UINT_TO_F32_LATENCY`` cycles. Throughput: one per cycle.
    Back-pressure: none; a free-running pipeline without a valid bit.

    Ref: IEEE Std 754-2019, clause 5.4.1, convertFromInt.
    """

    i: Signal
    o: Signal

    def __init__(self):
        super().__init__({"i": In(32), "o": Out(32)})

    def elaborate(self, platform):
        m = Module()

        normal = Signal(32, reset_less=True)
        exp = Signal(8, reset_less=True)
        zeros = Signal(5)
        m.d.comb += zeros.eq(leading_zeros(self.i))
        m.d.sync += [
            normal.eq(self.i << zeros),
            # One less than the exponent; zero has no leading bit to make up for it.
            exp.eq(Mux(self.i.any(), 157 - zeros, 0)),
        ]

        o = Signal(32, reset_less=True)
        m.d.sync += o.eq(Cat(round_half_even(normal[7:], normal[:7].any(), exp), 0))
        m.d.comb += self.o.eq(o)
        return m
