"""``flatten-addresses``: two-dimensional loads become one-dimensional ones.

``table[row, e]`` is element ``row * stride + e`` of a flat view. The multiplication is put where
``row`` is known, one loop further out than the element loop, and belongs to that layer's integer
unit. Preserved: every address.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp, StridedLayoutAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from ..errors import name_of, refuse
from . import dialect as slc


@dataclass(frozen=True)
class FlattenAddressesPass(ModulePass):
    """Makes address arithmetic explicit; preserves every address."""

    name = "flatten-addresses"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, slc.FuncOp):
                flatten = _Flatten(function)
                for load in list(function.walk()):
                    if isinstance(load, slc.LoadOp) and len(load.indices) == 2:
                        flatten.load(load)
                    elif isinstance(load, slc.LoadOp | slc.LoadPairOp) and len(load.indices) != 1:
                        raise refuse(
                            load,
                            f"{name_of(load.array)} must have 1 dimension, or 2 of which the last "
                            f"one is a row, not {len(load.indices)}",
                        )


class _Flatten:
    def __init__(self, function: slc.FuncOp):
        self.function = function
        self.views: dict[SSAValue, SSAValue] = {}
        self.bases: dict[tuple[SSAValue, int], SSAValue] = {}

    def load(self, op: slc.LoadOp) -> None:
        row, column = op.indices
        stride, view = self._view(op)
        base = self.bases.get((row, stride))
        if base is None:
            product = slc.MulOp(row, stride)
            base = self.bases[row, stride] = product.result
            base.name_hint = "base"
            block, place = _where_known(row, op)
            block.insert_op_before(product, place)
        address = slc.AddOp(base, column)
        address.result.name_hint = "at"
        load = slc.LoadOp(view, [address.result])
        load.result.name_hint = op.result.name_hint
        assert op.parent is not None
        op.parent.insert_ops_before([address, load], op)
        op.result.replace_all_uses_with(load.result)
        op.detach()
        op.erase()

    def _view(self, op: slc.LoadOp) -> tuple[int, SSAValue]:
        kind = op.array.type
        assert isinstance(kind, MemRefType)
        strides, offset = kind.get_strides(), kind.get_offset()
        if strides is None or strides[0] is None or strides[1] != 1 or offset is None:
            raise refuse(op, f"{name_of(op.array)} must have rows of consecutive elements")
        if op.array not in self.views:
            rows, columns = kind.get_shape()
            size = (rows - 1) * strides[0] + columns if rows else 0
            layout = StridedLayoutAttr([1], offset)
            view = memref.ReinterpretCastOp.from_dynamic(
                op.array,
                [offset],
                [size],
                [1],
                MemRefType(kind.element_type, [size], layout),
            )
            view.result.name_hint = f"{op.array.name_hint or 'array'}_flat"
            block, place = _where_known(op.array, op)
            block.insert_op_before(view, place)
            self.views[op.array] = view.result
        return strides[0], self.views[op.array]


def _where_known(value: SSAValue, user: Operation) -> tuple[Block, Operation]:
    """The block that defines ``value``, and the operation in it that holds ``user``."""
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent
    assert block is not None
    place = user
    while place.parent is not block:
        parent = place.parent_op()
        assert parent is not None
        place = parent
    return block, place
