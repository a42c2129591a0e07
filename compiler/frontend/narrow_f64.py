"""``narrow-f64``: f64 becomes f32, on request only.

The machine computes in f32, and a nest with f64 is refused. Where that is precise enough, this pass
makes f32 of arrays, vectors, constants and operations; conversions between the two go. What is run
then takes arrays of f32. *Not* preserved: every value is rounded to f32, and so is each result.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    FunctionType,
    MemRefType,
    ModuleOp,
    VectorType,
    f32,
    f64,
)
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter


@dataclass(frozen=True)
class NarrowF64Pass(ModulePass):
    """Makes f32 of f64; preserves everything else."""

    name = "narrow-f64"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(op.walk()):
            values = [*inner.results, *(a for r in inner.regions for b in r.blocks for a in b.args)]
            for value in values:
                if (kind := _type(value.type)) != value.type:
                    Rewriter.replace_value_with_new_type(value, kind)
            for name, attribute in inner.properties.items():
                inner.properties[name] = _attribute(attribute)
            _conversion(inner)


def _conversion(op: Operation) -> None:
    """Remove a conversion to the type that its operand has by now."""
    if isinstance(op, arith.ExtFOp | arith.TruncFOp) and op.input.type == op.result.type:
        op.result.replace_all_uses_with(op.input)
        Rewriter.erase_op(op)


def _type(kind: Attribute) -> Attribute:
    if kind == f64:
        return f32
    if isinstance(kind, MemRefType):
        element = _type(kind.element_type)
        return MemRefType(element, kind.get_shape(), kind.layout, kind.memory_space)
    if isinstance(kind, VectorType):
        return VectorType(_type(kind.element_type), kind.get_shape(), kind.scalable_dims)
    return kind


def _attribute(attribute: Attribute) -> Attribute:
    if isinstance(attribute, FloatAttr) and attribute.type == f64:
        return FloatAttr(attribute.value.data, f32)
    if isinstance(attribute, DenseIntOrFPElementsAttr) and isinstance(attribute.type, VectorType):
        if attribute.type.element_type == f64:
            kind = VectorType(f32, attribute.type.get_shape())
            return DenseIntOrFPElementsAttr.from_list(kind, attribute.get_values())
    if isinstance(attribute, FunctionType):
        inputs, outputs = ([_type(t) for t in ts] for ts in (attribute.inputs, attribute.outputs))
        return FunctionType.from_lists(inputs, outputs)
    return attribute
