"""``tile-columns``: nests are split by the columns that their element loops work on.

A row is one loop over elements to the machine, and fits a register. Where rows are longer than a
register, or element loops do not all walk the whole output row (they start later, have a step, end
early, or store some columns further on, as where rows of several tables are put side by side), each
outermost loop is copied per *tile*: a run of columns that every element loop either covers or
leaves out. The copy works on views of the arrays that have the tile's columns only; a loop that
leaves them out is not in it. Preserved: every element, which is computed in exactly one tile from
the same values in the same order.

Legal if the bounds of the element loops are literals, their index is only used as the column of
arrays, with a constant added to it or not, and what is written is accessed in them only, at one
column in each iteration: then elements do not depend on each other. What is only read may also be
read at other columns, as weights are, and then from the whole array.
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
from .affine import is_part_of_sums, sum_of
from .idle import drop_idle, kept_cell, loop_of

Access = memref.LoadOp | memref.StoreOp

#: Tiles that a nest is split into for other reasons than its rows' length.
MOST_TILES = 64


@dataclass(frozen=True)
class _Elements:
    """A loop over elements.

    Attributes
    ----------
    loop : scf.ForOp
    columns : of the row that it stores to; None if that is not known
    shifts : access in it at its index -> how many columns further than what is stored it is
    """

    loop: scf.ForOp
    columns: range | None
    shifts: dict[Access, int]


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
    loops = [
        _elements(loop, accesses) for loop in nest.walk()
        if isinstance(loop, scf.ForOp) and _is_element(loop, accesses)
    ]  # fmt: skip
    outs = {op.memref for op in accesses if isinstance(op, memref.StoreOp)}
    lengths = {_columns(array) for array in outs}
    if len(lengths) != 1 or any(inside.loop is nest for inside in loops):
        return
    dim = lengths.pop()
    if dim <= max_dim and all(inside.columns == range(dim) for inside in loops):
        return
    shifts = {op: shift for inside in loops for op, shift in inside.shifts.items()}
    others = [op for op in accesses if op not in shifts]
    written = set(map(root, outs))
    legal = all(_legal(inside, written, dim, max_dim) for inside in loops)
    if not legal or _is_written(others, written, dim, max_dim):
        return
    tiles = _tiles([inside.columns for inside in loops if inside.columns], dim, max_dim)
    if len(tiles) > max(MOST_TILES, -(-dim // max_dim)):
        raise refuse(
            nest,
            f"its element loops leave {len(tiles)} runs of columns, "
            f"but a nest is split into {MOST_TILES} at most",
        )
    if (kept := kept_cell(nest)) is not None:
        raise refuse(
            kept,
            "it is kept from before the nest, which would have to be split by columns into "
            f"{len(tiles)}",
        )
    explain(nest, f"split into {len(tiles)} nests by columns")
    block = nest.parent
    assert block is not None
    for tile in tiles:
        _copy(nest, block, loops, tile)
    Rewriter.erase_op(nest)


def _elements(loop: scf.ForOp, accesses: list[Access]) -> _Elements:
    """What a loop over elements does."""
    column = loop.body.block.args[0]
    places = {op: sum_of(op.indices[-1]) for op in accesses if _variable(op) is column}
    stored = {at.constant for op, at in places.items() if isinstance(op, memref.StoreOp)}
    walked = _widthof(loop)
    # Of several stores in an iteration any will do: the other ones are not where it is.
    shift = min(stored)
    if walked is not None:
        walked = range(walked.start + shift, walked.stop + shift, walked.step)
    return _Elements(loop, walked, {op: at.constant - shift for op, at in places.items()})


def _variable(op: Access) -> SSAValue | None:
    """What the column of an access is, but for a constant that is added to it."""
    terms = sum_of(op.indices[-1]).terms
    return next(iter(terms)) if list(terms.values()) == [1] else None


def _legal(inside: _Elements, written: set[SSAValue], dim: int, max_dim: int) -> bool:
    """Whether elements do not depend on each other; refused if rows must be split."""
    long, columns = dim > max_dim, inside.columns
    index = inside.loop.body.block.args[0]
    if columns is None or columns.start < 0 or (columns and columns[-1] >= dim):
        if long:
            raise refuse(
                inside.loop,
                f"rows of {dim} elements exceed {max_dim} (max_dim), and to split them "
                f"{name_of(index)} must have literal bounds in 0..{dim}",
            )
        return False
    other = _other_use(index, inside)
    if other is not None:
        if long:
            raise refuse(
                other,
                f"rows of {dim} elements exceed {max_dim} (max_dim), and to split them "
                f"{name_of(index)} must only be a column",
            )
        return False
    for op, shift in inside.shifts.items():
        is_there = not columns or (
            columns.start + shift >= 0 and columns[-1] + shift < _columns(op.memref)
        )
        if not is_there or (shift and root(op.memref) in written):
            if long:
                raise refuse(
                    op,
                    f"rows of {dim} elements exceed {max_dim} (max_dim), and to split them "
                    f"{name_of(op.memref)} must "
                    + ("only be accessed at one column in" if is_there else "have a column for")
                    + f" each iteration of {name_of(index)}",
                )
            return False
    return True


def _other_use(value: SSAValue, inside: _Elements) -> Operation | None:
    """A use of a loop's index, or of a sum of it, that is no column."""
    for use in value.uses:
        user = use.operation
        if isinstance(user, Access) and user in inside.shifts:
            if user.indices[-1] is not value or value in user.indices[:-1]:
                return user
        elif is_part_of_sums(user) and user.results:
            other = _other_use(user.results[0], inside)
            if other is not None:
                return other
        else:
            return user
    return None


def _is_written(others: list[Access], written: set[SSAValue], dim: int, max_dim: int) -> bool:
    """Whether what is written is accessed at a column of no element loop; refused if rows must be
    split."""
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


def _is_element(loop: scf.ForOp, accesses: list[Access]) -> bool:
    """Whether elements of rows are stored in the loop, at its index."""
    index = loop.body.block.args[0]
    return any(isinstance(op, memref.StoreOp) and _variable(op) is index for op in accesses)


def _copy(nest: scf.ForOp, block: Block, loops: list[_Elements], tile: range) -> None:
    """One tile: the nest on views of its columns, without the element loops that leave them out."""
    covering = {inside.loop for inside in loops if inside.columns and tile.start in inside.columns}
    moved = {op: shift for inside in loops for op, shift in inside.shifts.items()}
    views: dict[tuple[SSAValue, int], SSAValue] = {}
    width = _number(block, nest, len(tile), "columns")
    used = {
        (op.memref, shift)
        for inside in loops if inside.loop in covering
        for op, shift in inside.shifts.items()
    }  # fmt: skip
    for array, shift in sorted(used, key=lambda view: (_position(view[0]), view[1])):
        kind = array.type
        assert isinstance(kind, MemRefType)
        *rows, _ = kind.get_shape()
        view = memref.SubviewOp.from_static_parameters(
            array, kind, [*[0] * len(rows), tile.start + shift], [*rows, len(tile)],
            [1] * (len(rows) + 1),
        )  # fmt: skip
        view.result.name_hint = f"{array.name_hint or 'array'}_tile"
        block.insert_op_before(view, nest)
        views[array, shift] = view.result
    mapping: dict[SSAValue, SSAValue] = {}
    copy = nest.clone(mapping)
    block.insert_op_before(copy, nest)
    left_out: list[Operation] = []
    for old, new in list(zip(nest.walk(), copy.walk(), strict=True)):
        if isinstance(old, Access) and (old.memref, moved.get(old)) in views:
            assert isinstance(new, Access)
            column = _variable(old)
            assert column is not None
            view = views[old.memref, moved[old]]
            new.operands[1 if isinstance(new, memref.StoreOp) else 0] = view
            new.operands[len(new.operands) - 1] = mapping[column]
        elif old in covering:
            for place, number, name in ((0, 0, "first"), (2, 1, "next")):
                if constant(new.operands[place]) != number:
                    new.operands[place] = _number(block, copy, number, name)
            new.operands[1] = width
        elif any(old is inside.loop for inside in loops):
            left_out.append(new)
    emptied: set[Operation] = {loop_of(loop) for loop in left_out}
    # At last, because what they hold goes with them.
    for loop in left_out:
        Rewriter.erase_op(loop)
    drop_idle(copy, emptied)


def _number(block: Block, place: Operation, number: int, name: str) -> SSAValue:
    """A constant before an operation."""
    new = arith.ConstantOp(IntegerAttr(number, IndexType()))
    new.result.name_hint = name
    block.insert_op_before(new, place)
    return new.result


def _position(array: SSAValue) -> int:
    return array.index if isinstance(array, BlockArgument) else -1
