"""The one check of what a caller asks for, behind the Python API and the command line alike.

A message names the argument, the position, the value and what is allowed. Arrays of the caller
are read, never changed. What the hardware also checks (indices, the order of offsets) is caught
here first, before anything is built or started.
"""

from collections.abc import Sequence

import numpy as np

from .arrays import FLOATS, INTEGERS, as_array
from .bag import MODES, NAN_MODES, NO_POOLING, Bag, boolean, choice, integer
from .lookup import Lookup, Request
from .messages import bad_index, bad_offset, decreasing_offsets
from .parts import Config

_TYPE_NAMES = {"int32": "i32", "int64": "i64"}
_INT32_MAX = 2**31 - 1


def check_lookups(
    lookups: Sequence[Lookup], *, check_indices: bool = True, config: Config | None = None
) -> list[Request]:
    """Check several lookups that run together; their names must differ.

    With ``config``, an array that its address space cannot hold is refused before it is copied.

    Raises
    ------
    TypeError, ValueError
        As :func:`check_lookup`; the message starts with the table's name if there are several.
    """
    if isinstance(lookups, Lookup) or not isinstance(lookups, Sequence):
        raise TypeError(f"lookups must be a list of Lookup, not {type(lookups).__name__}")
    if not lookups:
        raise ValueError("lookups must not be empty")
    requests: list[Request] = []
    several = len(lookups) > 1
    for position, lookup in enumerate(lookups):
        if not isinstance(lookup, Lookup):
            raise TypeError(f"lookups[{position}] must be a Lookup, not {type(lookup).__name__}")
        name = lookup.name
        if name is None:
            name = f"table{position}" if several else "table"
        try:
            request = check_lookup(lookup, name, check_indices=check_indices, config=config)
        except (TypeError, ValueError) as error:
            if not several or f"table {name!r}" in str(error):
                raise
            raise type(error)(f"table {name!r}: {error}") from None
        if any(request.name == other.name for other in requests):
            raise ValueError(f"lookups[{position}] must have a name of its own, not {name!r}")
        requests.append(request)
    return requests


def check_lookup(
    lookup: Lookup,
    name: str = "table",
    *,
    check_indices: bool = True,
    config: Config | None = None,
) -> Request:
    """Check one lookup and bring it into the form that is compiled and run.

    ``check_indices=False`` leaves the range of the indices to the hardware's own check; ``config``
    as for :func:`check_lookups`.

    Raises
    ------
    TypeError
        An argument of a wrong type: no array, a dtype that is not supported.
    ValueError
        An argument of a wrong value: rank, offsets, an index out of range, ...
    """
    if lookup.max_norm is not None:
        raise ValueError(
            f"max_norm must be None, not {lookup.max_norm!r}: it rewrites the looked-up rows of "
            f"the table before pooling, and a caller's arrays are never changed"
        )
    choice(lookup.mode, "mode", (*MODES, NO_POOLING))
    choice(lookup.nan, "nan", NAN_MODES)
    boolean(lookup.include_last_offset, "include_last_offset")
    table = as_array(
        lookup.table, "table", FLOATS, (2,), config=config, name=f"table {name!r}"
    )
    indices = as_array(
        lookup.indices, "indices", INTEGERS, (1, 2), from_list="int64", config=config,
        name=f"indices of table {name!r}",
    )  # fmt: skip
    weights = _weights(lookup, indices)
    columns = output_shape = None
    if lookup.mode == NO_POOLING:
        offsets = _no_offsets(lookup)
        output_shape = (*indices.shape, table.shape[1])
        columns = indices.shape[1] if indices.ndim == 2 else None
        indices = indices.reshape(-1)
    elif indices.ndim == 2:
        columns = indices.shape[1]
        offsets = _row_offsets(lookup, indices)
        indices = indices.reshape(-1)
    elif lookup.lengths is not None:
        if lookup.offsets is not None:
            raise ValueError("offsets and lengths must not both be given")
        offsets = from_lengths(lookup.lengths, indices.size)
    else:
        offsets = _from_offsets(lookup, indices)
    bag = Bag(
        rows=table.shape[0], dim=table.shape[1], lookups=len(indices),
        bags=len(indices) if lookup.mode == NO_POOLING else len(offsets) - 1,
        mode=lookup.mode, index_type=_TYPE_NAMES[indices.dtype.name],
        offset_type=_TYPE_NAMES[offsets.dtype.name], weighted=weights is not None,
        padding_idx=lookup.padding_idx, nan=lookup.nan, fma=lookup.fma, name=name,
    )  # fmt: skip
    first = integer(lookup.first_position, "first_position")
    request = Request(bag, table, indices, offsets, weights, columns, first, output_shape)
    if check_indices:
        _check_indices(request)
    return request


def _check_indices(request: Request) -> None:
    indices, rows = request.indices, request.bag.rows
    if not indices.size or (indices.min() >= 0 and indices.max() < rows):
        return
    position = int(np.argmax((indices < 0) | (indices >= rows)))
    raise ValueError(bad_index(request, position, int(indices[position])))


def _weights(lookup: Lookup, indices: np.ndarray) -> np.ndarray | None:
    if lookup.per_sample_weights is None:
        return None
    name = "per_sample_weights"
    weights = as_array(lookup.per_sample_weights, name, FLOATS, (1, 2), from_list="float32")
    if weights.shape != indices.shape:
        raise ValueError(
            f"{name} must have the shape of indices, {indices.shape}, not {weights.shape}"
        )
    return weights.reshape(-1)


def _no_offsets(lookup: Lookup) -> np.ndarray:
    """No bags: nothing may say where they begin."""
    for name in ("offsets", "lengths"):
        if getattr(lookup, name) is not None:
            raise ValueError(f"{name} must be absent with mode 'none': nothing is pooled")
    if lookup.include_last_offset:
        raise ValueError("include_last_offset must be False with mode 'none': nothing is pooled")
    return np.zeros(0, np.int64)


def _row_offsets(lookup: Lookup, indices: np.ndarray) -> np.ndarray:
    for name in ("offsets", "lengths"):
        if getattr(lookup, name) is not None:
            raise ValueError(
                f"{name} must be absent, because indices is 2-D (shape {indices.shape}): "
                f"each of its rows is a bag"
            )
    bags, length = indices.shape
    return _typed(np.arange(bags + 1, dtype=np.int64) * length, indices.dtype)


def from_lengths(lengths: object, entries: int) -> np.ndarray:
    """Offsets of bags of these lengths, one more than bags, for ``entries`` indices.

    Raises
    ------
    TypeError
        No array of integers.
    ValueError
        A length out of range, or lengths that do not add up to ``entries``.
    """
    length = as_array(lengths, "lengths", INTEGERS, (1,), from_list="int64")
    # Each bounded first: the sum of int64 lengths could wrap around to the right number.
    bad = (length < 0) | (length > entries)
    if bad.any():
        position = int(np.argmax(bad))
        raise ValueError(
            f"lengths[{position}] is {length[position]}, but indices has {entries} entries: "
            f"allowed 0..{entries}"
        )
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(length, dtype=np.int64)])
    total = int(offsets[-1])
    if total != entries:
        raise ValueError(f"lengths must add up to the number of indices, {entries}, not {total}")
    return _typed(offsets, length.dtype)


def _from_offsets(lookup: Lookup, indices: np.ndarray) -> np.ndarray:
    if lookup.offsets is None:
        raise ValueError("offsets (or lengths) must be given, because indices is 1-D")
    offsets = as_array(lookup.offsets, "offsets", INTEGERS, (1,), from_list="int64")
    check_offsets(offsets, indices.size, lookup.include_last_offset)
    if lookup.include_last_offset:
        return offsets
    last = np.array([indices.size], np.int64)
    return _typed(np.concatenate([offsets.astype(np.int64), last]), offsets.dtype)


def check_offsets(offsets: np.ndarray, entries: int, include_last: bool) -> None:
    """Check ``offsets`` against the number of indices, ``entries``.

    Raises
    ------
    ValueError
        They do not start with 0, decrease, exceed ``entries``; or, with ``include_last``, do not
        end with it.
    """
    if not offsets.size:
        if include_last:
            raise ValueError("offsets must have at least 1 entry with include_last_offset, not 0")
        if entries:
            raise ValueError(
                f"offsets must have at least 1 entry, because indices has {entries}, not 0"
            )
        return
    if offsets[0] != 0:
        raise ValueError(f"offsets[0] must be 0, not {offsets[0]}")
    down = offsets[1:] < offsets[:-1]
    if down.any():
        position = int(np.argmax(down)) + 1
        raise ValueError(
            decreasing_offsets(position, int(offsets[position]), int(offsets[position - 1]))
        )
    if offsets[-1] > entries:
        position = int(np.argmax(offsets > entries))
        raise ValueError(bad_offset(position, int(offsets[position]), entries))
    if include_last and offsets[-1] != entries:
        raise ValueError(
            f"offsets[{offsets.size - 1}], the last one, must be the number of indices, "
            f"{entries}, with include_last_offset, not {offsets[-1]}"
        )


def _typed(offsets: np.ndarray, wanted: np.dtype) -> np.ndarray:
    """Offsets in the caller's type, unless their last one does not fit it."""
    if wanted == np.int32 and offsets[-1] > _INT32_MAX:
        return offsets
    return offsets.astype(wanted)
