"""Hashing of words and n-grams."""

import numpy as np
import pytest

from ember.ngrams import Hasher, fnv1a


@pytest.mark.parametrize(
    ("data", "expected"),
    [(b"", 0x811C9DC5), (b"a", 0xE40C292C), (b"foobar", 0xBF9CF968)],  # published test vectors
)
def test_fnv1a(data, expected):
    assert fnv1a(data) == expected


def test_ngrams_are_combined_as_defined():
    words = [b"to", b"be", b"or"]
    hashes = [fnv1a(word) for word in words]
    expected = list(hashes)
    for n in (2, 3):
        for at in range(len(words) - n + 1):
            h = hashes[at]
            for later in hashes[at + 1 : at + n]:
                h = (h * 116049371 + later) % 2**64
            expected.append(h)
    for buckets in (1, 1000, 1 << 14):
        assert Hasher(buckets)(words).tolist() == [h % buckets for h in expected]


@pytest.mark.parametrize(
    ("words", "longest", "count"), [(0, 3, 0), (1, 3, 1), (2, 3, 3), (5, 1, 5), (5, 3, 12)]
)
def test_how_many(words, longest, count):
    buckets = Hasher(100, longest)([b"x"] * words)
    assert len(buckets) == count and buckets.dtype == np.int64
