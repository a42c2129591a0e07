"""The execute unit's row registers, as SLC sees them."""

from dataclasses import dataclass

import numpy as np

from .array import Array


@dataclass(frozen=True)
class Stored:
    """A row that was stored: where in which buffer, and its elements."""

    buffer: np.ndarray
    where: slice
    row: np.ndarray

    @classmethod
    def of(cls, out: Array, row: int, elements: np.ndarray) -> "Stored":
        """Row ``row`` of ``out``."""
        return cls(out.data, out.span([row, 0], len(elements)), elements)

    def is_row(self, out: Array, row: int) -> bool:
        """Whether it is row ``row`` of ``out``."""
        same = self.buffer is out.data and len(self.row) == out.shape[1]
        return same and self.where == out.span([row, 0], len(self.row))


@dataclass
class Register:
    """The register for the rows of one array.

    It holds what was stored to it since its row changed: what is older is no value. Elements past
    the end of the row may be read, as parts of vectors, but say nothing: they are NaN at first.
    """

    out: Array
    array: Array
    #: Where ``slc.emit`` stores.
    row: int
    #: The row is the counter's, which ``slc.emit`` moves on.
    counted: bool = False

    def go_to(self, row: int) -> None:
        """Work on another row."""
        if row != self.row:
            self.row = row
            self.forget()

    def forget(self) -> None:
        """What is in the register is no value any more."""
        columns = self.out.shape[1]
        assert self.array.written is not None
        self.array.written[:columns] = False
        self.array.written[columns:] = True
        self.array.data[columns:] = np.nan

    def resume(self, stored: Stored | None) -> None:
        """Go on with what was stored last, if that is this row."""
        if stored is not None and self.out.shape[1] and stored.is_row(self.out, self.row):
            self.array.store_vector([0], stored.row)

    def emit(self) -> Stored | None:
        """Store the row; returns what was stored.

        Raises
        ------
        IndexError
            There is no such row, or the register is not written.
        """
        columns, stored = self.out.shape[1], None
        if columns:
            row = self.array.load_vector([0], columns)
            self.out.store_vector([self.row, 0], row)
            stored = Stored.of(self.out, self.row, row)
        if self.counted:
            self.go_to(self.row + 1)
        return stored


def register(out: Array, elements: int, name: str, row: int = -1) -> Register:
    """A register of ``elements`` binary32 numbers in which nothing is written."""
    result = Register(out, Array.new([elements], np.float32, name), row)
    result.forget()
    return result
