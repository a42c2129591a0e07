"""Indices: types, ranks, range; the message names position, value and range."""

import numpy as np
import pytest

import ember
from ember.validate import check_lookup, check_lookups


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_both_integer_types(rows4, dtype):
    request = check_lookup(ember.Lookup(rows4, np.array([3, 0], dtype), np.array([0], dtype)))
    assert request.indices.dtype == dtype
    assert request.bag.index_type == {4: "i32", 8: "i64"}[np.dtype(dtype).itemsize]


def test_types_of_indices_and_offsets_may_differ(rows4):
    request = check_lookup(ember.Lookup(rows4, np.int32([1]), np.int64([0])))
    assert (request.bag.index_type, request.bag.offset_type) == ("i32", "i64")


@pytest.mark.parametrize(
    ("indices", "place", "value"),
    [([0, 1, 4], "[2]", 4), ([-1], "[0]", -1), ([[0, 1], [9, 0]], "[1, 0]", 9)],
)
def test_out_of_range(rows4, indices, place, value):
    offsets = None if isinstance(indices[0], list) else [0]
    with pytest.raises(ValueError) as error:
        check_lookup(ember.Lookup(rows4, indices, offsets), "C3")
    assert str(error.value) == (
        f"indices{place} is {value}, but table 'C3' has 4 rows: allowed 0..3"
    )


def test_no_index_is_allowed_in_an_empty_table():
    with pytest.raises(ValueError, match="^indices\\[0\\] is 0, .* has 0 rows: none is allowed$"):
        check_lookup(ember.Lookup(np.zeros((0, 2), np.float32), [0], [0]))


def test_a_padded_index_is_range_checked_too(rows4):
    with pytest.raises(ValueError, match="indices\\[1\\] is 4,"):
        check_lookup(ember.Lookup(rows4, [3, 4], [0], padding_idx=3))


def test_int64_is_not_cut_to_32_bits(rows4):
    with pytest.raises(ValueError, match=f"indices\\[0\\] is {2**32},"):
        check_lookup(ember.Lookup(rows4, np.array([2**32]), [0]))


@pytest.mark.parametrize(
    ("indices", "message"),
    [
        ("abc", "indices must be an array of int32 or int64, not str"),
        (None, "indices must be an array of int32 or int64, not NoneType"),
        (7, "indices must be an array of int32 or int64, not int"),
        ([1.0], "indices must hold int32 or int64, not float64"),
        ([True], "indices must hold int32 or int64, not bool"),
        ([None], "indices must hold int32 or int64, not object"),
        (np.zeros(2, np.uint8), "indices must be int32 or int64, not uint8"),
        (np.zeros(2, np.int16), "indices must be int32 or int64, not int16"),
        (np.zeros(2, ">i4"), "indices must be int32 or int64, not >i4"),
        (np.zeros(2), "indices must be int32 or int64, not float64"),
        (
            np.ma.masked_array([1], [True]),
            "indices must be a plain array, not a masked one: the mask would be lost",
        ),
    ],
)
def test_wrong_type(rows4, indices, message):
    with pytest.raises(TypeError) as error:
        check_lookup(ember.Lookup(rows4, indices, [0]))
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("indices", "message"),
    [
        (np.zeros((1, 1, 1), np.int64), "must be 1-D or 2-D, not 3-D (shape (1, 1, 1))"),
        (np.array(1), "must be 1-D or 2-D, not 0-D (shape ())"),
        ([[1], [1, 2]], "must be rectangular, not a ragged list"),
    ],
)
def test_wrong_value(rows4, indices, message):
    with pytest.raises(ValueError) as error:
        check_lookup(ember.Lookup(rows4, indices, [0]))
    assert str(error.value) == f"indices {message}"


@pytest.mark.parametrize(
    ("indices", "place", "value"),
    [
        ([0, 2**63], "1", 2**63),
        ([2**70], "0", 2**70),
        ([0, 1, -(2**63) - 1], "2", -(2**63) - 1),
        ([-1, 2**63], "1", 2**63),
        ([[0, 1], [1, 10**400]], "1, 1", 10**400),
        ([np.uint64(2**63)], "0", 2**63),
    ],
)
def test_integers_that_no_type_holds(rows4, indices, place, value):
    offsets = None if isinstance(indices[0], list) else [0]
    with pytest.raises(ValueError) as error:
        check_lookup(ember.Lookup(rows4, indices, offsets))
    assert str(error.value) == (
        f"indices[{place}] is {value}, but int64 holds only {-(2**63)}..{2**63 - 1}"
    )


@pytest.mark.parametrize("indices", [[None, 2**70], [True, False], ["x"], [0, 0.5], [True, 2**63]])
def test_lists_of_something_else(rows4, indices):
    with pytest.raises(TypeError, match="^indices must hold int32 or int64, not "):
        check_lookup(ember.Lookup(rows4, indices, [0]))


def test_the_table_is_named_if_there_are_several(rows4):
    good, bad = ember.Lookup(rows4, [0], [0]), ember.Lookup(rows4, [0], [1], name="C2")
    with pytest.raises(ValueError) as error:
        check_lookups([good, bad])
    assert str(error.value) == "table 'C2': offsets[0] must be 0, not 1"


def test_names_must_differ(rows4):
    lookups = [ember.Lookup(rows4, [0], [0], name="x")] * 2
    with pytest.raises(ValueError, match="^lookups\\[1\\] must have a name of its own, not 'x'$"):
        check_lookups(lookups)


def test_unnamed_tables_are_numbered(rows4):
    lookups = [ember.Lookup(rows4, [0], [0])] * 2
    assert [request.name for request in check_lookups(lookups)] == ["table0", "table1"]


@pytest.mark.parametrize(
    ("lookups", "error", "message"),
    [
        ([], ValueError, "lookups must not be empty"),
        (3, TypeError, "lookups must be a list of Lookup, not int"),
        ([3], TypeError, r"lookups\[0\] must be a Lookup, not int"),
    ],
)
def test_lookups_themselves(lookups, error, message):
    with pytest.raises(error, match=f"^{message}$"):
        check_lookups(lookups)


def test_torch_tensors_are_taken(rows4):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    table = torch.from_numpy(rows4).requires_grad_()
    request = check_lookup(ember.Lookup(table, torch.tensor([1, 2]), torch.tensor([0, 1])))
    assert request.table.ctypes.data == rows4.ctypes.data  # no copy
    assert request.indices.tolist() == [1, 2]


def test_torch_tensors_of_other_types_are_refused(rows4):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    for wrong, name in (
        (torch.zeros(4, 2).bfloat16(), "bfloat16"),
        (torch.zeros(4, 2).half(), "float16"),
    ):
        with pytest.raises(TypeError, match=f"^table must be float32, not {name} "):
            check_lookup(ember.Lookup(wrong, [0], [0]))
    with pytest.raises(TypeError, match="^table must be a dense tensor: "):
        check_lookup(ember.Lookup(torch.zeros(4, 2).to_sparse(), [0], [0]))
