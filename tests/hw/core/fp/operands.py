"""Operands of binary32 tests: format-aware random words and directed corner cases."""

import numpy as np

from . import reference

#: Both ends of every range, and patterns that round in each way.
CORNERS = np.array(
    [
        0x00000000,  # zero
        0x00000001,  # least subnormal
        0x00000002,
        0x00400000,
        0x007FFFFF,  # greatest subnormal
        0x00800000,  # least normal
        0x00800001,
        0x00FFFFFF,
        0x01000000,
        0x0C000000,
        0x33800000,  # 2**-24, half a unit in the last place of 1
        0x33800001,
        0x34000000,
        0x3EAAAAAB,
        0x3F000000,
        0x3F7FFFFF,  # just below 1
        0x3F800000,
        0x3F800001,
        0x3FFFFFFF,
        0x40000000,
        0x40400000,
        0x4B7FFFFF,
        0x4B800000,
        0x4B800001,
        0x7E800000,
        0x7F000000,
        0x7F7FFFFF,  # greatest
        0x7F800000,  # infinity
        0x7F800001,  # signalling NaN
        0x7FBFFFFF,
        0x7FC00000,  # quiet NaN
        0x7FFFFFFF,
    ],
    dtype=np.uint32,
)
CORNERS = np.concatenate([CORNERS, CORNERS | np.uint32(0x80000000)])

_EXPONENTS = np.array(
    [
        *(0, 0, 0, 1, 1, 2, 3, 22, 23, 24, 25, 63, 64, 65),
        *(101, 102, 103, 104, 125, 126, 127, 127, 128, 129, 149, 150, 151, 152),
        *(190, 191, 192, 229, 230, 231, 252, 253, 254, 254, 255),
    ],
    dtype=np.uint32,
)


def words(rng, count):
    """Random words: uniform ones, special exponents, sparse and dense fractions, corners."""
    uniform = rng.integers(0, 1 << 32, count, dtype=np.uint32)
    exp = np.where(
        rng.random(count) < 0.6, rng.choice(_EXPONENTS, count), rng.integers(0, 256, count)
    )
    ones = np.left_shift(1, rng.integers(0, 24, count)) - 1
    fraction = np.choose(
        rng.integers(0, 5, count),
        [
            uniform & 0x7FFFFF,
            ones,  # a run of ones at the bottom
            0x7FFFFF & ~ones,  # at the top
            np.left_shift(1, rng.integers(0, 23, count)),  # one bit
            rng.choice([0, 1, 2, 0x3FFFFF, 0x400000, 0x400001, 0x7FFFFE, 0x7FFFFF], count),
        ],
    )
    shaped = (uniform & 0x80000000) | (exp.astype(np.uint32) << 23) | (fraction & 0x7FFFFF)
    return np.choose(
        rng.choice([0, 1, 2], count, p=[0.25, 0.7, 0.05]),
        [uniform, shaped, rng.choice(CORNERS, count)],
    ).astype(np.uint32)


def near(rng, values):
    """Words a few units, or one exponent step, from ``values``."""
    step = rng.integers(-4, 5, len(values)) + (rng.integers(-1, 2, len(values)) << 23)
    return (values.astype(np.int64) + step).astype(np.uint32)


def addends(rng, values):
    """For each sum with one of ``values``: far, near and cancelling, or a tie."""
    count = len(values)
    # Half a unit in the last place of the value, or close to it, is 24 exponents down.
    exp = (values >> 23) & 0xFF
    below = np.clip(exp.astype(np.int64) - rng.integers(22, 28, count), 0, 254)
    tie = (
        (rng.integers(0, 2, count) << 31)
        | (below << 23)
        | rng.choice([0, 0, 1, 0x400000, 0x7FFFFF], count)
    )
    return np.choose(
        rng.integers(0, 4, count),
        [
            words(rng, count),
            near(rng, values ^ np.uint32(0x80000000)),
            near(rng, values),
            tie.astype(np.uint32),
        ],
    ).astype(np.uint32)


def add(rng, count):
    """Operands ``(a, b)`` of a sum."""
    a = words(rng, count)
    return a, addends(rng, a)


def mul(rng, count):
    """Operands ``(a, b)`` of a product: random, subnormal results, and short significands."""
    a, b = words(rng, count), words(rng, count)
    # Products around the least normal number: the exponents add to about 127.
    target = rng.integers(100, 132, count) - ((a >> 23) & 0xFF).astype(np.int64)
    tiny = (b & 0x807FFFFF) | (np.clip(target, 0, 255).astype(np.uint32) << 23)
    # Twelve bits times thirteen bits: exact, or a tie.
    keep = rng.integers(0, 3, count)
    a = np.where(keep == 2, a & 0xFFFFF000, a)
    return a.astype(np.uint32), np.choose(keep, [b, tiny, b & 0xFFFFE000]).astype(np.uint32)


def fma(rng, count):
    """Operands ``(a, b, c)`` of a fused multiply-add."""
    a, b = mul(rng, count)
    return a, b, addends(rng, reference.mul(a, b))


def div(rng, count):
    """Operands ``(a, b)`` of a quotient: random, near 1, exact, and subnormal results."""
    a, b = words(rng, count), words(rng, count)
    exact = reference.mul(b, words(rng, count) & 0xFFFFF000)
    target = ((b >> 23) & 0xFF).astype(np.int64) - rng.integers(95, 131, count)
    tiny = (a & 0x807FFFFF) | (np.clip(target, 0, 255).astype(np.uint32) << 23)
    a = np.choose(rng.integers(0, 4, count), [a, near(rng, b), exact, tiny])
    return a.astype(np.uint32), b


def grid(*columns):
    """Every combination of the columns' words."""
    mesh = np.meshgrid(*columns, indexing="ij")
    return tuple(column.ravel().astype(np.uint32) for column in mesh)


def exponent_distances():
    """``(a, b)``: every pair of exponent fields, with varied fractions and signs."""
    exp_a, exp_b = grid(np.arange(256), np.arange(256))
    n = np.arange(len(exp_a), dtype=np.uint32)
    mix = n * np.uint32(2654435761)  # an odd multiplier: fractions differ from pair to pair
    a = (mix & np.uint32(0x807FFFFF)) | (exp_a << 23)
    b = ((mix >> 3) ^ (mix << 7)) & np.uint32(0x807FFFFF) | (exp_b << 23)
    return a.astype(np.uint32), b.astype(np.uint32)
