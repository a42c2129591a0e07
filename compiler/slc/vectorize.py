"""``vectorize``: the innermost loop walks vectors instead of elements.

The loop's step becomes the number of SIMD lanes; loads of consecutive elements give vectors, and
the callback computes on vectors. If the row is no multiple of the lanes the loop is *masked*:
the elements past its end load as +0.0, and the register is as long as whole vectors, of which
``slc.emit`` stores the row only. Preserved: every element's value and its order of operations.

A loop is left alone if it is not the innermost, does not count 0, 1, 2, .. to a literal, if a
load does not walk consecutive elements, or if its callback is not elementwise.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, math, memref, vector
from xdsl.dialects.builtin import (
    Float32Type,
    MemRefType,
    ModuleOp,
    UnitAttr,
    VectorType,
    i1,
)
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain
from ..streams import integer, is_integer
from . import dialect as slc
from .linear import block_of

ELEMENTWISE = (
    arith.AddfOp,
    arith.SubfOp,
    arith.MulfOp,
    arith.DivfOp,
    arith.NegfOp,
    arith.MaximumfOp,
    arith.MinimumfOp,
    arith.SelectOp,
    math.FmaOp,
    slc.ChoiceOp,
)


@dataclass(frozen=True)
class VectorizePass(ModulePass):
    """Turns element loops into vector loops; preserves every element's value."""

    name = "vectorize"

    lanes: int = 8

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in list(op.walk()):
            if isinstance(loop, slc.LoopOp) and _legal(loop):
                _vectorize(loop, self.lanes)


def offset_of(load: slc.LoadOp | slc.LoadPairOp) -> tuple[SSAValue, int]:
    """The index of a load of one dimension without the literals that are added to it last."""
    index, offset = load.indices[-1], 0
    while isinstance(index.owner, slc.AddOp) and isinstance(index.owner.second, int):
        offset += index.owner.second
        index = index.owner.lhs
    return index, offset


def loads_floats(loop: slc.LoopOp) -> bool:
    """Whether a loop's body loads what is no index."""
    loads = [op for op in loop.body.block.ops if isinstance(op, slc.LoadOp)]
    return any(not is_integer(op.result.type) for op in loads)


def walks(load: slc.LoadOp, loop: slc.LoopOp) -> bool:
    """Whether the load reads consecutive elements in consecutive iterations."""
    index, _ = offset_of(load)
    if index is loop.induction:
        return True
    owner = index.owner
    if not isinstance(owner, slc.AddOp):
        return False
    others = [value for value in owner.operands if value is not loop.induction]
    return len(others) == 1 and block_of(others[0]) is not loop.body.block


def _legal(loop: slc.LoopOp) -> bool:
    block = loop.body.block
    if slc.inner_loops(block) or loop.bounds[0] != 0 or loop.stride != 1:
        return False
    if loop.trip_count is None:
        return False
    loads = [op for op in block.ops if isinstance(op, slc.LoadOp)]
    callbacks = [op for op in block.ops if isinstance(op, slc.CallbackOp)]
    others = (slc.LoadOp, slc.CallbackOp, slc.AddOp)
    return (
        len(loads) == 1
        and len(callbacks) == 1
        and all(isinstance(op, others) for op in block.ops)
        and isinstance(loads[0].result.type, Float32Type)
        and len(loads[0].indices) == 1
        and walks(loads[0], loop)
        and _elementwise(loop, callbacks[0])
    )


def _elementwise(loop: slc.LoopOp, callback: slc.CallbackOp) -> bool:
    """Whether every access to a register is at the loop's own element."""
    for op in callback.body.block.ops:
        if isinstance(op, memref.LoadOp | memref.StoreOp):
            if isinstance(op.memref.owner, slc.RowOp):
                index = op.indices[0].owner
                if not isinstance(index, slc.ToValOp) or index.stream is not loop.induction:
                    return False
            elif isinstance(op, memref.StoreOp):
                return False
        elif isinstance(
            op, slc.ToValOp | slc.RowOp | arith.ConstantOp | arith.CmpiOp | arith.IndexCastOp
        ):
            continue
        elif not isinstance(op, ELEMENTWISE):
            return False
    return True


def _vectorize(loop: slc.LoopOp, lanes: int) -> None:
    trips = loop.trip_count
    assert trips is not None
    explain(loop, f"walks vectors of {lanes}")
    padded = -(-trips // lanes) * lanes
    loop.properties["step"] = integer(lanes)
    if padded != trips:
        loop.properties["masked"] = UnitAttr()
    for op in list(loop.body.block.ops):
        if isinstance(op, slc.LoadOp):
            load = slc.LoadOp(op.array, op.indices, VectorType(op.result.type, [lanes]))
            load.location = op.location
            load.result.name_hint = op.result.name_hint
            loop.body.block.insert_op_before(load, op)
            op.result.replace_all_uses_with(load.result)
            Rewriter.erase_op(op)
        elif isinstance(op, slc.CallbackOp):
            _pad_registers(op, padded)
            _Widen(op, lanes).run()


def _pad_registers(callback: slc.CallbackOp, elements: int) -> None:
    """Make the registers of the whole nest as long as whole vectors."""
    outs = {op.out for op in callback.walk() if isinstance(op, slc.RowOp)}
    nest: Operation = callback
    while isinstance(parent := nest.parent_op(), slc.LoopOp):
        nest = parent
    for op in nest.walk():
        if isinstance(op, slc.RowOp) and op.out in outs:
            kind = op.register.type
            assert isinstance(kind, MemRefType)
            if kind.get_shape()[0] < elements:
                wider = MemRefType(kind.element_type, [elements])
                Rewriter.replace_value_with_new_type(op.register, wider)


class _Widen:
    """Rewrites a callback's element computation to vectors."""

    def __init__(self, callback: slc.CallbackOp, lanes: int):
        self.block, self.lanes = callback.body.block, lanes
        self.wide: dict[SSAValue, SSAValue] = {}
        self.stale: list[Operation] = []

    def run(self) -> None:
        for op in list(self.block.ops):
            if isinstance(op, slc.ToValOp) and isinstance(op.stream.type, VectorType):
                self._put(op, slc.ToValOp(op.stream))
            elif isinstance(op, memref.LoadOp) and isinstance(op.memref.owner, slc.RowOp):
                kind = VectorType(op.res.type, [self.lanes])
                self._put(op, vector.LoadOp(op.memref, op.indices, kind))
            elif isinstance(op, memref.StoreOp) and isinstance(op.memref.owner, slc.RowOp):
                self._put(op, vector.StoreOp(self._vector(op, op.value), op.memref, op.indices))
            elif isinstance(op, ELEMENTWISE) and any(v in self.wide for v in op.operands):
                self._put(op, self._widen(op))
        for op in reversed(self.stale):
            Rewriter.erase_op(op)

    def _put(self, old: Operation, new: Operation) -> None:
        self.block.insert_op_before(new, old)
        for before, after in zip(old.results, new.results, strict=True):
            after.name_hint = before.name_hint
            self.wide[before] = after
        self.stale.append(old)

    def _vector(self, user: Operation, value: SSAValue) -> SSAValue:
        if value in self.wide:
            return self.wide[value]
        spread = vector.BroadcastOp(value, VectorType(value.type, [self.lanes]))
        self.block.insert_op_before(spread, user)
        self.wide[value] = spread.vector
        return spread.vector

    def _widen(self, op: Operation) -> Operation:
        operands = [value if value.type == i1 else self._vector(op, value) for value in op.operands]
        kinds = [VectorType(result.type, [self.lanes]) for result in op.results]
        return type(op).create(
            operands=operands, result_types=kinds, properties=op.properties.copy()
        )
