"""``coo-to-csr``: a nest that walks entries with rows walks them row by row.

```
for e = 0 to n: out[row[e]] += value[e] * table[column[e]]
for r = 0 to rows: for e = row_offsets[r] to row_offsets[r + 1]: out[r] += ..
```

The execute unit keeps one row open and has no loads, so rows that come back cannot be added to.
The arrays of the entries are sorted by row before a launch, stably, by
:func:`ember.compiler.layout.coo_to_csr`; the argument ``row`` becomes ``row_offsets``. Rows may
also be one of the rows of an array, as ``edge[1, e]`` of ``edge_index``: then that is sorted, too,
and ``edge_offsets`` is one more argument. :func:`layouts` says what is to be converted, and
converts it.

A nest is taken as one of entries if it adds to a row of its output that an array names at the
variable of its outermost loop. Legal if the order of entries of different rows cannot show:

* The nest walks all entries, from 0 in steps of 1, and what it writes it accesses only at that row.
* The loop's variable is only used to read arrays of the entries, as the first index, or as the last
  one behind literals. They are arguments without gaps and used nowhere else in the function: there
  they would be in another order.
* It keeps nothing from one entry to the next, in a cell outside of it or in ``iter_args``.

Such a nest that is not legal is refused, with the reason. Others are left alone, also those that
begin the row which an array names. Preserved: what is stored, with the order of each row's entries.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FunctionType,
    IndexType,
    MemRefType,
    ModuleOp,
    NoneAttr,
    i64,
)
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain, name_of, refuse
from ..layout import Csr, coo_to_csr
from ..slc.decouple import CASTS, root
from ..streams import constant
from .affine import index, sum_of
from .carry_in_memory import CarryInMemoryPass
from .count_entries import CountEntriesPass
from .dependences import accesses, arrays_of, variable
from .fold_views import FoldViewsPass
from .innermost_elements import InnermostElementsPass
from .one_branch import OneBranchPass
from .places import same_index
from .roll_columns import RollColumnsPass
from .simplify import SimplifyPass
from .specialize import SpecializePass
from .split_elements import SplitElementsPass
from .split_outputs import SplitOutputsPass
from .split_ranges import SplitRangesPass
from .unpack_vectors import UnpackVectorsPass


@dataclass(frozen=True)
class CooToCsrPass(ModulePass):
    """Walks entries row by row; preserves what is stored, with the order of a row's entries."""

    name = "coo-to-csr"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        _convert(op)


@dataclass(frozen=True)
class Layout:
    """What a function needs for its arrays of entries.

    Attributes
    ----------
    rows : str
        The argument with rows.
    at : tuple of int
        Where in it they are, if it has more dimensions than one.
    offsets : str
        The argument that takes its place, or comes as the last one.
    entries : tuple of str
        Arguments that are sorted by row.
    last : tuple of bool
        Whether the entries are the last dimension of each, and not the first.
    count : int
        Rows of the output.
    """

    rows: str
    at: tuple[int, ...]
    offsets: str
    entries: tuple[str, ...]
    last: tuple[bool, ...]
    count: int

    @property
    def place(self) -> str:
        """Where an entry's row is, up to its number."""
        return f"{self.rows}[{''.join(f'{number}, ' for number in self.at)}"

    def apply(self, arrays: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], Csr]:
        """The arrays of a launch, and what was done to make them.

        Raises
        ------
        ValueError
            A row out of range, see :func:`ember.compiler.layout.coo_to_csr`.
        """
        entries = [
            np.moveaxis(arrays[name], -1, 0) if last else arrays[name]
            for name, last in zip(self.entries, self.last, strict=True)
        ]
        csr = coo_to_csr(arrays[self.rows][self.at], *entries, count=self.count)
        rest = {name: array for name, array in arrays.items() if self.at or name != self.rows}
        converted = {
            name: np.ascontiguousarray(np.moveaxis(array, 0, -1)) if last else array
            for name, last, array in zip(self.entries, self.last, csr.arrays, strict=True)
        }
        return rest | converted | {self.offsets: csr.offsets}, csr


def before(arguments: tuple[str, ...]) -> list[ModulePass]:
    """The passes that bring a nest into the form in which this one looks for entries."""
    return [
        # First: every other pass needs numbers.
        SpecializePass(arguments),
        # Before anything looks at loops and addresses.
        SimplifyPass(),
        # Before anything looks at rows and columns.
        FoldViewsPass(),
        # While unrolled vectors are vectors.
        RollColumnsPass(),
        # While loops hand vectors on: everything else looks at single elements.
        UnpackVectorsPass(),
        # When loops have single elements, and before anything looks at conditions.
        SplitRangesPass(),
        # While loops hand their sums on.
        CountEntriesPass(),
        # Before anything looks at stores: nobody else knows values that loops hand on.
        CarryInMemoryPass(),
        # When branches store what they come to, and conditions still are around single elements.
        OneBranchPass(),
        # When loops hand nothing on, and before anything looks at rows.
        InnermostElementsPass(),
        # While a nest is one loop.
        SplitOutputsPass(),
        # When a loop stores to one array.
        SplitElementsPass(),
    ]


def layouts(module: ModuleOp, arguments: tuple[str, ...] = ()) -> dict[str, list[Layout]]:
    """What each function of an SCF module needs converted, by its name.

    Parameters
    ----------
    module : ModuleOp
        It is not changed.
    arguments : tuple of str
        As of :mod:`ember.compiler.frontend.specialize`.

    Raises
    ------
    CompileError
        A nest of entries cannot be walked row by row.
    """
    copy = module.clone()
    for step in before(arguments):
        step.apply(Context(), copy)
    return _convert(copy)


def _convert(module: ModuleOp) -> dict[str, list[Layout]]:
    found: dict[str, list[Layout]] = {}
    for function in module.ops:
        if isinstance(function, func.FuncOp) and function.body.blocks:
            for nest in list(function.body.block.ops):
                rows = _rows(nest) if isinstance(nest, scf.ForOp) else None
                if rows is not None:
                    layout = _Entries(function, nest, rows).convert()  # type: ignore[arg-type]
                    found.setdefault(function.sym_name.data, []).append(layout)
    return found


def _rows(nest: scf.ForOp) -> memref.LoadOp | None:
    """The load that says which row an entry is added to, if the nest is one of entries."""
    _, written = arrays_of(nest)
    begun: set[SSAValue] = set()
    for access in accesses(nest):
        array = root(access.memref)
        if array not in written or array in begun or not access.indices:
            continue
        begun.add(array)
        load = _only_term(access.indices[0])
        if isinstance(access, memref.LoadOp) and _is_row(nest, load, written):
            return load
    return None


def _only_term(value: SSAValue) -> memref.LoadOp | None:
    """The load that a value is made of, if it is made of one."""
    terms = list(sum_of(value).terms)
    owner = terms[0].owner if len(terms) == 1 else None
    return owner if isinstance(owner, memref.LoadOp) else None


def _is_row(nest: scf.ForOp, load: memref.LoadOp | None, written: set[SSAValue]) -> bool:
    return (
        load is not None
        and load.parent is nest.body.block
        and DYNAMIC_INDEX not in load.memref.type.get_shape()  # type: ignore[union-attr]
        and load.indices[-1] is variable(nest)
        and None not in map(constant, load.indices[:-1])
        and root(load.memref) not in written
    )


@dataclass
class _Entries:
    """A nest of entries."""

    function: func.FuncOp
    nest: scf.ForOp
    load: memref.LoadOp
    #: Arrays of the entries, without the rows; and whether these are their last dimension.
    arrays: dict[BlockArgument, bool] = field(default_factory=dict)

    def convert(self) -> Layout:
        rows = self.load.memref
        assert isinstance(rows.type, MemRefType)
        number = rows.type.get_shape()[-1]
        bounds = [constant(value) for value in (self.nest.lb, self.nest.ub, self.nest.step)]
        if bounds != [0, number, 1]:
            raise refuse(
                self.nest,
                f"entries are walked row by row only if they are walked from 0 to {number}, which "
                f"is the length of {name_of(rows)}, in steps of 1",
            )
        count = self._check_written()
        self._check_variable()
        at = tuple(number for i in self.load.indices[:-1] if (number := constant(i)) is not None)
        self._check_array(rows, last=bool(at))
        for array, last in self.arrays.items():
            self._check_array(array, last)
        arrays = sorted(self.arrays, key=lambda array: array.index)
        names = tuple(array.name_hint or "" for array in arrays)
        layout = Layout(
            rows.name_hint or "", at, self._name(rows), names,
            tuple(self.arrays[array] for array in arrays), count,
        )  # fmt: skip
        what = ", ".join(f"%{name}" for name in names) or "nothing else"
        explain(
            self.nest,
            f"entries are walked row by row: %{layout.offsets} is to be computed from "
            f"{name_of(rows)}, and {what} to be sorted by it (coo_to_csr)",
        )
        self._rewrite(count, layout.offsets)
        return layout

    def _name(self, rows: SSAValue) -> str:
        """What no argument is called."""
        name = f"{rows.name_hint}_offsets"
        while name in [argument.name_hint for argument in self.function.body.block.args]:
            name += "_of_rows"
        return name

    def _check_written(self) -> int:
        """Everything that is written is accessed at the entry's row; the number of rows."""
        counts = set()
        _, written = arrays_of(self.nest)
        for access in accesses(self.nest):
            array = root(access.memref)
            if array not in written:
                continue
            owner = array.owner
            if isinstance(owner, memref.AllocaOp):
                if owner.parent is self.function.body.block:
                    raise refuse(
                        access,
                        f"{name_of(array)} is kept from one entry to the next, so that the order "
                        "of entries of different rows shows: they cannot be sorted by row",
                    )
                continue
            total = sum_of(access.indices[0])
            same = not total.constant and list(total.terms.values()) == [1]
            load = _only_term(access.indices[0])
            if not same or load is None or not self._is_same(load):
                raise refuse(
                    access,
                    f"{name_of(array)} is accessed at another row than {name_of(self.load.res)}, "
                    "so that the order of entries of different rows shows: they cannot be sorted "
                    "by row",
                )
            counts.add(access.memref.type.get_shape()[0])  # type: ignore[union-attr]
        if len(counts) != 1:
            raise refuse(
                self.nest, f"what is written at {name_of(self.load.res)} has different sizes"
            )
        return counts.pop()

    def _is_same(self, load: memref.LoadOp) -> bool:
        return load.memref is self.load.memref and all(
            map(same_index, load.indices, self.load.indices)
        )

    def _is_last(self, op: Operation) -> bool | None:
        """Whether a load reads what belongs to an entry in the last dimension of an array, and not
        in the first; None if it does neither."""
        if not isinstance(op, memref.LoadOp):
            return None
        entry, (first, *others) = variable(self.nest), op.indices
        if first is entry and entry not in others:
            return False
        *before, last = op.indices
        return True if last is entry and None not in map(constant, before) else None

    def _check_variable(self) -> None:
        """The variable only reads arrays of entries."""
        entry, number = variable(self.nest), constant(self.nest.ub)
        for use in entry.uses:
            op = use.operation
            last = self._is_last(op)
            if last is None:
                raise refuse(
                    op,
                    f"{name_of(entry)} is used for more than to read what belongs to an entry, so "
                    "that the order of entries shows: they cannot be sorted by row",
                )
            assert isinstance(op, memref.LoadOp)
            array = op.memref
            if self._is_same(op) and len(op.indices) == 1:
                continue
            kind = array.type
            assert isinstance(kind, MemRefType)
            if (
                not isinstance(array, BlockArgument)
                or kind.get_shape()[-1 if last else 0] != number
            ):
                raise refuse(
                    op,
                    f"{name_of(array)} must be an argument with {number} entries, as "
                    f"{name_of(self.load.memref)} has, to be sorted by row",
                )
            self.arrays.setdefault(array, last)

    def _check_array(self, array: SSAValue, last: bool) -> None:
        """An array of entries is an argument, without gaps, of this nest alone."""
        kind = array.type
        assert isinstance(kind, MemRefType)
        if not isinstance(array, BlockArgument):
            raise refuse(self.nest, f"{name_of(array)} must be an argument, to be sorted by row")
        if not isinstance(kind.layout, NoneAttr):
            raise refuse(self.nest, f"{name_of(array)} must have no gaps, to be sorted by row")
        for use in array.uses:
            op: Operation | None = use.operation
            inside = isinstance(op, memref.LoadOp) and variable(self.nest) in op.indices
            if not inside or self._is_last(op) is not last:
                assert op is not None
                raise refuse(
                    op,
                    f"{name_of(array)} is sorted by row for the nest of "
                    f"{name_of(variable(self.nest))}, and cannot be used in another order",
                )

    # The nest -----------------------------------------------------------------------------

    def _rewrite(self, count: int, name: str) -> None:
        rows = self.load.memref
        assert isinstance(rows, BlockArgument)
        outer = Block(arg_types=[IndexType()])
        row = outer.args[0]
        row.name_hint = self.load.res.name_hint or "r"
        for op in list(self.nest.walk()):
            if isinstance(op, memref.LoadOp) and self._is_same(op):
                self._replace(op, row)
        offsets = self._offsets(rows, count, name)
        zero, one, end = index(0), index(1), index(count)
        following = arith.AddiOp(row, one.result)
        bounds: list[Operation] = [following]
        limits: list[SSAValue] = []
        for at, what in ((row, "first"), (following.result, "last")):
            load = memref.LoadOp.get(offsets, [at])
            load.location = self.load.location
            cast = arith.IndexCastOp(load.res, IndexType())
            cast.result.name_hint = what
            bounds += [load, cast]
            limits.append(cast.result)
        nest = scf.ForOp(zero.result, end.result, one.result, [], Region(outer))
        nest.location = self.nest.location
        assert self.nest.parent is not None
        self.nest.parent.insert_ops_before([zero, one, end, nest], self.nest)
        self.nest.detach()
        self.nest.operands[0], self.nest.operands[1] = limits
        outer.add_ops([*bounds, self.nest, scf.YieldOp()])

    def _replace(self, load: memref.LoadOp, row: SSAValue) -> None:
        """The loop's variable in place of the row that was loaded."""
        for use in list(load.res.uses):
            op = use.operation
            if isinstance(op, CASTS) and isinstance(op.results[0].type, IndexType):
                op.results[0].replace_all_uses_with(row)
                Rewriter.erase_op(op)
        if isinstance(load.res.type, IndexType):
            load.res.replace_all_uses_with(row)
        elif load.res.uses:
            cast = arith.IndexCastOp(row, load.res.type)
            assert load.parent is not None
            load.parent.insert_op_before(cast, load)
            load.res.replace_all_uses_with(cast.result)
        Rewriter.erase_op(load)

    def _offsets(self, rows: BlockArgument, count: int, name: str) -> SSAValue:
        """The argument that takes the place of the rows, or comes as the last one."""
        kind, block = MemRefType(i64, [count + 1]), self.function.body.block
        if rows in self.arrays:
            new = block.insert_arg(kind, len(block.args))
        else:
            new = Rewriter.replace_value_with_new_type(rows, kind)
        new.name_hint = name
        types = [argument.type for argument in self.function.body.block.args]
        self.function.properties["function_type"] = FunctionType.from_lists(types, [])
        return new
