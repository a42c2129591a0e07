"""``two-dimensions``: outputs with one dimension, or with more than two, get rows.

The execute unit stores rows. An array with more than two dimensions and no gaps is seen as the rows
of its last one: ``out[b, s, e]`` of 3 x 2 x 4 elements is ``out[2*b + s, e]``. An array with one
dimension is seen as

* *one row*, if a loop over its elements is the innermost one: ``for e: out[e] = table[i, e]`` is
  ``for r = 0 to 1: for e: out[r, e] = ..``, with the loop around everything that works on it;
* *rows of one element* otherwise: ``out[b] += table[i]`` is
  ``for e = 0 to 1: out[b, e] += table[i + e]``, with a loop around the load and the store.

Preserved: every element that is stored, and the order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    Float32Type,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StridedLayoutAttr,
    f32,
    i1,
)
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import name_of, refuse
from ..streams import constant
from .dependences import Access
from .places import clear
from .simplify import move_integers


@dataclass(frozen=True)
class TwoDimensionsPass(ModulePass):
    """Gives outputs rows; preserves what is stored."""

    name = "two-dimensions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                for argument in list(function.body.block.args):
                    _array(function, argument)
                # Rows are computed where they are accessed, and belong further out.
                move_integers(function.body.block)


def _array(function: func.FuncOp, out: SSAValue) -> None:
    kind = out.type
    uses = [use.operation for use in out.uses]
    if (
        not isinstance(kind, MemRefType)
        or not isinstance(kind.element_type, Float32Type)
        or DYNAMIC_INDEX in kind.get_shape()
        or kind.get_num_dims() in (0, 2)
        or kind.get_strides() != tuple(_strides(kind.get_shape()))
        or not all(isinstance(op, Access) for op in uses)
        or not any(isinstance(op, memref.StoreOp) for op in uses)
    ):
        return
    accesses = [op for op in function.walk() if op in uses and isinstance(op, Access)]
    if kind.get_num_dims() > 2:
        _last_dimension(function, out, accesses)
    elif all(_is_element(function, op) for op in accesses):
        _one_row(function, out, accesses)
    elif all(_moves(op) for op in accesses if isinstance(op, memref.StoreOp)):
        _elements(function, out, accesses)


def _strides(shape: Sequence[int]) -> list[int]:
    """Elements from one index to the next, in an array without gaps."""
    return [prod(shape[n + 1 :]) for n in range(len(shape))]


def _last_dimension(function: func.FuncOp, out: SSAValue, accesses: list[Access]) -> None:
    """Rows of the last dimension."""
    kind = out.type
    assert isinstance(kind, MemRefType)
    *sizes, columns = kind.get_shape()
    view = _view(function, out, [prod(sizes), columns], [max(columns, 1), 1])
    numbers = [arith.ConstantOp(IntegerAttr(size, IndexType())) for size in sizes[1:]]
    first = function.body.block.first_op
    assert first is not None
    function.body.block.insert_ops_before(numbers, first)
    for op in accesses:
        assert op.parent is not None
        row = op.indices[0]
        for number, index in zip(numbers, op.indices[1:-1], strict=True):
            product = arith.MuliOp(row, number)
            following = arith.AddiOp(product, index)
            op.parent.insert_ops_before([product, following], op)
            row = following.result
        row.name_hint = row.name_hint or "r"
        _access(op, view, row, op.indices[-1])


def _is_element(function: func.FuncOp, op: Access) -> bool:
    """Whether the index is the variable of the innermost loop, which has literal bounds."""
    index, loop = op.indices[0], op.parent_op()
    if not isinstance(loop, scf.ForOp) or index is not loop.body.block.args[0]:
        return False
    if None in map(constant, (loop.lb, loop.ub)):
        return False
    # A value per iteration that is found through an index is an element of its own.
    loads = [inner for inner in loop.walk() if isinstance(inner, memref.LoadOp)]
    floats = [inner for inner in loads if isinstance(inner.res.type, Float32Type)]
    return all(index in inner.indices[-1:] for inner in floats)


def _view(function: func.FuncOp, out: SSAValue, shape: list[int], strides: list[int]) -> SSAValue:
    kind = out.type
    assert isinstance(kind, MemRefType)
    layout = StridedLayoutAttr(strides)
    view = memref.ReinterpretCastOp.from_dynamic(
        out, [0], shape, strides, MemRefType(kind.element_type, shape, layout)
    )
    view.result.name_hint = f"{out.name_hint or 'out'}_rows"
    first = function.body.block.first_op
    assert first is not None
    function.body.block.insert_op_before(view, first)
    return view.result


def _access(op: Access, view: SSAValue, row: SSAValue, column: SSAValue) -> None:
    """The same access to the view."""
    new = (
        memref.LoadOp.get(view, [row, column])
        if isinstance(op, memref.LoadOp)
        else memref.StoreOp.get(op.value, view, [row, column])
    )
    assert op.parent is not None
    op.parent.insert_op_before(new, op)
    for old, result in zip(op.results, new.results, strict=True):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    Rewriter.erase_op(op)


def _numbers(place: Operation) -> tuple[SSAValue, SSAValue]:
    """The constants 0 and 1."""
    ops = [arith.ConstantOp(IntegerAttr(n, IndexType())) for n in (0, 1)]
    assert place.parent is not None
    place.parent.insert_ops_before(ops, place)
    return ops[0].result, ops[1].result


def _loop(place: Operation, name: str) -> scf.ForOp:
    """A loop of one iteration before an operation."""
    zero, one = _numbers(place)
    block = Block([scf.YieldOp()], arg_types=[IndexType()])
    block.args[0].name_hint = name
    loop = scf.ForOp(zero, one, one, [], Region(block))
    assert place.parent is not None
    place.parent.insert_op_before(loop, place)
    return loop


def _move(ops: list[Operation], loop: scf.ForOp) -> None:
    end = loop.body.block.last_op
    assert end is not None
    for op in ops:
        op.detach()
        loop.body.block.insert_op_before(op, end)


# One row ----------------------------------------------------------------------------------


def _one_row(function: func.FuncOp, out: SSAValue, accesses: list[Access]) -> None:
    kind = out.type
    assert isinstance(kind, MemRefType)
    [size] = kind.get_shape()
    nests = [_outermost(function, op) for op in accesses]
    between: list[Operation] = [nests[0]]
    while between[-1] is not nests[-1]:
        following = between[-1].next_op
        assert following is not None
        between.append(following)
    view = _view(function, out, [1, size], [max(size, 1), 1])
    # Constants stay where all see them.
    moved = [op for op in between if not isinstance(op, arith.ConstantOp)]
    for op in between:
        if op not in moved:
            op.detach()
            function.body.block.insert_op_before(op, moved[0])
    loop = _loop(moved[0], "r")
    _move(moved, loop)
    for op in accesses:
        _access(op, view, loop.body.block.args[0], op.indices[0])


def _outermost(function: func.FuncOp, op: Operation) -> Operation:
    """The operation of the function's body that holds ``op``."""
    while (parent := op.parent_op()) is not function:
        assert parent is not None
        op = parent
    return op


# Rows of one element ----------------------------------------------------------------------


def _moves(op: memref.StoreOp) -> bool:
    """Whether what a store needs can be put into a loop of its own, with it."""
    return isinstance(op.parent_op(), scf.ForOp | scf.IfOp)


def _elements(function: func.FuncOp, out: SSAValue, accesses: list[Access]) -> None:
    kind = out.type
    assert isinstance(kind, MemRefType)
    view = _view(function, out, [kind.get_shape()[0], 1], [1, 1])
    for op in accesses:
        if isinstance(op, memref.StoreOp):
            _element(op, view)


def _element(store: memref.StoreOp, view: SSAValue) -> None:
    """A loop over the one element that a store works on."""
    out = store.memref
    block = store.parent
    assert block is not None
    # What the stored value is computed from here: it moves along, in its order.
    inside: set[Operation] = {store}
    pending = list(store.operands)
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, Operation) and owner.parent is block and owner not in inside:
            if _is_value(owner) and not isinstance(owner, arith.ConstantOp):
                inside.add(owner)
                pending += owner.operands
    data = _data([op for op in block.ops if op in inside], out)
    scalars = {
        op
        for op in inside
        if isinstance(op, memref.LoadOp)
        and op is not data
        and op.memref is not out
        and not isinstance(op.memref.owner, memref.AllocaOp)
    }
    ops = [op for op in block.ops if op in inside - scalars]
    for op in reversed(ops):
        _stays_outside(op, ops, store)
    loop = _loop(store, "e")
    _move(ops, loop)
    column = loop.body.block.args[0]
    if data is not None:
        _walk(data, column)
    for op in ops:
        if isinstance(op, Access) and op.memref is out:
            _access(op, view, op.indices[0], column)


def _stays_outside(op: Operation, moved: list[Operation], store: memref.StoreOp) -> None:
    """Leave a copy of an operation for those that do not move with it.

    Raises
    ------
    CompileError
        Where it moves to it would not give the same.
    """
    if isinstance(op, memref.LoadOp) and isinstance(op.memref.owner, memref.AllocaOp):
        if not clear(op, store):
            raise refuse(
                op, f"{name_of(op.memref)} changes before the store that this value is needed for"
            )
    others = [use for result in op.results for use in result.uses if use.operation not in moved]
    if not others:
        return
    if isinstance(op, memref.LoadOp) and op.memref is store.memref:
        raise refuse(op, f"{name_of(op.res)} is needed for more than one store")
    copy = op.clone()
    block = op.parent
    assert block is not None
    # Close to where it is needed: what is computed on the other side of a loop is not known there.
    users = {use.operation for use in others}
    place = next((other for other in block.ops if other in users), None)
    cell = isinstance(op, memref.LoadOp)
    if place is not None and (not cell or clear(op, place)):
        block.insert_op_before(copy, place)
    else:
        block.insert_op_after(copy, op)
    for use in others:
        result = copy.results[next(n for n, r in enumerate(op.results) if use in r.uses)]
        use.operation.operands[use.index] = result


def _is_value(op: Operation) -> bool:
    """Whether an operation is a part of what is computed on elements, not of an address."""
    cell = isinstance(op, memref.LoadOp) and isinstance(op.memref.owner, memref.AllocaOp)
    return cell or any(r.type in (f32, i1) for r in op.results)


def _data(inside: list[Operation], out: SSAValue) -> memref.LoadOp | None:
    """The load that is the row: the first of what is found through an index, if there is one."""
    loads = [
        op for op in inside if isinstance(op, memref.LoadOp) and op.memref is not out and op.indices
    ]
    found = [op for op in loads if not all(isinstance(i, BlockArgument) for i in op.indices)]
    return next(iter(found or loads), None)


def _walk(load: memref.LoadOp, column: SSAValue) -> None:
    """A load of the element that is ``column`` further on."""
    assert load.parent is not None
    at = arith.AddiOp(load.indices[-1], column)
    load.parent.insert_op_before(at, load)
    load.operands[len(load.operands) - 1] = at.result
