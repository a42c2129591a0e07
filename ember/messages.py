"""Sentences about a bad index or offset, the same whether host or hardware found it."""

from .lookup import Request


def bad_index(request: Request, position: int, value: int) -> str:
    """Message for the entry at ``position`` of the flat index array."""
    if request.columns:
        row, column = divmod(position, request.columns)
        place = f"indices[{row}, {column}]"
    else:
        place = f"indices[{position + request.first_position}]"
    rows = request.bag.rows
    allowed = f"allowed 0..{rows - 1}" if rows else "none is allowed"
    return f"{place} is {value}, but table {request.name!r} has {rows} rows: {allowed}"


def bad_offset(position: int, value: int, entries: int) -> str:
    """Message for ``offsets[position]`` beyond the number of indices, ``entries``."""
    return (
        f"offsets[{position}] is {value}, but indices has {entries} entries: allowed 0..{entries}"
    )


def decreasing_offsets(position: int, value: int, previous: int) -> str:
    """Message for ``offsets[position] < offsets[position - 1]``."""
    return (
        f"offsets[{position}] is {value}, but offsets[{position - 1}] is {previous}: "
        f"offsets must not decrease"
    )
