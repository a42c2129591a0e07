import numpy as np
from ember.hw.core.fp.convert import UINT_TO_F32_LATENCY, UintToF32

from . import reference
from .verilated import Pipeline

COUNT = 100_000


def check(values):
    pad = np.zeros(UINT_TO_F32_LATENCY, dtype=np.uint32)
    got = Pipeline(UintToF32()).run(i=np.concatenate([values, pad]))["o"][UINT_TO_F32_LATENCY:]
    reference.check(got, reference.from_uint(values), values)


def test_powers_of_two():
    values = [(1 << n) + d for n in range(33) for d in range(-3, 4) if 0 <= (1 << n) + d < 1 << 32]
    check(np.array(values, dtype=np.uint32))


def test_ties():
    """Halfway between neighbours, and one off, above odd and even significands."""
    values = [
        (significand << shift) + (1 << (shift - 1)) + d
        for shift in range(1, 9)
        for significand in (0x800000, 0x800001, 0xABCDEE, 0xABCDEF, 0xFFFFFE, 0xFFFFFF)
        for d in (-1, 0, 1)
    ]
    check(np.array(values, dtype=np.uint32))


def test_random(rng):
    check(rng.integers(0, 1 << 32, COUNT, dtype=np.uint32) >> rng.integers(0, 32, COUNT))
