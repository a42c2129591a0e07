"""Arrays of which two indices are one element: rows of a view that are less than a row apart."""

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, NoneAttr
from xdsl.ir import Attribute


def overlaps(kind: Attribute) -> bool:
    """Whether elements of an array may be the same; what is only known at a launch may."""
    assert isinstance(kind, MemRefType)
    if isinstance(kind.layout, NoneAttr):
        return False
    strides, shape = kind.get_strides(), kind.get_shape()
    if strides is None or None in strides or DYNAMIC_INDEX in shape:
        return True
    reach = 0
    for stride, size in sorted(zip((s or 0 for s in strides), shape, strict=True)):
        if size > 1:
            if stride <= reach:
                return True
            reach += (size - 1) * stride
    return False
