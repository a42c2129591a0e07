"""``tile-columns``: nests are split by the columns that their element loops work on.

A row is one loop over elements to the machine, and fits a register. Where rows are longer than a
register, or element loops do not all walk the whole output row (they start later, have a step, or
end early), each outermost loop is copied per *tile*: a run of columns that every element loop
either covers or leaves out. The copy works on views of the arrays that have the tile's columns
only; a loop that leaves them out is not in it. Preserved: every element, which is computed in
exactly one tile from the same values in the same order.

Legal if the bounds of the element loops are literals, their index is only used as the column of
arrays, and what is written is accessed in them only: then elements do not depend on each other.
What is only read may also be read at other columns, as weights are, and then from the whole array.
"""

from dataclasses import dataclass
from itertools import groupby

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import Float32Type, IndexType, IntegerAttr, MemRefType, ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain, name_of, refuse
from ..slc.decouple import root
from ..streams import constant
from .simplify import drop_unused

Access = memref.LoadOp | memref.StoreOp

#: Tiles that a nest is split into for other reasons than its rows' length.
MOST_TILES = 64


@dataclass(frozen=True)
class TileColumnsPass(ModulePass):
    """Splits nests into tiles of at most ``max_dim`` columns; preserves every element."""

    name = "tile-columns"

    max_dim: int = 256

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                for nest in list(function.body.block.ops):
                    if isinstance(nest, scf.ForOp):
                        _tile(nest, self.max_dim)


def _tile(nest: scf.ForOp, max_dim: int) -> None:
    accesses = [op for op in nest.walk() if isinstance(op, Access) and _has_rows(op)]
    loops = [loop for loop in nest.walk() if isinstance(loop, scf.ForOp) and _is_element(loop)]
    outs = {op.memref for op in accesses if isinstance(op, memref.StoreOp)}
    lengths = {_columns(array) for array in outs}
    if len(lengths) != 1 or nest in loops:
        return
    dim = lengths.pop()
    walked = [_widthof(loop) for loop in loops]
    if dim <= max_dim and all(columns == range(dim) for columns in walked):
        return
    elements = {loop.body.block.args[0] for loop in loops}
    others = [op for op in accesses if op.indices[-1] not in elements]
    if not _legal(loops, walked, dim, max_dim) or _is_written(others, outs, dim, max_dim):
        return
    known = [(loop, columns) for loop, columns in zip(loops, walked, strict=True) if columns]
    tiles = _tiles([columns for _, columns in known if columns is not None], dim, max_dim)
    if len(tiles) > max(MOST_TILES, -(-dim // max_dim)):
        raise refuse(
            nest,
            f"its element loops leave {len(tiles)} runs of columns, "
            f"but a nest is split into {MOST_TILES} at most",
        )
    explain(nest, f"split into {len(tiles)} nests by columns")
    block = nest.parent
    assert block is not None
    arrays = {op.memref for op in accesses if op not in others}
    whole = {id(op) for op in others}
    for tile in tiles:
        inside = {id(loop) for loop, columns in known if columns and tile.start in columns}
        _copy(nest, block, arrays, whole, {id(loop) for loop in loops}, inside, tile)
    Rewriter.erase_op(nest)


def _legal(loops: list[scf.ForOp], walked: list[range | None], dim: int, max_dim: int) -> bool:
    """Whether elements do not depend on each other; refused if rows must be split."""
    long = dim > max_dim
    for loop, columns in zip(loops, walked, strict=True):
        index = loop.body.block.args[0]
        if columns is None or columns.start < 0 or (columns and columns[-1] >= dim):
            if long:
                raise refuse(
                    loop,
                    f"rows of {dim} elements exceed {max_dim} (max_dim), and to split them "
                    f"{name_of(index)} must have literal bounds in 0..{dim}",
                )
            return False
        for use in index.uses:
            user = use.operation
            column = (
                isinstance(user, Access)
                and _has_rows(user)
                and user.indices[-1] is index
                and index not in user.indices[:-1]
            )
            if not column:
                if long:
                    raise refuse(
                        user,
                        f"rows of {dim} elements exceed {max_dim} (max_dim), and to split them "
                        f"{name_of(index)} must only be a column",
                    )
                return False
    return True


def _is_written(others: list[Access], outs: set[SSAValue], dim: int, max_dim: int) -> bool:
    """Whether what is written is accessed at a column of no element loop; refused if rows must be
    split."""
    written = set(map(root, outs))
    for op in others:
        if root(op.memref) in written:
            if dim > max_dim:
                raise refuse(
                    op,
                    f"rows of {dim} elements exceed {max_dim} (max_dim), and to split them "
                    f"{name_of(op.memref)} must only be accessed in loops over its columns",
                )
            return True
    return False


def _tiles(walked: list[range], dim: int, max_dim: int) -> list[range]:
    """Runs of columns that are in the same ranges, none longer than ``max_dim``."""
    tiles: list[range] = []
    signature = {c: tuple(c in columns for columns in walked) for c in range(dim)}
    for covered, run in groupby(range(dim), signature.__getitem__):
        columns = list(run)
        if not any(covered):
            continue
        tiles += [
            range(start, min(start + max_dim, columns[-1] + 1))
            for start in range(columns[0], columns[-1] + 1, max_dim)
        ]
    return tiles


def _has_rows(op: Access) -> bool:
    kind = op.memref.type
    return (
        isinstance(kind, MemRefType)
        and isinstance(kind.element_type, Float32Type)
        and kind.get_num_dims() >= 2
    )


def _columns(array: SSAValue) -> int:
    assert isinstance(array.type, MemRefType)
    return array.type.get_shape()[-1]


def _widthof(loop: scf.ForOp) -> range | None:
    """The columns that an element loop walks, if its bounds are literals."""
    start, stop, step = (constant(bound) for bound in (loop.lb, loop.ub, loop.step))
    if start is None or stop is None or step is None or step < 1:
        return None
    return range(start, max(start, stop), step)


def _is_element(loop: scf.ForOp) -> bool:
    """Whether elements of rows are stored in the loop, at its index."""
    index = loop.body.block.args[0]
    return any(
        isinstance(use.operation, memref.StoreOp)
        and _has_rows(use.operation)
        and use.operation.indices[-1] is index
        for use in index.uses
    )


def _copy(
    nest: scf.ForOp,
    block: Block,
    arrays: set[SSAValue],
    whole: set[int],
    loops: set[int],
    inside: set[int],
    tile: range,
) -> None:
    """One tile: the nest on views of its columns, without the element loops that leave them out.

    Loads in ``whole`` are of the arrays, not of the views.
    """
    mapping: dict[SSAValue, SSAValue] = {}
    width = _number(block, nest, len(tile), "columns")
    for array in sorted(arrays, key=_position):
        kind = array.type
        assert isinstance(kind, MemRefType)
        *rows, columns = kind.get_shape()
        if columns < tile.stop:
            continue
        offsets = [0] * len(rows)
        view = memref.SubviewOp.from_static_parameters(
            array, kind, [*offsets, tile.start], [*rows, len(tile)], [1] * (len(rows) + 1)
        )
        view.result.name_hint = f"{array.name_hint or 'array'}_tile"
        block.insert_op_before(view, nest)
        mapping[array] = view.result
    copy = nest.clone(mapping)
    block.insert_op_before(copy, nest)
    left_out: list[Operation] = []
    for old, new in list(zip(nest.walk(), copy.walk(), strict=True)):
        if id(old) in whole and isinstance(old, memref.LoadOp) and old.memref in mapping:
            new.operands[0] = old.memref
        if id(old) in inside:
            for place, number, name in ((0, 0, "first"), (2, 1, "next")):
                if constant(new.operands[place]) != number:
                    new.operands[place] = _number(block, copy, number, name)
            new.operands[1] = width
        elif id(old) in loops:
            left_out.append(new)
    # At last, because what they hold goes with them.
    for loop in left_out:
        Rewriter.erase_op(loop)
    drop_unused(copy.body.block)


def _number(block: Block, place: Operation, number: int, name: str) -> SSAValue:
    """A constant before an operation."""
    new = arith.ConstantOp(IntegerAttr(number, IndexType()))
    new.result.name_hint = name
    block.insert_op_before(new, place)
    return new.result


def _position(array: SSAValue) -> int:
    return array.index if isinstance(array, BlockArgument) else -1
