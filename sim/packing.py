"""Python values to and from the packed bits of an Amaranth shape.

A layout's value is a dictionary (structs) or a list (arrays) of integers, to any depth.
"""

from typing import Any

from amaranth.hdl import Shape, ShapeLike
from amaranth.lib import data

Packed = Any


def pack(shape: ShapeLike, value: Packed) -> int:
    """The bits of ``value``; fields that a dictionary leaves out are 0.

    Raises
    ------
    ValueError
        An unknown field, a list of another length, or a value that does not fit.
    """
    if isinstance(shape, data.StructLayout):
        word = 0
        fields = dict(shape)
        for name, part in value.items():
            if name not in fields:
                known = ", ".join(map(str, fields))
                raise ValueError(f"field must be one of {known}, not {name!r}")
            word |= pack(fields[name].shape, part) << fields[name].offset
        return word
    if isinstance(shape, data.ArrayLayout):
        if len(value) != shape.length:
            raise ValueError(f"array must have {shape.length} elements, not {len(value)}")
        width = Shape.cast(shape.elem_shape).width
        return sum(pack(shape.elem_shape, part) << width * n for n, part in enumerate(value))
    plain = Shape.cast(shape)
    low = -(1 << plain.width - 1) if plain.signed else 0
    if not low <= value < low + (1 << plain.width):
        raise ValueError(f"value must fit {plain!r}, not {value!r}")
    return int(value) & ((1 << plain.width) - 1)


def unpack(shape: ShapeLike, word: int) -> Packed:
    """The value of bits ``word``: the inverse of :func:`pack`."""
    if isinstance(shape, data.StructLayout):
        return {str(name): unpack(part.shape, word >> part.offset) for name, part in shape}
    if isinstance(shape, data.ArrayLayout):
        width = Shape.cast(shape.elem_shape).width
        return [unpack(shape.elem_shape, word >> width * n) for n in range(shape.length)]
    plain = Shape.cast(shape)
    value = word & ((1 << plain.width) - 1)
    if plain.signed and value >> (plain.width - 1):
        value -= 1 << plain.width
    return value
