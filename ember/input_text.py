"""Text files: each line is a bag of hashed word n-grams."""

from collections.abc import Iterator, Sequence

import numpy as np

from .errors import InputError
from .files import read_bytes
from .lookup import Lookup
from .ngrams import Hasher
from .tables import random_table


def text_lookups(
    paths: Sequence[str], *, buckets: int, ngrams: int, dim: int, seed: int, **options
) -> list[Lookup]:
    """One lookup: a bag per line, of its word n-grams up to ``ngrams`` words.

    Words are what white space (ASCII) separates, taken as bytes: case, punctuation and encoding
    are left alone, as in fastText, so text that is no valid UTF-8 is no error. A blank line is an
    empty bag; a UTF-8 byte order mark is dropped.

    Raises
    ------
    InputError
        A file cannot be read, or there is no line at all.
    """
    hasher = Hasher(buckets, ngrams)
    bags = [hasher(line.split()) for path in paths for line in _lines(read_bytes(path))]
    if not bags:
        raise InputError(f"{', '.join(paths)} must have at least 1 line, not 0")
    lengths = np.array([len(bag) for bag in bags], np.int64)
    return [
        Lookup(
            random_table(buckets, dim, seed),
            np.concatenate(bags),
            lengths=lengths,
            name="ngrams",
            **options,
        )  # fmt: skip
    ]


def _lines(data: bytes) -> Iterator[bytes]:
    data = data.removeprefix(b"\xef\xbb\xbf")
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()  # what follows the last newline is no line
    yield from lines
