"""``memref`` and ``vector``: views, loads and stores."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects import memref, vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr

from ..errors import name_of
from ..views import kept_dimensions
from . import floats
from .array import Array
from .errors import fail
from .values import dtype_of, lanes_of


@register_impls
class MemoryFunctions(InterpreterFunctions):
    """``memref`` and ``vector``."""

    @impl(memref.LoadOp)
    def load(self, _: Interpreter, op: memref.LoadOp, args: PythonValues) -> PythonValues:
        array, *indices = args
        try:
            return (python(array.load(indices)),)
        except IndexError as error:
            raise fail(op, str(error)) from None

    @impl(memref.StoreOp)
    def store(self, _: Interpreter, op: memref.StoreOp, args: PythonValues) -> PythonValues:
        value, array, *indices = args
        try:
            array.store(indices, value)
        except IndexError as error:
            raise fail(op, str(error)) from None
        return ()

    @impl(vector.LoadOp)
    def load_vector(self, _: Interpreter, op: vector.LoadOp, args: PythonValues) -> PythonValues:
        array, *indices = args
        try:
            return (array.load_vector(indices, lanes_of(op.result.type)),)
        except IndexError as error:
            raise fail(op, str(error)) from None

    @impl(vector.StoreOp)
    def store_vector(self, _: Interpreter, op: vector.StoreOp, args: PythonValues) -> PythonValues:
        values, array, *indices = args
        try:
            array.store_vector(indices, values)
        except IndexError as error:
            raise fail(op, str(error)) from None
        return ()

    @impl(vector.TransferReadOp)
    def transfer_read(self, _: Interpreter, op: vector.TransferReadOp, args: PythonValues):
        array, *indices, padding = args
        lanes = lanes_of(op.result.type)
        if isinstance(op.permutation_map.data.results[0], AffineConstantExpr):
            return (np.repeat(array.load(indices), lanes),)
        count = _inside(op, array, indices, lanes)
        values = np.full(lanes, padding, np.float32)
        try:
            if count:
                values[:count] = array.load_vector(indices, count)
        except IndexError as error:
            raise fail(op, str(error)) from None
        return (values,)

    @impl(vector.TransferWriteOp)
    def transfer_write(self, _: Interpreter, op: vector.TransferWriteOp, args: PythonValues):
        values, array, *indices = args
        count = _inside(op, array, indices, len(values))
        try:
            if count:
                array.store_vector(indices, values[:count])
        except IndexError as error:
            raise fail(op, str(error)) from None
        return ()

    @impl(vector.FMAOp)
    def vector_fma(self, _: Interpreter, op: vector.FMAOp, args: PythonValues) -> PythonValues:
        return (floats.fma(*args),)

    @impl(vector.ReductionOp)
    def reduction(self, _: Interpreter, op: vector.ReductionOp, args: PythonValues):
        values, *begin = args
        combine = {
            "add": floats.add, "maximumf": floats.maximum_ieee, "minimumf": floats.minimum_ieee,
        }.get(op.kind.data.value)  # fmt: skip
        if combine is None or not begin:
            raise fail(op, "only sums, maxima and minima with an accumulator are interpreted")
        [total] = begin
        for value in values:
            total = combine(total, value)
        return (total,)

    @impl(vector.BroadcastOp)
    def broadcast(self, _: Interpreter, op: vector.BroadcastOp, args: PythonValues):
        bits = np.array([args[0]], np.float32).view(np.uint32)
        return (np.repeat(bits, lanes_of(op.vector.type)).view(np.float32),)

    @impl(memref.AllocaOp)
    def alloca(self, _: Interpreter, op: memref.AllocaOp, args: PythonValues) -> PythonValues:
        return (_allocate(op, op.memref, args),)

    @impl(memref.AllocOp)
    def alloc(self, _: Interpreter, op: memref.AllocOp, args: PythonValues) -> PythonValues:
        return (_allocate(op, op.memref, args),)

    @impl(memref.DeallocOp)
    def dealloc(self, _: Interpreter, op: memref.DeallocOp, args: PythonValues) -> PythonValues:
        return ()

    @impl(memref.DimOp)
    def dim(self, _: Interpreter, op: memref.DimOp, args: PythonValues) -> PythonValues:
        array, axis = args
        if not 0 <= axis < len(array.shape):
            raise fail(op, f"{array.name} has {len(array.shape)} dimensions, not one {axis}")
        return (array.shape[axis],)

    @impl(memref.CastOp)
    def cast(self, _: Interpreter, op: memref.CastOp, args: PythonValues) -> PythonValues:
        return args

    @impl(memref.SubviewOp)
    def subview(self, _: Interpreter, op: memref.SubviewOp, args: PythonValues) -> PythonValues:
        source, *dynamic = args
        offsets = _mixed(op.static_offsets.get_values(), dynamic)
        sizes = _mixed(op.static_sizes.get_values(), dynamic)
        steps = _mixed(op.static_strides.get_values(), dynamic)
        start = source.offset + sum(o * s for o, s in zip(offsets, source.strides, strict=True))
        strides = [n * s for n, s in zip(steps, source.strides, strict=True)]
        for offset, size, step, extent in zip(offsets, sizes, steps, source.shape, strict=True):
            if size and not (0 <= offset and offset + (size - 1) * step < extent):
                raise fail(
                    op,
                    f"{size} elements from {offset} on, {step} apart, are not in "
                    f"the {extent} of {source.name}",
                )
        kept = kept_dimensions(op)
        sizes, strides = [sizes[n] for n in kept], [strides[n] for n in kept]
        return (source.view(start, sizes, strides, name_of(op.result)),)

    @impl(memref.ReinterpretCastOp)
    def reinterpret_cast(self, _: Interpreter, op: memref.ReinterpretCastOp, args: PythonValues):
        source, *dynamic = args
        [offset] = _mixed(op.static_offsets.get_values(), dynamic)
        sizes = _mixed(op.static_sizes.get_values(), dynamic)
        strides = _mixed(op.static_strides.get_values(), dynamic)
        try:
            return (source.view(offset, sizes, strides, name_of(op.result)),)
        except IndexError as error:
            raise fail(op, str(error)) from None


def _inside(op, array: Array, indices: Sequence[int], lanes: int) -> int:
    """How many elements of a transfer are in the array; all, if it says so."""
    if all(bool(value.value.data) for value in op.in_bounds.data):
        return lanes
    return max(0, min(lanes, array.shape[-1] - indices[-1]))


def python(value) -> Any:
    """An element of an array as a value: integers are Python's."""
    return value if isinstance(value, np.floating) else int(value)


def _allocate(op, result: SSAValue, sizes: Sequence[int]) -> Array:
    kind = result.type
    assert isinstance(kind, MemRefType)
    try:
        element = dtype_of(kind.element_type)
    except TypeError as error:
        raise fail(op, str(error)) from None
    return Array.new(_mixed(kind.get_shape(), list(sizes)), element, name_of(result))


def _mixed(static: Sequence[int], dynamic: list[int]) -> list[int]:
    """Static numbers, and for each that is not known the next of ``dynamic``, which it takes."""
    return [dynamic.pop(0) if n == DYNAMIC_INDEX else n for n in static]
