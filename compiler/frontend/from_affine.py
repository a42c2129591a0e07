"""``affine`` to ``scf``, ``memref`` and ``arith``: loops and accesses whose indices are maps.

``mlir-opt`` prints nests in this dialect before it lowers them. Preserved: every iteration and each
access, in order. Bounds of several results, conditions and parallel loops are refused.
"""

from collections.abc import Sequence

from xdsl.dialects import affine, arith, memref, scf, vector
from xdsl.dialects.builtin import AffineMapAttr, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)
from xdsl.rewriter import Rewriter

from ..errors import refuse
from .affine import index

OPERATIONS: dict[AffineBinaryOpKind, type[arith.AddiOp]] = {
    AffineBinaryOpKind.Add: arith.AddiOp,
    AffineBinaryOpKind.Mul: arith.MuliOp,  # type: ignore[dict-item]
    AffineBinaryOpKind.Mod: arith.RemSIOp,  # type: ignore[dict-item]
    AffineBinaryOpKind.FloorDiv: arith.FloorDivSIOp,  # type: ignore[dict-item]
    AffineBinaryOpKind.CeilDiv: arith.CeilDivSIOp,  # type: ignore[dict-item]
}


def from_affine(module: ModuleOp) -> None:
    """Replace the operations of ``affine`` in a module.

    Raises
    ------
    CompileError
        One for which there is nothing.
    """
    for op in list(module.walk()):
        if op.name.startswith("affine."):
            _replace(op)


def _replace(op: Operation) -> None:
    new: Operation
    if isinstance(op, affine.ForOp):
        start, stop = (
            _one(op, bound.data.results, bound, operands)
            for bound, operands in (
                (op.lowerBoundMap, op.lowerBoundOperands),
                (op.upperBoundMap, op.upperBoundOperands),
            )
        )
        step = index(op.step.value.data)
        _insert(op, step)
        new = scf.ForOp(start, stop, step.result, op.inits, op.detach_region(op.body))
    elif isinstance(op, affine.YieldOp):
        new = scf.YieldOp(*op.arguments)
    elif isinstance(op, affine.ApplyOp):
        value = _one(op, op.map.data.results, op.map, op.mapOperands)
        value.name_hint = value.name_hint or op.result.name_hint
        op.result.replace_all_uses_with(value)
        Rewriter.erase_op(op)
        return
    elif isinstance(op, affine.LoadOp):
        new = memref.LoadOp.get(op.memref, _values(op, op.map, op.indices))
    elif isinstance(op, affine.StoreOp):
        new = memref.StoreOp.get(op.value, op.memref, _values(op, op.map, op.indices))
    elif isinstance(op, affine.VectorLoadOp):
        new = vector.LoadOp(op.memref, _values(op, op.map, op.indices), op.result.type)
    elif isinstance(op, affine.VectorStoreOp):
        new = vector.StoreOp(op.value, op.memref, _values(op, op.map, op.indices))
    else:
        raise refuse(op, "of affine there are loops, applied maps, loads and stores")
    new.location = op.location
    for result, old in zip(new.results, op.results, strict=True):
        result.name_hint = old.name_hint
    Rewriter.replace_op(op, new)


def _insert(op: Operation, new: Operation) -> None:
    assert isinstance(op.parent, Block)
    new.location = op.location
    op.parent.insert_op_before(new, op)


def _one(
    op: Operation,
    results: Sequence[AffineExpr],
    map_: AffineMapAttr,
    operands: Sequence[SSAValue],
) -> SSAValue:
    if len(results) != 1:
        raise refuse(op, f"a map must have 1 result here, not {len(results)}")
    [value] = _values(op, map_, operands)
    return value


def _values(op: Operation, map_: AffineMapAttr, operands: Sequence[SSAValue]) -> list[SSAValue]:
    """The results of a map; dimensions are the first operands, whatever the map calls them."""
    dimensions = map_.data.num_dims

    def value(expr: AffineExpr) -> SSAValue:
        if isinstance(expr, AffineDimExpr):
            return operands[expr.position]
        if isinstance(expr, AffineSymExpr):
            return operands[dimensions + expr.position]
        if isinstance(expr, AffineConstantExpr):
            new: Operation = index(expr.value)
        else:
            assert isinstance(expr, AffineBinaryOpExpr)
            new = OPERATIONS[expr.kind](value(expr.lhs), value(expr.rhs))
        _insert(op, new)
        return new.results[0]

    return [value(expr) for expr in map_.data.results]
