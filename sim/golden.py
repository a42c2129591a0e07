"""Golden references: what PyTorch computes on a CPU, as explicit loops in list order.

Written from docs' account of PyTorch's rounding, not from the machine: neither reads the other.
NumPy's own reductions are of no use here, because they reorder (``sum``, ``add.reduceat``) or
treat NaN differently (``max``).
"""

from typing import NamedTuple

import numpy as np

from . import fp32


class Comparison(NamedTuple):
    """Result of :func:`bitwise_equal`; true in a condition only via ``equal``."""

    equal: bool
    #: Elements compared.
    compared: int
    #: None, or (position, value of a, value of b) of the first difference, in C order.
    mismatch: tuple[tuple[int, ...], float, float] | None

    def __bool__(self) -> bool:
        return self.equal


def embedding_bag(
    table: np.ndarray,
    indices: np.ndarray,
    offsets: np.ndarray,
    mode: str = "mean",
    weights: np.ndarray | None = None,
    padding_idx: int | None = None,
    include_last_offset: bool = False,
    nan: str = "torch",
    fma: bool | None = None,
) -> np.ndarray:
    """Pooled rows, bit for bit what ``torch.nn.functional.embedding_bag`` gives on a CPU.

    The outer loop runs over the position within a bag and handles all bags that long at once:
    bags are independent, and within each one the order is that of the list.

    Parameters
    ----------
    table : ndarray, float32, shape (rows, dim)
    indices : ndarray, integer, shape (n,)
    offsets : ndarray, integer, shape (bags,), or (bags + 1,) with ``include_last_offset``
    mode : str
        ``sum``, ``mean`` or ``max``.
    weights : ndarray or None, float32, shape (n,)
        One factor for each index; only with ``sum``.
    padding_idx : int or None
        -rows..rows-1. Entries with this index are left out, their weight too.
    nan : str
        ``max`` only. ``torch``: a later entry wins if it is strictly greater, so a NaN wins only
        as the first entry. ``propagate``: any NaN wins.
    fma : bool or None
        Weighted only: one rounding for each entry, or two. None is torch's choice: two if there
        is a ``padding_idx``.

    Returns
    -------
    ndarray, float32, shape (bags, dim)
        Bags without entries are +0.0.

    Raises
    ------
    ValueError
        Arguments that do not fit together, or an index or offset out of range.
    """
    rows, dim = table.shape
    if mode not in ("sum", "mean", "max"):
        raise ValueError(f"mode must be sum, mean or max, not {mode!r}")
    if nan not in ("torch", "propagate"):
        raise ValueError(f"nan must be torch or propagate, not {nan!r}")
    if weights is not None and mode != "sum":
        raise ValueError(f"mode must be sum with weights, not {mode!r}")
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise ValueError(f"padding_idx must be {-rows}..{rows - 1}, not {padding_idx}")
    begin, end = _bounds(offsets, len(indices), include_last_offset)
    # NumPy would wrap a negative index around.
    wrong = np.flatnonzero((indices < 0) | (indices >= rows))
    if wrong.size:
        position = wrong[0]
        raise ValueError(f"indices[{position}] must be 0..{rows - 1}, not {indices[position]}")
    if fma is None:
        fma = padding_idx is None
    padding = None if padding_idx is None else padding_idx % rows

    bags = len(begin)
    result = np.zeros((bags, dim), np.float32)
    count = np.zeros(bags, np.int64)
    lengths = end - begin
    for position in range(int(lengths.max(initial=0))):
        bag = np.flatnonzero(lengths > position)
        entry = begin[bag] + position
        if padding is not None:
            kept = indices[entry] != padding
            bag, entry = bag[kept], entry[kept]
        row = table[indices[entry]]
        if mode == "max":
            result[bag] = _max_step(result[bag], row, count[bag] == 0, nan)
        elif weights is None:
            result[bag] = fp32.add(result[bag], row)
        elif fma:
            result[bag] = fp32.fma(weights[entry][:, None], row, result[bag])
        else:
            result[bag] = fp32.add(result[bag], fp32.mul(weights[entry][:, None], row))
        count[bag] += 1
    if mode == "mean":
        some = count > 0
        result[some] = fp32.div(result[some], count[some].astype(np.float32)[:, None])
    return result


def bitwise_equal(a: np.ndarray, b: np.ndarray) -> Comparison:
    """Compare two float32 arrays bit by bit: -0.0 is not +0.0, but any NaN is any NaN.

    Raises
    ------
    ValueError
        The shapes differ.
    TypeError
        An array is not float32.
    """
    if a.dtype != np.float32 or b.dtype != np.float32:
        raise TypeError(f"arrays must be float32, not {a.dtype} and {b.dtype}")
    if a.shape != b.shape:
        raise ValueError(f"shapes must be equal, not {a.shape} and {b.shape}")
    left, right = np.ascontiguousarray(a), np.ascontiguousarray(b)
    same = left.view(np.uint32) == right.view(np.uint32)
    same |= np.isnan(left) & np.isnan(right)
    different = np.flatnonzero(~same)
    if not different.size:
        return Comparison(True, a.size, None)
    position = tuple(int(n) for n in np.unravel_index(different[0], a.shape))
    return Comparison(False, a.size, (position, float(a[position]), float(b[position])))


def _bounds(
    offsets: np.ndarray, entries: int, include_last_offset: bool
) -> tuple[np.ndarray, np.ndarray]:
    """First and one-past-last entry of every bag, both int64."""
    offsets = np.asarray(offsets, np.int64)
    if include_last_offset:
        if not len(offsets):
            raise ValueError("offsets must have at least 1 entry with include_last_offset, not 0")
        if offsets[-1] != entries:
            raise ValueError(f"offsets[-1] must be {entries}, not {offsets[-1]}")
        bounds = offsets
    else:
        bounds = np.append(offsets, entries)
    if bounds[0] != 0 and len(offsets):
        raise ValueError(f"offsets[0] must be 0, not {bounds[0]}")
    falls = np.flatnonzero(np.diff(bounds) < 0)
    if falls.size and len(offsets):
        at = falls[0]
        raise ValueError(
            f"offsets[{at}] must be at most the next one or {entries}, not {bounds[at]}"
        )
    return bounds[:-1], bounds[1:]


def _max_step(best: np.ndarray, row: np.ndarray, first: np.ndarray, nan: str) -> np.ndarray:
    """One entry of a max: the first initializes, also with -0.0 or a NaN."""
    wins = row > best
    if nan == "propagate":
        wins |= np.isnan(row) & ~np.isnan(best)
    return np.where(first[:, None] | wins, row, best)
