"""Arrays of entries with rows, COO, as arrays of entries row by row, CSR."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Csr:
    """Entries row by row, in the order that they had within a row.

    Attributes
    ----------
    offsets : ndarray, int64, shape (count + 1,)
        The entries of row r are ``offsets[r]`` to ``offsets[r + 1]``.
    arrays : tuple of ndarray
        What belongs to the entries; the caller's own arrays, if nothing had to move.
    order : ndarray, int64, shape (entries,), or None
        Where each entry came from; None if the entries were already sorted by row.
    """

    offsets: np.ndarray
    arrays: tuple[np.ndarray, ...]
    order: np.ndarray | None

    @property
    def moved(self) -> int:
        """Entries that are not where they were."""
        return 0 if self.order is None else int(np.sum(self.order != np.arange(len(self.order))))

    def __str__(self) -> str:
        entries, rows = int(self.offsets[-1]), len(self.offsets) - 1
        what = "already sorted by row, offsets computed"
        if self.order is not None:
            what = f"sorted by row, {self.moved} moved, offsets computed"
        return f"{entries} entries of {rows} rows: {what}"


def coo_to_csr(rows: np.ndarray, *arrays: np.ndarray, count: int) -> Csr:
    """Sort entries by row; those of one row keep their order, so sums of them keep their bits.

    Parameters
    ----------
    rows : ndarray, integers, shape (entries,)
        The row of each entry.
    *arrays : ndarray, shape (entries, ..)
        What belongs to the entries, as columns and values. They are not changed.
    count : int
        Rows that there are; those without an entry are empty.

    Raises
    ------
    TypeError
        Rows that are no integers.
    ValueError
        A row out of range, or arrays of different lengths; the message has the position.
    """
    rows = np.asarray(rows)
    if rows.dtype.kind not in "iu" and rows.size:
        raise TypeError(f"rows must be integers, not {rows.dtype}")
    if rows.ndim != 1:
        raise ValueError(f"rows must have 1 dimension, not {rows.ndim}")
    if count < 0:
        raise ValueError(f"count must be at least 0, not {count}")
    for number, array in enumerate(arrays):
        if not array.ndim or len(array) != len(rows):
            length = len(array) if array.ndim else "no entries"
            raise ValueError(
                f"arrays[{number}] must have {len(rows)} entries, as rows has, not {length}"
            )
    bad = np.flatnonzero((rows < 0) | (rows >= count))
    if bad.size:
        allowed = f"allowed 0..{count - 1}" if count else "none is allowed"
        at = int(bad[0])
        raise ValueError(f"rows[{at}] is {rows[at]}, but there are {count} rows: {allowed}")
    rows = rows.astype(np.int64)
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=count), out=offsets[1:])
    if bool(np.all(rows[1:] >= rows[:-1])):
        return Csr(offsets, arrays, None)
    order = np.argsort(rows, kind="stable")
    return Csr(offsets, tuple(array[order] for array in arrays), order)
