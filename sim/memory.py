"""The device's address space: a sparse map of caller-owned NumPy arrays, without a copy."""

from bisect import bisect_right

import numpy as np

from ..hw.config import Config


class Memory:
    """Byte-addressed memory of ``2**addr_width`` bytes, backed by the caller's arrays.

    Bytes outside every array read as 0. Look-ups are O(log n) in the number of arrays and
    nothing is ever copied in, so that a lazily allocated table of many gigabytes costs nothing
    until its rows are read.

    Parameters
    ----------
    config : Config
        Gives the line size and the address width.
    """

    def __init__(self, config: Config):
        self._addr_width = config.addr_width
        self._size = 1 << config.addr_width
        self._lanes = config.lanes
        self._line_bytes = config.line_bytes
        # Parallel lists, sorted by base: bisect wants a plain list of integers.
        self._bases: list[int] = []
        self._ends: list[int] = []
        self._views: list[np.ndarray] = []
        self._writable: list[bool] = []
        # Line 0 stays empty: a base of 0 is most often a forgotten field.
        self._bump = self._line_bytes

    @property
    def line_bytes(self) -> int:
        """Bytes of a line."""
        return self._line_bytes

    # Mapping ------------------------------------------------------------------------------

    def map(self, address: int, array: np.ndarray, writable: bool = False) -> None:
        """Make ``array`` (any shape and type, C-contiguous) visible at byte ``address``.

        Raises
        ------
        ValueError
            The array is not contiguous, does not fit, overlaps another one, or is to be writable
            and is not.
        """
        view = _bytes_of(array, writable)
        if not 0 <= address < self._size or view.size > self._size - address:
            raise ValueError(
                f"array of {view.size} bytes at address {address:#x} must end "
                f"within the address space of 2**{self._addr_width} bytes"
            )
        if not view.size:
            return
        clash = self._overlap(address, address + view.size)
        if clash is not None:
            raise ValueError(
                f"array at {address:#x}..{address + view.size:#x} must not overlap the one at "
                f"{self._bases[clash]:#x}..{self._ends[clash]:#x}"
            )
        at = bisect_right(self._bases, address)
        self._bases.insert(at, address)
        self._ends.insert(at, address + view.size)
        self._views.insert(at, view)
        self._writable.insert(at, writable)

    def place(
        self,
        array: np.ndarray,
        writable: bool = False,
        align: int | None = None,
        offset: int = 0,
        name: str = "array",
    ) -> int:
        """Map ``array`` at the next free address; returns it.

        Parameters
        ----------
        array : ndarray
            Any shape and type, C-contiguous.
        writable : bool
            Stores to it are allowed.
        align : int, bytes
            The address is a multiple of this, plus ``offset``. Default: a line, or an element
            where that is larger.
        offset : int, bytes
            A multiple of 4.
        name : str
            What messages call the array.

        At least a line stays free between two arrays, so that an overrun reads zeros and not its
        neighbour.

        Raises
        ------
        ValueError
            The array does not fit, or is not contiguous, or ``align`` or ``offset`` is illegal.
        """
        align = max(self._line_bytes, array.itemsize) if align is None else align
        if align < 1:
            raise ValueError(f"align must be at least 1 byte, not {align!r}")
        if offset < 0 or offset % 4:
            raise ValueError(f"offset must be a multiple of 4 bytes, not {offset!r}")
        size = _bytes_of(array, writable).size
        address = self._free(size, align, offset)
        if size > self._size - address:
            left = max(0, self._size - address)
            raise ValueError(
                f"{name} needs {size} bytes, but the address space of "
                f"2**{self._addr_width} bytes has {left} left"
            )
        self.map(address, array, writable)
        self._bump = address + size + self._line_bytes
        return address

    def segments(self) -> list[tuple[int, int, np.ndarray, bool]]:
        """``(base, size in bytes, 1-D uint8 view, writable)`` of every array, sorted by base."""
        return [
            (base, view.size, view, writable)
            for base, view, writable in zip(self._bases, self._views, self._writable, strict=True)
        ]

    # Access -------------------------------------------------------------------------------

    def load(self, address: int, size: int) -> np.ndarray:
        """``size`` bytes from ``address``: uint8, shape (size,).

        A view of the caller's array (to be read only) where one array holds them all.
        """
        at = bisect_right(self._bases, address) - 1
        if at >= 0 and address + size <= self._ends[at]:
            start = address - self._bases[at]
            return self._views[at][start : start + size]
        data = np.zeros(size, np.uint8)
        for n in range(max(at, 0), len(self._bases)):
            if self._bases[n] >= address + size:
                break
            low, high = max(address, self._bases[n]), min(address + size, self._ends[n])
            if low < high:
                part = self._views[n][low - self._bases[n] : high - self._bases[n]]
                data[low - address : high - address] = part
        return data

    def store(self, address: int, data: np.ndarray) -> None:
        """Store an array's bytes at ``address``.

        Raises
        ------
        ValueError
            Not all of them lie in one writable array.
        """
        view = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
        if not view.size:
            return
        at = bisect_right(self._bases, address) - 1
        if at < 0 or address + view.size > self._ends[at] or not self._writable[at]:
            raise ValueError(
                f"store of {view.size} bytes at {address:#x} must lie in a writable array"
            )
        start = address - self._bases[at]
        self._views[at][start : start + view.size] = view

    def read_line(self, line: int) -> np.ndarray:
        """Line number ``line``: a copy, uint32, shape (lanes,)."""
        return self.load(line * self._line_bytes, self._line_bytes).view("<u4").copy()

    def write_line(self, line: int, data: np.ndarray, mask: int = -1) -> None:
        """Store the words of ``data`` (uint32, shape (lanes,)) whose bit in ``mask`` is set.

        Raises
        ------
        ValueError
            A word to be stored is not in a writable array.
        """
        words = np.asarray(data, dtype="<u4")
        for n in range(self._lanes):
            if mask >> n & 1:
                self.store(line * self._line_bytes + 4 * n, words[n : n + 1])

    # --------------------------------------------------------------------------------------

    def _overlap(self, low: int, high: int) -> int | None:
        at = bisect_right(self._bases, high - 1) - 1
        return at if at >= 0 and self._ends[at] > low else None

    def _free(self, size: int, align: int, offset: int) -> int:
        """First fitting address above the last placed array, clear of mapped ones by a line."""
        bump = self._bump
        while True:
            address = -(-max(bump - offset, 0) // align) * align + offset
            gap = self._line_bytes
            clash = self._overlap(address - gap, address + size + gap)
            if clash is None:
                return address
            bump = self._ends[clash] + gap


def _bytes_of(array: np.ndarray, writable: bool) -> np.ndarray:
    if not array.flags.c_contiguous:
        raise ValueError(
            f"array of shape {array.shape} and strides {array.strides} must be C-contiguous"
        )
    if writable and not array.flags.writeable:
        raise ValueError(f"array of shape {array.shape} must be writable to receive stores")
    return array.reshape(-1).view(np.uint8)
