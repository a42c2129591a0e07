"""Lookups without pooling: every bit of the rows, on every engine, by either unit."""

import numpy as np
import pytest

import ember

#: A machine without store streams, with both ways, with nothing else.
MACHINES = [{}, {"store_streams": 1}, {"store_streams": 1, "execute": 0}]


def table(rng: np.random.Generator, rows: int = 9, dim: int = 11) -> np.ndarray:
    """Any bits: NaN of every kind, subnormals, -0.0."""
    return rng.integers(0, 1 << 32, (rows, dim), np.uint32).view(np.float32)


def exact(result: ember.Result, rows: np.ndarray, indices: np.ndarray) -> bool:
    expected = rows.view(np.uint32)[indices]
    return np.array_equal(result.output.view(np.uint32), expected)


@pytest.mark.parametrize("machine", MACHINES, ids=["execute", "both", "alone"])
@pytest.mark.parametrize("engine", ["functional", "cpu"])
@pytest.mark.parametrize("dim", [1, 8, 11, 300])
def test_rows_are_copied(tiny, machine, engine, dim, seed):
    if engine == "cpu":
        pytest.importorskip("llvmlite", reason="llvmlite is not installed")
    rng = np.random.default_rng(seed)
    rows = table(rng, dim=dim)
    for indices in (rng.integers(0, 9, 7), rng.integers(0, 9, (3, 4)).astype(np.int32)):
        result = ember.embedding(rows, indices, config=tiny.replace(**machine), engine=engine)
        assert result.output.shape == (*indices.shape, dim)
        assert exact(result, rows, indices)
        assert ember.compare_numpy(result).values == indices.size * dim


@pytest.mark.parametrize("machine", MACHINES[1:], ids=["both", "alone"])
def test_the_access_unit_stores_where_it_can(tiny, machine):
    bag = ember.Bag(rows=9, dim=11, bags=7, lookups=7, mode="none")
    assert "slc.store" in ember.compile_bag(bag, tiny.replace(**machine)).text("slc")
    assert "slc.store" not in ember.compile_bag(bag, tiny).text("slc")
    # It needs vectors.
    both = tiny.replace(store_streams=1)
    assert "slc.store" not in ember.compile_bag(bag, both, "O0").text("slc")


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3)])
def test_no_lookups(tiny, shape, seed):
    rows = table(np.random.default_rng(seed))
    result = ember.embedding(rows, np.zeros(shape, np.int64), config=tiny, engine="functional")
    assert result.output.shape == (*shape, 11)


def test_what_is_of_the_backward_pass_changes_nothing(tiny, seed):
    rng = np.random.default_rng(seed)
    rows, indices = table(rng), rng.integers(0, 9, 20)
    result = ember.embedding(
        rows, indices, padding_idx=-4, scale_grad_by_freq=True, sparse=True, config=tiny,
        engine="functional",
    )  # fmt: skip
    assert exact(result, rows, indices)


def test_beside_bags(tiny, seed):
    rng = np.random.default_rng(seed)
    rows, values = table(rng), np.arange(10, dtype=np.float32).reshape(5, 2)
    result = ember.embedding_bags(
        [ember.Lookup(rows, [[8, 0], [3, 3]], mode="none"),
         ember.Lookup(values, [0, 4, 1], [0, 2], mode="sum"),
         ember.Lookup(rows[:4], [2, 1], mode="none")],
        config=tiny, engine="functional",
    )  # fmt: skip
    first, second, third = result.outputs
    assert np.array_equal(first.view(np.uint32), rows.view(np.uint32)[[8, 0, 3, 3]])
    assert second.tolist() == [[8, 10], [2, 3]]
    assert np.array_equal(third.view(np.uint32), rows.view(np.uint32)[[2, 1]])


def test_nothing_is_read_but_indices_and_rows(tiny):
    rows = np.zeros((9, 4), np.float32)
    bound = ember.embedding(rows, np.arange(8), config=tiny, engine="functional").bound
    assert (bound.table, bound.indices, bound.offsets, bound.output) == (8, 4, 0, 8)


@pytest.mark.xdist_group("rtl-tiny")
def test_on_rtl(tiny, seed):
    rng = np.random.default_rng(seed)
    rows, indices = table(rng), rng.integers(0, 9, (5, 3))
    result = ember.embedding(rows, indices, config=tiny, latency=(1, 60), seed=seed)
    assert exact(result, rows, indices) and result.cycles


def test_as_torch_does(tiny, seed):
    pytest.importorskip("torch", reason="torch is not installed")
    rng = np.random.default_rng(seed)
    result = ember.embedding(table(rng), rng.integers(0, 9, 7), config=tiny, engine="functional")
    comparison = ember.compare_torch(result)
    assert comparison.bit_exact and comparison.values == 77


@pytest.mark.parametrize(
    "change, error, message",
    [
        ({"indices": [[0, 1], [2, 9]]}, ValueError,
         "indices[1, 1] is 9, but table 'table' has 9 rows: allowed 0..8"),
        ({"indices": [0.5]}, TypeError, None),
        ({"max_norm": 1.0}, ValueError, None),
        ({"padding_idx": 1.5}, TypeError, "padding_idx must be an integer, not 1.5"),
        ({"padding_idx": 9}, ValueError,
         "padding_idx is 9, but table 'table' has 9 rows: allowed -9..8"),
        ({"sparse": 1}, TypeError, "sparse must be True or False, not 1"),
        ({"offsets": [0]}, TypeError, None),
    ],
)  # fmt: skip
def test_what_is_refused(tiny, change, error, message):
    arguments = {"table": np.zeros((9, 4), np.float32), "indices": [0], **change}
    with pytest.raises(error) as info:
        ember.embedding(**arguments, config=tiny, engine="functional")
    assert message is None or str(info.value) == message


@pytest.mark.parametrize(
    "change, message",
    [
        ({"offsets": [0]}, "offsets must be absent with mode 'none': nothing is pooled"),
        ({"lengths": [1]}, "lengths must be absent with mode 'none': nothing is pooled"),
        ({"include_last_offset": True},
         "include_last_offset must be False with mode 'none': nothing is pooled"),
        ({"per_sample_weights": np.ones(1, np.float32)},
         "per_sample_weights must come with mode 'sum', not 'none': "
         "a weighted none is not defined"),
        ({"padding_idx": 1},
         "padding_idx must be None with mode 'none', not 1: every row is copied"),
    ],
)  # fmt: skip
def test_what_only_bags_have(tiny, change, message):
    lookup = ember.Lookup(np.zeros((9, 4), np.float32), [0], mode="none", **change)
    with pytest.raises(ValueError) as info:
        ember.embedding_bags([lookup], config=tiny, engine="functional")
    assert str(info.value) == message


def test_as_many_bags_as_lookups():
    with pytest.raises(ValueError) as info:
        ember.Bag(rows=9, dim=4, bags=2, lookups=3, mode="none")
    assert str(info.value) == "bags must be as many as lookups, 3, with mode 'none', not 2"


def test_bags_are_pooled():
    rows = np.zeros((9, 4), np.float32)
    message = "^mode must be one of 'sum', 'mean', 'max', not 'none'$"
    with pytest.raises(ValueError, match=message):
        ember.EmbeddingBag(rows, mode="none")
    with pytest.raises(ValueError, match=message):
        ember.embedding_bag(rows, [0], [0], mode="none")
