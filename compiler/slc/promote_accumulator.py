"""``promote-accumulator``: the output row that callbacks work on moves to a register.

The execute unit has no loads. Callbacks that read and write ``out[row, e]`` in an iteration of a
loop work on a register instead, which ``slc.emit`` stores at the end of the iteration. Preserved:
what is in ``out`` after each iteration.

The loop is the one whose iteration begins the row: its first access writes the whole row, from
nothing (an initialization) or from data (a copy). Legal if every access in the nest is to that
row, in that iteration, and if it fits a register. The row may be any sum of streams of this loop
and those around it.

A nest of one iteration that does not begin the row, right behind another one that has stored the
same row last, whatever its loops and conditions come to, goes on with it, ``resumed``: both are in
the first fiber lane, whose register still has it. It has not if what was stored was divided.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import gcd

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import Float32Type, IndexType, MemRefType, ModuleOp, UnitAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain, name_of, refuse
from ..streams import constant
from . import dialect as slc
from .check_bounds import row_stream
from .decouple import VIEWS, root
from .linear import Linear, drop_unused, is_induction, least_sum, linear, most_sum

Access = memref.LoadOp | memref.StoreOp


@dataclass(frozen=True)
class PromoteAccumulatorPass(ModulePass):
    """Keeps output rows in registers; preserves what is stored per outermost iteration."""

    name = "promote-accumulator"

    max_dim: int = 256
    fiber_lanes: int = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, slc.FuncOp):
                before: list[_Written] = []
                for loop in slc.inner_loops(function.body.block):
                    last = before[-1] if before and before[-1].nest is _before(loop) else None
                    written = _promote(loop, self.max_dim, self.fiber_lanes, last)
                    if written is not None:
                        for other in before if self.fiber_lanes > 1 else ():
                            written.check(other)
                        before.append(written)
                drop_unused(function)


@dataclass(frozen=True)
class _Written:
    """What a nest writes: nests follow each other within a fiber lane, but not between lanes."""

    nest: slc.LoopOp
    out: SSAValue
    row: Linear
    one_lane: bool
    #: Whether it stores the row in any case, and as it is in the register.
    stored: bool = False

    def check(self, other: "_Written") -> None:
        """Refuse rows that another nest writes from other lanes."""
        if root(self.out) is not root(other.out) or self._same_lanes(other):
            return
        if disjoint(columns(self.out), columns(other.out)) or disjoint(self._rows, other._rows):
            return
        raise refuse(
            self.nest,
            f"rows of {name_of(root(self.out))} are also written by the nest of "
            f"{name_of(other.nest.induction)}, maybe on other fiber lanes, so that their order is "
            "not known: put the nests into functions of their own",
        )

    def _same_lanes(self, other: "_Written") -> bool:
        """Whether a row that both write is in the same lane: the same iteration's, or all one."""
        if self._first_lane and other._first_lane:
            return True
        if self.one_lane or other.one_lane:
            return False
        pace, others = self._pace(), other._pace()
        if pace != others or not pace[0]:
            return False
        both = [*self._rest(), *other._rest()]
        return max(both) - min(both) < abs(pace[0])

    @property
    def _first_lane(self) -> bool:
        """Whether all of it is in the first lane."""
        return self.one_lane or self.nest.trip_count == 1

    def _pace(self) -> tuple[int, int]:
        """Rows from one outermost iteration to the next, and where they begin."""
        factor = self.row.terms.get(self.nest.induction, 0)
        start = self.nest.bounds[0]
        return factor * self.nest.stride, factor * (start if isinstance(start, int) else 0)

    def _rest(self) -> tuple[int, int]:
        rest = self.row.without(self.nest.induction)
        return least_sum(rest), most_sum(rest) or 0

    def only(self) -> int | None:
        """The only row, if it is one that is known."""
        first, end = self._rows
        known = self.nest.trip_count == 1 and all(map(is_induction, self.row.terms))
        return first if known and end == first + 1 else None

    @cached_property
    def _rows(self) -> tuple[int, int]:
        """The first row, and the end."""
        kind = self.out.type
        assert isinstance(kind, MemRefType)
        last = most_sum(self.row)
        return least_sum(self.row), kind.get_shape()[0] if last is None else last + 1


def columns(out: SSAValue) -> tuple[int, int]:
    """The first column of the array that ``out`` is a view of, and the end."""
    kind, whole = out.type, root(out).type
    assert isinstance(kind, MemRefType) and isinstance(whole, MemRefType)
    stride = (kind.get_strides() or (0,))[0] or 1
    first = (kind.get_offset() or 0) % stride
    return first, first + kind.get_shape()[1]


def disjoint(a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Whether two ranges, each with its end, have nothing in common."""
    return a[1] <= b[0] or b[1] <= a[0]


def _before(nest: slc.LoopOp) -> Operation | None:
    """What is before a nest, but for views."""
    before = nest.prev_op
    while isinstance(before, VIEWS):
        before = before.prev_op
    return before


def _promote(
    nest: slc.LoopOp, max_dim: int, fiber_lanes: int, last: _Written | None
) -> _Written | None:
    accesses: dict[SSAValue, list[Access]] = {}
    for op in nest.walk():
        if isinstance(op, Access) and not isinstance(op.memref.owner, memref.AllocaOp):
            accesses.setdefault(op.memref, []).append(op)
    if not accesses:
        return None
    if len(accesses) > 1:
        names = ", ".join(map(name_of, accesses))
        raise refuse(
            nest, f"callbacks work on {len(accesses)} arrays ({names}), but there is 1 accumulator"
        )
    [(out, ops)] = accesses.items()
    kind = out.type
    assert isinstance(kind, MemRefType)
    _check_type(nest, out, kind, max_dim)
    row = _row_of(ops[0])
    written = _Written(nest, out, row, fiber_lanes > 1 and not _apart(nest, row))
    resumed = _resumes(ops[0], written, last)
    loop = nest if resumed else _begin(ops[0], kind.get_shape()[1])
    skips = any(isinstance(op, slc.SkipOp) for op in nest.body.block.ops)
    divides = any(isinstance(op, arith.DivfOp) for op in nest.walk())
    # A nest that leaves out what it resumes leaves the row where it is.
    stored = not divides and (resumed or (loop is nest and not skips))
    written = replace(written, stored=stored)
    for op in ops:
        if _row_of(op) != row:
            raise refuse(
                op,
                f"this row of {name_of(out)} is not the one that the iteration of "
                f"{name_of(loop.induction)} begins with",
            )
        if loop not in slc.enclosing_loops(op):
            raise refuse(
                op,
                f"the row of {name_of(out)} is begun in each iteration of "
                f"{name_of(loop.induction)}, so it cannot be worked on outside of it",
            )
    # What is left must not be below 0: a row of the machine is a number without a sign.
    grows = all(factor > 0 for factor in row.terms.values())
    first = 0
    if row.constant > 0 and grows and all(_base_of(op, row.constant) is not None for op in ops):
        first = row.constant
        out, row = _from(first, ops, nest), Linear(row.terms)
    index = row_stream(ops[0].indices[0])
    assert index is not None
    if isinstance(index, SSAValue) and isinstance(index.owner, slc.ConstOp):
        index = index.owner.number
    if isinstance(index, SSAValue) and not _is_at(index, loop):
        # Of a nest that is resumed: its only row is known.
        only = written.only()
        assert resumed and only is not None
        index = only - first
    rows: dict[slc.CallbackOp, slc.RowOp] = {}
    for op in ops:
        _replace(op, rows)
    _emit(loop, out, index, rows)
    if resumed:
        nest.properties["resumed"] = UnitAttr()
        explain(nest, f"goes on with the row of {name_of(out)} that is in the register")
    else:
        explain(loop, f"an iteration begins a row of {name_of(out)}, which is stored at its end")
    if written.one_lane:
        explain(
            nest, f"stays in one fiber lane: iterations may write the same row of {name_of(out)}"
        )
        _one_lane(nest)
    return written


def _is_at(stream: SSAValue, loop: slc.LoopOp) -> bool:
    """Whether a stream is there in a loop, and not in one inside of it alone."""
    around = stream.owner.parent_op()
    return around is loop or around is None or loop not in slc.enclosing_loops(around)


def _resumes(first: Access, written: _Written, last: _Written | None) -> bool:
    """Whether a nest goes on with the row that the nest before has left."""
    if last is None or isinstance(first, memref.StoreOp):
        return False
    same = written.out is last.out and written.only() == last.only() is not None
    return same and last.stored


def _check_type(loop: slc.LoopOp, out: SSAValue, kind: MemRefType, max_dim: int) -> None:
    if not isinstance(kind.element_type, Float32Type) or kind.get_num_dims() != 2:
        raise refuse(loop, f"{name_of(out)} must be an array of rows of f32, not {kind}")
    strides = kind.get_strides()
    if strides is None or strides[1] != 1:
        raise refuse(loop, f"{name_of(out)} must have rows of consecutive elements")
    dim = kind.get_shape()[1]
    if dim > max_dim:
        raise refuse(
            loop,
            f"a row of {name_of(out)} has {dim} elements, but a register holds {max_dim}: "
            "run tile-columns first",
        )


def _row_of(op: Access) -> Linear:
    """The row that is accessed."""
    stream = row_stream(op.indices[0])
    if stream is None:
        raise refuse(
            op, f"the row of {name_of(op.memref)} is not one that the access unit can compute"
        )
    return linear(stream)


def _begin(op: Access, dim: int) -> slc.LoopOp:
    """The loop whose iteration begins a row, with its first access ``op``."""
    callback = slc.enclosing_callback(op)
    around, inner, column = callback.parent_op(), op.parent_op(), op.indices[1]
    if isinstance(op, memref.StoreOp) and isinstance(around, slc.LoopOp):
        if isinstance(inner, scf.ForOp) and inner.parent_op() is callback:
            bounds = [constant(bound) for bound in (inner.lb, inner.ub, inner.step)]
            if bounds == [0, dim, 1] and column is inner.body.block.args[0]:
                return around
        outer = around.parent_op()
        if inner is callback and isinstance(outer, slc.LoopOp):
            whole = around.bounds == (0, dim) and around.stride == 1
            if whole and row_stream(column) is around.induction:
                return outer
    raise refuse(
        op,
        f"the row of {name_of(op.memref)} must be written as a whole before anything else "
        "happens to it in an iteration: the execute unit has no loads",
    )


def _base_of(op: Access, first: int) -> SSAValue | int | None:
    """The row of an access without the constant that is added last; None if it is not."""
    stream = row_stream(op.indices[0])
    owner = stream.owner if isinstance(stream, SSAValue) else None
    if isinstance(owner, slc.AddOp) and owner.second == first:
        return owner.lhs
    fixed = stream == first or (isinstance(owner, slc.ConstOp) and owner.number == first)
    return 0 if fixed else None


def _from(first: int, ops: list[Access], nest: slc.LoopOp) -> SSAValue:
    """The array from row ``first`` on, whose accesses then have no constant in their rows."""
    out = ops[0].memref
    kind = out.type
    assert isinstance(kind, MemRefType) and nest.parent is not None
    rows, dim = kind.get_shape()
    view = memref.SubviewOp.from_static_parameters(
        out, kind, [first, 0], [rows - first, dim], [1, 1]
    )
    view.result.name_hint = f"{out.name_hint or 'out'}_from"
    nest.parent.insert_op_before(view, nest)
    inputs: dict[slc.CallbackOp, SSAValue] = {}
    for op in ops:
        base, callback = _base_of(op, first), slc.enclosing_callback(op)
        assert base is not None
        if callback not in inputs:
            inputs[callback] = _to_val(callback, base)
        array = 0 if isinstance(op, memref.LoadOp) else 1
        op.operands[array] = view.result
        op.operands[array + 1] = inputs[callback]
    for callback in nest.walk():
        if isinstance(callback, slc.CallbackOp):
            _drop_inputs(callback)
    return view.result


def _drop_inputs(callback: slc.CallbackOp) -> None:
    """Streams that a callback does not look at any more."""
    for op in reversed(list(callback.body.block.ops)):
        if isinstance(op, slc.ToValOp | arith.IndexCastOp) and not op.results[0].uses:
            Rewriter.erase_op(op)


def _apart(nest: slc.LoopOp, row: Linear) -> bool:
    """Whether two iterations of the outermost loop never work on the same row."""
    factor = row.terms.get(nest.induction, 0)
    rest = row.without(nest.induction)
    highest = most_sum(rest)
    exact = all(is_induction(value) for value in rest.terms)
    if nest.trip_count is not None:
        span = abs(factor) * nest.stride * (nest.trip_count - 1)
        # Else rows of one iteration are further from each other than those of all iterations.
        if nest.trip_count <= 1 or (factor and span < gcd(*rest.terms.values())):
            return True
    return exact and highest is not None and highest - least_sum(rest) < abs(factor) * nest.stride


def _one_lane(nest: slc.LoopOp) -> None:
    """Put a loop of one iteration around the nest."""
    lane = slc.LoopOp(0, 1, 1)
    lane.induction.name_hint = "lane"
    lane.location = nest.location
    assert nest.parent is not None
    nest.parent.insert_op_before(lane, nest)
    nest.detach()
    lane.body.block.add_op(nest)


def _replace(op: Access, rows: dict[slc.CallbackOp, slc.RowOp]) -> None:
    callback = slc.enclosing_callback(op)
    if callback not in rows:
        index = op.indices[0]
        stream = row_stream(index)
        if isinstance(stream, int):
            index = _to_val(callback, stream)
        row = _row(op.memref, index)
        owner = index.owner
        assert isinstance(owner, Operation)
        callback.body.block.insert_op_after(row, owner)
        rows[callback] = row
    register, column = rows[callback].register, op.indices[1]
    assert op.parent is not None
    if isinstance(op, memref.LoadOp):
        load = memref.LoadOp.get(register, [column])
        load.res.name_hint = op.res.name_hint
        op.parent.insert_op_before(load, op)
        op.res.replace_all_uses_with(load.res)
    else:
        op.parent.insert_op_before(memref.StoreOp.get(op.value, register, [column]), op)
    Rewriter.erase_op(op)


def _row(out: SSAValue, index: SSAValue) -> slc.RowOp:
    assert isinstance(out.type, MemRefType)
    row = slc.RowOp(out, index, MemRefType(out.type.element_type, [out.type.get_shape()[1]]))
    row.register.name_hint = "acc_row"
    return row


def _to_val(callback: slc.CallbackOp, stream: SSAValue | int) -> SSAValue:
    """A stream or a literal as an index, at the start of a callback."""
    ops: list[Operation] = []
    if isinstance(stream, int):
        literal = slc.ConstOp(stream)
        assert callback.parent is not None
        callback.parent.insert_op_before(literal, callback)
        stream = literal.result
    to_val = slc.ToValOp(stream)
    to_val.value.name_hint = stream.name_hint
    ops.append(to_val)
    value: SSAValue = to_val.value
    if not isinstance(value.type, IndexType):
        cast = arith.IndexCastOp(value, IndexType())
        ops.append(cast)
        value = cast.result
    first = callback.body.block.first_op
    if first is None:
        callback.body.block.add_ops(ops)
    else:
        callback.body.block.insert_ops_before(ops, first)
    return value


def _emit(
    loop: slc.LoopOp,
    out: SSAValue,
    stream: SSAValue | int,
    rows: dict[slc.CallbackOp, slc.RowOp],
) -> None:
    """Store the register at the end of the iteration, in the last callback if it is there."""
    last = loop.body.block.last_op
    if not isinstance(last, slc.CallbackOp):
        last = slc.CallbackOp(Region(Block()))
        loop.body.block.add_op(last)
    if last not in rows:
        index = _to_val(last, stream)
        rows[last] = _row(out, index)
        assert isinstance(index.owner, Operation)
        last.body.block.insert_op_after(rows[last], index.owner)
    last.body.block.add_op(slc.EmitOp(rows[last].register))
