"""The golden embedding bag against PyTorch and against loops over single numbers."""

import numpy as np
import pytest
from ember.sim.golden import bitwise_equal, embedding_bag
from ember.sim.random_floats import random_floats

MODES = ["sum", "mean", "max"]


def random_bags(seed, rows=40, dim=9, bags=60, index=np.int64, special=0.2):
    """(table, indices, offsets, weights) with empty bags and repeated indices."""
    print(f"seed {seed}")
    rng = np.random.default_rng(seed)
    table = random_floats(rng, rows * dim, special, wild=0.1).reshape(rows, dim)
    lengths = rng.integers(0, 8, bags) * (rng.random(bags) < 0.8)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(index)
    indices = rng.integers(0, rows, offsets[-1]).astype(index)
    weights = random_floats(rng, len(indices), special, wild=0.1)
    return table, indices, offsets, weights


def assert_equal(got, want):
    result = bitwise_equal(got, want)
    assert result.equal, f"{result.mismatch} of {result.compared}"


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("padding_idx", [None, 3, -2])
@pytest.mark.parametrize("mode", [*MODES, "weighted"])
def test_torch(mode, padding_idx, seed):
    torch = pytest.importorskip("torch", reason="torch, the reference, is absent")
    dim = [1, 3, 8, 16, 33, 64][seed]
    table, indices, offsets, weights = random_bags(
        seed, dim=dim, index=[np.int64, np.int32][seed % 2]
    )
    weighted = mode == "weighted"
    want = torch.nn.functional.embedding_bag(
        torch.from_numpy(indices),
        torch.from_numpy(table),
        torch.from_numpy(offsets),
        mode="sum" if weighted else mode,
        per_sample_weights=torch.from_numpy(weights) if weighted else None,
        padding_idx=padding_idx,
        include_last_offset=True,
    ).numpy()
    got = embedding_bag(
        table,
        indices,
        offsets,
        mode="sum" if weighted else mode,
        weights=weights if weighted else None,
        padding_idx=padding_idx,
        include_last_offset=True,
    )
    assert_equal(got, want)


def scalar_bag(table, indices, offsets, mode, weights, padding_idx, nan):
    """One number at a time, with numpy's own float32 scalars and two roundings."""
    out = np.zeros((len(offsets) - 1, table.shape[1]), np.float32)
    with np.errstate(all="ignore"):
        for bag in range(len(out)):
            for d in range(table.shape[1]):
                acc, count = np.float32(0), 0
                for at in range(offsets[bag], offsets[bag + 1]):
                    if indices[at] == padding_idx:
                        continue
                    x = table[indices[at], d]
                    if mode == "max":
                        new = (
                            count == 0
                            or x > acc
                            or (nan == "propagate" and np.isnan(x) and not np.isnan(acc))
                        )
                        acc = x if new else acc
                    elif weights is not None:
                        acc = acc + weights[at] * x
                    else:
                        acc = acc + x
                    count += 1
                if mode == "mean" and count:
                    acc = acc / np.float32(count)
                out[bag, d] = acc
    return out


@pytest.mark.parametrize("padding_idx", [None, 5])
@pytest.mark.parametrize("mode, nan", [("sum", "torch"), ("mean", "torch"), ("max", "torch"),
                                       ("max", "propagate")])  # fmt: skip
def test_scalar_loops(mode, nan, padding_idx):
    table, indices, offsets, weights = random_bags(seed=11)
    for factor in [None, weights] if mode == "sum" else [None]:
        want = scalar_bag(table, indices, offsets, mode, factor, padding_idx, nan)
        got = embedding_bag(
            table, indices, offsets, mode, factor, padding_idx, True, nan=nan, fma=False
        )
        assert_equal(got, want)


def test_one_rounding_differs_from_two():
    table, indices, offsets, weights = random_bags(seed=12, special=0)
    once = embedding_bag(table, indices, offsets, "sum", weights, None, True, fma=True)
    twice = embedding_bag(table, indices, offsets, "sum", weights, None, True, fma=False)
    default = embedding_bag(table, indices, offsets, "sum", weights, None, True)
    padded = embedding_bag(table, indices, offsets, "sum", weights, 0, True, fma=True)
    assert not bitwise_equal(once, twice)
    assert_equal(default, once)
    assert not bitwise_equal(
        padded, embedding_bag(table, indices, offsets, "sum", weights, 0, True)
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("offsets", [[0, 1, 1, 3, 3, 4], [0, 1, 5]])
def test_empty_bags(mode, offsets):
    table = -np.arange(1, 6, dtype=np.float32)[:, None]
    got = embedding_bag(table, np.arange(5), np.array(offsets), mode)
    empty = [n for n, (a, b) in enumerate(zip(offsets, [*offsets[1:], 5], strict=True)) if a == b]
    assert (got.view(np.uint32)[empty] == 0).all()


def test_no_bags_and_one_empty_bag():
    table, none = np.ones((3, 2), np.float32), np.zeros(0, np.int64)
    assert embedding_bag(table, none, none).shape == (0, 2)
    assert embedding_bag(table, none, np.array([0])).tolist() == [[0, 0]]
    assert embedding_bag(table, none, np.array([0]), include_last_offset=True).shape == (0, 2)
    assert embedding_bag(table[:, :0], none, np.array([0])).shape == (1, 0)


def test_all_padded_bag_and_divisor():
    table = np.array([[1], [2], [3]], np.float32)
    got = embedding_bag(table, np.array([0, 1, 2, 1, 1]), np.array([0, 3]), padding_idx=1)
    assert got.tolist() == [[2.0], [0.0]]


def test_signed_zeros():
    zero = np.array([[-0.0]], np.float32)
    one = np.array([0]), np.array([0])
    assert [np.signbit(embedding_bag(zero, *one, mode=m))[0, 0] for m in MODES] == [
        False, False, True,
    ]  # fmt: skip
    both = np.array([[-0.0], [0.0]], np.float32)
    assert np.signbit(embedding_bag(both, np.array([0, 1]), np.array([0]), "max"))[0, 0]


def test_nan_rules_of_max():
    table = np.array([[np.nan], [1.0]], np.float32)
    both = np.array([0, 1, 1, 0]), np.array([0, 2]), "max"
    assert_equal(embedding_bag(table, *both), np.array([[np.nan], [1]], np.float32))
    propagated = embedding_bag(table, *both, nan="propagate")
    assert np.isnan(propagated).all()


def test_subnormals_and_zero_times_infinity():
    tiny = np.full((1, 1), 1e-45, np.float32)
    twice = embedding_bag(tiny, np.array([0, 0]), np.array([0]), "sum")
    assert twice.view(np.uint32)[0, 0] == 2
    inf, zero = np.full((1, 1), np.inf, np.float32), np.zeros(1, np.float32)
    one = np.array([0]), np.array([0])
    assert np.isnan(embedding_bag(inf, *one, mode="sum", weights=zero))[0, 0]


@pytest.mark.parametrize(
    "indices, offsets, keywords, text",
    [
        ([0, 9], [0], {}, "indices[1] must be 0..3, not 9"),
        ([-1], [0], {}, "indices[0] must be 0..3, not -1"),
        ([0, 1], [0, 2, 1], {}, "offsets[1] must be at most the next one or 2, not 2"),
        ([0, 1], [0, 3], {}, "offsets[1] must be at most the next one or 2, not 3"),
        ([0, 1, 2], [0, 2], dict(include_last_offset=True), "offsets[-1] must be 3, not 2"),
        ([0], [], dict(include_last_offset=True),
         "offsets must have at least 1 entry with include_last_offset, not 0"),
        ([0, 1], [1], {}, "offsets[0] must be 0, not 1"),
        ([0], [0], dict(mode="min"), "mode must be sum, mean or max, not 'min'"),
        ([0], [0], dict(nan="never"), "nan must be torch or propagate, not 'never'"),
        ([0], [0], dict(mode="mean", weights=np.ones(1, np.float32)),
         "mode must be sum with weights, not 'mean'"),
        ([0], [0], dict(padding_idx=4), "padding_idx must be -4..3, not 4"),
    ],
)  # fmt: skip
def test_bad_arguments(indices, offsets, keywords, text):
    table = np.zeros((4, 2), np.float32)
    with pytest.raises(ValueError) as error:
        embedding_bag(table, np.array(indices, int), np.array(offsets, int), **keywords)
    assert str(error.value) == text


def test_bitwise_equal():
    a = np.array([[0.0, np.nan, 1.0], [2.0, 3.0, 4.0]], np.float32)
    b = a.copy()
    b.view(np.uint32)[0, 1] = 0xFFC00001
    assert bitwise_equal(a, b) == (True, 6, None)
    b[1, 2] = 5
    assert bitwise_equal(a, b) == (False, 6, ((1, 2), 4.0, 5.0))
    b[0, 0] = -0.0
    assert bitwise_equal(a, b).mismatch == ((0, 0), 0.0, -0.0)
    assert bitwise_equal(a[:0], b[:0]) == (True, 0, None)
    with pytest.raises(ValueError, match=r"^shapes must be equal, not \(2, 3\) and \(1, 3\)$"):
        bitwise_equal(a, b[:1])
    with pytest.raises(TypeError, match=r"^arrays must be float32, not float32 and float64$"):
        bitwise_equal(a, b.astype(np.float64))
