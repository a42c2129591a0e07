"""What an embedding bag means, case by case: docs/semantics.md, without RTL.

Each case has its expected values written out; where torch is installed it must agree.
"""

import numpy as np
import pytest

import ember

NAN, INF = np.float32(np.nan), np.float32(np.inf)


@pytest.fixture(params=["functional", "cpu"])
def engine(request):
    """Each engine that needs no tools."""
    return request.param


@pytest.fixture
def run(tiny, engine):
    """Function that runs an operation, checks it against NumPy and torch, and gives the output."""

    def call(table, indices, offsets=None, **kwargs):
        table = np.asarray(table, np.float32)
        if table.ndim == 1:
            table = table[:, None]
        before = table.copy()
        result = ember.embedding_bag(
            table, indices, offsets, config=tiny, engine=engine, **kwargs
        )
        assert np.array_equal(table, before, equal_nan=True)
        for compare in (ember.compare_numpy, ember.compare_torch):
            comparison = compare(result)
            assert comparison.bit_exact, str(comparison.mismatch)
        return result.output

    return call


def same(output, expected) -> None:
    """Equal to the last bit, or both NaN."""
    expected = np.asarray(expected, np.float32)
    assert output.dtype == np.float32 and output.shape == expected.shape
    equal = output.view(np.uint32) == expected.view(np.uint32)
    assert (equal | (np.isnan(output) & np.isnan(expected))).all(), f"{output}\n{expected}"


MODES = ("sum", "mean", "max")


def test_the_default_is_the_mean(run):
    same(run([1, 2, 6], [0, 2], [0]), [[3.5]])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("opt", ["O0", "O1", "O2", "O3"])
def test_every_level_and_mode(run, rng, mode, opt):
    table = rng.standard_normal((30, 9), np.float32)
    offsets = np.int32([0, 0, 5, 5, 6, 20, 40])
    run(table, rng.integers(0, 30, 40, np.int32), offsets, mode=mode, opt=opt)


@pytest.mark.parametrize("opt", ["O0", "O1", "O2", "O3"])
@pytest.mark.parametrize("padding_idx", [None, 3])
def test_weighted_at_every_level(run, rng, opt, padding_idx):
    table = rng.standard_normal((10, 9), np.float32)
    run(
        table, rng.integers(0, 10, 40), [0, 7, 7, 30], mode="sum", opt=opt,
        padding_idx=padding_idx, per_sample_weights=rng.standard_normal(40, np.float32),
    )  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_an_empty_bag_is_positive_zero(run, mode):
    same(run([-1, -2], [0, 1], [0, 0, 2, 2], mode=mode)[[0, 2, 3]], [[0.0]] * 3)


@pytest.mark.parametrize("mode", MODES)
def test_an_all_padded_bag_is_positive_zero(run, mode):
    same(run([-1, -2], [1, 1, 0], [0, 2], mode=mode, padding_idx=1), [[0.0], [-1.0]])


@pytest.mark.parametrize("mode", MODES)
def test_no_bags_and_one_empty_bag(run, mode):
    table = np.ones((2, 3), np.float32)
    assert run(table, [], [], mode=mode).shape == (0, 3)
    same(run(table, [], [0], mode=mode), [[0, 0, 0]])


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_two_dimensional_input(run, dtype):
    table = [1, 2, 4]
    same(run(table, np.array([[0, 1], [2, 2]], dtype)), [[1.5], [4]])
    assert run(table, np.zeros((0, 5), dtype)).shape == (0, 1)
    same(run(table, np.zeros((2, 0), dtype)), [[0], [0]])


def test_trailing_empty_bag(run):
    same(run([1, 2], [0, 1], [0, 2], mode="sum"), [[3], [0]])


def test_include_last_offset(run):
    same(run([1, 2], [0, 1], [0, 1, 2], mode="sum", include_last_offset=True), [[1], [2]])
    assert run([1, 2], [], [0], include_last_offset=True).shape == (0, 1)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("offset", [np.int32, np.int64])
def test_integer_types_mix(run, index, offset):
    same(run([1, 2, 4], index([2, 0, 1]), offset([0, 1]), mode="sum"), [[4], [3]])


def test_lengths(run):
    same(run([1, 2, 4], [2, 0, 1], lengths=[1, 0, 2], mode="sum"), [[4], [0], [3]])


def test_duplicates_count_each_time(run):
    same(run([1, 5], [0, 0, 0, 1], [0]), [[2.0]])


def test_padding_reduces_the_divisor_and_skips_the_weight(run):
    same(run([1, 2, 3], [0, 1, 2], [0], padding_idx=1), [[2.0]])
    same(run([1, 2, 3], [0, 1, 2], [0], padding_idx=-2), [[2.0]])
    weights = np.float32([1, NAN, 10])
    same(
        run([1, 2, 3], [0, 1, 2], [0], mode="sum", padding_idx=1, per_sample_weights=weights),
        [[31]],
    )


def test_a_padded_row_is_not_used(run):
    same(run([1, NAN, 3], [0, 1, 2], [0], padding_idx=1, mode="max"), [[3]])
    same(run([1, INF, 3], [0, 1, 2], [0], padding_idx=1, mode="sum"), [[4]])


def test_nothing_is_skipped_for_a_zero_weight(run):
    same(run([INF], [0], [0], mode="sum", per_sample_weights=[0.0]), [[NAN]])


@pytest.mark.parametrize(
    ("values", "torch", "propagate"),
    [
        ([NAN, 1], NAN, NAN),
        ([1, NAN], 1, NAN),
        ([1, NAN, 2], 2, NAN),
        ([-0.0, 0.0], -0.0, -0.0),
        ([0.0, -0.0], 0.0, 0.0),
        ([-INF, -INF], -INF, -INF),
        ([-3, -2], -2, -2),
    ],
)
def test_max(run, values, torch, propagate):
    entries = list(range(len(values)))
    same(run(values, entries, [0], mode="max"), [[torch]])
    same(run(values, entries, [0], mode="max", nan="propagate"), [[propagate]])


def test_max_copies_the_bits_of_a_nan(tiny, engine):
    table = np.array([0x7FC12345, 0xFFC00001], np.uint32).view(np.float32)[:, None]
    result = ember.embedding_bag(table, [0, 1], [0, 1], mode="max", config=tiny, engine=engine)
    assert result.output.view(np.uint32).tolist() == [[0x7FC12345], [0xFFC00001]]


def test_arithmetic_makes_one_nan(tiny, engine):
    table = np.array([0xFFC12345], np.uint32).view(np.float32)[:, None]
    for mode in ("sum", "mean"):
        result = ember.embedding_bag(table, [0], [0], mode=mode, config=tiny, engine=engine)
        assert result.output.view(np.uint32).tolist() == [[0x7FC00000]]


@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_negative_zeros_sum_to_positive_zero(run, mode):
    same(run([-0.0], [0, 0], [0], mode=mode), [[0.0]])


def test_subnormals_are_kept(run):
    same(run([1e-45], [0, 0], [0], mode="sum"), [[2.8e-45]])


def test_the_order_is_that_of_the_list(run):
    same(run([1e8, 1, -1e8], [0, 1, 2, 1], [0], mode="sum"), [[1]])
    same(run([1e8, 1, -1e8], [0, 2, 1, 1], [0], mode="sum"), [[2]])


def test_the_mean_is_a_true_division(run):
    # 5 * float32(1 / 3) would be 1.6666668.
    same(run([5, 0], [0, 1, 1], [0]), [[np.float32(5) / np.float32(3)]])


def test_weighted_sums_round_once_or_twice(run):
    w = np.float32(1 + 2**-12)
    once, twice = np.float32(2.0**-24 + 2.0**-11), np.float32(2.0**-11)
    table, entries, weights = [-1, w], [0, 1], [np.float32(1), w]
    kwargs = dict(mode="sum", per_sample_weights=np.array(weights, np.float32))
    same(run(table, entries, [0], **kwargs), [[once]])
    same(run(table, entries, [0], fma=True, **kwargs), [[once]])
    same(run(table, entries, [0], fma=False, **kwargs), [[twice]])
    # With a padding index torch rounds twice, whether it occurs or not.
    same(run([*table, 9], entries, [0], padding_idx=2, **kwargs), [[twice]])
    same(run([*table, 9], entries, [0], padding_idx=2, fma=True, **kwargs), [[once]])


@pytest.mark.parametrize("dim", [0, 1, 3, 4, 7, 33, 64, 65, 200])
@pytest.mark.parametrize("mode", MODES)
def test_any_dim(run, rng, dim, mode):
    table = rng.standard_normal((6, dim), np.float32)
    output = run(table, rng.integers(0, 6, 12), [0, 4, 4, 9], mode=mode)
    assert output.shape == (4, dim)


@pytest.mark.parametrize("mode", MODES)
def test_special_values(run, rng, mode):
    bits = rng.integers(0, 2**32, (40, 5), np.uint32)
    bits[:8] = rng.choice(
        np.array([0, 0x80000000, 1, 0x807FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F7FFFFF],
                 np.uint32), (8, 5),
    )  # fmt: skip
    table = bits.view(np.float32)
    run(table, rng.integers(0, 40, 100), np.arange(0, 100, 4), mode=mode)


def test_scale_grad_by_freq_and_sparse_are_ignored(run):
    same(run([1, 2], [0, 1], [0], scale_grad_by_freq=True, sparse=True), [[1.5]])
