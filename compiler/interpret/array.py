"""Memory as the interpreters see it: views of one flat buffer, with every access checked."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass
class Array:
    """What a ``memref`` value is.

    Parameters
    ----------
    data : ndarray, 1-D
        The whole buffer; views share it.
    offset : int
        Element of the buffer that the first index is.
    shape, strides : tuple of int
        Elements.
    name : str
        What messages call it.
    written : ndarray of bool, 1-D, or None
        Which elements of the buffer hold a value; None is all.
    """

    data: np.ndarray
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    name: str
    written: np.ndarray | None = None

    @classmethod
    def new(cls, shape: Sequence[int], kind: type[np.generic], name: str) -> "Array":
        """A buffer of its own, in which nothing is written yet."""
        size = int(np.prod(shape))
        strides = tuple(int(np.prod(shape[n + 1 :])) for n in range(len(shape)))
        return cls(np.zeros(size, kind), 0, tuple(shape), strides, name, np.zeros(size, bool))

    def hold_anything(self) -> None:
        """Let all elements be read: after a fault, what it left out was maybe not written."""
        assert self.written is not None
        self.written[:] = True

    def load(self, indices: Sequence[int]):
        """The element.

        Raises
        ------
        IndexError
            It does not exist, or nothing has been stored to it.
        """
        at = self._at(indices)
        if self.written is not None and not self.written[at]:
            raise IndexError(f"{self.name}{list(indices)} is read before it is written")
        return self.data[at]

    def store(self, indices: Sequence[int], value) -> None:
        """Change the element.

        Raises
        ------
        IndexError
            It does not exist.
        """
        at = self._at(indices)
        self.data[at] = value
        if self.written is not None:
            self.written[at] = True

    def span(self, indices: Sequence[int], count: int) -> slice:
        """Where ``count`` consecutive elements from ``indices`` on are in the buffer.

        Raises
        ------
        IndexError
            They are not all there.
        """
        at = self._at(indices)
        if count > 1:
            self._at([*indices[:-1], indices[-1] + count - 1])
            if self.strides[-1] != 1:
                raise IndexError(
                    f"elements of {self.name} are {self.strides[-1]} apart, not consecutive"
                )
        return slice(at, at + count)

    def load_vector(self, indices: Sequence[int], count: int) -> np.ndarray:
        """A copy of consecutive elements."""
        where = self.span(indices, count)
        if self.written is not None and not self.written[where].all():
            raise IndexError(
                f"{count} elements from {self.name}{list(indices)} on are read "
                "before they are written"
            )
        return self.data[where].copy()

    def store_vector(self, indices: Sequence[int], values: np.ndarray) -> None:
        """Change consecutive elements."""
        where = self.span(indices, len(values))
        self.data[where] = values
        if self.written is not None:
            self.written[where] = True

    def view(self, offset: int, shape: Sequence[int], strides: Sequence[int], name: str) -> "Array":
        """Another view of the buffer; ``offset`` is from the buffer's start.

        Raises
        ------
        IndexError
            It is not inside.
        """
        last = offset + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
        if all(shape) and not (0 <= offset and last < len(self.data)):
            raise IndexError(
                f"elements {offset}..{last} are not all in {self.name}, "
                f"whose buffer has {len(self.data)}"
            )
        return Array(self.data, offset, tuple(shape), tuple(strides), name, self.written)

    def _at(self, indices: Sequence[int]) -> int:
        at = self.offset
        for index, extent, stride in zip(indices, self.shape, self.strides, strict=True):
            if not 0 <= index < extent:
                allowed = f"0..{extent - 1}" if extent else "nothing, it is empty"
                raise IndexError(
                    f"index {index} of {self.name}{list(indices)} is out of range: "
                    f"allowed {allowed}"
                )
            at += index * stride
        return at
