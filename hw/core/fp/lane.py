"""A fused multiply-add lane with a late addend."""

from types import SimpleNamespace

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .bits import round_half_even, shift_right_sticky
from .layout import CANONICAL_NAN, F32, INFINITY
from .op import FpOp

__all__ = ["ADD_STAGES", "LATENCY", "MUL_STAGES", "FpLane"]

#: Cycles from ``a`` and ``b`` to the cycle in which ``c`` is sampled.
MUL_STAGES = 3
#: Cycles from ``c`` to the result: the latency of an accumulation loop.
ADD_STAGES = 4
#: Cycles from ``a`` to the result.
LATENCY = MUL_STAGES + ADD_STAGES

# The adder works on one window of 52 bits, most significant first:
#
#     carry 1 | product 48 | guard 2 | sticky 1
#
# The operand with the larger exponent stays at the top; the other one is shifted right and what
# falls out is ORed into the sticky bit. A product with a subnormal factor is not normalized, but
# its leading one is at least at bit 23 whenever the addend reaches below it, so that after a
# cancellation by one position two guard bits still leave a rounding bit above the sticky bit.
_WINDOW = 52
# Zero bits below the window that make it a whole number of 8-bit groups.
_PAD = 4
_GROUPS = (_WINDOW + _PAD) // 8


def _registered(m, **values):
    """One pipeline stage: a register, one cycle later, for each keyword."""
    stage = SimpleNamespace()
    for name, value in values.items():
        value = Value.cast(value)
        reg = Signal(value.shape(), name=name, reset_less=True)
        m.d.sync += reg.eq(value)
        setattr(stage, name, reg)
    return stage


def _flips(op):
    """Whether the result's sign is flipped: bit 3, see :class:`FpOp`."""
    return Value.cast(op)[3]


class FpLane(wiring.Component):
    """One binary32 lane: multiply-add, minimum, maximum and moves, as :class:`FpOp` says.

    Rounding is to nearest, ties to even. Subnormals, infinities and signed zeros are exact, and
    every NaN that FMA, FNMA, MAXI and MINI produce is
    0x7fc00000.

    Members
    -------
    op : In(FpOp)
        Operation, sampled with ``a``.
    a : In(32)
        Early operand, sampled in cycle t.
    b : In(32)
        Its factor, sampled with ``a``.
    c : In(32)
        Late operand, sampled in cycle t + ``MUL_STAGES``.
    again : In(1)
        Sampled with ``c``: the late operand is what ``o`` is in this cycle instead, the result of
        the operation that began ``ADD_STAGES`` cycles before.
    o : Out(32)
        Result, registered, valid in cycle t + ``LATENCY``.

    Latency: ``MUL_STAGES + ADD_STAGES`` cycles from ``a``, ``ADD_STAGES`` from ``c``.
    Throughput: one operation per cycle.
    Back-pressure: none. The pipeline never stalls and carries no valid bit; the user does.

    Ref: IEEE Std 754-2019, clauses 5.4.1 and 6.
    """

    op: Signal
    a: Signal
    b: Signal
    c: Signal
    again: Signal
    o: Signal

    def __init__(self):
        super().__init__(
            {
                "op": In(FpOp),
                "a": In(32),
                "b": In(32),
                "c": In(32),
                "again": In(1),
                "o": Out(32),
            }
        )

    def elaborate(self, platform):
        m = Module()
        product = self._multiply(m)
        aligned = self._align(m, product)
        total = self._add(m, aligned)
        normal = self._normalize(m, total)
        m.d.sync += self.o.eq(self._round(m, normal))
        return m

    def _multiply(self, m):
        """Three stages: significands, four partial products in DSP blocks, their sum."""
        m0 = _registered(
            m,
            m0_a=self.a,
            m0_b=self.b,
            m0_a_significand=F32(self.a).significand(),
            m0_b_significand=F32(self.b).significand(),
            m0_op=self.op,
        )
        a, b = F32(m0.m0_a), F32(m0.m0_b)
        # 18 bits is the width of a DSP block's operands on the FPGAs of interest.
        a_low, a_high = m0.m0_a_significand[:18], m0.m0_a_significand[18:]
        b_low, b_high = m0.m0_b_significand[:18], m0.m0_b_significand[18:]
        zero = a.is_zero() | b.is_zero()
        inf = a.is_inf() | b.is_inf()
        m1 = _registered(
            m,
            m1_low=a_low * b_low,
            m1_cross_a=a_high * b_low,
            m1_cross_b=a_low * b_high,
            m1_high=a_high * b_high,
            m1_exp=a.exponent() + b.exponent(),
            m1_sign=a.sign ^ b.sign,
            m1_zero=zero,
            m1_inf=inf,
            m1_nan=a.is_nan() | b.is_nan() | (zero & inf),
            m1_a=m0.m0_a,
            m1_op=m0.m0_op,
        )
        cross = m1.m1_cross_a + m1.m1_cross_b
        # Exponent of the product's top bit. A zero product must not push the addend out of the
        # window, so that it gets the smallest exponent there is.
        exp = Signal(signed(10))
        m.d.comb += exp.eq(Mux(m1.m1_zero, -126, m1.m1_exp - 126))
        return _registered(
            m,
            m2_product=(Cat(m1.m1_low, m1.m1_high) + (cross << 18))[:48],
            m2_exp=exp,
            m2_sign=m1.m1_sign,
            m2_inf=m1.m1_inf,
            m2_nan=m1.m1_nan,
            m2_a=m1.m1_a,
            m2_op=m1.m1_op,
        )

    def _align(self, m, s):
        """Compare exponents, put the larger operand on top and shift the other one coarsely."""
        addend = Mux(self.again, self.o, self.c)
        a, c = F32(s.m2_a), F32(addend)
        # The scale here is that of the exponent field itself: a subnormal addend is doubled
        # instead of having its exponent raised, which keeps a wide OR off the subtractors.
        c_significand = Mux(c.exp.any(), Cat(c.frac, 1), Cat(0, c.frac))
        c_below_p = Signal(signed(11))
        p_below_c = Signal(signed(11))
        c_is_larger = c_below_p[-1]

        # Both distances of both addends: which addend it is need not be known before.
        def of_either(distance):
            return Mux(self.again, distance(F32(self.o).exp), distance(F32(self.c).exp))

        m.d.comb += [
            c_below_p.eq(of_either(lambda exp: s.m2_exp - exp)),
            p_below_c.eq(of_either(lambda exp: exp - s.m2_exp)),
        ]

        subtract = Signal()
        m.d.comb += subtract.eq(s.m2_sign ^ c.sign)
        p_window = Signal(_WINDOW)
        c_window = Signal(_WINDOW)
        m.d.comb += [p_window.eq(s.m2_product << 3), c_window.eq(c_significand << 27)]

        # Both are shifted, each as if it were the smaller one: which one is comes out of the
        # subtractors no earlier than the distances.
        def shifted(window, distance):
            gone = Cat(window.any(), Const(0, _WINDOW - 1))
            return Mux(distance[6:10].any(), gone, shift_right_sticky(window, distance, (5, 4)))

        smaller = Mux(c_is_larger, shifted(p_window, p_below_c), shifted(c_window, c_below_p))

        # Order, as one signed comparison: the magnitude of a negative operand is inverted. -0.0 is
        # then below +0.0.
        a_key = Cat(s.m2_a[:31] ^ a.sign.replicate(31), a.sign).as_signed()
        c_key = Cat(addend[:31] ^ c.sign.replicate(31), c.sign).as_signed()
        return _registered(
            m,
            a1_larger=Mux(c_is_larger, c_window, p_window) ^ subtract.replicate(_WINDOW),
            a1_smaller=smaller,
            a1_distance=Mux(c_is_larger, p_below_c, c_below_p)[:4],
            a1_subtract=subtract,
            a1_sign=Mux(c_is_larger, c.sign, s.m2_sign),
            a1_exp=Mux(c_is_larger, c.exp, s.m2_exp)[:9],
            a1_a=s.m2_a,
            a1_c=addend,
            a1_op=s.m2_op,
            a1_greater=a_key > c_key,
            a1_zeros=a.is_zero() & c.is_zero(),
            a1_a_nan=a.is_nan(),
            a1_c_nan=c.is_nan(),
            a1_inf=s.m2_inf | c.is_inf(),
            a1_inf_sign=Mux(s.m2_inf, s.m2_sign, c.sign),
            a1_nan=s.m2_nan | c.is_nan() | (s.m2_inf & c.is_inf() & subtract),
        )

    def _special(self, m, s):
        """The result where no adder is needed: ``(1 where this is so, its bits)``."""
        take_a = Signal()
        # Equal operands count as less, where either one is the result.
        greater = s.a1_greater & ~s.a1_zeros
        less = ~s.a1_greater & ~s.a1_zeros
        with m.Switch(s.a1_op):
            with m.Case(FpOp.MAX):
                m.d.comb += take_a.eq(greater & ~s.a1_a_nan & ~s.a1_c_nan)
            with m.Case(FpOp.MAXN):
                m.d.comb += take_a.eq((greater | s.a1_a_nan) & ~s.a1_c_nan)
            with m.Case(FpOp.MIN):
                m.d.comb += take_a.eq(less & ~s.a1_a_nan & ~s.a1_c_nan)
            with m.Case(FpOp.MAXI):
                m.d.comb += take_a.eq(s.a1_greater)
            with m.Case(FpOp.MINI):
                m.d.comb += take_a.eq(~s.a1_greater)
            with m.Case(FpOp.MOVA, FpOp.NEG):
                m.d.comb += take_a.eq(1)
        flip = _flips(s.a1_op)
        moved = Mux(take_a, s.a1_a, s.a1_c)
        moved = Cat(moved[:31], moved[31] ^ flip)
        inf = Cat(Const(INFINITY, 31), s.a1_inf_sign ^ flip)
        fma = s.a1_op.matches(FpOp.FMA, FpOp.FNMA)
        ieee = s.a1_op.matches(FpOp.MAXI, FpOp.MINI)
        nan = Mux(fma, s.a1_nan, ieee & (s.a1_a_nan | s.a1_c_nan))
        value = Mux(nan, CANONICAL_NAN, Mux(fma, inf, moved))
        return ~fma | s.a1_nan | s.a1_inf, value

    def _add(self, m, s):
        """Finish the alignment; add, or take the absolute value of the difference."""
        smaller = Signal(_WINDOW)
        m.d.comb += smaller.eq(shift_right_sticky(s.a1_smaller, s.a1_distance, (3, 2, 1, 0)))
        # With the larger operand inverted, the sum is smaller - larger - 1: its inverse is the
        # difference wanted, except where the operand on top turns out not to be the larger one.
        total = Signal(_WINDOW)
        plus_one = Signal(_WINDOW + 2)
        m.d.comb += [
            total.eq(smaller + s.a1_larger),
            plus_one.eq(Cat(1, smaller) + Cat(1, s.a1_larger)),
        ]
        swapped = s.a1_subtract & plus_one[-1]
        magnitude = Mux(swapped, plus_one[1:-1], total ^ s.a1_subtract.replicate(_WINDOW))
        # Normalization stops where the exponent field would pass zero: mark that group.
        limit_group = [(s.a1_exp[3:] == group) for group in range(_GROUPS)]
        special, value = self._special(m, s)
        return _registered(
            m,
            a2_magnitude=magnitude,
            a2_sign=s.a1_sign ^ swapped ^ _flips(s.a1_op),
            a2_subtract=s.a1_subtract,
            a2_exp=s.a1_exp,
            a2_limit_group=Cat(*limit_group),
            a2_special=special,
            a2_value=value,
        )

    def _normalize(self, m, s):
        """Shift the leading one, or the limit of the exponent, into the top 8 bits."""
        padded = Cat(Const(0, _PAD), s.a2_magnitude)
        some = Signal(_GROUPS)  # bit 0: the most significant group has a one
        m.d.comb += some.eq(Cat(*(padded[-8 * (g + 1) :][:8].any() for g in range(_GROUPS))))
        stop = some | s.a2_limit_group
        skip = Signal(3)  # groups of 8 zeros to drop
        m.d.comb += [
            skip[2].eq(~stop[:4].any()),
            skip[1].eq(~Mux(skip[2], stop[4:6].any(), stop[:2].any())),
            skip[0].eq(
                ~Mux(
                    skip[2],
                    stop[4] | (~stop[5] & stop[6]),
                    stop[0] | (~stop[1] & stop[2]),
                )
            ),
        ]
        at_32 = Mux(skip[2], padded << 32, padded)[:56]
        at_16 = Mux(skip[1], at_32 << 16, at_32)[:56]
        at_8 = Signal(56)
        m.d.comb += at_8.eq(Mux(skip[0], at_16 << 8, at_16))
        limited = (skip == s.a2_exp[3:]).replicate(8)
        top = Signal(8)
        m.d.comb += top.eq(at_8[-8:] | (limited & (Const(0x80, 8) >> s.a2_exp[:3])))
        # How far the leading one is inside its nibble, for both nibbles, so that the next stage
        # only selects.
        high, low = top[4:], top[:4]
        zero = ~some.any()
        return _registered(
            m,
            a3_bits=at_8[-32:],
            a3_sticky=at_8[:-32].any(),
            a3_skip=skip,
            a3_high_empty=~high.any(),
            a3_high_skip=Cat(~(high[3] | (~high[2] & high[1])), ~high[2:].any()),
            a3_low_skip=Cat(~(low[3] | (~low[2] & low[1])), ~low[2:].any()),
            # An exact zero is positive unless both operands were negative.
            a3_sign=s.a2_sign & ~(zero & s.a2_subtract),
            a3_zero=zero,
            a3_exp=s.a2_exp,
            a3_special=s.a2_special,
            a3_value=s.a2_value,
        )

    def _round(self, m, s):
        """Last shift, round to nearest even and pack."""
        fine = Signal(3)
        m.d.comb += fine.eq(
            Cat(Mux(s.a3_high_empty, s.a3_low_skip, s.a3_high_skip), s.a3_high_empty)
        )
        bits = Signal(32)
        m.d.comb += bits.eq(s.a3_bits << fine)
        exp = Signal(10)  # of the leading bit, less one
        m.d.comb += exp.eq(s.a3_exp - Cat(fine, s.a3_skip))
        rounded = Signal(31)
        m.d.comb += rounded.eq(
            round_half_even(bits[7:], bits[:7].any() | s.a3_sticky, exp[:8]),
        )
        overflow = exp >= 254
        magnitude = Mux(overflow, INFINITY, rounded)
        packed = Cat(Mux(s.a3_zero, 0, magnitude), s.a3_sign)
        return Mux(s.a3_special, s.a3_value, packed)
