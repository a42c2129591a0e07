"""Counting, shifting and rounding that the floating-point units share."""

from amaranth.hdl import Cat, Const, Mux

__all__ = ["leading_zeros", "round_half_even", "shift_right_sticky"]


def leading_zeros(value):
    """Zeros above the highest one, as a balanced tree.

    A value of width w, at least 2, gives ceil(log2(w)) bits. The count of a value of zero is w,
    or w - 1 where w is a power of two.
    """
    padding = (1 << (len(value) - 1).bit_length()) - len(value)
    if padding:
        # The padding's highest one ends the count of a zero.
        value = Cat(Const((1 << padding) - 1, padding), value)
    return _leading_zeros(value)[1]


def _leading_zeros(value):
    """``(any one, leading zeros)`` of a value whose width is a power of two."""
    if len(value) == 2:
        return value.any(), ~value[1]
    half = len(value) // 2
    low_any, low = _leading_zeros(value[:half])
    high_any, high = _leading_zeros(value[half:])
    return low_any | high_any, Cat(Mux(high_any, high, low), ~high_any)


def shift_right_sticky(value, amount, steps):
    """Shift right by those bits of ``amount`` that ``steps`` names.

    Bit 0 of the result is the OR of bit 0 and all that was shifted out: the sticky bit.
    """
    for bit in steps:
        count = 1 << bit
        shifted = Cat(value[: count + 1].any(), value[count + 1 :])
        value = Mux(amount[bit], shifted, value)
    return value


def round_half_even(significand, sticky, exp):
    """Round to nearest, ties to even, and pack exponent and fraction.

    Parameters
    ----------
    significand : Value, 25 bits
        24 bits of the significand above one rounding bit.
    sticky : Value, 1 bit
        Whether anything below the rounding bit is set.
    exp : Value, 8 bits
        Biased exponent less one, at most 253. The leading bit of the significand is added to it:
        a subnormal has no leading bit and gets the field 0, and a carry out of the rounding,
        into the first normal number or into infinity, needs no special case.

    Returns
    -------
    Value, 31 bits
    """
    # Round half up at the rounding bit; a tie then clears the last place. This keeps the sticky
    # bit, which comes late, off the carry chain.
    rounded = (significand + Cat(1, Const(0, 23), exp))[:32]
    tie = significand[0] & ~sticky
    return Cat(rounded[1] & ~tie, rounded[2:])
