"""Lookups with the reuse that production traces have, from Meta's published histograms.

The file format is that of ``locality_stats_*.txt`` in github.com/facebookresearch/dlrm_datasets:
for each trace, how the lookups (``Ratio of index distribution``) spread over the rows by how often
a row is used in a batch.
"""

import re
from collections.abc import Sequence

import numpy as np

from .files import read_text

#: Share of the lookups that go to rows used 1, 2, 3..4, 5..8, .. 16385..32768 and more times in a
#: batch: locality_stats_2021.txt, trace fbgemm_t856_bs65536, 887,017,990 lookups (MIT licence).
SHARES_2021 = (
    0.069, 0.044, 0.068, 0.101, 0.121, 0.104, 0.073, 0.058, 0.052, 0.050, 0.049, 0.048, 0.048,
    0.043, 0.031, 0.023, 0.019,
)  # fmt: skip

#: The lookups in order of their row's reuse, cut in three.
LEVELS = ("low", "medium", "high")

_TITLE = "Ratio of index distribution"
_BIN = re.compile(r"\((\d+)(?:, (\d+)\]|\+): ([0-9.]+)")


def read_shares(path: str) -> tuple[float, ...]:
    """Shares of the lookups by reuse, in the bins of :data:`SHARES_2021`: the file's first trace.

    Raises
    ------
    ValueError
        The file has no such histogram.
    OSError, InputError
        It cannot be read.
    """
    _, title, rest = read_text(path).partition(_TITLE)
    shares: list[float] = []
    for line in rest.splitlines()[1:]:
        found = _BIN.match(line.strip())
        if not found:
            break
        shares.append(float(found[3]))
    if not title or len(shares) < 2 or not sum(shares) > 0:
        raise ValueError(f"{path} must have a histogram under {_TITLE!r}")
    return tuple(shares)


def local_indices(
    lookups: int, level: str, shares: Sequence[float], rng: np.random.Generator
) -> tuple[np.ndarray, int]:
    """Row numbers with one third of the histogram's reuse, and how many rows there are.

    Each bin has as many rows as give them the bin's reuse; a lookup draws its bin, then one of
    the bin's rows. Row numbers are shuffled, so that rows of a bin are not neighbours.

    Returns
    -------
    int32 [lookups], and the number of rows (what is numbered, not all of it used)
    """
    part = third(shares, LEVELS.index(level))
    rows = np.maximum(1, np.round(part * lookups / reuse(len(part)))).astype(np.int64)
    rows[part == 0] = 0
    first = np.concatenate([[0], np.cumsum(rows)])
    bins = rng.choice(part.size, lookups, p=part)
    drawn = first[bins] + (rng.random(lookups) * rows[bins]).astype(np.int64)
    return rng.permutation(int(first[-1])).astype(np.int32)[drawn], int(first[-1])


def third(shares: Sequence[float], number: int) -> np.ndarray:
    """Shares of the bins within third ``number`` (0, 1, 2) of the lookups; they add up to 1."""
    edges = np.concatenate([[0.0], np.cumsum(shares)])
    edges /= edges[-1]
    inside = np.clip(edges, number / 3, (number + 1) / 3)
    part = np.diff(inside)
    return part / part.sum()


def reuse(bins: int) -> np.ndarray:
    """Mean number of uses of a row in each bin: (0, 1], (1, 2], (2, 4], .., the last open."""
    upper = 2.0 ** np.arange(bins)
    lower = np.concatenate([[0.0], upper[:-1]])
    return (lower + 1 + upper) / 2
