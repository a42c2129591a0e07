"""``fold-views``: accesses to a view that begins somewhere become accesses to what it is a view of.

A tool that works on tiles or rows takes ``memref.subview %table[%row, 0] [1, 8] [1, 1]``, and
accesses that. The places of views are numbers to the compiler; so are rows and columns of accesses,
but these may also be sums:

```
%r = memref.subview %t[%i, 0] [1, 8] [1, 1]      %x = memref.load %t[%i, %e]
%x = memref.load %r[0, %e]
```

A view may leave out dimensions of one element. Preserved: every access. Views at literal places are
left alone, but for lists of integers in arrays of several (``%edges[1, 0] [1, 30] [1, 1]``), and so
are those that are used otherwise.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain, name_of
from ..streams import is_integer
from ..views import kept_dimensions
from .affine import index
from .simplify import simplify_changed

Access = memref.LoadOp | memref.StoreOp | vector.LoadOp | vector.StoreOp


@dataclass(frozen=True)
class FoldViewsPass(ModulePass):
    """Accesses arrays instead of views that begin somewhere; preserves every access."""

    name = "fold-views"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        simplify_changed(ctx, op, _function)


def _function(function: func.FuncOp) -> bool:
    # Views of views from the inside out.
    inner = [op for op in reversed(list(function.walk())) if isinstance(op, memref.SubviewOp)]
    return any([_fold(view) for view in inner if view.offsets or _is_list(view)])


def _is_list(view: memref.SubviewOp) -> bool:
    """Whether a view is of lists of integers in an array of several, as of rows of entries."""
    source = view.source.type
    assert isinstance(source, MemRefType)
    return is_integer(source.element_type) and source.get_num_dims() > 1


def _fold(view: memref.SubviewOp) -> bool:
    """Access the source of a view; whether that is all that its users do."""
    uses = [use.operation for use in view.result.uses]
    steps = view.static_strides.get_values()
    plain = all(isinstance(op, Access) and _array(op) is view.result for op in uses)
    if not plain or view.sizes or DYNAMIC_INDEX in steps:
        return False
    explain(view, f"accesses to it are to {name_of(view.source)}")
    dynamic = list(view.offsets)
    offsets = [
        dynamic.pop(0) if offset == DYNAMIC_INDEX else offset
        for offset in view.static_offsets.get_values()
    ]
    kept = kept_dimensions(view)
    for op in dict.fromkeys(uses):
        assert isinstance(op, Access)
        _move(op, view.source, kept, offsets, steps)
    Rewriter.erase_op(view)
    return True


def _array(op: Access) -> SSAValue:
    return op.memref if isinstance(op, memref.LoadOp | memref.StoreOp) else op.base


def _move(
    op: Access,
    source: SSAValue,
    kept: list[int],
    offsets: Sequence[SSAValue | int],
    steps: Sequence[int],
) -> None:
    """Let an access be to the source."""
    inside = dict(zip(kept, op.indices, strict=True))
    places: list[SSAValue] = []
    for number, offset in enumerate(offsets):
        if number not in inside:
            places.append(_value(op, offset))
            continue
        place = inside[number]
        if steps[number] != 1:
            place = _insert(op, arith.MuliOp(place, _value(op, steps[number])))
        if offset != 0:
            place = _insert(op, arith.AddiOp(_value(op, offset), place))
        places.append(place)
    new: Operation
    if isinstance(op, memref.LoadOp):
        new = memref.LoadOp.get(source, places)
    elif isinstance(op, memref.StoreOp):
        new = memref.StoreOp.get(op.value, source, places)
    elif isinstance(op, vector.LoadOp):
        new = vector.LoadOp(source, places, op.result.type)
    else:
        new = vector.StoreOp(op.vector, source, places)
    new.location = op.location
    for result, old in zip(new.results, op.results, strict=True):
        result.name_hint = old.name_hint
    Rewriter.replace_op(op, new)


def _value(op: Operation, number: SSAValue | int) -> SSAValue:
    return _insert(op, index(number)) if isinstance(number, int) else number


def _insert(place: Operation, op: Operation) -> SSAValue:
    assert place.parent is not None
    place.parent.insert_op_before(op, place)
    return op.results[0]
