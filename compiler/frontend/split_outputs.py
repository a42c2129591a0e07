"""``split-outputs``: a nest that writes several arrays becomes one nest for each of them.

The execute unit accumulates into rows of one array. A nest that writes two is done twice, each
time with what one of them needs: loads are repeated, stores are not. Preserved: every stored
value.

Legal if no value that is stored to one array is computed from what another one holds, and nothing
is kept in a cell from before the nest. Others are left alone.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain, name_of
from ..slc.decouple import root
from .idle import kept_cell
from .simplify import drop_unused


@dataclass(frozen=True)
class SplitOutputsPass(ModulePass):
    """One nest for each array that is written; preserves what is stored."""

    name = "split-outputs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                for nest in list(function.body.block.ops):
                    if isinstance(nest, scf.ForOp) and not nest.results:
                        _split(nest)


def _split(nest: scf.ForOp) -> None:
    outs = list(dict.fromkeys(root(op.memref) for op in _stores(nest)))
    block = nest.parent
    if len(outs) < 2 or block is None or kept_cell(nest) is not None:
        return
    copies = [_only(nest, out) for out in outs]
    apart = all(
        root(op.memref) in (out, *(() if root(op.memref) in outs else (root(op.memref),)))
        for out, copy in zip(outs, copies, strict=True)
        for op in copy.body.block.walk()
        if isinstance(op, memref.LoadOp)
    )
    if not apart:
        for copy in copies:
            copy.erase()
        return
    explain(nest, f"split into one nest each for {', '.join(map(name_of, outs))}")
    block.insert_ops_before(copies, nest)
    Rewriter.erase_op(nest)


def _stores(nest: Operation) -> list[memref.StoreOp]:
    """Stores to arrays, not to cells."""
    return [
        op
        for op in nest.walk()
        if isinstance(op, memref.StoreOp) and not isinstance(root(op.memref).owner, memref.AllocaOp)
    ]


def _only(nest: scf.ForOp, out: SSAValue) -> scf.ForOp:
    """A copy of the nest that stores to one array."""
    copy = nest.clone()
    for op in _stores(copy):
        if root(op.memref) is not out:
            Rewriter.erase_op(op)
    assert isinstance(copy.body.block, Block)
    drop_unused(copy.body.block)
    return copy
