"""binary32 arithmetic for the interpreters: ``np.float32`` scalars and float32 arrays.

Rounds to nearest even, keeps subnormals, makes one NaN (docs/numerics.md). It shares no code with
the functional model's ``sim/fp32.py``: where the two are compared, a mistake in one shows.

Overflow and invalid operations are results here: run it under ``np.errstate(all="ignore")``.
"""

from math import isfinite, ldexp
from typing import Any

import numpy as np

#: The one NaN that arithmetic makes, 0x7FC00000.
NAN = np.uint32(0x7FC00000).view(np.float32)

#: ``np.float32`` or a float32 array: each function works on both.
Float = Any


def add(a: Float, b: Float) -> Float:
    """a + b"""
    return _canonical(a + b)


def sub(a: Float, b: Float) -> Float:
    """a - b"""
    return _canonical(a - b)


def mul(a: Float, b: Float) -> Float:
    """a * b"""
    return _canonical(a * b)


def div(a: Float, b: Float) -> Float:
    """a / b"""
    return _canonical(a / b)


def fma(a: Float, b: Float, c: Float) -> Float:
    """a * b + c, rounded once."""
    if isinstance(a, np.ndarray):
        rows = zip(*np.broadcast_arrays(a, b, c), strict=True)
        return np.array([_fma(*row) for row in rows], np.float32)
    return _fma(a, b, c)


def maximum(a: Float, c: Float) -> Float:
    """a > c ? a : c, bits copied."""
    return select(a > c, a, c)


def maximum_nan(a: Float, c: Float) -> Float:
    """As :func:`maximum`, but a NaN stays, the first one of two."""
    return select((a > c) | ((a != a) & (c == c)), a, c)


def minimum(a: Float, c: Float) -> Float:
    """a < c ? a : c, bits copied."""
    return select(a < c, a, c)


def minimum_ieee(a: Float, b: Float) -> Float:
    """IEEE-754 2019 minimum: a NaN if either is one, and -0.0 is below +0.0."""
    smaller = select((a < b) | ((a == b) & np.signbit(a)), a, b)
    return _canonical(select((a != a) | (b != b), a + b, smaller))


def maximum_ieee(a: Float, b: Float) -> Float:
    """IEEE-754 2019 maximum: a NaN if either is one, and +0.0 is above -0.0."""
    return _canonical(negate(minimum_ieee(negate(a), negate(b))))


def negate(a: Float) -> Float:
    """-a, by its sign bit alone."""
    return (np.asarray(a).view(np.uint32) ^ np.uint32(1 << 31)).view(np.float32)[()]


def select(condition: bool | np.ndarray, a: Float, b: Float) -> Float:
    """condition ? a : b, bits copied."""
    if isinstance(a, np.ndarray):
        bits = np.where(condition, a.view(np.uint32), b.view(np.uint32))
        return bits.view(np.float32)
    return a if condition else b


def _canonical(x: Float) -> Float:
    if isinstance(x, np.ndarray):
        x[x != x] = NAN
        return x
    return x if x == x else NAN


def _fma(a: np.float32, b: np.float32, c: np.float32) -> np.float32:
    """In integers: every binary32 number is a multiple of 2**-149, so the product is one of
    2**-298, and rounding is to 24 bits, or to a multiple of 2**-149 where that is coarser.
    """
    x, y, z = float(a), float(b), float(c)
    # A product of two binary32 numbers is exact in binary64; so are zeros' signs and infinities.
    plain = x * y + z
    if not isfinite(plain):
        return NAN if plain != plain else np.float32(plain)
    exact = int(ldexp(x, 149)) * int(ldexp(y, 149)) + (int(ldexp(z, 149)) << 149)
    if exact == 0:
        return np.float32(plain)
    shift = max(149, abs(exact).bit_length() - 24)
    quotient, rest = divmod(abs(exact), 1 << shift)
    half = 1 << (shift - 1)
    quotient += rest > half or (rest == half and quotient & 1)
    rounded = np.float32(ldexp(quotient, shift - 298))
    return -rounded if exact < 0 else rounded
