import numpy as np
import pytest
from amaranth.hdl import Mux
from amaranth.sim import Simulator
from ember.hw.core.fp import bits
from ember.hw.core.fp import lane as lane_module
from ember.hw.core.fp.lane import ADD_STAGES, LATENCY, MUL_STAGES, FpLane
from ember.hw.core.fp.op import FpOp

from . import operands, reference
from .verilated import Pipeline

COUNT = 120_000
SEED = 0x5EED


@pytest.fixture(scope="module")
def lane():
    return Pipeline(FpLane())


def run(lane, op, a, b, c, again=0):
    """One operation per cycle, ``c`` and ``again`` late; returns the results."""
    pad = np.zeros(LATENCY, dtype=np.uint32)
    again = np.broadcast_to(np.uint32(again), len(a))

    def at(stage, column):
        return np.concatenate([pad[:stage], column, pad[: LATENCY - stage]])

    return lane.run(
        op=at(0, np.broadcast_to(np.uint32(op), len(a))),
        a=at(0, a),
        b=at(0, b),
        c=at(MUL_STAGES, c),
        again=at(MUL_STAGES, again),
    )["o"][LATENCY:]


def constant(word, like):
    return np.full(len(like), word, dtype=np.uint32)


def check_add(lane, a, b):
    want = reference.add(a, b)
    reference.check(run(lane, FpOp.FMA, a, constant(reference.ONE, a), b), want, a, b)


def check_sub(lane, a, b):
    """Both ways: the product is ``-a``."""
    minus_one = constant(reference.MINUS_ONE, a)
    reference.check(run(lane, FpOp.FNMA, a, minus_one, b), reference.sub(a, b), a, b)
    reference.check(run(lane, FpOp.FMA, a, minus_one, b), reference.sub(b, a), a, b)


def check_mul(lane, a, b):
    want = reference.mul(a, b)
    reference.check(run(lane, FpOp.FMA, a, b, constant(reference.MINUS_ZERO, a)), want, a, b)


def check_fma(lane, a, b, c):
    reference.check(run(lane, FpOp.FMA, a, b, c), reference.fma(a, b, c), a, b, c)


def test_stages():
    assert LATENCY == MUL_STAGES + ADD_STAGES
    assert ADD_STAGES <= 5


def test_add_corners(lane):
    check_add(lane, *operands.grid(operands.CORNERS, operands.CORNERS))


def test_add_exponent_distances(lane):
    check_add(lane, *operands.exponent_distances())


def test_add_random(lane, rng):
    check_add(lane, *operands.add(rng, COUNT))


def test_sub_corners(lane):
    check_sub(lane, *operands.grid(operands.CORNERS, operands.CORNERS))


def test_sub_exponent_distances(lane):
    check_sub(lane, *operands.exponent_distances())


def test_sub_random(lane, rng):
    check_sub(lane, *operands.add(rng, COUNT))


def test_mul_corners(lane):
    check_mul(lane, *operands.grid(operands.CORNERS, operands.CORNERS))


def test_mul_exponent_distances(lane):
    check_mul(lane, *operands.exponent_distances())


def test_mul_random(lane, rng):
    check_mul(lane, *operands.mul(rng, COUNT))


def test_fma_corners(lane):
    corners = operands.CORNERS
    check_fma(lane, *operands.grid(corners, corners, corners))


def test_fma_random(lane, rng):
    check_fma(lane, *operands.fma(rng, COUNT))


def fnma(a, b, c):
    """-(a * b) - c: in that order, so that zeros have their signs."""
    minus = reference.MINUS_ZERO
    return reference.fma(a ^ minus, b, c ^ minus)


def test_fnma_random(lane, rng):
    a, b, c = operands.fma(rng, COUNT)
    reference.check(run(lane, FpOp.FNMA, a, b, c), fnma(a, b, c), a, b, c)


@pytest.mark.parametrize(
    "a, c, want",
    [
        (0x3F800000, 0x3F800000, 0x00000000),  # x - x
        (0xBF800000, 0xBF800000, 0x00000000),
        (0x00000000, 0x00000000, 0x00000000),  # +0 - +0
        (0x00000000, 0x80000000, 0x00000000),  # +0 - -0
        (0x80000000, 0x00000000, 0x80000000),  # -0 - +0
        (0x80000000, 0x80000000, 0x00000000),  # -0 - -0
        (0x7F800000, 0x7F800000, 0x7FC00000),  # inf - inf
        (0x7F800000, 0xFF800000, 0x7F800000),
        (0xFF800000, 0x7F800000, 0xFF800000),
        (0x3F800000, 0x7F800000, 0xFF800000),
        (0xFFC12345, 0x3F800000, 0x7FC00000),  # no NaN payload is kept, nor its sign
        (0x3F800000, 0x7FA00001, 0x7FC00000),
        (0xFF7FFFFF, 0x7F7FFFFF, 0xFF800000),  # overflow
        (0x00800000, 0x00800001, 0x80000001),  # a subnormal difference
    ],
)
def test_sub_directed(lane, a, c, want):
    words = np.array([[a], [reference.MINUS_ONE], [c]], dtype=np.uint32)
    assert run(lane, FpOp.FNMA, *words)[0] == want
    assert run(lane, FpOp.FMA, *words[::-1])[0] == want


@pytest.mark.parametrize("subnormal", [False, True], ids=["normal", "subnormal"])
def test_fma_alignments(lane, rng, subnormal):
    """The addend at every distance from the product, with both signs."""
    exp_c, exp_a, reps = operands.grid(np.arange(255), np.arange(1, 255, 7), np.arange(4))
    count = len(exp_c)
    bits = rng.integers(0, 1 << 32, (3, count), dtype=np.uint32)
    a = (bits[0] & np.uint32(0x807FFFFF)) | (exp_a << 23)
    if subnormal:
        leading = np.left_shift(1, rng.integers(0, 23, count)).astype(np.uint32)
        b = (bits[1] & (leading - 1)) | leading
    else:
        b = (bits[1] & np.uint32(0x807FFFFF)) | np.uint32(127 << 23)
    c = (bits[2] & np.uint32(0x807FFFFF)) | (exp_c << 23)
    # The edges of a window show with fractions of all zeros and all ones.
    c = np.where(reps == 1, c & np.uint32(0xFF800000), c)
    c = np.where(reps == 2, c | np.uint32(0x7FFFFF), c)
    check_fma(lane, a, b, c)


def test_fma_rounds_once(lane):
    # (1 + 2**-12)**2 - (1 + 2**-11) is 2**-24; rounding the product first would give 0.
    a = np.array([0x3F800800], dtype=np.uint32)
    c = np.array([0xBF801000], dtype=np.uint32)
    assert run(lane, FpOp.FMA, a, a, c)[0] == 0x33800000


@pytest.mark.parametrize(
    "a, b, c, want",
    [
        (0x3F800000, 0x3F800000, 0xBF800000, 0x00000000),  # exact cancellation is +0
        (0x00000000, 0x80000000, 0x80000000, 0x80000000),  # -0 + -0
        (0x00000000, 0x80000000, 0x00000000, 0x00000000),  # -0 + +0
        (0x00000001, 0x80000001, 0x00000000, 0x80000000),  # underflow keeps the product's sign
        (0x7F7FFFFF, 0x40000000, 0xFF7FFFFF, 0x7F7FFFFF),  # no overflow before the sum
        (0x7F7FFFFF, 0x3F800000, 0x73000000, 0x7F800000),  # a tie that rounds to infinity
        (0x7F800000, 0x3F800000, 0xFF800000, 0x7FC00000),  # inf - inf
        (0x7F800000, 0x80000000, 0x7FC12345, 0x7FC00000),  # inf * 0 + nan
        (0x3F800000, 0x3F800000, 0xFFC12345, 0x7FC00000),  # no NaN payload is kept
        (0x3F800800, 0x3F800800, 0x80000000, 0x3F801000),  # the product is a tie
        (0x3F800800, 0x3F800800, 0x21800000, 0x3F801001),  # which a tiny addend decides
        (0x3F800800, 0x3F800800, 0xA1800000, 0x3F801000),
        (0x3F800800, 0x3F800800, 0x00000001, 0x3F801001),
        (0x7F7FFFFF, 0x7F7FFFFF, 0xFF800000, 0xFF800000),  # a finite product, however large
    ],
)
def test_fma_directed(lane, a, b, c, want):
    assert run(lane, FpOp.FMA, *np.array([[a], [b], [c]], dtype=np.uint32))[0] == want


def max_want(a, c, propagate):
    take_a = reference.less(c, a)
    if propagate:
        take_a |= reference.is_nan(a) & ~reference.is_nan(c)
    return np.where(take_a, a, c)


def min_want(a, c):
    return np.where(reference.less(a, c), a, c)


def ieee_want(a, c, smaller):
    """The sign bit decides between zeros: IEEE 754-2019, clause 9.6."""
    a_less = reference.less(a, c) | ((a == reference.MINUS_ZERO) & (c == 0))
    nan = reference.is_nan(a) | reference.is_nan(c)
    return np.where(nan, reference.CANONICAL_NAN, np.where(a_less == smaller, a, c))


@pytest.mark.parametrize(
    "op, want",
    [
        (FpOp.MAX, lambda a, c: max_want(a, c, False)),
        (FpOp.MAXN, lambda a, c: max_want(a, c, True)),
        (FpOp.MIN, min_want),
        (FpOp.MAXI, lambda a, c: ieee_want(a, c, False)),
        (FpOp.MINI, lambda a, c: ieee_want(a, c, True)),
    ],
)
def test_compare(lane, rng, op, want):
    for a, c in (
        operands.grid(operands.CORNERS, operands.CORNERS),
        operands.add(rng, COUNT),
        (operands.words(rng, COUNT),) * 2,
    ):
        b = operands.words(rng, len(a))
        reference.check(run(lane, op, a, b, c), want(a, c), a, c)


def test_moves(lane, rng):
    a, b, c = (operands.words(rng, COUNT) for _ in range(3))
    reference.check(run(lane, FpOp.MOV, a, b, c), c, a, b, c)
    reference.check(run(lane, FpOp.MOVA, a, b, c), a, a, b, c)
    reference.check(run(lane, FpOp.NEG, a, b, c), a ^ reference.MINUS_ZERO, a, b, c)


def test_operations_mixed(lane, rng):
    """Neighbours in the pipeline do not disturb each other."""
    a, b, c = operands.fma(rng, COUNT)
    op = rng.choice(np.array(list(FpOp), dtype=np.uint32), COUNT)
    wants = {
        FpOp.MOV: c,
        FpOp.FMA: reference.fma(a, b, c),
        FpOp.MAX: max_want(a, c, False),
        FpOp.MAXN: max_want(a, c, True),
        FpOp.MOVA: a,
        FpOp.MIN: min_want(a, c),
        FpOp.MAXI: ieee_want(a, c, False),
        FpOp.MINI: ieee_want(a, c, True),
        FpOp.FNMA: fnma(a, b, c),
        FpOp.NEG: a ^ reference.MINUS_ZERO,
    }
    assert set(wants) == set(FpOp)
    want = np.select([op == code for code in wants], list(wants.values()))
    reference.check(run(lane, op, a, b, c), want, op, a, b, c)


def test_own_result_as_addend(lane, rng):
    """Chains of every length, and what ``c`` is meanwhile does not matter."""
    a, b, c = operands.fma(rng, COUNT)
    again = rng.random(COUNT) < 0.8
    again[:ADD_STAGES] = False
    want = np.empty_like(a)
    for first in range(0, COUNT, ADD_STAGES):
        now = slice(first, min(first + ADD_STAGES, COUNT))
        before = slice(max(0, now.start - ADD_STAGES), max(0, now.stop - ADD_STAGES))
        addend = np.where(again[now], want[before], c[now]) if first else c[now]
        want[now] = reference.fma(a[now], b[now], addend)
    reference.check(run(lane, FpOp.FMA, a, b, c, again), want, a, b, c)


class Simulated:
    """The lane under Amaranth's simulator: slower than Verilator, but needs no build."""

    def run(self, **columns):
        dut = FpLane()
        sampled = []

        async def bench(ctx):
            for n in range(len(columns["a"])):
                for name, column in columns.items():
                    ctx.set(getattr(dut, name), int(column[n]))
                sampled.append(ctx.get(dut.o))
                await ctx.tick()

        sim = Simulator(dut)
        sim.add_clock(1e-6)
        sim.add_testbench(bench)
        sim.run()
        return {"o": np.array(sampled, dtype=np.uint32)}


def no_sticky_round(significand, sticky, exp):
    return bits.round_half_even(significand, 0, exp)


def no_sticky_shift(value, amount, steps):
    for bit in steps:
        value = Mux(amount[bit], value[1 << bit :], value)
    return value


@pytest.mark.parametrize(
    "name, broken",
    [("", None), ("round_half_even", no_sticky_round), ("shift_right_sticky", no_sticky_shift)],
    ids=["intact", "round", "shift"],
)
def test_mutants_are_found(monkeypatch, rng, name, broken):
    """The checks above can fail."""
    args = operands.fma(rng, 400)
    # A product that is a tie (see test_fma_directed), decided by an addend far below.
    for arg, word in zip(args, (0x3F800800, 0x3F800800, 0x21800000), strict=True):
        arg[:1] = word
    if broken is None:
        check_fma(Simulated(), *args)
        return
    monkeypatch.setattr(lane_module, name, broken)
    with pytest.raises(AssertionError, match=r"^\d+ of 400 wrong"):
        check_fma(Simulated(), *args)
