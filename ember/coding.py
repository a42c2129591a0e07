"""Categorical values as row numbers."""

import numpy as np

from .ngrams import fnv1a

CODINGS = ("vocabulary", "hash")


class Coder:
    """Gives each value a row: its place in order of first appearance, or a hash.

    Parameters
    ----------
    coding : ``"vocabulary"`` or ``"hash"``
    buckets : rows of the table, for ``"hash"``
    """

    def __init__(self, coding: str, buckets: int) -> None:
        self._rows: dict[str, int] = {}
        self._buckets = buckets if coding == "hash" else None

    def __call__(self, value: str) -> int:
        """Row of ``value``."""
        if value not in self._rows:
            new = len(self._rows)
            if self._buckets is not None:
                new = fnv1a(value.encode()) % self._buckets
            self._rows[value] = new
        return self._rows[value]

    @property
    def rows(self) -> int:
        """Rows that the table needs, at least 1."""
        return self._buckets or max(1, len(self._rows))


def code_bags(bags: list[list[str]], coder: Coder) -> tuple[np.ndarray, np.ndarray]:
    """int64 indices and lengths of bags of values."""
    indices = np.array([coder(value) for bag in bags for value in bag], np.int64)
    return indices, np.array([len(bag) for bag in bags], np.int64)
