"""Views of arrays: ``memref.subview``."""

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType


def kept_dimensions(view: memref.SubviewOp) -> list[int]:
    """The source's dimensions that a view has; others have one element."""
    kind = view.result.type
    assert isinstance(kind, MemRefType)
    left = list(kind.get_shape())
    kept: list[int] = []
    for number, size in enumerate(view.static_sizes.get_values()):
        if left and left[0] == size:
            left.pop(0)
            kept.append(number)
    return kept
