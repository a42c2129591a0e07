"""``tile-columns``: nests whose rows are longer than a register are split into column tiles.

Each outermost loop is copied per tile; the copy works on views of the two-dimensional arrays that
have the tile's columns only. Preserved: every element, which is computed in exactly one tile from
the same values in the same order.

Legal if the element loops all count 0, 1, 2, .. to the row's length and their index is only used
as the column of such arrays: then elements do not depend on each other.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, ModuleOp
from xdsl.ir import Block, BlockArgument, SSAValue
from xdsl.passes import ModulePass

from ..errors import name_of, refuse
from ..streams import constant


@dataclass(frozen=True)
class TileColumnsPass(ModulePass):
    """Splits long rows into tiles of ``max_dim`` columns; preserves every element."""

    name = "tile-columns"

    max_dim: int = 256

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                for nest in list(function.body.block.ops):
                    if isinstance(nest, scf.ForOp):
                        _tile(nest, self.max_dim)


def _tile(nest: scf.ForOp, max_dim: int) -> None:
    arrays = {
        op.memref
        for op in nest.walk()
        if isinstance(op, memref.LoadOp | memref.StoreOp) and len(op.indices) == 2
    }
    lengths = {_columns(array) for array in arrays}
    if len(lengths) != 1 or (dim := lengths.pop()) <= max_dim:
        return
    loops = [loop for loop in nest.walk() if isinstance(loop, scf.ForOp) and _is_element(loop)]
    for loop in loops:
        bounds = [constant(bound) for bound in (loop.lb, loop.ub, loop.step)]
        if bounds != [0, dim, 1]:
            raise refuse(
                loop,
                f"rows of {dim} elements exceed {max_dim} (max_dim), and to split them "
                f"{name_of(loop.body.block.args[0])} must count from 0 to {dim} step 1",
            )
        for use in loop.body.block.args[0].uses:
            user = use.operation
            indices = user.indices if isinstance(user, memref.LoadOp | memref.StoreOp) else ()
            if len(indices) != 2 or indices[0] is loop.body.block.args[0]:
                raise refuse(
                    user,
                    f"rows of {dim} elements exceed {max_dim} (max_dim), and to split them "
                    f"{name_of(loop.body.block.args[0])} must only be a column",
                )
    block = nest.parent
    assert block is not None
    for start in range(0, dim, max_dim):
        _copy(nest, block, arrays, {id(loop) for loop in loops}, start, min(max_dim, dim - start))
    nest.detach()
    nest.erase()


def _columns(array: SSAValue) -> int:
    assert isinstance(array.type, MemRefType)
    return array.type.get_shape()[1]


def _is_element(loop: scf.ForOp) -> bool:
    """Whether the loop's index is a column of a two-dimensional array."""
    return any(
        isinstance(use.operation, memref.LoadOp | memref.StoreOp)
        and len(use.operation.indices) == 2
        and use.operation.indices[1] is loop.body.block.args[0]
        for use in loop.body.block.args[0].uses
    )


def _copy(
    nest: scf.ForOp, block: Block, arrays: set[SSAValue], loops: set[int], start: int, width: int
) -> None:
    """One tile: the nest on views of the columns from ``start`` on."""
    mapping: dict[SSAValue, SSAValue] = {}
    size = arith.ConstantOp(IntegerAttr(width, IndexType()))
    size.result.name_hint = "columns"
    block.insert_op_before(size, nest)
    for array in sorted(arrays, key=_position):
        kind = array.type
        assert isinstance(kind, MemRefType)
        view = memref.SubviewOp.from_static_parameters(
            array, kind, [0, start], [kind.get_shape()[0], width], [1, 1]
        )
        view.result.name_hint = f"{array.name_hint or 'array'}_tile"
        block.insert_op_before(view, nest)
        mapping[array] = view.result
    copy = nest.clone(mapping)
    block.insert_op_before(copy, nest)
    for old, new in zip(nest.walk(), copy.walk(), strict=True):
        if id(old) in loops:
            new.operands[1] = size.result


def _position(array: SSAValue) -> int:
    return array.index if isinstance(array, BlockArgument) else -1
