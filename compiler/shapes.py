"""Each shape of nest is compiled once, and placed as often as the operation has it.

The tiles of a long row are one program but for the column that they start at, and the last one's
width; tables that differ in their name, their rows and their lookups are one program but for
symbols and the limits of range checks. So of every table a *narrow* one is compiled, which has one
tile of each width and the strides of the whole table, and narrow tables of one :func:`shape` are
compiled once. :func:`place` makes all segments from theirs: it moves the addresses of the
two-dimensional arrays, as ``tile-columns`` does with views, and puts in the table's name and
limits.

That the result is what the passes make of the whole operation, whose text ``Compilation.text``
shows, is tested in ``tests/compiler/test_shapes.py``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..hw.config import Config
from .codegen import Piece, range_limit
from .spec import BagSpec
from .template import Address, TemplateFields, TemplateSegment, check_reach

#: In this order arrays are looked at: from the outermost loop in, the output last.
ORDER = ("offsets", "indices", "weights", "table", "out")


def check_extents(spec: BagSpec, config: Config) -> None:
    """Refuse a table with an array that addresses do not reach the end of.

    Raises
    ------
    CompileError
        An array is too long.
    """
    arrays = spec.arrays
    for role in ORDER:
        if role in arrays:
            array = arrays[role]
            check_reach(Address(spec.name, role, 0, array.extent, array.element_bytes), 0, config)


def narrow(spec: BagSpec, max_dim: int) -> BagSpec:
    """The table with one tile of each width that ``spec`` has; its rows are as far apart."""
    tiles, rest = divmod(spec.dim, max_dim)
    if tiles + (rest > 0) <= 1:
        return spec
    stride = spec.table_stride or spec.dim
    return replace(spec, dim=max_dim + rest, table_stride=stride, out_stride=spec.stride)


def shape(spec: BagSpec) -> BagSpec:
    """What the segments of a table depend on, but for what :func:`place` puts in."""
    smallest = 1 if spec.padding_idx is None else spec.padding_idx + 1
    return replace(
        spec,
        name="shape",
        rows=min(spec.rows, smallest),
        lookups=min(spec.lookups, 1) if spec.pooling is None else spec.lookups,
        out_stride=spec.stride,
    )


def place(compiled: Sequence[Piece], spec: BagSpec, config: Config) -> Iterator[Piece]:
    """All segments of ``spec``, in order, from those of a narrow table of its shape.

    Raises
    ------
    CompileError
        A range check has a limit that the configuration does not allow.
    """
    arrays = spec.arrays
    extents = {role: array.extent for role, array in arrays.items()}
    rows = {role for role, array in arrays.items() if len(array.sizes) == 2}

    def move(fields: TemplateFields, elements: int) -> TemplateFields:
        return {name: moved(value, elements) for name, value in fields.items()}

    def moved(value: int | Address, elements: int) -> int | Address:
        if isinstance(value, int):
            return value
        bytes_ = elements * value.size if value.role in rows else 0
        role = value.role
        return Address(spec.name, role, value.offset + bytes_, extents[role], value.size)

    below = limits(spec)

    def layer(fields: TemplateFields) -> TemplateFields:
        new = move(fields, 0)
        for name, value in fields.items():
            limit = name.replace("base", "limit")
            if isinstance(value, Address) and limit in fields:
                wide = value.size == 8
                new[limit] = range_limit(spec.name, below[value.role], wide, config)
        return new

    for number, start in tiles(spec, config.max_dim):
        piece = compiled[number]
        segment = piece.segment
        layers = tuple(map(layer, segment.layers))
        row, execute, store = (
            move(fields, start) for fields in (segment.row, segment.execute, segment.store)
        )
        placed = TemplateSegment(layers, row, segment.marshal, execute, store)
        yield Piece(placed, piece.callbacks)


def limits(spec: BagSpec) -> dict[str, int]:
    """Limits of range checks: an index is below the rows, an offset at most the lookups."""
    return {"indices": spec.rows, "offsets": spec.lookups + 1}


def tiles(spec: BagSpec, max_dim: int) -> Iterator[tuple[int, int]]:
    """The tiles of a row, in order: which segment of the :func:`narrow` table a tile is made from,
    and by how many columns it moves."""
    full, rest = divmod(spec.dim, max_dim)
    for tile in range(max(1, full)):
        yield 0, tile * max_dim
    if full and rest:
        yield 1, (full - 1) * max_dim
