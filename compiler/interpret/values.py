"""How values are represented: integers as Python's, floats as NumPy's, memory as arrays.

An integer of N bits is the number that its bits are in two's complement; ``index`` has 64 bits.
An ``f32`` is an ``np.float32``, which keeps the bits of a NaN; a vector is a float32 array.
xDSL's own scalars are attributes, whose floats are Python's: neither their rounding nor their NaN
are binary32's.
"""

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    Float32Type,
    IndexType,
    IntegerType,
    MemRefType,
    VectorType,
)
from xdsl.ir import Attribute

from .array import Array


def width_of(kind: Attribute) -> int:
    """Bits of an integer type."""
    return kind.width.data if isinstance(kind, IntegerType) else 64


def signed(value: int, kind: Attribute) -> int:
    """The number that the low bits of ``value`` are."""
    if isinstance(kind, IntegerType) and kind.width.data == 1:
        return value & 1
    half = 1 << (width_of(kind) - 1)
    return (value + half & (half << 1) - 1) - half


def with_sign(value: int, kind: Attribute) -> int:
    """The number that a value is to an operation with a sign: a truth value is 0 or -1."""
    return -value if isinstance(kind, IntegerType) and kind.width.data == 1 else value


def unsigned(value: int, kind: Attribute) -> int:
    """The same bits without a sign."""
    return value & (1 << width_of(kind)) - 1


def dtype_of(kind: Attribute) -> type[np.generic]:
    """NumPy's type for elements of an array.

    Raises
    ------
    TypeError
        There is none.
    """
    if isinstance(kind, Float32Type):
        return np.float32
    if isinstance(kind, IndexType):
        return np.int64
    widths = {1: np.bool_, 8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}
    if isinstance(kind, IntegerType) and kind.width.data in widths:
        return widths[kind.width.data]
    raise TypeError(f"elements must be f32, index or i1 to i64, not {kind}")


def lanes_of(kind: Attribute) -> int:
    """Elements of a vector type; a scalar has 1."""
    return kind.get_shape()[0] if isinstance(kind, VectorType) else 1


def argument(name: str, kind: Attribute, value) -> Array | int | np.float32:
    """A caller's value as an argument of type ``kind``; arrays are used in place.

    Raises
    ------
    TypeError, ValueError
        It is not of this type.
    """
    if isinstance(kind, IndexType | IntegerType):
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise TypeError(f"{name} must be an integer, not {value!r}")
        return signed(int(value), kind)
    if isinstance(kind, Float32Type):
        return np.float32(value)
    if not isinstance(kind, MemRefType):
        raise TypeError(f"{name} is of type {kind}, which is no array or scalar")
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{name} must be an array, not {type(value).__name__}")
    if value.dtype != dtype_of(kind.element_type):
        raise TypeError(f"{name} must be of {kind.element_type}, not {value.dtype}")
    shape = kind.get_shape()
    fits = len(shape) == value.ndim and all(
        wanted in (DYNAMIC_INDEX, found) for wanted, found in zip(shape, value.shape, strict=True)
    )
    if not fits:
        raise ValueError(f"{name} must have the shape of {kind}, not {value.shape}")
    return _array(name, kind, value)


def _array(name: str, kind: MemRefType, value: np.ndarray) -> Array:
    strides = tuple(n // value.itemsize for n in value.strides)
    wanted = kind.get_strides() or (None,) * value.ndim
    if kind.get_offset() not in (0, None):
        raise ValueError(f"{name} is of type {kind}: an argument must start at offset 0")
    if value.size == 0:
        return Array(value.reshape(-1), 0, value.shape, (0,) * value.ndim, name)
    for axis, (found, want) in enumerate(zip(value.strides, wanted, strict=True)):
        step = want * value.itemsize if isinstance(want, int) and want >= 0 else None
        long = value.shape[axis] > 1
        if long and (found < 0 or found % value.itemsize or step not in (None, found)):
            raise ValueError(
                f"{name} must have the strides of {kind}, not {found} bytes in dimension {axis}"
            )
    # A dimension of one element has no stride worth the name in NumPy; the type's is the one.
    strides = tuple(
        want if n <= 1 and isinstance(want, int) and want >= 0 else s
        for n, s, want in zip(value.shape, strides, wanted, strict=True)
    )
    extent = 1 + sum((n - 1) * s for n, s in zip(value.shape, strides, strict=True))
    flat = np.lib.stride_tricks.as_strided(value, (extent,), (value.itemsize,))
    return Array(flat, 0, value.shape, strides, name)
