"""Lookup nests as data: a description that is easy to make smaller, its MLIR text, its arrays.

A nest pools rows of tables into rows of ``out``, which its outermost loop walks. The description
says what is in it; everything is sized so that no access is out of range, unless ``fault`` says
what is to be wrong.
"""

import re
from dataclasses import dataclass

import numpy as np

from .random_floats import random_floats

#: What an output holds before a run.
UNTOUCHED = 0x7FA5A5A5


@dataclass(frozen=True)
class Loop:
    """One loop above the rows.

    Parameters
    ----------
    bounds : str
        ``dense``: ``start`` to a literal. ``pair``: neighbours of an array. ``two``: elements of
        two arrays. ``index``: a loaded start and a literal length. ``product``: a multiple of the
        outer loop's variable. ``length``: ``start`` to a loaded end. ``from``: a loaded start to a
        literal.
    start : int
        Dense, length: the lower bound. Otherwise the smallest value that is loaded.
    count : int
        Iterations; with loaded bounds at most twice as many.
    step : int
    width : int
        Bits of loaded bounds; 0: they are of type ``index``.
    """

    bounds: str = "dense"
    start: int = 0
    count: int = 2
    step: int = 1
    width: int = 64

    @property
    def span(self) -> int:
        """Distance of the bounds, where it is a literal."""
        return max(0, (self.count - 1) * self.step + 1) if self.count else 0


@dataclass(frozen=True)
class Index:
    """An array of indices, read in the loop ``level`` at its variable or at the index before.

    Parameters
    ----------
    level : int
    width : int
        Bits; 0: its elements are of type ``index``.
    """

    level: int
    width: int = 64


@dataclass(frozen=True)
class Nest:
    """A lookup nest.

    Parameters
    ----------
    loops : tuple of Loop
        Outermost first; the loop over the elements of a row comes below.
    chain : tuple of Index
        Index arrays, each indexed by what the one before gave; without one the row is the
        innermost loop's variable.
    rows : int
        Values that an index can have.
    dim : int
        Elements of a row.
    table_gap, out_gap : int
        Elements between one row's end and the next one's start.
    arithmetic : tuple of (str, int)
        What is done to the index: ``add``, ``sub``, ``mul``, ``shl`` and a literal; ``from``: it is
        subtracted from one.
    skip : int or None
        Iterations with this index do nothing.
    form : str
        How that is written: ``ne``, ``left`` (the constant comes first), ``else`` (in the other
        branch of equality), ``select`` (0.0 is added instead, if rows are only added).
    mask : bool
        Iterations of the innermost loop do nothing where an array is 0.
    guard : bool
        What is below the outermost loop is left out where an array is 0, but rows are written.
    weight : str
        ``""``, ``entry`` (by the innermost loop), ``outer`` (by the outermost), ``index``,
        ``fixed`` (always the same one), ``column`` (an element of the row itself, always in the
        same column), or ``beside`` (a column of the innermost loop's row of another array).
    op : str
        What is stored: one of :data:`OPERATIONS`.
    mean : bool
        Divided by the number of entries at the end.
    flat : bool
        Rows have one element, and ``table`` and ``out`` one dimension.
    place : str
        The row of ``out``, one of :data:`PLACES`.
    dynamic : bool
        The types of the arrays say no sizes.
    scalars : bool
        The outermost loop's end, and what is done to the index, are arguments.
    asserts : bool
        Loaded values that something is done to are said to be at least 0.
    batch : str
        What other nests the function has that do the same: ``""``, none; ``batched``, they go on
        with the rows of the first one, and read all arrays further on; ``joined``, they go on with
        the outermost variable where the one before ends; ``tables``, one with a table and an output
        of its own; ``rolled``, as ``batched``, but one after another in the same iteration;
        ``separate``, one after another in the same iteration, from two tables in turn.
    copies : int
        Nests, if there are others.
    casts : tuple of str
        What loaded indices and bounds are cast to, one after the other, before they are an index:
        of :data:`CASTS`.
    early : bool
        What is to be skipped is compared as it was loaded, and not after these casts.
    strided : tuple of str
        Of these arrays elements do not follow each other, where they have one dimension:
        :data:`STRIDED`.
    apart, first : int
        How many elements apart theirs are, and at which one of the argument they begin; where that
        is not 0 they are a view.
    odd : tuple of str
        Unusual features, of :data:`ODD`.
    fault : str
        ``""``, ``index`` (an index that is no row), ``order`` (a range that ends before it
        starts), ``end`` (a range that ends past the array).
    seed : int
        Of the arrays.
    """

    loops: tuple[Loop, ...] = (Loop(),)
    chain: tuple[Index, ...] = ()
    rows: int = 3
    dim: int = 3
    table_gap: int = 0
    out_gap: int = 0
    arithmetic: tuple[tuple[str, int], ...] = ()
    skip: int | None = None
    form: str = "ne"
    mask: bool = False
    guard: bool = False
    weight: str = ""
    op: str = "add"
    mean: bool = False
    flat: bool = False
    place: str = "outer"
    dynamic: bool = False
    scalars: bool = False
    asserts: bool = False
    batch: str = ""
    copies: int = 1
    casts: tuple[str, ...] = ()
    early: bool = False
    strided: tuple[str, ...] = ()
    apart: int = 2
    first: int = 0
    odd: tuple[str, ...] = ()
    fault: str = ""
    seed: int = 0

    @property
    def counts(self) -> bool:
        """Whether entries are counted in a cell."""
        return self.mean or self.op in CHOICES

    @property
    def begins(self) -> int:
        """The loop whose iteration begins a row of ``out``."""
        last = len(self.loops) - 1
        return {"inner": last, "pair": min(1, last)}.get(self.place, 0)

    @property
    def column(self) -> int:
        """The column that weights are read at, where that is always the same one."""
        return self.seed % (3 if self.weight == "beside" else self.dim)

    @property
    def registers(self) -> bool:
        """Whether sums are in registers."""
        other = {"side_by_side", "two_outputs", "two_tables", "else"}
        apart = self.batch != "separate" and not other & set(self.odd)
        return "registers" in self.odd and apart

    @property
    def vectors(self) -> bool:
        """Whether rows are vectors."""
        other = {"element_step", "element_start"} & set(self.odd)
        return "vectors" in self.odd and self.op not in CHOICES and not other and not is_flat(self)

    @property
    def unrolled(self) -> bool:
        """Whether loops over elements do two of them in an iteration."""
        other = {"element_step", "element_start"} & set(self.odd)
        each = 8 if self.vectors else 2
        return "unrolled" in self.odd and not other and self.dim % each == 0 and not self.dynamic

    @property
    def chooses(self) -> bool:
        """Whether an index to be skipped is one whose row counts as 0."""
        sums = self.op in ("add", "add_reversed") and not self.mean and not self.vectors
        return self.form == "select" and sums and "two_outputs" not in self.odd

    @property
    def blocks(self) -> int:
        """Rows of a block; 0: an index is that of a row."""
        if "blocks" not in self.odd or len(self.loops) < 2 or not self.chain:
            return 0
        inner, level = self.loops[-1], self.level(self.chain[-1])
        walks = inner.bounds == "dense" and not inner.start and level < len(self.loops) - 1
        return inner.span if walks else 0

    @property
    def slices(self) -> bool:
        """Whether rows are views."""
        other = {"plane", "planes", "vectors", "registers", "unrolled"} & set(self.odd)
        return "slices" in self.odd and not other and not self.flat and not self.dynamic

    @property
    def moved(self) -> int:
        """How many columns further on rows are added than read, or read than added."""
        other = self.vectors or self.unrolled or self.registers or self.slices or is_flat(self)
        steps = {"element_step", "element_start"} & set(self.odd)
        wanted = "moved" in self.odd and not other and not steps
        return min(self.dim - 1, 1 + self.seed % 3) if wanted else 0

    @property
    def copied(self) -> bool:
        """Whether rows are copied as a whole."""
        other = {"two_outputs", "two_tables", "columns", "element_start", "element_step"}
        return self.slices and self.op == "set" and not other & set(self.odd)

    @property
    def entries(self) -> bool:
        """Whether the outermost loop walks entries with rows."""
        return "entries" in self.odd and self.place == "scatter"

    @property
    def goes_on(self) -> bool:
        """Whether nests go on with the rows of the first one."""
        return self.batch == "batched" and self.place == "outer"

    @property
    def rolled(self) -> bool:
        """Whether an iteration does everything several times."""
        several = self.batch in ("rolled", "separate")
        return several and self.place == "outer" and not self.registers

    @property
    def shift(self) -> int:
        """How much further on the next nest reads its arrays."""
        outermost = self.loops[0]
        if self.batch == "joined":
            return outermost.count * outermost.step
        further = self.goes_on or (self.rolled and self.batch == "rolled")
        return outermost.start + outermost.span if further else 0

    def level(self, index: Index) -> int:
        """Where an index is loaded, never outside of the loops."""
        return min(index.level, len(self.loops) - 1)


#: Operations that take the first entry as it is, and then compare.
CHOICES = ("max", "maxn", "min", "maximum", "minimum")

#: What a row does to the accumulator; of the last ones not everything is taken.
OPERATIONS = (
    "add", "add_reversed", "fma", "two_roundings", *CHOICES, "scale", "sub", "sub_reversed",
    "sub_product", "negate", "set_negated", "minimum_zero", "clamp", "offset", "decay", "plus",
    "set", "square", "two_literals",
)  # fmt: skip

#: Operations that go on with the accumulator, and need no count.
SUMS = (
    "add", "add_reversed", "fma", "two_roundings", "sub", "sub_product", "negate", "decay", "plus",
)  # fmt: skip

#: Operations with a factor, or an addend.
SCALED = ("fma", "two_roundings", "scale", "sub_product", "plus")

#: Weights by what they are read at.
WEIGHTS = ("entry", "outer", "index", "fixed", "column", "beside")

#: Rows of ``out``: the outermost loop's variable, twice it and 1, the innermost one's, a sum of the
#: outer two, what an array says, always the same.
PLACES = ("outer", "affine", "inner", "pair", "scatter", "fixed")

#: Features that a compiler may refuse.
ODD = (
    "fill",  # a nest before fills the rows of out, if they are the outermost variable's
    "no_init",  # rows of out are not written as a whole at first
    "registers",  # sums and counts are in iter_args, with the loop over elements outside
    "vectors",  # elements are worked on as vectors of 4
    "unrolled",  # loops over elements do two of them in an iteration
    "columns",  # later columns of rows count as 0
    "blocks",  # an index is that of a block of rows, which the innermost loop walks
    "slices",  # rows are views, and are copied as a whole if nothing is computed
    "parallel",  # loops without a sum in registers run in parallel
    "affine",  # loops with literal bounds, and loads of other bounds, are those of affine
    "swapped",  # operands of sums and products stand the other way round
    "edges",  # the rows that an array says are the second row of that
    "entries",  # the outermost loop walks entries, and an array says their rows, filled before
    "carried",  # the innermost loop has a value in iter_args
    "side_by_side",  # a second loop over rows after the first
    "two_outputs",  # rows are also copied to a second output
    "two_tables",  # the row loop reads two tables
    "index_2d",  # the first index array has two dimensions
    "plane",  # the table has three dimensions, of which the middle one is a literal
    "planes",  # the table has three dimensions, of which the first is the outermost loop's
    "element_step",  # the row loop has a step of 2
    "element_start",  # the row loop starts at 1
    "moved",  # the columns of a row are added some further on, or read from there
    "constant_row",  # the row is a literal
    "else",  # a condition with an else branch
    "condition",  # a condition of another form
    "twice",  # the nest stands twice in the function
    "update_index",  # an index array is written
)


#: Names of arrays: the second ones belong to the same nest, the third ones to another.
TABLES: tuple[str, ...] = ("table", "table2", "table3")
OUTPUTS: tuple[str, ...] = ("out", "out2", "out3")

#: Types that a loaded integer is cast to; to the last one without a sign.
CASTS = ("i32", "i64", "index", "u64")

#: Groups of arrays that may have strides, and how their names begin.
STRIDED: dict[str, tuple[str, ...]] = {
    "bounds": ("offsets", "starts", "ends", "lengths"),
    "indices": ("index",),
    "weights": ("weights",),
    "conditions": ("mask", "guard"),
    "places": ("places",),
}


@dataclass(frozen=True)
class View:
    """What a nest reads instead of an argument, whose elements do not follow each other.

    Parameters
    ----------
    size, first, apart : int
        Elements; the first one and their distance in the argument.
    kind : str
        The type.
    """

    size: int
    first: int
    apart: int
    kind: str


def arrays(nest: Nest) -> dict[str, np.ndarray]:
    """The nest's arguments by name, always the same ones; ``out`` is :data:`UNTOUCHED`."""
    return _Layout(nest).arrays()


def greatest(nest: Nest) -> list[int]:
    """The largest index before each step of the arithmetic on it."""
    layout = _Layout(nest)
    layout.arrays()
    return layout.greatest


def width(nest: Nest) -> int:
    """Rows of ``out`` that belong to an iteration of the outermost loop, if they are a pair's."""
    layout = _Layout(nest)
    layout.arrays()
    return max(0, layout.most[min(1, len(layout.most) - 1)] + 1)


def scalars(nest: Nest) -> dict[str, int]:
    """The nest's integer arguments by name."""
    if not nest.scalars or not nest.loops:
        return {}
    found = {f"amount{n}": amount for n, (_, amount) in enumerate(nest.arithmetic)}
    if nest.loops[0].bounds == "dense":
        found["bags"] = nest.loops[0].start + nest.loops[0].span
    return found


def types(nest: Nest) -> dict[str, str]:
    """The type of each array, by name."""
    result = {}
    indices = {
        f"{kind}{level}"
        for level, loop in enumerate(nest.loops)
        for kind in ("offsets", "starts", "ends", "lengths")
        if not loop.width
    } | {f"index{number}" for number, index in enumerate(nest.chain) if not index.width}
    for name, array in arrays(nest).items():
        element = {"int32": "i32", "int64": "i64", "float32": "f32"}[str(array.dtype)]
        if name in indices:
            element = "index"
        shape = "".join("?x" if nest.dynamic else f"{n}x" for n in array.shape)
        layout = ""
        stride = _row_stride(nest, name)
        if stride and stride != array.shape[1]:
            layout = f", strided<[{stride}, 1]>"
        if array.ndim == 1 and _is_strided(nest, name) and not nest.first:
            layout = f", strided<[{nest.apart}]>"
        result[name] = f"memref<{shape}{element}{layout}>"
    return result


def views(nest: Nest) -> dict[str, View]:
    """What stands for arguments of which it is a view, by name."""
    result = {}
    if not nest.first:
        return result
    kinds = types(nest)
    for name, array in arrays(nest).items():
        if array.ndim == 1 and _is_strided(nest, name):
            size = (len(array) - nest.first) // nest.apart
            [element] = re.findall(r"x(\w+)>", kinds[name])
            kind = f"memref<{size}x{element}, strided<[{nest.apart}], offset: {nest.first}>>"
            result[name] = View(size, nest.first, nest.apart, kind)
    return result


def row_kinds(nest: Nest, name: str) -> tuple[str, str]:
    """The type of a view of one row of an array, with both of its dimensions and with the last."""
    stride = _row_stride(nest, name)
    return (
        f"memref<1x{nest.dim}xf32, strided<[{stride}, 1], offset: ?>>",
        f"memref<{nest.dim}xf32, strided<[1], offset: ?>>",
    )


def _is_strided(nest: Nest, name: str) -> bool:
    return any(name.startswith(STRIDED[group]) for group in nest.strided)


def is_flat(nest: Nest) -> bool:
    """Whether there are no rows; a loop over elements is then not needed, but may be there."""
    return nest.flat and not {"plane", "planes"} & set(nest.odd)


def _row_stride(nest: Nest, name: str) -> int | None:
    if is_flat(nest):
        return None
    gaps = dict.fromkeys(OUTPUTS, nest.out_gap)
    if not {"plane", "planes"} & set(nest.odd):
        gaps |= dict.fromkeys(TABLES, nest.table_gap)
    return nest.dim + gaps[name] if name in gaps and nest.loops else None


class _Layout:
    """Sizes and contents of the arrays."""

    def __init__(self, nest: Nest):
        self.nest, self.rng = nest, np.random.default_rng(nest.seed)
        self.found: dict[str, np.ndarray] = {}
        #: The largest value of each loop's variable.
        self.most: list[int] = []
        self.greatest: list[int] = []
        self.flat = is_flat(nest)

    def arrays(self) -> dict[str, np.ndarray]:
        nest, rng = self.nest, self.rng
        if not nest.loops:
            self.found["table"] = random_floats(rng, nest.dim)
            self.found["out"] = np.full(nest.dim, UNTOUCHED, np.uint32).view(np.float32)
            return self.found
        for level, loop in enumerate(nest.loops):
            self._loop(level, loop)
        last = self._chain()
        if nest.mask:
            self.found["mask"] = rng.integers(0, 2, self.most[-1] + 1).astype(np.int32)
        if nest.guard:
            self.found["guard"] = rng.integers(0, 2, self.most[0] + 1).astype(np.int64)
        if nest.weight:
            sizes = {"entry": self.most[-1], "outer": self.most[0], "index": nest.rows - 1}
            sizes |= {"fixed": 2, "column": -1, "beside": self.most[-1]}
            size = sizes[nest.weight] if nest.chain or nest.weight != "index" else self.most[-1]
            if nest.weight == "beside":
                self.found["weights"] = random_floats(rng, 3 * size + 3).reshape(-1, 3)
            elif nest.weight != "column":
                self.found["weights"] = random_floats(rng, size + 1)
        if nest.blocks:
            last = (last + 1) * nest.blocks - 1
        for kind, amount in nest.arithmetic:
            self.greatest.append(max(last, 0))
            last = {
                "add": last + amount,
                "sub": max(last, 0),
                "mul": last * amount,
                "shl": last << amount,
                "from": max(last, 0) + amount,
            }[kind]
            last = max(-1, last)
        others = {
            "table2": nest.batch == "separate"
            or bool({"two_tables", "side_by_side"} & set(nest.odd)),
            "table3": nest.batch == "tables",
            "out2": "two_outputs" in nest.odd,
            "out3": nest.batch == "tables",
        }
        for name in TABLES:
            if others.get(name, True):
                self.found[name] = self._table(last + 1)
        if nest.place == "scatter":
            rows = self.rng.integers(0, 5, self.most[0] + 1)
            if nest.seed % 3 == 0:
                rows = np.sort(rows)
            if "edges" in nest.odd:
                rows = np.stack([self.rng.integers(-9, 9, len(rows)), rows])
            self.found["places"] = rows.astype(np.int32 if nest.seed % 2 else np.int64)
        for name in OUTPUTS:
            if others.get(name, True):
                self.found[name] = self._rows(self._places(), nest.out_gap, random=False)
        if self.flat:
            for name in {*TABLES, *OUTPUTS} & self.found.keys():
                self.found[name] = self.found[name].reshape(-1)
        for name, array in self.found.items():
            if array.ndim == 1 and _is_strided(nest, name):
                self.found[name] = self._spread(array)
        return self.found

    def _spread(self, array: np.ndarray) -> np.ndarray:
        """The array's elements with others of them in between, which nothing is to read."""
        nest = self.nest
        rng = np.random.default_rng(nest.seed)
        buffer = np.resize(rng.permutation(array), nest.first + len(array) * nest.apart)
        buffer[nest.first :: nest.apart] = array
        return buffer if nest.first else buffer[:: nest.apart]

    def _places(self) -> int:
        """Rows of ``out``."""
        first, last = self.most[0] + 1, self.most[-1] + 1
        width = self.most[min(1, len(self.most) - 1)] + 1
        rows = dict(outer=first, affine=2 * first, inner=last, scatter=5, fixed=3)
        return (
            max(rows["outer"], first * width)
            if self.nest.place == "pair"
            else rows[self.nest.place]
        )

    def _table(self, rows: int) -> np.ndarray:
        """The table, or planes of it."""
        nest = self.nest
        if self.flat:
            return self._rows(rows, 0, random=True)
        if "plane" in nest.odd:
            return self._rows(3 * rows, 0, random=True).reshape(rows, 3, nest.dim)
        if "planes" in nest.odd:
            planes = max(1, self.most[0] + 1)
            return self._rows(planes * rows, 0, random=True).reshape(planes, rows, nest.dim)
        return self._rows(rows, nest.table_gap, random=True)

    def _rows(self, rows: int, gap: int, *, random: bool) -> np.ndarray:
        if self.flat:
            gap = 0
        dim = 1 if self.flat else self.nest.dim
        stride = dim + gap
        size = rows * stride
        values = (
            random_floats(self.rng, size)
            if random
            else np.full(size, UNTOUCHED, np.uint32).view(np.float32)
        )
        return values.reshape(rows, stride)[:, :dim]

    def _loop(self, level: int, loop: Loop) -> None:
        rng, outer = self.rng, self.most[-1] if self.most else 0
        kind = np.int32 if loop.width == 32 else np.int64
        lengths = rng.integers(0, 2 * loop.count + 1, outer + 1)
        lengths[rng.random(outer + 1) < 0.25] = 0
        if loop.bounds == "dense":
            most = loop.start + max(0, loop.count - 1) * loop.step
            if not level:
                most += (self.nest.copies - 1) * self.nest.shift
        elif loop.bounds == "product":
            most = (outer + 1) * loop.span - 1
        elif loop.bounds == "index":
            starts = rng.integers(loop.start, loop.start + 4, outer + 1)
            self.found[f"starts{level}"] = starts.astype(kind)
            most = int(starts.max(initial=0)) + loop.span - 1
        elif loop.bounds == "length":
            self.found[f"lengths{level}"] = (loop.start + lengths).astype(kind)
            most = loop.start + int(lengths.max(initial=0)) - 1
        elif loop.bounds == "from":
            end = loop.start + 2 * loop.count
            self.found[f"starts{level}"] = (end - lengths).astype(kind)
            most = end - 1
        elif loop.bounds == "two":
            starts = rng.integers(loop.start, loop.start + 4, outer + 1)
            self.found[f"starts{level}"] = starts.astype(kind)
            self.found[f"ends{level}"] = (starts + lengths).astype(kind)
            most = int((starts + lengths).max(initial=0)) - 1
        else:
            pointers = loop.start + np.concatenate([[0], np.cumsum(lengths)])
            most = int(pointers[-1]) - 1
            self.found[f"offsets{level}"] = self._spoil(pointers).astype(kind)
        self.most.append(max(-1, most))

    def _spoil(self, pointers: np.ndarray) -> np.ndarray:
        """The offsets with the fault that the nest asks for."""
        at = int(self.rng.integers(len(pointers)))
        if self.nest.fault == "order":
            pointers[at] = max(0, pointers[at] - 3)
        elif self.nest.fault == "end":
            pointers[at] += 100
        return pointers

    def _chain(self) -> int:
        """The index arrays; returns the largest row."""
        nest, rng = self.nest, self.rng
        last = self.most[-1]
        for number, index in enumerate(nest.chain):
            at = last if number else self.most[nest.level(index)]
            final = number == len(nest.chain) - 1
            top = nest.rows if final else max(1, int(rng.integers(1, 8)))
            values = rng.integers(0, top, at + 1)
            # A choice between rows loads the one that it does not take.
            taken = not nest.chooses
            if final and nest.skip is not None and (taken or 0 <= nest.skip < top):
                values[rng.random(at + 1) < 0.3] = nest.skip
            if final and nest.fault == "index" and at >= 0:
                wrong = [n for n in (-1, top, 1 << 30) if taken or n != nest.skip]
                values[int(rng.integers(at + 1))] = int(rng.choice(wrong))
            if not number and "index_2d" in nest.odd:
                values = np.stack([values, values[::-1]], axis=1)
            self.found[f"index{number}"] = values.astype(
                np.int32 if index.width == 32 else np.int64
            )
            last = top - 1
        return last
