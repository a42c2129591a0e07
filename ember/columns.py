"""Text tables: a heading, and cells right-aligned under it."""

from collections.abc import Iterable, Sequence

#: Name and width of each column.
Columns = Sequence[tuple[str, int]]


def heading(columns: Columns) -> str:
    """The names of the columns."""
    return line(columns, (name for name, _ in columns))


def line(columns: Columns, cells: Iterable[str]) -> str:
    """One line, a cell for each column."""
    pairs = zip(cells, columns, strict=True)
    return "  ".join(f"{cell:>{width}}" for cell, (_, width) in pairs).rstrip()
