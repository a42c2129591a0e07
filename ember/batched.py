"""Table-batched lookups: one index array and one offsets array for many features, as in FBGEMM."""

from collections.abc import Iterable, Sequence

import numpy as np

from .arrays import INTEGERS, as_array
from .bag import integer
from .lookup import Lookup
from .validate import check_offsets, from_lengths


def split_features(
    tables: Sequence[object],
    indices: object,
    *,
    offsets: object = None,
    lengths: object = None,
    per_sample_weights: object = None,
    feature_table_map: Sequence[int] | None = None,
    batch: int | None = None,
    **options,
) -> list[Lookup]:
    """One lookup per feature, from arrays that hold all features one after the other.

    Parameters
    ----------
    tables : float32 [rows, dim] each
    indices : int32 or int64 [n], feature 0's first
    offsets : int32 or int64 [features * batch + 1], the last one is n; or instead
    lengths : int32 or int64 [features * batch]
    per_sample_weights : float32 [n]
    feature_table_map : table of each feature, several may share one; default: one feature each
    batch : bags per feature; None finds it from the length of ``offsets`` or ``lengths``
    options : of :class:`Lookup`, the same for every feature

    Returns
    -------
    Lookups named ``feature<n>``; :attr:`Result.concatenated` is FBGEMM's [batch, sum of dim].

    Raises
    ------
    TypeError, ValueError
        Wrong arguments; numbers that do not divide are both named.
    """
    # An array is iterable too, but over the rows of one table.
    if not isinstance(tables, Iterable) or isinstance(tables, str) or hasattr(tables, "shape"):
        raise TypeError(f"tables must be a list of arrays, not {type(tables).__name__}")
    tables = list(tables)
    if not tables:
        raise ValueError("tables must not be empty")
    features = _features(feature_table_map, len(tables))
    index = as_array(indices, "indices", INTEGERS, (1,), from_list="int64")
    ends = _ends(offsets, lengths, index.size, len(features), batch)
    bags = (ends.size - 1) // len(features)
    weights = None
    if per_sample_weights is not None:
        weights = as_array(
            per_sample_weights, "per_sample_weights", ("float32",), (1,), from_list="float32"
        )
        if weights.shape != index.shape:
            raise ValueError(
                f"per_sample_weights must have {index.size} entries, as indices has, "
                f"not {weights.size}"
            )
    lookups = []
    for feature, table in enumerate(features):
        own = ends[feature * bags : (feature + 1) * bags + 1]
        first, last = int(own[0]), int(own[-1])
        lookups.append(
            Lookup(
                tables[table],
                index[first:last],
                own - own[0],
                include_last_offset=True,
                per_sample_weights=None if weights is None else weights[first:last],
                name=f"feature{feature}",
                first_position=first,
                **options,
            )  # fmt: skip
        )
    return lookups


def _features(feature_table_map: Sequence[int] | None, tables: int) -> list[int]:
    if feature_table_map is None:
        return list(range(tables))
    if not isinstance(feature_table_map, Iterable) or isinstance(feature_table_map, str):
        raise TypeError(
            f"feature_table_map must be a list of integers, not {type(feature_table_map).__name__}"
        )
    features = [
        integer(table, f"feature_table_map[{n}]") for n, table in enumerate(feature_table_map)
    ]
    if not features:
        raise ValueError("feature_table_map must not be empty")
    for position, table in enumerate(features):
        if not 0 <= table < tables:
            raise ValueError(
                f"feature_table_map[{position}] is {table}, but there are {tables} tables: "
                f"allowed 0..{tables - 1}"
            )
    return features


def _ends(
    offsets: object, lengths: object, entries: int, features: int, batch: int | None
) -> np.ndarray:
    """Offsets of all bags, checked, [features * batch + 1]."""
    if (offsets is None) == (lengths is None):
        raise ValueError("offsets or lengths must be given, and not both")
    if batch is not None:
        batch = integer(batch, "batch")
        if batch < 0:
            raise ValueError(f"batch must be at least 0, not {batch}")
    if lengths is not None:
        length = as_array(lengths, "lengths", INTEGERS, (1,), from_list="int64")
        _check_count("lengths", length.size, features, batch, extra=0)
        return from_lengths(length, entries)
    ends = as_array(offsets, "offsets", INTEGERS, (1,), from_list="int64")
    _check_count("offsets", ends.size, features, batch, extra=1)
    check_offsets(ends, entries, include_last=True)
    return ends


def _check_count(name: str, size: int, features: int, batch: int | None, extra: int) -> None:
    plus = " + 1" if extra else ""
    if batch is not None:
        if size != features * batch + extra:
            raise ValueError(
                f"{name} must have {features} features * {batch} bags{plus} = "
                f"{features * batch + extra} entries, not {size}"
            )
    elif size < extra or (size - extra) % features:
        counted = f"{size} - 1 = {size - 1}" if extra else str(size)
        raise ValueError(
            f"{name} must have {features} features * bags{plus} entries, not {size}: "
            f"{counted} is not divisible by {features}"
        )
