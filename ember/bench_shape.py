"""The shapes that are measured, and made-up lookups of a shape, the same for the same seed."""

from dataclasses import dataclass

import numpy as np

from .lookup import Lookup
from .parts import Config
from .tables import random_table

#: Lines that move at each point unless said otherwise: enough that start and end do not count.
LINES = 100_000
ROWS = 1 << 14

#: The heavy-tailed pooling: a share of the bags is empty, the others have 1 .. ZIPF_LONGEST
#: entries, n entries with a probability proportional to n ** -ZIPF_EXPONENT.
ZIPF = "zipf"
ZIPF_EMPTY = 0.2
ZIPF_EXPONENT = 1.5
ZIPF_LONGEST = 256


@dataclass(frozen=True)
class Shape:
    """An embedding-bag operation to measure.

    Attributes
    ----------
    dim : elements of a row
    pooling : entries of each bag, or ``"zipf"``
    mode : ``"sum"``, ``"mean"`` or ``"max"``
    index_type : of indices and offsets, ``"i32"`` or ``"i64"``
    weighted : each entry has a weight
    tables : looked up in one run, each with bags of its own
    rows : of each table
    bags : of each table; None is as many as move ``lines`` lines
    lines : that move at least, all tables together
    """

    dim: int
    pooling: int | str
    mode: str = "sum"
    index_type: str = "i32"
    weighted: bool = False
    tables: int = 1
    rows: int = ROWS
    bags: int | None = None
    lines: int = LINES


def shape_lookups(config: Config, shape: Shape, seed: int) -> list[Lookup]:
    """One lookup per table: random rows, normally distributed values and weights."""
    return [_lookup(config, shape, seed, table) for table in range(shape.tables)]


def _lookup(config: Config, shape: Shape, seed: int, table: int) -> Lookup:
    pooling = ZIPF_LONGEST + 1 if shape.pooling == ZIPF else int(shape.pooling)
    rng = np.random.default_rng((seed, shape.dim, pooling, table))
    lengths = _lengths(config, shape, rng)
    integer = np.int64 if shape.index_type == "i64" else np.int32
    offsets = np.zeros(lengths.size + 1, integer)
    np.cumsum(lengths, out=offsets[1:])
    indices = rng.integers(0, shape.rows, int(offsets[-1]), integer)
    weights = rng.standard_normal(indices.size, np.float32) if shape.weighted else None
    return Lookup(
        random_table(shape.rows, shape.dim, seed, table), indices, offsets,
        per_sample_weights=weights, include_last_offset=True, mode=shape.mode,
    )  # fmt: skip


def _lengths(config: Config, shape: Shape, rng: np.random.Generator) -> np.ndarray:
    """Entries of each bag."""
    # Never more lines than a bag really moves: a row that is not aligned may span one more.
    row, entry, bag = -(-shape.dim // config.lanes), 1 / config.lanes, shape.dim / config.lanes
    lines = shape.lines / shape.tables
    if shape.pooling == ZIPF:
        drawn = shape.bags
        if drawn is None:
            drawn = int(lines / (bag + entry)) + 1
        lengths = zipf_lengths(drawn, rng)
        if shape.bags is None:
            moved = np.cumsum(lengths * (row + entry) + bag + entry)
            lengths = lengths[: int(np.searchsorted(moved, lines)) + 1]
        return lengths
    pooling = int(shape.pooling)
    bags = shape.bags
    if bags is None:
        bags = int(np.ceil(lines / (pooling * (row + entry) + bag + entry))) + 1
    return np.full(bags, pooling)


def zipf_lengths(bags: int, rng: np.random.Generator) -> np.ndarray:
    """Entries of each bag, heavy-tailed: see :data:`ZIPF`."""
    entries = np.arange(1, ZIPF_LONGEST + 1)
    weight = entries**-ZIPF_EXPONENT
    lengths = rng.choice(entries, bags, p=weight / weight.sum())
    return np.where(rng.random(bags) < ZIPF_EMPTY, 0, lengths)
