"""``flatten-addresses``: loads of arrays of any number of dimensions get one index.

``table[row, e]`` is element ``row * stride + e`` of a flat view, and ``indices[j]`` element
``j * stride`` where its elements do not follow each other. A product is put where its index
is known, one loop further out than the element loop, and belongs to that layer's integer unit.
Preserved: every address.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp, StridedLayoutAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import name_of, refuse
from . import dialect as slc
from .linear import depth


@dataclass(frozen=True)
class FlattenAddressesPass(ModulePass):
    """Makes address arithmetic explicit; preserves every address."""

    name = "flatten-addresses"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, slc.FuncOp):
                flatten = _Flatten(function)
                for load in list(function.walk()):
                    if isinstance(load, slc.LoadOp) and not is_flat(load.array.type):
                        flatten.load(load)


def is_flat(kind: Attribute) -> bool:
    """Whether an array has one dimension, whose elements follow each other."""
    assert isinstance(kind, MemRefType)
    return kind.get_strides() == (1,)


class _Flatten:
    def __init__(self, function: slc.FuncOp):
        self.function = function
        self.views: dict[SSAValue, SSAValue] = {}
        self.bases: dict[tuple[tuple[SSAValue, int], ...], SSAValue] = {}

    def load(self, op: slc.LoadOp) -> None:
        strides, view = self._view(op)
        # Outermost first: a sum then stands as far out as it can.
        *rows, column = op.indices or [self._zero(op)]
        terms = sorted(zip(rows, strides, strict=False), key=lambda term: depth(term[0]))
        address = column
        if not rows and strides and strides[-1] != 1:
            address = self._base(((column, strides[-1]),), op)
        if terms:
            address = self._sum(self._base(tuple(terms), op), column, op, op)
            address.name_hint = "at"
        load = slc.LoadOp(view, [address])
        load.result.name_hint = op.result.name_hint
        load.location = op.location
        assert op.parent is not None
        op.parent.insert_op_before(load, op)
        op.result.replace_all_uses_with(load.result)
        Rewriter.erase_op(op)

    def _zero(self, op: slc.LoadOp) -> SSAValue:
        zero = slc.ConstOp(0)
        assert op.parent is not None
        op.parent.insert_op_before(zero, op)
        return zero.result

    def _base(self, terms: tuple[tuple[SSAValue, int], ...], op: slc.LoadOp) -> SSAValue:
        """The sum of products, of which equal ones are shared."""
        if terms in self.bases:
            return self.bases[terms]
        *outer, (row, stride) = terms
        block, place = _where_known(row, op)
        if outer:
            product = self._base((terms[-1],), op)
            base = self._sum(self._base(tuple(outer), op), product, op, place)
        else:
            new = slc.MulOp(row, stride)
            block.insert_op_before(new, place)
            base = new.result
        base.name_hint = "base"
        self.bases[terms] = base
        return base

    def _sum(self, a: SSAValue, b: SSAValue, op: slc.LoadOp, place: Operation) -> SSAValue:
        new = slc.AddOp(a, b)
        assert place.parent is not None
        place.parent.insert_op_before(new, place)
        return new.result

    def _view(self, op: slc.LoadOp) -> tuple[list[int], SSAValue]:
        """The strides of all dimensions, and the array with one dimension."""
        kind = op.array.type
        assert isinstance(kind, MemRefType)
        strides, offset = kind.get_strides(), kind.get_offset()
        known = [stride for stride in strides or () if stride is not None]
        if len(known) != len(op.indices) or offset is None:
            raise refuse(op, f"the layout of {name_of(op.array)} must be one of known strides")
        if min(known, default=0) < 0:
            raise refuse(op, f"the strides of {name_of(op.array)} must be at least 0")
        if len(known) > 1 and known[-1] != 1:
            raise refuse(op, f"{name_of(op.array)} must have rows of consecutive elements")
        if op.array not in self.views:
            shape = kind.get_shape()
            last = sum((n - 1) * stride for n, stride in zip(shape, known, strict=True))
            size = last + 1 if all(shape) else 0
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
        return known, self.views[op.array]


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
