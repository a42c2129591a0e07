"""Table-batched lookups, and the public bug reports about them."""

import numpy as np
import pytest

import ember


@pytest.fixture
def tables():
    return [
        np.full((4, 2), n, np.float32) + np.arange(4, dtype=np.float32)[:, None] for n in (0, 10)
    ]


def test_offsets_are_split_by_feature(tables):
    first, second = ember.split_features(tables, [0, 1, 2, 3], offsets=[0, 1, 2, 2, 4])
    assert (first.indices.tolist(), first.offsets.tolist()) == ([0, 1], [0, 1, 2])
    assert (second.indices.tolist(), second.offsets.tolist()) == ([2, 3], [0, 0, 2])
    assert (first.name, second.name) == ("feature0", "feature1")


def test_lengths_are_split_by_feature(tables):
    first, second = ember.split_features(tables, np.int32([0, 1, 2, 3]), lengths=[1, 1, 0, 2])
    assert (first.offsets.tolist(), second.offsets.tolist()) == ([0, 1, 2], [0, 0, 2])


def test_weights_are_split_by_feature(tables):
    lookups = ember.split_features(
        tables, [0, 1, 2], lengths=[1, 2], per_sample_weights=[1, 2, 3], mode="sum"
    )
    assert [x.per_sample_weights.tolist() for x in lookups] == [[1.0], [2.0, 3.0]]


def test_tables_that_share_storage(tables):
    # FBGEMM#5523: three features, two of which use table 1.
    lookups = ember.split_features(
        tables, [0, 1, 2], lengths=[1, 1, 1], feature_table_map=[1, 0, 1], mode="sum"
    )
    result = ember.embedding_bags(lookups, engine="functional")
    assert result.concatenated.tolist() == [[10, 10, 1, 1, 12, 12]]


def test_eight_offsets_for_two_tables(tables):
    # FBGEMM#6318
    with pytest.raises(ValueError) as error:
        ember.split_features(tables, [0] * 8, offsets=range_list(8))
    assert str(error.value) == (
        "offsets must have 2 features * bags + 1 entries, not 8: 8 - 1 = 7 is not divisible by 2"
    )


def test_lengths_that_do_not_divide():
    # torchrec#1756
    table = np.zeros((4, 2), np.float32)
    lengths = np.zeros(2114, np.int64)
    with pytest.raises(ValueError) as error:
        ember.split_features([table] * 20, [], lengths=lengths, batch=105)
    assert str(error.value) == "lengths must have 20 features * 105 bags = 2100 entries, not 2114"
    with pytest.raises(ValueError) as error:
        ember.split_features([table] * 20, [], lengths=lengths)
    assert str(error.value) == (
        "lengths must have 20 features * bags entries, not 2114: 2114 is not divisible by 20"
    )


def test_no_bags(tables):
    # torchrec#4638
    for kwargs in (dict(lengths=[]), dict(offsets=[0])):
        lookups = ember.split_features(tables, [], **kwargs)
        result = ember.embedding_bags(lookups, engine="functional")
        assert result.concatenated.shape == (0, 4)


def test_messages_have_positions_of_the_whole_array(tables):
    lookups = ember.split_features(tables, [0, 1, 2, 9], lengths=[2, 2])
    with pytest.raises(ValueError) as error:
        ember.embedding_bags(lookups)
    assert str(error.value) == "indices[3] is 9, but table 'feature1' has 4 rows: allowed 0..3"


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        (dict(), "offsets or lengths must be given, and not both"),
        (dict(offsets=[0], lengths=[]), "offsets or lengths must be given, and not both"),
        (dict(offsets=[]), "offsets must have 2 features * bags + 1 entries, not 0: "
                           "0 - 1 = -1 is not divisible by 2"),
        (dict(lengths=[3, -1]), "lengths[0] is 3, but indices has 2 entries: allowed 0..2"),
        (dict(lengths=[1, 0]), "lengths must add up to the number of indices, 2, not 1"),
        (dict(offsets=[0, 1, 1]), "offsets[2], the last one, must be the number of indices, 2, "
                                  "with include_last_offset, not 1"),
        (dict(lengths=[1, 1], feature_table_map=[0, 2]),
         "feature_table_map[1] is 2, but there are 2 tables: allowed 0..1"),
        (dict(lengths=[1, 1], feature_table_map=[]), "feature_table_map must not be empty"),
        (dict(lengths=[1, 1], batch=-1), "batch must be at least 0, not -1"),
        (dict(lengths=[1, 1], per_sample_weights=[1.0]),
         "per_sample_weights must have 2 entries, as indices has, not 1"),
    ],
)  # fmt: skip
def test_refused(tables, kwargs, message):
    with pytest.raises(ValueError) as error:
        ember.split_features(tables, [0, 1], **kwargs)
    assert str(error.value) == message


def test_no_tables():
    with pytest.raises(ValueError, match="^tables must not be empty$"):
        ember.split_features([], [], lengths=[])


def range_list(n: int) -> list[int]:
    return list(range(n))
