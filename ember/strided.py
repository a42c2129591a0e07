"""Arrays with strides of their own, in buffers of their own."""

from collections.abc import Sequence

import numpy as np


def extent(shape: Sequence[int], strides: Sequence[int]) -> int:
    """Elements from the first to the last one of an array; strides in elements.

    Raises
    ------
    ValueError
        Elements may overlap.
    """
    if 0 in shape:
        return 0
    size = 1
    for stride, count in sorted(zip(strides, shape, strict=True)):
        if count > 1:
            if stride < size:
                raise ValueError("elements must not overlap")
            size += (count - 1) * stride
    return size


def laid_out(array: np.ndarray, strides: Sequence[int]) -> np.ndarray:
    """The elements of an array with other strides, in elements, and zeros between them."""
    buffer = np.zeros(extent(array.shape, strides), array.dtype)
    new = _view(buffer, array.shape, [stride * array.itemsize for stride in strides])
    new[...] = array
    return new


def buffer_of(array: np.ndarray) -> np.ndarray:
    """All from the first to the last element of an array, what is between them included."""
    if array.flags.c_contiguous:
        return array
    size = extent(array.shape, [stride // array.itemsize for stride in array.strides])
    return _view(array, (size,), (array.itemsize,))


def copy_of(array: np.ndarray) -> np.ndarray:
    """A copy with the same strides, and the same between them."""
    buffer = buffer_of(array).reshape(-1).copy()
    return _view(buffer, array.shape, array.strides)


def _view(array: np.ndarray, shape: Sequence[int], strides: Sequence[int]) -> np.ndarray:
    return np.lib.stride_tricks.as_strided(array, shape, strides)
