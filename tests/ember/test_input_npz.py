"""NumPy archives: good ones, and every way to break one."""

import zipfile

import numpy as np
import pytest

from ember.errors import InputError
from ember.input_npz import npz_lookups
from ember.validate import check_lookups

ARRAYS = dict(
    table=np.ones((4, 2), np.float32), indices=np.array([1, 2, 3]), offsets=np.array([0, 2])
)


def save(tmp_path, **arrays):
    path = tmp_path / "bag.npz"
    np.savez(path, **arrays)
    return path


def refused(path) -> str:
    with pytest.raises(InputError) as error:
        check_lookups(npz_lookups(str(path)))
    message = str(error.value)
    assert "\n" not in message
    return message.replace(str(path), "FILE")


def test_offsets_lengths_and_two_dimensions(tmp_path):
    for arrays in (
        ARRAYS,
        dict(table=ARRAYS["table"], indices=ARRAYS["indices"], lengths=np.array([2, 1])),
        dict(table=ARRAYS["table"], indices=np.array([[1, 2], [3, 0]], np.int32)),
    ):
        (request,) = check_lookups(npz_lookups(str(save(tmp_path, **arrays))))
        assert request.bag.bags == 2


def test_weights_and_compression(tmp_path):
    path = tmp_path / "bag.npz"
    np.savez_compressed(path, **ARRAYS, weights=np.ones(3, np.float32))
    (request,) = check_lookups(npz_lookups(str(path), mode="sum"))
    assert request.bag.weighted


def test_missing_array(tmp_path):
    path = save(tmp_path, indices=ARRAYS["indices"], lengths=np.array([3]))
    assert refused(path) == "FILE must have an array 'table', has only: indices, lengths"


def test_unknown_array(tmp_path):
    assert refused(save(tmp_path, **ARRAYS, offset=np.zeros(1))) == (
        "FILE must have only arrays table, indices, offsets, lengths, weights, not 'offset'"
    )


def test_pickled_objects(tmp_path):
    path = save(tmp_path, **{**ARRAYS, "indices": np.array([object()])})
    assert refused(path) == (
        "cannot read array 'indices' of FILE: it holds pickled Python objects, "
        "which are never loaded"
    )


@pytest.mark.parametrize("content", [b"", b"nonsense", b"PK\x03\x04 but no archive"])
def test_no_archive(tmp_path, content):
    path = tmp_path / "bag.npz"
    path.write_bytes(content)
    assert refused(path) == "FILE must be a NumPy .npz archive"


def test_a_single_array(tmp_path):
    path = tmp_path / "bag.npy"
    np.save(path, ARRAYS["table"])
    assert refused(path) == "FILE must be a NumPy .npz archive"


def test_missing_file_and_directory(tmp_path):
    assert refused(tmp_path / "none.npz") == "cannot read FILE: no such file or directory"
    assert refused(tmp_path) == "cannot read FILE: is a directory"


def test_a_member_that_is_no_array(tmp_path):
    path = save(tmp_path, **ARRAYS)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("weights", "text")
    assert refused(path) == "FILE must hold arrays only, but 'weights' is none"


@pytest.mark.parametrize("cut", [0.2, 0.5, 0.9, 0.99])
def test_truncated(tmp_path, cut):
    path = save(tmp_path, **ARRAYS)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * cut)])
    assert refused(path) == "FILE must be a NumPy .npz archive"


def test_flipped_bytes_are_one_line_errors_or_harmless(tmp_path, rng):
    path = save(tmp_path, **ARRAYS)
    data = path.read_bytes()
    for at in rng.choice(len(data), 200, replace=False):
        broken = bytearray(data)
        broken[at] ^= 1 << int(rng.integers(8))
        path.write_bytes(broken)
        try:
            check_lookups(npz_lookups(str(path)))
        except (TypeError, ValueError) as error:
            assert "\n" not in str(error)
