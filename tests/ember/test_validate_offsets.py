"""Offsets, lengths and 2-D input: how the entries are divided into bags."""

import numpy as np
import pytest

import ember
from ember.validate import check_lookup


def offsets_of(table, *args, **kwargs) -> list[int]:
    return check_lookup(ember.Lookup(table, *args, **kwargs)).offsets.tolist()


@pytest.mark.parametrize(
    ("indices", "offsets", "expected"),
    [
        ([1, 2, 3], [0], [0, 3]),
        ([1, 2, 3], [0, 1], [0, 1, 3]),
        ([1, 2, 3], [0, 3], [0, 3, 3]),  # a trailing empty bag
        ([1, 2, 3], [0, 0, 2, 2], [0, 0, 2, 2, 3]),
        ([], [], [0]),  # no bags
        ([], [0], [0, 0]),  # one empty bag
    ],
)
def test_offsets(rows4, indices, offsets, expected):
    assert offsets_of(rows4, indices, offsets) == expected


def test_include_last_offset(rows4):
    assert offsets_of(rows4, [1, 2], [0, 1, 2], include_last_offset=True) == [0, 1, 2]
    assert offsets_of(rows4, [], [0], include_last_offset=True) == [0]


def test_lengths(rows4):
    assert offsets_of(rows4, [1, 2], lengths=[0, 2, 0]) == [0, 0, 2, 2]
    assert offsets_of(rows4, [], lengths=[]) == [0]


def test_two_dimensions(rows4):
    assert offsets_of(rows4, [[0, 1], [2, 3]]) == [0, 2, 4]
    assert offsets_of(rows4, np.zeros((0, 3), np.int32)) == [0]
    assert offsets_of(rows4, np.zeros((3, 0), np.int32)) == [0, 0, 0, 0]
    # The flag is about offsets; there are none.
    assert offsets_of(rows4, [[0, 1]], include_last_offset=True) == [0, 2]


@pytest.mark.parametrize(
    ("indices", "kwargs", "message"),
    [
        ([1], dict(offsets=[]), "offsets must have at least 1 entry, because indices has 1, not 0"),
        ([1, 2], dict(offsets=[1]), "offsets[0] must be 0, not 1"),
        ([1, 2], dict(offsets=[-1]), "offsets[0] must be 0, not -1"),
        (
            [1, 2, 3], dict(offsets=[0, 2, 1]),
            "offsets[2] is 1, but offsets[1] is 2: offsets must not decrease",
        ),
        (
            [1, 2, 3], dict(offsets=np.array([0, 2**63 - 1, -(2**63)])),
            f"offsets[2] is {-(2**63)}, but offsets[1] is {2**63 - 1}: offsets must not decrease",
        ),
        (
            [1, 2], dict(offsets=[0, 3, 4]),
            "offsets[1] is 3, but indices has 2 entries: allowed 0..2",
        ),
        ([1, 2], dict(offsets=[[0]]), "offsets must be 1-D, not 2-D (shape (1, 1))"),
        ([1, 2], dict(), "offsets (or lengths) must be given, because indices is 1-D"),
        (
            [], dict(offsets=[], include_last_offset=True),
            "offsets must have at least 1 entry with include_last_offset, not 0",
        ),
        (
            [0, 1, 2], dict(offsets=[0, 2], include_last_offset=True),
            "offsets[1], the last one, must be the number of indices, 3, with "
            "include_last_offset, not 2",
        ),
        ([1], dict(offsets=[0], lengths=[1]), "offsets and lengths must not both be given"),
        ([1], dict(lengths=[-1, 2]), "lengths[0] is -1, but indices has 1 entries: allowed 0..1"),
        ([1], dict(lengths=[0, 2]), "lengths[1] is 2, but indices has 1 entries: allowed 0..1"),
        ([1, 1, 1], dict(lengths=[1, 1]), "lengths must add up to the number of indices, 3, not 2"),
        (
            [1, 1], dict(lengths=np.array([2**62, 2**62, 2**62, 2**62])),
            f"lengths[0] is {2**62}, but indices has 2 entries: allowed 0..2",
        ),
        (
            [[1, 2]], dict(offsets=[0]),
            "offsets must be absent, because indices is 2-D (shape (1, 2)): "
            "each of its rows is a bag",
        ),
        (
            [[1, 2]], dict(lengths=[2]),
            "lengths must be absent, because indices is 2-D (shape (1, 2)): "
            "each of its rows is a bag",
        ),
    ],
)  # fmt: skip
def test_refused(rows4, indices, kwargs, message):
    for mode in ("sum", "mean", "max"):
        with pytest.raises(ValueError) as error:
            check_lookup(ember.Lookup(rows4, indices, mode=mode, **kwargs))
        assert str(error.value) == message


def test_wrong_types(rows4):
    with pytest.raises(TypeError, match="^offsets must hold int32 or int64, not float64$"):
        check_lookup(ember.Lookup(rows4, [1], [0.0]))
    with pytest.raises(TypeError, match="^lengths must be int32 or int64, not float32$"):
        check_lookup(ember.Lookup(rows4, [1], lengths=np.ones(1, np.float32)))
    with pytest.raises(TypeError, match="^include_last_offset must be True or False, not 1$"):
        check_lookup(ember.Lookup(rows4, [1], [0], include_last_offset=1))
