"""Bit-exact IEEE-754 binary32 arithmetic on NumPy arrays, as the machine's lanes do it.

Every function takes and returns float32 arrays of any (broadcastable) shape, rounds to nearest
even and keeps subnormals. A NaN that arithmetic makes is :data:`NAN_BITS`, whatever its operands
were; :func:`maximum`, :func:`maximum_nan` and :func:`minimum` copy one operand's bits, and a
negation flips one.
"""

from collections.abc import Callable

import numpy as np

#: The one NaN that arithmetic produces.
NAN_BITS = 0x7FC00000

_NAN = np.array(NAN_BITS, np.uint32).view(np.float32)[()]


def add(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a + b."""
    with np.errstate(all="ignore"):
        return _canonical(np.add(a, b, dtype=np.float32))


def sub(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a - b."""
    with np.errstate(all="ignore"):
        return _canonical(np.subtract(a, b, dtype=np.float32))


def mul(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a * b."""
    with np.errstate(all="ignore"):
        return _canonical(np.multiply(a, b, dtype=np.float32))


def div(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a / b."""
    with np.errstate(all="ignore"):
        return _canonical(np.divide(a, b, dtype=np.float32))


def fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a * b + c, rounded once.

    In binary64 the product is exact and TwoSum yields the error of the sum. Where it is not 0,
    the sum is moved to the neighbour with an odd last bit ("round to odd"); narrowing then
    rounds as if from the exact value, because binary64 has more than two bits to spare.

    Ref: S. Boldo, G. Melquiond, "Emulation of a FMA and correctly rounded sums: proved
    algorithms using rounding to odd", IEEE Transactions on Computers 57(4), 2008.
    """
    with np.errstate(all="ignore"):
        product = np.multiply(a, b, dtype=np.float64)
        addend = np.asarray(c, np.float64)
        total = np.atleast_1d(product + addend)
        virtual = total - product
        error = (product - (total - virtual)) + (addend - virtual)
        bits = total.view(np.int64)
        inexact = (error != 0) & np.isfinite(total) & ((bits & 1) == 0)
        # One step away from zero if the error has the sum's sign, else one towards it.
        step = np.where((error > 0) == (total > 0), 1, -1)
        bits += np.where(inexact, step, 0)
        narrow = total.astype(np.float32)
    return _canonical(narrow).reshape(np.broadcast_shapes(np.shape(product), np.shape(c)))


def maximum(a: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a > c ? a : c, bits copied; false if either is a NaN."""
    a, c = np.broadcast_arrays(np.asarray(a, np.float32), np.asarray(c, np.float32))
    with np.errstate(all="ignore"):
        return _select(a > c, a, c)


def maximum_nan(a: np.ndarray, c: np.ndarray) -> np.ndarray:
    """As :func:`maximum`, but the first NaN wins: a, too, if it is a NaN and c is not."""
    a, c = np.broadcast_arrays(np.asarray(a, np.float32), np.asarray(c, np.float32))
    with np.errstate(all="ignore"):
        return _select((a > c) | (np.isnan(a) & ~np.isnan(c)), a, c)


def minimum(a: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a < c ? a : c, bits copied; false if either is a NaN."""
    a, c = np.broadcast_arrays(np.asarray(a, np.float32), np.asarray(c, np.float32))
    with np.errstate(all="ignore"):
        return _select(a < c, a, c)


def maximum_ieee(a: np.ndarray, c: np.ndarray) -> np.ndarray:
    """IEEE 754-2019 maximum: the NaN of arithmetic if either is one; -0.0 is below +0.0."""
    return _ordered(a, c, maximum)


def minimum_ieee(a: np.ndarray, c: np.ndarray) -> np.ndarray:
    """IEEE 754-2019 minimum: the NaN of arithmetic if either is one; -0.0 is below +0.0."""
    return _ordered(a, c, minimum)


def negate(a: np.ndarray) -> np.ndarray:
    """-a: the sign bit flipped, also that of a NaN."""
    a = np.ascontiguousarray(a, np.float32)
    return (a.view(np.uint32) ^ np.uint32(1 << 31)).view(np.float32)


def _ordered(a: np.ndarray, c: np.ndarray, choose: Callable) -> np.ndarray:
    """``choose`` of two numbers, with zeros by their sign; or NaN."""
    a, c = np.broadcast_arrays(np.asarray(a, np.float32), np.asarray(c, np.float32))
    zeros = (a == 0) & (c == 0)
    # A sign is an order of zeros.
    sign = choose(np.copysign(np.float32(1), a), np.copysign(np.float32(1), c))
    result = np.where(zeros, np.copysign(np.float32(0), sign), choose(a, c))
    return _canonical(np.where(np.isnan(a) | np.isnan(c), _NAN, result))


def _canonical(x: np.ndarray) -> np.ndarray:
    x = np.asarray(x)
    x[np.isnan(x)] = _NAN
    return x


def _select(condition: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Select as integers, so that no conversion can quieten a signaling NaN."""
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    return np.where(condition, a.view(np.uint32), b.view(np.uint32)).view(np.float32)
