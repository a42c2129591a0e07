"""Fields and constants of IEEE-754 binary32."""

from amaranth.hdl import Cat, Value, ValueLike

__all__ = ["CANONICAL_NAN", "INFINITY", "ONE", "F32"]

#: The only NaN that arithmetic produces.
CANONICAL_NAN = 0x7FC00000
#: Positive infinity.
INFINITY = 0x7F800000
#: 1.0
ONE = 0x3F800000


class F32:
    """A binary32 word taken apart.

    Parameters
    ----------
    word : ValueLike, 32 bits

    Members
    -------
    frac : 23 bits
        Fraction.
    exp : 8 bits
        Biased exponent field.
    sign : 1 bit
    """

    def __init__(self, word: ValueLike):
        value = Value.cast(word)
        if len(value) != 32:
            raise ValueError(f"Binary32 word must be 32 bits wide, not {len(value)!r}")
        self.frac = value[:23]
        self.exp = value[23:31]
        self.sign = value[31]

    def is_zero(self) -> Value:
        """Positive or negative zero."""
        return ~(self.frac.any() | self.exp.any())

    def is_inf(self) -> Value:
        """An infinity of either sign."""
        return self.exp.all() & ~self.frac.any()

    def is_nan(self) -> Value:
        """A NaN, quiet or signalling."""
        return self.exp.all() & self.frac.any()

    def significand(self) -> Value:
        """24 bits, the leading one included, on the scale of :meth:`exponent`."""
        return Cat(self.frac, self.exp.any())

    def exponent(self) -> Value:
        """Biased exponent, 8 bits, with subnormals on the scale of exponent 1."""
        return Cat(self.exp[0] | ~self.exp.any(), self.exp[1:])
