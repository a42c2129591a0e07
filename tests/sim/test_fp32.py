"""Binary32 arithmetic against Berkeley SoftFloat, bit for bit."""

import numpy as np
import pytest
from ember.sim import fp32
from ember.sim.random_floats import random_floats

softfloatpy = pytest.importorskip("softfloatpy", reason="softfloatpy, the reference, is absent")

SEED = 20250
COUNT = 120_000


def bits(x):
    return np.ascontiguousarray(x).view(np.uint32)


def floats(words):
    return np.array(words, np.uint32).view(np.float32)


def soft(function, *operands):
    """Apply a SoftFloat function to arrays; a NaN becomes the machine's."""
    columns = []
    for x in operands:
        raw = bits(x).astype(">u4").tobytes()
        columns.append(
            [softfloatpy.Float32.from_bytes(raw[n : n + 4]) for n in range(0, len(raw), 4)]
        )
    raw = b"".join(function(*row).to_bytes() for row in zip(*columns, strict=True))
    result = np.frombuffer(raw, ">u4").astype(np.uint32)
    nan = (result & 0x7FFFFFFF) > 0x7F800000
    return np.where(nan, np.uint32(fp32.NAN_BITS), result)


def operands(rng, count):
    """Three arrays whose fused sum cancels, ties, underflows or overflows much of the time."""
    a, b, c = (random_floats(rng, count, special=0.3, wild=0.3) for _ in range(3))
    with np.errstate(all="ignore"):
        product = a * b
        near = bits(product) ^ np.uint32(1 << 31)
        near = near + rng.integers(-3, 4, count).astype(np.uint32)
        # A sum whose product is a small fraction of it: halves of the last place are common.
        few = floats(bits(random_floats(rng, count, 0, 1)) & np.uint32(0xFFFF0000))
        scaled = floats(bits(product) + (rng.integers(20, 28, count) << 23).astype(np.uint32))
    kind = rng.integers(0, 6, count)
    c = np.where(kind == 0, near.view(np.float32), c)
    c = np.where(kind == 1, scaled, c)
    a = np.where(kind == 2, few, a)
    # Small times small: results in and below the subnormal range.
    tiny = (rng.integers(40, 90, count) << 23 | rng.integers(0, 1 << 23, count)).astype(np.uint32)
    a, b = np.where(kind == 3, floats(tiny), a), np.where(kind == 3, floats(tiny[::-1]), b)
    small = rng.integers(0, 1 << 24, count).astype(np.uint32)
    c = np.where((kind == 3) & (rng.random(count) < 0.7), floats(small), c)
    return a, b, c


def compare(name, got, want, *operand):
    wrong = np.flatnonzero(bits(got) != want)
    if wrong.size:
        n = wrong[0]
        inputs = ", ".join(f"{bits(x)[n]:#010x}" for x in operand)
        pytest.fail(
            f"{name}({inputs}) must be {want[n]:#010x}, not {bits(got)[n]:#010x}; "
            f"{wrong.size} of {want.size} differ; seed {SEED}"
        )


def test_fma_rounds_once():
    rng = np.random.default_rng(SEED)
    a, b, c = operands(rng, COUNT)
    want = soft(softfloatpy.f32_mul_add, a, b, c)
    compare("fma", fp32.fma(a, b, c), want, a, b, c)
    # The operands must have reached the cases that a sum in binary64 alone gets wrong.
    with np.errstate(all="ignore"):
        twice = (a.astype(np.float64) * b + c).astype(np.float32)
    nan = np.isnan(twice)
    assert np.count_nonzero((bits(twice) != want) & ~nan) > 0


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_two_operands(name):
    rng = np.random.default_rng(SEED)
    a, b, c = operands(rng, COUNT // 4)
    b = c if name in ("add", "sub") else b
    want = soft(getattr(softfloatpy, f"f32_{name}"), a, b)
    compare(name, getattr(fp32, name)(a, b), want, a, b)


@pytest.mark.parametrize(
    "a, b, c, want",
    [
        # 1 + 2**-24, a tie, and 1 + 2**-24 + 2**-47.
        (0x3F800000, 0x3F800000, 0x33800000, 0x3F800000),
        (0x33800000, 0x3F800001, 0x3F800000, 0x3F800001),
        # Just above the tie again, where the sum in binary64 is odd and must stay as it is.
        (0x3FB50EEE, 0x3334FAF9, 0x3F800000, 0x3F800001),
        # Halves of the smallest subnormal: a tie goes to even, anything above it up.
        (0x00000001, 0x3F000000, 0x00000000, 0x00000000),
        (0x00000001, 0x3F000001, 0x00000000, 0x00000001),
        (0x80000001, 0x3F000000, 0x00000000, 0x80000000),
        # Signed zeros: equal signs keep it, a cancellation is +0.
        (0x80000000, 0x3F800000, 0x80000000, 0x80000000),
        (0x3F800000, 0xBF800000, 0x3F800000, 0x00000000),
        # 0 x inf and inf - inf.
        (0x00000000, 0x7F800000, 0x3F800000, 0x7FC00000),
        (0x3F800000, 0x7F800000, 0xFF800000, 0x7FC00000),
        (0xFFC12345, 0x3F800000, 0x3F800000, 0x7FC00000),
        # Overflow of the product, and of the sum alone.
        (0x7F7FFFFF, 0x40000000, 0xFF7FFFFF, 0x7F7FFFFF),
        (0x7F7FFFFF, 0x40000000, 0x00000000, 0x7F800000),
    ],
)
def test_fma_corner(a, b, c, want):
    got = bits(fp32.fma(floats([a]), floats([b]), floats([c])))[0]
    assert f"{got:#010x}" == f"{want:#010x}"


def test_comparisons_copy_bits():
    a = floats([0x7F800001, 0x3F800000, 0x00000000, 0x80000000, 0x7FC00001, 0x40000000])
    c = floats([0x3F800000, 0xFFC00002, 0x80000000, 0x00000000, 0xFFC00003, 0x3F800000])
    assert bits(fp32.maximum(a, c)).tolist() == [
        0x3F800000, 0xFFC00002, 0x80000000, 0x00000000, 0xFFC00003, 0x40000000,
    ]  # fmt: skip
    assert bits(fp32.maximum_nan(a, c)).tolist() == [
        0x7F800001, 0xFFC00002, 0x80000000, 0x00000000, 0xFFC00003, 0x40000000,
    ]  # fmt: skip


    a = floats([0x7F800001, 0x3F800000, 0x00000000, 0x80000000, 0x7FC00001, 0x3F800000])
    c = floats([0x3F800000, 0xFFC00002, 0x80000000, 0x00000000, 0xFFC00003, 0x40000000])
    assert bits(fp32.minimum(a, c)).tolist() == [
        0x3F800000, 0xFFC00002, 0x80000000, 0x00000000, 0xFFC00003, 0x3F800000,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "a, c, low, high",
    [
        (0x80000000, 0x00000000, 0x80000000, 0x00000000),
        (0x00000000, 0x80000000, 0x80000000, 0x00000000),
        (0x80000000, 0x80000000, 0x80000000, 0x80000000),
        (0x00000000, 0x00000000, 0x00000000, 0x00000000),
        (0x3F800000, 0xBF800000, 0xBF800000, 0x3F800000),
        (0x80000001, 0x80000000, 0x80000001, 0x80000000),
        (0xFF800000, 0x7F800000, 0xFF800000, 0x7F800000),
        (0x7F800001, 0x3F800000, 0x7FC00000, 0x7FC00000),
        (0x3F800000, 0xFFC12345, 0x7FC00000, 0x7FC00000),
    ],
)
def test_minimum_and_maximum_of_ieee_order_zeros_and_propagate_nan(a, c, low, high):
    a, c = floats([a]), floats([c])
    assert [hex(bits(f(a, c))[0]) for f in (fp32.minimum_ieee, fp32.maximum_ieee)] == [
        hex(low), hex(high),
    ]  # fmt: skip


def test_a_negation_flips_the_sign_of_anything():
    a = floats([0x00000000, 0x80000000, 0x3F800000, 0x7F800001, 0xFFC12345, 0xFF800000])
    assert bits(fp32.negate(a)).tolist() == [
        0x80000000, 0x00000000, 0xBF800000, 0xFF800001, 0x7FC12345, 0x7F800000,
    ]  # fmt: skip


def test_shapes_broadcast():
    table = np.ones((3, 5), np.float32)
    factor = np.full((3, 1), 2, np.float32)
    assert fp32.fma(factor, table, table).shape == (3, 5)
    assert fp32.fma(np.float32(2), np.float32(3), np.float32(4)) == 10
    assert fp32.add(table, np.float32(1)).dtype == np.float32
