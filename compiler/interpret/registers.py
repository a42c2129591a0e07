"""The execute unit's row registers, as SLC sees them."""

from dataclasses import dataclass

import numpy as np

from .array import Array


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

    def emit(self) -> None:
        """Store the row.

        Raises
        ------
        IndexError
            There is no such row, or the register is not written.
        """
        columns = self.out.shape[1]
        if columns:
            self.out.store_vector([self.row, 0], self.array.load_vector([0], columns))
        if self.counted:
            self.go_to(self.row + 1)


def register(out: Array, elements: int, name: str, row: int = -1) -> Register:
    """A register of ``elements`` binary32 numbers in which nothing is written."""
    result = Register(out, Array.new([elements], np.float32, name), row)
    result.forget()
    return result
