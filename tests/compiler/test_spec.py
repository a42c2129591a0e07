"""BagSpec: what it accepts, what it derives, and each message of what it refuses."""

import pytest
from ember.compiler.spec import BagSpec

GOOD = dict(name="C3", rows=4, dim=3, bags=2, lookups=6)


def test_what_is_derived():
    spec = BagSpec(**GOOD)
    assert (spec.stride, spec.roles) == (3, ("offsets", "indices", "table", "out"))
    assert spec.fused_multiply_add
    weighted = BagSpec(**GOOD, weighted=True, padding_idx=3, out_stride=5, pooling=3)
    assert (weighted.stride, weighted.roles) == (5, ("indices", "table", "weights", "out"))
    assert not weighted.fused_multiply_add
    assert BagSpec(**GOOD, padding_idx=3, fma=True).fused_multiply_add


@pytest.mark.parametrize(
    "change, error, message",
    [
        ({"name": 3}, TypeError, "name must be a string, not 3"),
        ({"name": ""}, ValueError, "name must not be empty"),
        ({"rows": 4.0}, TypeError, "rows of table 'C3' must be an integer, not 4.0"),
        ({"rows": -1}, ValueError, "rows of table 'C3' must be at least 0, not -1"),
        ({"dim": 0}, ValueError, "dim of table 'C3' must be at least 1, not 0"),
        ({"bags": True}, TypeError, "bags of table 'C3' must be an integer, not True"),
        ({"lookups": -2}, ValueError, "lookups of table 'C3' must be at least 0, not -2"),
        (
            {"index_type": "i16"},
            ValueError,
            "index_type of table 'C3' must be one of i32, i64, not 'i16'",
        ),
        (
            {"offset_type": 64},
            ValueError,
            "offset_type of table 'C3' must be one of i32, i64, not 64",
        ),
        (
            {"mode": "min"},
            ValueError,
            "mode of table 'C3' must be one of sum, mean, max, none, not 'min'",
        ),
        (
            {"nan": "numpy"},
            ValueError,
            "nan of table 'C3' must be one of torch, propagate, not 'numpy'",
        ),
        ({"weighted": 1}, TypeError, "weighted of table 'C3' must be a bool, not 1"),
        ({"fma": "yes"}, TypeError, "fma of table 'C3' must be a bool or None, not 'yes'"),
        (
            {"weighted": True, "mode": "mean"},
            ValueError,
            "table 'C3' is weighted: mode must be 'sum', not 'mean'",
        ),
        (
            {"padding_idx": 4},
            ValueError,
            "padding_idx of table 'C3' must be below its 4 rows, not 4",
        ),
        ({"padding_idx": -1}, ValueError, "padding_idx of table 'C3' must be at least 0, not -1"),
        (
            {"out_stride": 2},
            ValueError,
            "out_stride of table 'C3' must be at least its dim 3, not 2",
        ),
        (
            {"table_stride": 2},
            ValueError,
            "table_stride of table 'C3' must be at least its dim 3, not 2",
        ),
        (
            {"mode": "none"},
            ValueError,
            "table 'C3' has mode 'none': pooling must be 1 and padding_idx None, not None and None",
        ),
        ({"pooling": 0}, ValueError, "pooling of table 'C3' must be at least 1, not 0"),
        (
            {"pooling": 2},
            ValueError,
            "lookups of table 'C3' must be its 2 bags times its pooling 2, not 6",
        ),
    ],
)
def test_refusals(change, error, message):
    with pytest.raises(error) as info:
        BagSpec(**{**GOOD, **change})
    assert str(info.value) == message
