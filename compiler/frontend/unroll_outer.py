"""``unroll-outer``: a nest with more loops than layers is done once per outermost iteration.

The outermost loop of a nest, if its bounds are literals and it does nothing but run other loops,
is written out: each of its iterations is a nest of its own, with one loop less, and takes a segment
of the program. Preserved: all that is done, in order.

A nest that fits the layers is left alone, and so is one whose outermost loop does more.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain, refuse
from ..slc.decouple import ARITHMETIC, CASTS
from ..streams import constant
from .simplify import SimplifyPass


@dataclass(frozen=True)
class UnrollOuterPass(ModulePass):
    """Writes out outermost loops of deep nests; preserves what is done, in order."""

    name = "unroll-outer"

    layers: int = 3
    segments: int = 32

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        changed = False
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                nests = list(function.body.block.ops)
                for nest in nests:
                    if isinstance(nest, scf.ForOp):
                        changed |= _unroll(nest, self.layers, self.segments)
        if changed:
            SimplifyPass().apply(ctx, op)


def _unroll(nest: scf.ForOp, layers: int, segments: int, copies: int = 1) -> bool:
    """Unroll a nest as long as it has too many loops; whether it had."""
    loops = depth(nest)
    bounds = [constant(value) for value in (nest.lb, nest.ub, nest.step)]
    start, stop, step = (bound if bound is not None else 0 for bound in bounds)
    if loops <= layers or None in bounds or step < 1 or not _only_loops(nest):
        return False
    iterations = range(start, stop, step)
    if copies * len(iterations) > segments:
        raise refuse(
            nest,
            f"the nest has {loops} loops, but the configuration {layers} layers, and written out "
            f"it would be {copies * len(iterations)} nests, but a program has {segments} segments",
        )
    explain(nest, f"written out, {len(iterations)} nests: {loops} loops are more than the layers")
    block = nest.parent
    assert block is not None
    for iteration in iterations:
        number = arith.ConstantOp(IntegerAttr(iteration, IndexType()))
        block.insert_op_before(number, nest)
        mapping: dict[SSAValue, SSAValue] = {nest.body.block.args[0]: number.result}
        for op in nest.body.block.ops:
            if isinstance(op, scf.YieldOp):
                continue
            copy = op.clone(mapping)
            block.insert_op_before(copy, nest)
            if isinstance(copy, scf.ForOp):
                _unroll(copy, layers, segments, copies * len(iterations))
    Rewriter.erase_op(nest)
    return True


def depth(op: Operation) -> int:
    """Loops inside of each other, with this one if it is one."""
    inner = max((depth(child) for r in op.regions for b in r.blocks for child in b.ops), default=0)
    return inner + isinstance(op, scf.ForOp)


def _only_loops(nest: scf.ForOp) -> bool:
    """Whether an iteration runs loops and computes indices, and no more."""
    allowed = (scf.ForOp, scf.YieldOp, arith.ConstantOp, *ARITHMETIC, *CASTS)
    return not nest.results and all(isinstance(op, allowed) for op in nest.body.block.ops)
