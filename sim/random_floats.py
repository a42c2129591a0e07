"""Random binary32 operands that visit the corners: NaN, infinities, subnormals, signed zeros."""

import numpy as np

_SPECIAL = np.array(
    [
        0x00000000, 0x80000000,  # zeros
        0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF,  # subnormals
        0x00800000, 0x80800000, 0x7F7FFFFF, 0xFF7FFFFF,  # smallest normal, largest finite
        0x3F800000, 0xBF800000, 0x3F800001, 0x4B800000,  # 1, -1, 1 + ulp, 2**24
        0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F800001, 0x7FBFFFFF,  # inf, NaN
    ],
    np.uint32,
)  # fmt: skip


def random_floats(
    rng: np.random.Generator, count: int, special: float = 0.2, wild: float = 0.2
) -> np.ndarray:
    """``count`` values: float32, shape (count,).

    Parameters
    ----------
    special : float
        Share of corner cases and subnormals, half each.
    wild : float
        Share of uniformly random bits. The rest is normally distributed.
    """
    bits = rng.standard_normal(count).astype(np.float32).view(np.uint32)
    kind = rng.random(count)
    corner = rng.choice(_SPECIAL, count)
    subnormal = rng.integers(0, 1 << 23, count) | rng.integers(0, 2, count) << 31
    random = rng.integers(0, 1 << 32, count)
    bits = np.where(kind < special, np.where(kind < special / 2, corner, subnormal), bits)
    bits = np.where((kind >= special) & (kind < special + wild), random, bits)
    return bits.astype(np.uint32).view(np.float32)
