"""Hashed word n-grams, in the manner of fastText: a line of text becomes a bag of buckets."""

import numpy as np

_FNV_OFFSET = 2166136261
_FNV_PRIME = 16777619
#: Combines the hashes of an n-gram's words, the multiplier that fastText uses.
_COMBINE = np.uint64(116049371)


def fnv1a(data: bytes) -> int:
    """32-bit FNV-1a hash of ``data``.

    Examples
    --------
    >>> hex(fnv1a(b"a"))
    '0xe40c292c'
    """
    h = _FNV_OFFSET
    for byte in data:
        h = ((h ^ byte) * _FNV_PRIME) & 0xFFFFFFFF
    return h


class Hasher:
    """Buckets of the n-grams of a sequence of words.

    A word's hash is FNV-1a of its bytes; a longer n-gram's is ``h = h * 116049371 + hash(next)``
    modulo 2**64, word by word; the bucket is the hash modulo ``buckets``. Words are bytes, so any
    text hashes, in whatever encoding.

    Parameters
    ----------
    buckets : rows of the table
    longest : words of the longest n-gram, at least 1
    """

    def __init__(self, buckets: int, longest: int = 3) -> None:
        self._buckets = np.uint64(buckets)
        self._longest = longest
        self._seen: dict[bytes, int] = {}

    def __call__(self, words: list[bytes]) -> np.ndarray:
        """int64 buckets: all single words in order, then all pairs, and so on."""
        seen = self._seen
        for word in words:
            if word not in seen:
                seen[word] = fnv1a(word)
        hashes = np.array([seen[word] for word in words], np.uint64)
        grams, state = [hashes], hashes
        for n in range(2, min(self._longest, len(words)) + 1):
            state = state[:-1] * _COMBINE + hashes[n - 1 :]
            grams.append(state)
        return (np.concatenate(grams) % self._buckets).astype(np.int64)
