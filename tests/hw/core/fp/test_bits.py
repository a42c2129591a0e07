import pytest
from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator
from ember.hw.core.fp.bits import leading_zeros, round_half_even, shift_right_sticky


def evaluate(function, width, values):
    """Value of a combinational ``function`` for each input."""
    i = Signal(width)
    result = function(i)
    o = Signal(len(result))
    m = Module()
    m.d.comb += o.eq(result)
    outputs = []

    async def bench(ctx):
        for value in values:
            ctx.set(i, value)
            await ctx.delay(1e-9)
            outputs.append(ctx.get(o))

    sim = Simulator(m)
    sim.add_testbench(bench)
    sim.run()
    return outputs


@pytest.mark.parametrize("width", [2, 3, 5, 8, 24, 32])
def test_leading_zeros(width):
    values = [(1 << n) | low for n in range(width) for low in {0, (1 << n) - 1, (1 << n) // 3}]
    values.append(0)
    want = [width - value.bit_length() for value in values]
    if width & (width - 1) == 0:
        want[-1] -= 1  # as documented
    assert evaluate(leading_zeros, width, values) == want


def test_shift_right_sticky():
    values = range(1 << 10)  # the low three bits are the amount
    want = [
        (value >> amount) | bool(value & ((1 << amount) - 1))
        for value, amount in ((v >> 3, v & 7) for v in values)
    ]
    got = evaluate(lambda i: shift_right_sticky(i[3:], i[:3], (2, 1, 0)), 10, values)
    assert got == want


@pytest.mark.parametrize(
    "significand, sticky, exp, want",
    [
        (0x1000000, 0, 126, 0x3F800000),  # 1.0
        (0x1000001, 0, 126, 0x3F800000),  # a tie above an even last place
        (0x1000001, 1, 126, 0x3F800001),
        (0x1000003, 0, 126, 0x3F800002),  # a tie above an odd one
        (0x1000002, 1, 126, 0x3F800001),
        (0x1FFFFFF, 0, 126, 0x40000000),  # carry into the exponent
        (0x1FFFFFF, 0, 253, 0x7F800000),  # to infinity
        (0x0FFFFFF, 0, 0, 0x00800000),  # from subnormal to normal
        (0x0000001, 0, 0, 0x00000000),
        (0x0000001, 1, 0, 0x00000001),
    ],
)
def test_round_half_even(significand, sticky, exp, want):
    value = significand | (sticky << 25) | (exp << 26)
    got = evaluate(lambda i: round_half_even(i[:25], i[25], i[26:]), 34, [value])
    assert got == [want]
