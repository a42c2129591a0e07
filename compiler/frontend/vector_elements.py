"""Operations on vectors of fp32, as operations on one element of each."""

from collections.abc import Iterable

from xdsl.dialects import arith, math, memref, scf, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, Float32Type, FloatAttr, VectorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr
from xdsl.rewriter import Rewriter

from ..errors import name_of, refuse

Access = vector.LoadOp | vector.StoreOp | vector.TransferReadOp | vector.TransferWriteOp

#: What is done to each element by itself, and only differs in its type.
ELEMENTWISE = (
    arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.DivfOp, arith.NegfOp, arith.MaximumfOp,
    arith.MinimumfOp, arith.MaxnumfOp, arith.MinnumfOp, arith.CmpfOp, arith.SelectOp, math.FmaOp,
    arith.AndIOp, arith.OrIOp, arith.XOrIOp, scf.ForOp, scf.IfOp, scf.YieldOp,
)  # fmt: skip

#: Reductions, as what one more element does.
REDUCTIONS: dict[str, type[arith.AddfOp | arith.MaximumfOp | arith.MinimumfOp]] = {
    "add": arith.AddfOp,
    "maximumf": arith.MaximumfOp,
    "minimumf": arith.MinimumfOp,
}


def lanes(kind: Attribute) -> int | None:
    """Elements of a vector; None if a type is none."""
    return kind.get_shape()[0] if isinstance(kind, VectorType) else None


def values_of(op: Operation) -> Iterable[SSAValue]:
    """All values that an operation and what is in it uses or defines."""
    for inner in op.walk():
        yield from inner.operands
        yield from inner.results
        for region in inner.regions:
            for block in region.blocks:
                yield from block.args


def is_vector(value: SSAValue) -> bool:
    """Whether a value is a vector."""
    return isinstance(value.type, VectorType)


def crosses(op: Operation) -> bool:
    """Whether vectors go into an operation, or come out of it."""
    return any(map(is_vector, (*op.operands, *op.results)))


def array_of(op: Access) -> SSAValue:
    """The array that is accessed."""
    return op.base if isinstance(op, vector.LoadOp | vector.StoreOp) else op.source


def places_of(op: Access) -> list[SSAValue]:
    """The indices of its first element."""
    return list(op.indices)


def is_store(op: Access) -> bool:
    """Whether it stores."""
    return isinstance(op, vector.StoreOp | vector.TransferWriteOp)


def is_inside(op: Access) -> bool:
    """Whether all its elements are said to be in the array."""
    if isinstance(op, vector.LoadOp | vector.StoreOp):
        return True
    return all(bool(value.value.data) for value in op.in_bounds.data)


def is_repeated(op: Access) -> bool:
    """Whether all elements are the same one, by a map to a constant."""
    return isinstance(op, vector.TransferReadOp) and isinstance(
        op.permutation_map.data.results[0], AffineConstantExpr
    )


def check(ops: Iterable[Operation], width: int) -> None:
    """Refuse what is no operation on elements by themselves."""
    for op in ops:
        for inner in op.walk():
            touched = [v for v in (*inner.operands, *inner.results) if is_vector(v)]
            for value in touched:
                kind = value.type
                assert isinstance(kind, VectorType)
                if len(kind.get_shape()) != 1 or kind.get_num_scalable_dims():
                    raise refuse(inner, f"a vector must have one dimension, and not be {kind}")
                if kind.get_shape()[0] != width:
                    raise refuse(
                        inner,
                        f"vectors of {width} and of {kind.get_shape()[0]} elements are in one loop",
                    )
            if touched:
                _check(inner)


def _check(op: Operation) -> None:
    if isinstance(op, vector.TransferReadOp | vector.TransferWriteOp):
        if op.mask is not None:
            raise refuse(op, "a vector access must have no mask")
        rank = op.permutation_map.data.num_dims
        [result] = op.permutation_map.data.results
        last = isinstance(result, AffineDimExpr) and result.position == rank - 1
        if not last and not is_repeated(op):
            raise refuse(op, "a vector must be consecutive elements of a row")
    elif isinstance(op, vector.BroadcastOp):
        if not isinstance(op.source.type, Float32Type):
            raise refuse(op, f"only an f32 is made a vector of, not {op.source.type}")
    elif isinstance(op, arith.ConstantOp):
        value = op.value
        if not isinstance(value, DenseIntOrFPElementsAttr) or not value.is_splat():
            raise refuse(op, "the elements of a constant vector must be equal")
    elif isinstance(op, vector.ReductionOp):
        if op.kind.data.value not in REDUCTIONS:
            raise refuse(op, f"there is no operation for a reduction by {op.kind.data.value}")
        if op.acc is None:
            raise refuse(
                op,
                "a reduction must begin with an accumulator: rows are summed in the order of the "
                "list",
            )
    elif not isinstance(op, (vector.LoadOp, vector.StoreOp, vector.FMAOp, *ELEMENTWISE)):
        raise refuse(op, "an element of a vector must not depend on others")


def to_elements(loop: scf.ForOp, lane: SSAValue | None) -> None:
    """Work on one element in a loop: number ``lane`` of each vector, or the first one."""
    for inner in [op for op in loop.walk() if crosses(op)]:
        _convert(inner, lane)
    for value in dict.fromkeys(values_of(loop)):
        kind = value.type
        if isinstance(kind, VectorType):
            Rewriter.replace_value_with_new_type(value, kind.element_type)


def _convert(op: Operation, lane: SSAValue | None) -> None:
    new: Operation | None = None
    if isinstance(op, Access):
        places = _places(op, lane)
        if isinstance(op, vector.LoadOp | vector.TransferReadOp):
            new = memref.LoadOp.get(array_of(op), places)
        else:
            value = op.vector
            new = memref.StoreOp.get(value, array_of(op), places)
    elif isinstance(op, vector.BroadcastOp):
        op.vector.replace_all_uses_with(op.source)
        Rewriter.erase_op(op)
        return
    elif isinstance(op, arith.ConstantOp):
        value = op.value
        assert isinstance(value, DenseIntOrFPElementsAttr)
        number = value.get_attrs()[0]
        assert isinstance(number, FloatAttr)
        new = arith.ConstantOp(number)
    elif isinstance(op, vector.FMAOp):
        new = math.FmaOp(op.lhs, op.rhs, op.acc)
    elif isinstance(op, vector.ReductionOp):
        assert op.acc is not None
        new = REDUCTIONS[op.kind.data.value](op.acc, op.vector, result_type=op.dest.type)
    if new is None:
        return
    new.location = op.location
    for result, old in zip(new.results, op.results, strict=True):
        result.name_hint = old.name_hint
    # The operands still are vectors: types change at the end.
    Rewriter.replace_op(op, new)


def _places(op: Access, lane: SSAValue | None) -> list[SSAValue]:
    places = places_of(op)
    if lane is not None and not is_repeated(op):
        last = arith.AddiOp(places[-1], lane)
        last.result.name_hint = name_of(lane)[1:]
        assert op.parent is not None
        op.parent.insert_op_before(last, op)
        places[-1] = last.result
    return places
