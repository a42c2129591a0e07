"""The sum of a product waits for the next row.

A product that is rounded before it is added, ``v1 = data * w; v0 = v1 + v0``, is two instructions
of which the second needs what the first has just computed. Over a row of a few vectors the execute
unit then waits for its own result most of the time. So here a row's token adds the product of the
row before, which is long there, and then multiplies; one more token at the end of the loop adds
the last product and stores. Between two bags ``v1`` is +0.0, which a sum that starts at +0.0 does
not notice. Preserved: every rounding, and the order of additions.

Legal if no row is left out but for an error: a token without a row would lose the product that
waits. Worth it for short rows only, since a bag costs a token and two instructions more.
"""

from xdsl.dialects.builtin import MemRefType, VectorType

from . import dialect as dlc
from .resources import traversal_units

#: Vectors of a row, at most. An instruction's result is there 7 cycles after its first vector went
#: in: n rows of c vectors take ``n * (c + 7)`` cycles, and ``2 * c * (n + 1)`` when sums wait.
VECTORS = 3


def defer_sum(segment: dlc.SegmentOp) -> None:
    """Let sums wait in a segment, if it has such products and that is legal and worth it."""
    callbacks = [op for op in segment.execute.block.ops if isinstance(op, dlc.CallbackOp)]
    tokens = {
        op.callback.root_reference.data: op
        for op in segment.access.block.ops
        if isinstance(op, dlc.TokenOp)
    }
    starts = [op for op in callbacks if any(isinstance(i, dlc.SetaOp) for i in op.body.block.ops)]
    sums = [op for op in callbacks if _is_sum_of_products(op)]
    loops = [
        unit
        for unit in traversal_units(segment)
        if isinstance(unit, dlc.CountedOp) and unit.fused is not None
    ]
    if not (len(starts) == len(sums) == len(loops) == 1 and len(callbacks) == 2):
        return
    [start], [rows], [loop] = starts, sums, loops
    leaves_out = any(
        isinstance(op, dlc.MemOp) and op.skip is not None for op in segment.access.block.ops
    )
    if leaves_out or not 0 < _vectors(segment) <= VECTORS:
        return
    product, addition = rows.body.block.ops
    addition.detach()
    rows.body.block.insert_op_before(addition, product)
    assert isinstance(addition, dlc.AddOp)
    last = dlc.AddOp("v0", "v1", "v0")
    last.properties["emit"] = dlc.EmitAttr(dlc.Emit.ALWAYS)
    for name in ("div", "bump"):
        if name in addition.properties:
            last.properties[name] = addition.properties.pop(name)
    del addition.properties["emit"]
    end = f"l{loop.layer}_end"
    segment.execute.block.add_op(dlc.CallbackOp(end, [last, dlc.MovOp("v1", "zero")]))
    segment.access.block.insert_op_before(
        dlc.TokenOp("end", loop.ite, end), tokens[rows.sym_name.data]
    )
    start.body.block.add_op(dlc.MovOp("v1", "zero"))


def _is_sum_of_products(callback: dlc.CallbackOp) -> bool:
    """``mul v1, dataq, ..; add v0, v1, v0 init count fused emit last bump``"""
    ops = list(callback.body.block.ops)
    if len(ops) != 2:
        return False
    product, addition = ops
    return (
        isinstance(product, dlc.MulOp)
        and product.dst.data is dlc.Vreg.V1
        and product.a.data is dlc.First.DATAQ
        and isinstance(addition, dlc.AddOp)
        and addition.a.data is dlc.First.V1
        and addition.init is not None
        and addition.emit is not None
        and addition.emit.data is dlc.Emit.LAST
        and addition.bump is not None
    )


def _vectors(segment: dlc.SegmentOp) -> int:
    """Vectors of an output row; 0 where the row's elements come one by one."""
    row = traversal_units(segment)[-1]
    [rows] = [op for op in segment.execute.block.ops if isinstance(op, dlc.RowsOp)]
    out = rows.out.type
    assert isinstance(row, dlc.RowOp) and isinstance(out, MemRefType)
    kind = dlc.element_of(row.data)
    if not isinstance(kind, VectorType):
        return 0
    return -(-out.get_shape()[1] // kind.get_shape()[0])
