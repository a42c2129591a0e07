"""NumPy archives: a caller's own table, indices and bags."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from .errors import InputError
from .files import check_readable
from .lookup import Lookup

_REQUIRED = ("table", "indices")
_ALLOWED = (*_REQUIRED, "offsets", "lengths", "weights")

#: What reading a broken archive raises, by the layer that notices.
_BROKEN = (
    OSError, ValueError, EOFError, KeyError, SyntaxError, MemoryError, OverflowError, struct.error,
    NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


@contextmanager
def archive_names() -> Iterator[None]:
    """Messages about its lookups call the weights what the archive calls them."""
    try:
        yield
    except (TypeError, ValueError) as error:
        message = str(error).replace("per_sample_weights", "weights")
        raise type(error)(message) from None


def npz_lookups(path: str, **options) -> list[Lookup]:
    """The lookup of arrays ``table``, ``indices``, ``offsets`` or ``lengths``, maybe ``weights``.

    2-D ``indices`` need neither offsets nor lengths. Pickled objects are never loaded.

    Raises
    ------
    InputError
        The file is no such archive; the message has the array's name where it is one array's
        fault.
    """
    arrays = read_archive(path)
    for name in _REQUIRED:
        if name not in arrays:
            raise InputError(f"{path} must have an array {name!r}, has only: {_names(arrays)}")
    for name in arrays:
        if name not in _ALLOWED:
            raise InputError(f"{path} must have only arrays {_names(_ALLOWED)}, not {name!r}")
    return [
        Lookup(
            arrays["table"],
            arrays["indices"],
            arrays.get("offsets"),
            arrays.get("lengths"),
            arrays.get("weights"),
            **options,
        )  # fmt: skip
    ]


def read_archive(path: str) -> dict[str, np.ndarray]:
    """All arrays of an archive by name; errors as :func:`npz_lookups`."""
    if path == "-":
        raise InputError("cannot read an archive from standard input: give a file")
    if not zipfile.is_zipfile(path):
        check_readable(path)  # has the better message if that is the reason
        raise InputError(f"{path} must be a NumPy .npz archive")
    # Opened here, because np.load leaves the file open when it fails.
    with open(path, "rb") as file:
        try:
            archive = np.load(file, allow_pickle=False)
        except _BROKEN as error:
            raise InputError(f"{path} must be a NumPy .npz archive: {_first_line(error)}") from None
        return {name: _array(path, archive, name) for name in archive.files}


def _array(path: str, archive, name: str) -> np.ndarray:
    try:
        array = archive[name]
    except _BROKEN as error:
        why = _first_line(error)
        if "allow_pickle" in why:
            why = "it holds pickled Python objects, which are never loaded"
        raise InputError(f"cannot read array {name!r} of {path}: {why}") from None
    if not isinstance(array, np.ndarray):
        raise InputError(f"{path} must hold arrays only, but {name!r} is none")
    return array


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _names(names) -> str:
    return ", ".join(names) or "nothing"
