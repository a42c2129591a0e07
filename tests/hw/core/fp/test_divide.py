import gc
import re

import numpy as np
import pytest
from ember.hw.core.fp import bits, divide
from ember.hw.core.fp.divide import DIGITS, DIV_INTERVALS, DIV_LATENCY, VectorDivider

from . import operands, reference
from .verilated import Stream

# The layout of a payload, in 32-bit words: data, divisor, then bypass and meta in one.
LANES = 4
META_WIDTH = 31
COUNT = 30_000  # vectors

_built = {}


@pytest.fixture
def discarded():
    """Collect components that a test made and never elaborated, while their warning is off."""
    yield
    gc.collect()


def divider(interval):
    if interval not in _built:
        _built[interval] = Stream(VectorDivider(LANES, interval, META_WIDTH))
    return _built[interval]


def run(dut, data, divisor, bypass=None, offer=(1,), take=(1,), interval=1):
    """Divide vectors; check that meta and order are kept; returns data and both cycle lists."""
    count = len(data)
    if bypass is None:
        bypass = np.zeros(count, dtype=np.uint32)
    meta = np.arange(count, dtype=np.uint32) * np.uint32(2654435761) & np.uint32(0x7FFFFFFF)
    rows = np.column_stack([data, divisor, bypass | (meta << 1)])
    slowest = max(interval, *(len(p) // max(1, np.count_nonzero(p)) for p in (offer, take)))
    out, sent, received = dut.run(rows, 8 * count * (slowest + 1) + 4 * DIV_LATENCY, offer, take)
    np.testing.assert_array_equal(out[:, LANES], meta)
    return out[:, :LANES], sent, received


def check(got, data, divisor, bypass=None):
    divisor = np.repeat(divisor, LANES)
    data = data.ravel()
    want = reference.div(data, divisor)
    if bypass is not None:
        want = np.where(np.repeat(bypass, LANES) != 0, data, want)
    reference.check(got.ravel(), want, data, divisor)


def vectors(a, b):
    """One vector for each pair, with the dividend in a lane that varies and others beside it."""
    count = len(a)
    data = np.stack([np.roll(a, 97 * lane) for lane in range(LANES)], axis=1)
    lane = np.arange(count) % LANES
    data[np.arange(count), lane] = a
    return data, b


def test_intervals():
    assert DIV_INTERVALS == tuple(n for n in range(1, DIGITS + 1) if DIGITS % n == 0)


@pytest.mark.parametrize("interval", DIV_INTERVALS)
def test_corners(interval):
    data, divisor = vectors(*operands.grid(operands.CORNERS, operands.CORNERS))
    check(run(divider(interval), data, divisor, interval=interval)[0], data, divisor)


def test_exponent_distances():
    data, divisor = vectors(*operands.exponent_distances())
    check(run(divider(1), data, divisor)[0], data, divisor)


@pytest.mark.parametrize("interval", DIV_INTERVALS)
def test_random(rng, interval):
    """COUNT * LANES quotients, at least one pair of each vector made to be difficult."""
    data, divisor = vectors(*operands.div(rng, COUNT))
    check(run(divider(interval), data, divisor, interval=interval)[0], data, divisor)


@pytest.mark.parametrize("interval", DIV_INTERVALS)
def test_bypass(rng, interval):
    """Data of any kind pass unchanged whatever the divisor, between divisions and in order."""
    data = operands.words(rng, 20_000 * LANES).reshape(-1, LANES)
    data[: len(operands.CORNERS)] = operands.CORNERS[:, None]
    divisor = operands.words(rng, len(data))
    bypass = rng.integers(0, 2, len(data), dtype=np.uint32)
    bypass[: len(operands.CORNERS)] = 1
    got, _, _ = run(divider(interval), data, divisor, bypass, interval=interval)
    check(got, data, divisor, bypass)


@pytest.mark.parametrize("interval", DIV_INTERVALS)
@pytest.mark.parametrize(
    "offer, take", [(0.5, 0.5), (1, 0.1), (0.1, 1), (0.9, 0.9)], ids=lambda p: f"{p}"
)
def test_back_pressure(rng, interval, offer, take):
    data, divisor = vectors(*operands.div(rng, 3_000))
    # Lengths without a common factor; the first element keeps a pattern from being empty.
    offer = np.concatenate([[1], rng.random(210) < offer])
    take = np.concatenate([[1], rng.random(198) < take])
    got, _, _ = run(divider(interval), data, divisor, offer=offer, take=take, interval=interval)
    check(got, data, divisor)


@pytest.mark.parametrize("interval", DIV_INTERVALS)
def test_latency_and_throughput(rng, interval):
    data, divisor = vectors(*operands.div(rng, 100))
    _, sent, received = run(divider(interval), data, divisor, interval=interval)
    np.testing.assert_array_equal(received - sent, DIV_LATENCY)
    np.testing.assert_array_equal(np.diff(sent), interval)


def unused(test):
    """The test only constructs."""
    test = pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")(test)
    return pytest.mark.usefixtures("discarded")(test)


@pytest.mark.parametrize(
    "lanes, interval, meta_width, error, message",
    [
        ("4", 1, 0, TypeError, "Divider lanes must be an integer, not '4'"),
        (4, 1.0, 0, TypeError, "Divider interval must be an integer, not 1.0"),
        (4, 1, None, TypeError, "Divider meta_width must be an integer, not None"),
        (True, 1, 0, TypeError, "Divider lanes must be an integer, not True"),
        (0, 1, 0, ValueError, "Divider lanes must be at least 1, not 0"),
        (4, 3, 0, ValueError, "Divider interval must be one of (1, 2, 13, 26), not 3"),
        (4, 1, -1, ValueError, "Divider meta_width must be at least 0, not -1"),
    ],
)
@unused
def test_parameters(lanes, interval, meta_width, error, message):
    with pytest.raises(error, match=rf"\A{re.escape(message)}\Z"):
        VectorDivider(lanes, interval, meta_width)


@unused
def test_properties():
    dut = VectorDivider(3, 13, 5)
    assert (dut.lanes, dut.interval, dut.meta_width) == (3, 13, 5)


def test_mutant_is_found(monkeypatch, rng):
    """The checks above can fail."""

    def no_sticky(significand, sticky, exp):
        return bits.round_half_even(significand, 0, exp)

    monkeypatch.setattr(divide, "round_half_even", no_sticky)
    mutant = Stream(VectorDivider(LANES, 26, META_WIDTH))
    data, divisor = vectors(*operands.div(rng, 2_000))
    got, _, _ = run(mutant, data, divisor, interval=26)
    with pytest.raises(AssertionError, match=r"^\d+ of 8000 wrong"):
        check(got, data, divisor)
