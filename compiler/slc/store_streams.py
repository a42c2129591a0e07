"""``store-streams``: a nest whose callbacks only copy needs no callback.

A row that is read to be stored as it is need not pass by the execute unit: the access unit stores
each vector where it belongs, and knows the row's number without being told. The callbacks of such
a nest, the copy and the ``slc.emit`` behind it, become one ``slc.store``. A callback in front that
begins the row goes, as the copy writes over all of it. Preserved: what is stored, and its order
within a fiber lane.

Legal if these are all that the nest calls back, if they store the whole row as it was read, at a
row that is a stream or a literal, and if no nest that stays the execute unit's may write the same
elements: the two units wait for each other nowhere. A constant and a factor of the row's number
become those of a view. Others are left alone, or refused if there is no execute unit.
"""

from dataclasses import dataclass
from typing import TypeVar

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import MemRefType, ModuleOp, VectorType
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain, name_of, refuse
from . import dialect as slc
from .check_bounds import row_stream
from .decouple import root
from .linear import linear
from .promote_accumulator import columns, disjoint

#: What the callbacks of a copy have: a store to a register, its emit, and what these are given.
_COPIES = (
    slc.ToValOp, slc.RowOp, arith.IndexCastOp, arith.ConstantOp, vector.BroadcastOp, scf.ForOp,
    scf.YieldOp, vector.StoreOp, memref.StoreOp, slc.EmitOp,
)  # fmt: skip

Kind = TypeVar("Kind", vector.StoreOp, slc.EmitOp)


@dataclass(frozen=True)
class StoreStreamsPass(ModulePass):
    """Lets the access unit store rows that are only copied; preserves what is stored."""

    name = "store-streams"

    #: 0: there is no execute unit that could do what is left.
    execute: int = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, slc.FuncOp):
                _function(function, self.execute)


@dataclass
class _Copy:
    """A nest that only copies: its loop over vectors, and what it copies to where."""

    rows: slc.LoopOp
    load: slc.LoadOp
    out: SSAValue
    number: SSAValue | int
    callbacks: list[slc.CallbackOp]


class _No(Exception):
    """A nest needs the execute unit; ``op`` is what it needs it for."""

    def __init__(self, op: Operation, reason: str):
        super().__init__(reason)
        self.op = op


def _function(function: slc.FuncOp, execute: int) -> None:
    copies: dict[slc.LoopOp, _Copy] = {}
    left: dict[slc.LoopOp, _No] = {}
    for nest in slc.inner_loops(function.body.block):
        try:
            copies[nest] = _copy(nest)
        except _No as no:
            left[nest] = no
    # One that stays may write what another one copies to, which then stays too.
    found = True
    while found:
        found = False
        for nest, copy in list(copies.items()):
            other = next((op for op in left if _overlap(op, copy.out)), None)
            if other is not None:
                del copies[nest]
                left[nest] = _No(
                    copy.callbacks[0],
                    f"the nest of {name_of(other.induction)}, which is not only a copy, may write "
                    f"the same elements of {name_of(root(copy.out))}, and their order counts",
                )
                found = True
    for no in left.values():
        if not execute:
            raise refuse(no.op, f"{no}: that needs an execute unit, and the configuration has none")
        explain(no.op, f"no store stream: {no}")
    for copy in copies.values():
        _store(copy)


def _overlap(nest: slc.LoopOp, out: SSAValue) -> bool:
    """Whether a nest may write elements of an array."""
    outs = {op.out for op in nest.walk() if isinstance(op, slc.RowOp)}
    return any(
        root(other) is root(out) and not disjoint(columns(other), columns(out)) for other in outs
    )


def _copy(nest: slc.LoopOp) -> _Copy:
    callbacks = [op for op in nest.walk() if isinstance(op, slc.CallbackOp)]
    if nest.resumed:
        raise _No(nest, "the nest goes on with a row of the one before")
    for callback in callbacks:
        for op in callback.walk():
            if op is not callback and not isinstance(op, _COPIES):
                raise _No(op, "a store stream copies and does not compute")
    rows = nest
    while inner := slc.inner_loops(rows.body.block):
        if len(inner) > 1:
            raise _No(inner[1], "there are loops side by side")
        [rows] = inner
    loads = [op for op in rows.body.block.ops if isinstance(op, slc.LoadOp)]
    wide = [op for op in loads if isinstance(op.result.type, VectorType)]
    at_once = "a store stream stores rows that are read, and each of them at once"
    *begins, copying, storing = callbacks if len(callbacks) > 1 else (nest, nest)
    around = rows.parent_op()
    if not isinstance(copying, slc.CallbackOp) or not isinstance(storing, slc.CallbackOp):
        raise _No(callbacks[0] if callbacks else nest, at_once)
    if copying.parent_op() is not rows or storing.parent_op() is not around:
        raise _No(callbacks[0], at_once)
    if len(wide) != 1 or len(loads) != 1:
        raise _No(copying, "a store stream takes rows as vectors (O1 and above), of one array")
    [load] = loads
    copied, stored = _only(copying, vector.StoreOp), _only(storing, slc.EmitOp)
    for begin in begins:
        if begin.parent_op() is not around or not _begins(begin, stored):
            raise _No(begin, at_once)
    row, emitted = copied.base.owner, stored.register.owner
    assert isinstance(emitted, slc.RowOp)
    if not isinstance(row, slc.RowOp) or row.out is not emitted.out:
        raise _No(copied, "the row that is copied to is not the one that is stored")
    if not _is(copied.vector, load.result) or not _is(copied.indices[0], rows.induction):
        raise _No(copied, "the row is not stored as it is read")
    number, again = (None if op.index is None else row_stream(op.index) for op in (row, emitted))
    if number is None or number != again:
        raise _No(stored, "the number of the row is computed in the callback")
    late: Operation | None = copying
    while late is not None and late is not storing:
        if isinstance(late, slc.CheckOp | slc.SkipOp):
            raise _No(late, "the row is copied before it is known whether it is stored")
        late = late.next_op or (rows if late.parent_op() is rows else None)
    kind = row.out.type
    assert isinstance(kind, MemRefType)
    if rows.bounds[1] != kind.get_shape()[1]:
        raise _No(copied, f"a row has {kind.get_shape()[1]} elements, and not all are copied")
    return _Copy(rows, load, row.out, number, callbacks)


def _begins(callback: slc.CallbackOp, stored: slc.EmitOp) -> bool:
    """Whether a callback only writes the register that is stored later in the iteration."""
    emitted = stored.register.owner
    assert isinstance(emitted, slc.RowOp)
    for op in callback.walk():
        target = None
        if isinstance(op, vector.StoreOp):
            target = op.base.owner
        elif isinstance(op, memref.StoreOp):
            target = op.memref.owner
        elif isinstance(op, slc.EmitOp):
            return False
        if target is not None and not (
            isinstance(target, slc.RowOp) and target.out is emitted.out
        ):
            return False
    return callback.first is None


def _only(callback: slc.CallbackOp, kind: type[Kind]) -> Kind:
    """The operation that a callback is for."""
    stores = (vector.StoreOp, memref.StoreOp, slc.EmitOp)
    found = [op for op in callback.walk() if isinstance(op, stores)]
    wanted = [op for op in found if isinstance(op, kind)]
    if len(found) != 1 or not wanted or callback.first is not None:
        raise _No(callback, "the row is not only copied and then stored")
    return wanted[0]


def _is(value: SSAValue, stream: SSAValue) -> bool:
    """Whether a callback's value is that of a stream."""
    while isinstance(value.owner, arith.IndexCastOp):
        value = value.owner.input
    return isinstance(value.owner, slc.ToValOp) and value.owner.stream is stream


def _store(copy: _Copy) -> None:
    rows = copy.rows
    explain(rows, f"a store stream: the access unit stores the rows of {name_of(copy.out)}")
    number, out = _place(copy)
    if isinstance(number, int):
        literal = slc.ConstOp(number)
        assert rows.parent is not None
        rows.parent.insert_op_before(literal, rows)
        number = literal.result
    store = slc.StoreOp(copy.load.result, out, [number, rows.induction])
    store.location = copy.load.location
    rows.body.block.insert_op_after(store, copy.load)
    for callback in copy.callbacks:
        Rewriter.erase_op(callback)


def _place(copy: _Copy) -> tuple[SSAValue | int, SSAValue]:
    """Row and array: of ``n * value + c``, row ``value`` of every n-th row from c on."""
    kind, total = copy.out.type, linear(copy.number)
    assert isinstance(kind, MemRefType)
    count, dim = kind.get_shape()
    if len(total.terms) != 1:
        return copy.number, copy.out
    [(value, factor)] = total.terms.items()
    if factor < 1 or not 0 <= total.constant < count or (factor, total.constant) == (1, 0):
        return copy.number, copy.out
    size = -(-(count - total.constant) // factor)
    view = memref.SubviewOp.from_static_parameters(
        copy.out, kind, [total.constant, 0], [size, dim], [factor, 1]
    )
    view.result.name_hint = f"{copy.out.name_hint or 'out'}_stored"
    nest: Operation = copy.rows
    while isinstance(parent := nest.parent_op(), slc.LoopOp):
        nest = parent
    assert nest.parent is not None
    nest.parent.insert_op_before(view, nest)
    return value, view.result
