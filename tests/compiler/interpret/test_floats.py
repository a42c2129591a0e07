"""The interpreters' binary32 arithmetic against the functional model's, which is SoftFloat's."""

import numpy as np
import pytest
from ember.compiler.interpret import floats
from ember.sim import fp32
from ember.sim.random_floats import random_floats


def bits(x) -> np.ndarray:
    return np.atleast_1d(np.asarray(x, np.float32)).view(np.uint32)


def operands(seed: int, count: int = 3000) -> tuple[np.ndarray, ...]:
    """Operands of which many cancel, tie, underflow or overflow."""
    rng = np.random.default_rng(seed)
    a, b, c = (random_floats(rng, count, special=0.3, wild=0.3) for _ in range(3))
    with np.errstate(all="ignore"):
        near = bits(a * b) ^ np.uint32(1 << 31)
        near = (near + rng.integers(-3, 4, count).astype(np.uint32)).view(np.float32)
    return a, b, np.where(rng.random(count) < 0.4, near, c)


@pytest.mark.parametrize(
    "name, other, count",
    [
        ("add", "add", 2), ("mul", "mul", 2), ("div", "div", 2), ("fma", "fma", 3),
        ("maximum", "maximum", 2), ("maximum_nan", "maximum_nan", 2),
    ],
)  # fmt: skip
def test_scalars_and_vectors(name, other, count, seed):
    args = operands(seed)[:count]
    expected = bits(getattr(fp32, other)(*args))
    function = getattr(floats, name)
    with np.errstate(all="ignore"):
        vector = bits(function(*args))
        scalars = np.concatenate([bits(function(*row)) for row in zip(*args, strict=True)])
    assert np.array_equal(vector, expected)
    assert np.array_equal(scalars, expected)


def test_subtraction_is_addition_of_the_negative(seed):
    a, b, _ = operands(seed)
    with np.errstate(all="ignore"):
        assert np.array_equal(bits(floats.sub(a, b)), bits(floats.add(a, floats.negate(b))))


def test_operations_without_a_unit():
    nan, payload = np.float32(np.nan), np.uint32(0x7F800001).view(np.float32)
    zero, minus = np.float32(0.0), np.float32(-0.0)
    one = np.float32(1.0)
    assert bits(floats.negate(payload)) == 0xFF800001
    assert bits(floats.minimum_ieee(zero, minus)) == bits(floats.minimum_ieee(minus, zero))
    assert bits(floats.minimum_ieee(zero, minus)) == 0x80000000
    assert bits(floats.maximum_ieee(zero, minus)) == bits(floats.maximum_ieee(minus, zero)) == 0
    for function in (floats.minimum_ieee, floats.maximum_ieee):
        with np.errstate(all="ignore"):
            assert bits(function(one, payload)) == bits(function(nan, one)) == 0x7FC00000
    assert floats.minimum_ieee(one, zero) == zero and floats.maximum_ieee(one, zero) == one
