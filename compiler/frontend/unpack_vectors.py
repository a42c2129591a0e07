"""``unpack-vectors``: operations on vectors become loops over elements.

A tool that has vectorized a nest leaves vectors in it, which may go through ``iter_args``. The
machine's vectors are its own, and rows are loops over elements to the compiler. So a loop that
walks a row in steps of a vector walks it in steps of 1; around operations on vectors outside of
such a loop comes one over their elements:

```
scf.for %e = 0 to 16 step 8 {                  scf.for %e = 0 to 16 step 1 {
  %s = scf.for %j .. iter_args(%a = %z)          %s = scf.for %j .. iter_args(%a = %z)
      -> (vector<8xf32>) {                           -> (f32) {
    %x = vector.load %t[%r, %e]                    %x = memref.load %t[%r, %e]
    %y = arith.addf %a, %x                         %y = arith.addf %a, %x
    scf.yield %y                                   scf.yield %y
  }                                              }
  vector.store %s, %out[%b, %e]                  memref.store %s, %out[%b, %e]
}                                              }
```

Legal if an element does not depend on others: loads and stores of consecutive elements
(``vector.load``, ``transfer_read``, .. without masks), equal elements, and elementwise operations.
A ``vector.reduction`` with an accumulator goes on with it element by element, in the list's order.
Elements of a transfer that are not in the array are left out if nothing is stored for them.
Everything else is refused.

Preserved: every element that is stored, and the order of operations on it.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, cf, func, memref, scf, vector
from xdsl.dialects.builtin import IndexType, MemRefType, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain, name_of, refuse
from ..slc.decouple import ARITHMETIC, CASTS, root
from ..streams import constant
from .affine import index, sum_of
from .dependences import is_arithmetic, variable
from .simplify import simplify_changed
from .vector_elements import (
    Access,
    array_of,
    check,
    crosses,
    is_inside,
    is_repeated,
    is_store,
    is_vector,
    lanes,
    places_of,
    to_elements,
    values_of,
)


@dataclass(frozen=True)
class UnpackVectorsPass(ModulePass):
    """Makes loops over elements of vectors; preserves what is stored, and its order."""

    name = "unpack-vectors"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        simplify_changed(ctx, op, _function)


def _function(function: func.FuncOp) -> bool:
    if not function.body.blocks or not any(map(is_vector, values_of(function))):
        return False
    _repeat_at_uses(function)
    for block in function.body.blocks:
        _visit(block)
    return True


def _repeat_at_uses(function: func.FuncOp) -> None:
    """Make equal elements where they are used: a tool makes them once, in front of loops."""
    equal = (arith.ConstantOp, vector.BroadcastOp)
    for op in [op for op in function.walk() if isinstance(op, equal) and crosses(op)]:
        for use in list(op.results[0].uses):
            copy = op.clone()
            assert use.operation.parent is not None
            use.operation.parent.insert_op_before(copy, use.operation)
            use.operation.operands[use.index] = copy.results[0]
        Rewriter.erase_op(op)


def _visit(block: Block) -> None:
    """Unpack what is in a block."""
    for group in _groups(block):
        if any(map(crosses, group)):
            _wrap(block, group)
            continue
        [op] = group
        if isinstance(op, scf.ForOp) and _walks(op):
            continue
        for region in op.regions:
            for inner in region.blocks:
                _visit(inner)


def _groups(block: Block) -> list[list[Operation]]:
    """Operations with vectors, in order; those that vectors go through between are together."""
    groups: list[list[Operation]] = []
    pending: set[Operation] = set()
    for op in block.ops:
        if not any(map(is_vector, values_of(op))):
            continue
        if not pending:
            groups.append([])
        groups[-1].append(op)
        pending.discard(op)
        for result in filter(is_vector, op.results):
            pending |= {_in_block(use.operation, block) for use in result.uses}
    return groups


def _in_block(op: Operation, block: Block) -> Operation:
    """The operation of a block that an operation is, or is in."""
    while op.parent is not block:
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return op


def _width(op: Operation) -> int:
    """Elements of the first vector in an operation."""
    return next(n for value in values_of(op) if (n := lanes(value.type)) is not None)


def _accesses(ops: list[Operation]) -> list[Access]:
    return [op for top in ops for op in top.walk() if isinstance(op, Access)]


# Loops in steps of a vector ---------------------------------------------------------------


def _walks(loop: scf.ForOp) -> bool:
    """Let a loop in steps of a vector walk elements; whether it is one."""
    width = _width(loop)
    column = variable(loop)
    start, stop, step = (constant(value) for value in (loop.lb, loop.ub, loop.step))
    places = [sum_of(places_of(op)[-1]) for op in _accesses([loop]) if not is_repeated(op)]
    if step != width or not places or any(place.terms.get(column) != 1 for place in places):
        return False
    check([loop], width)
    reason = _other_use(loop) or _carries(loop)
    if reason is not None:
        raise refuse(loop, f"it walks vectors, but {reason}")
    if start is None or stop is None:
        raise refuse(loop, "a loop that walks vectors must have literal bounds")
    _refuse_neighbors([loop], width)
    end = start + max(0, -(-(stop - start) // width)) * width
    last = _end(_accesses([loop]), column, start, end)
    explain(loop, f"walks single elements instead of vectors of {width}")
    numbers = [index(last), index(1)]
    assert loop.parent is not None
    loop.parent.insert_ops_before(numbers, loop)
    loop.operands[1], loop.operands[2] = (number.result for number in numbers)
    to_elements(loop, None)
    return True


def _other_use(loop: scf.ForOp) -> str | None:
    """What else depends on the loop's variable or would be done more than once; None if nothing."""
    column = variable(loop)
    derived, pending = {column}, [column]
    while pending:
        for use in pending.pop().uses:
            op = use.operation
            if isinstance(op, (*ARITHMETIC, *CASTS)):
                if op.results[0] not in derived:
                    derived.add(op.results[0])
                    pending.append(op.results[0])
            elif not isinstance(op, Access) or places_of(op)[-1] not in derived:
                return f"{name_of(column)} is not only the first column of vectors"
            elif any(sum_of(place).terms.get(column) for place in places_of(op)[:-1]):
                return f"{name_of(column)} is not only the first column of vectors"
    for op in loop.body.walk():
        plain = isinstance(op, memref.LoadOp | Access | scf.ForOp | scf.IfOp | scf.YieldOp)
        if not plain and not is_arithmetic(op) and not isinstance(op, cf.AssertOp | vector.FMAOp):
            if not isinstance(op, vector.BroadcastOp | vector.ReductionOp):
                return f"it also has {op.name} in it"
    return None


def _carries(loop: scf.ForOp) -> str | None:
    """Why what a loop hands on does not go from element to element; None if it does."""
    end = loop.body.block.last_op
    assert end is not None
    for value, result in zip(loop.body.block.args[1:], end.operands, strict=True):
        owner = result.owner
        if not isinstance(owner, vector.ReductionOp) or owner.acc is not value:
            return f"it hands {name_of(value)} on, which is no reduction"
        if len(list(value.uses)) > 1 or len(list(result.uses)) > 1:
            return f"it hands {name_of(value)} on, and uses it"
    found = [op for op in loop.body.walk() if isinstance(op, vector.ReductionOp)]
    if len(found) != len(end.operands):
        return "it has a reduction that it does not hand on"
    return None


def _refuse_neighbors(ops: list[Operation], width: int) -> None:
    """Refuse elements that depend on others through memory: they are worked on one by one."""
    accesses = _accesses(ops)
    stores = {root(array_of(op)): op for op in accesses if is_store(op)}
    plain = [op for top in ops for op in top.walk() if isinstance(op, memref.LoadOp)]
    for op in (*accesses, *plain):
        array = op.memref if isinstance(op, memref.LoadOp) else array_of(op)
        store = stores.get(root(array))
        if store is None:
            continue
        apart = None
        if not isinstance(op, memref.LoadOp) and array is array_of(store) and not is_repeated(op):
            apart = sum_of(places_of(op)[-1]).plus(sum_of(places_of(store)[-1]), -1)
        if apart is None or apart.terms or 0 < abs(apart.constant) < width:
            raise refuse(
                op,
                f"{name_of(root(array))} is stored to, and elements of it are loaded that another "
                "element of the vector has stored",
            )


def _end(accesses: list[Access], column: SSAValue | None, start: int, end: int) -> int:
    """Where a loop over elements ends, so that all are in their arrays; refused if they are not.

    The loop's variable is ``column``, or is added to all columns.
    """
    last = end
    for op in accesses:
        if is_store(op) and not is_inside(op):
            last = min(last, _elements(op, column))
    for op in accesses:
        if is_repeated(op):
            continue
        if is_store(op) and is_inside(op) and last < end:
            raise refuse(op, f"it stores {end - start} elements, but others {last - start}")
        if not is_store(op) and not is_inside(op) and _elements(op, column) < last:
            raise refuse(op, "elements that are not in the array are stored")
    return max(last, start)


def _elements(op: Access, column: SSAValue | None) -> int:
    """From where on elements are not in the array."""
    place = sum_of(places_of(op)[-1])
    kind = array_of(op).type
    assert isinstance(kind, MemRefType)
    rest = place if column is None else place.without(column)
    size = kind.get_shape()[-1]
    if rest.terms or size < 0:
        raise refuse(op, "elements may not be in the array: say that they are, with in_bounds")
    return size - rest.constant


# Vectors outside of such loops ------------------------------------------------------------


def _wrap(block: Block, touched: list[Operation]) -> None:
    """Put a loop over elements around operations on vectors."""
    first, last = touched[0], touched[-1]
    width = _width(first)
    check(touched, width)
    _refuse_between(first, last, touched)
    _refuse_neighbors(touched, width)
    size = _end(_accesses(touched), None, 0, width)
    reductions = [
        op for top in touched for op in top.walk() if isinstance(op, vector.ReductionOp)
    ]
    for op in reductions:
        inner = [use.operation for use in op.dest.uses if _within(use.operation, touched)]
        if op.parent is not block or inner or (op.acc and _within(op.acc.owner, touched)):
            raise refuse(op, "a reduction must be the last that is done to a vector")
    explain(first, f"a loop over the {width} elements of vectors")
    body = Block(arg_types=[IndexType(), *(op.dest.type for op in reductions)])
    body.args[0].name_hint = "e"
    bounds = [index(number) for number in (0, size, 1)]
    begin = [op.acc for op in reductions if op.acc is not None]
    start, stop, step = (bound.result for bound in bounds)
    loop = scf.ForOp(start, stop, step, begin, Region(body))
    loop.location = first.location
    following = last.next_op
    for op in touched:
        op.detach()
        body.add_op(op)
    new: list[Operation] = [*bounds, loop]
    if following is None:
        block.add_ops(new)
    else:
        block.insert_ops_before(new, following)
    body.add_op(scf.YieldOp(*(op.dest for op in reductions)))
    for op, argument, result in zip(reductions, body.args[1:], loop.results, strict=True):
        argument.name_hint = result.name_hint = op.dest.name_hint
        op.operands[1] = argument
        for use in list(op.dest.uses):
            if not _within(use.operation, [loop]):
                use.operation.operands[use.index] = result
    to_elements(loop, body.args[0])


def _within(op: object, tops: list[Operation]) -> bool:
    """Whether an operation is, or is in, one of several."""
    parent = op if isinstance(op, Operation) else None
    while parent is not None and parent not in tops:
        parent = parent.parent_op()
    return parent is not None


def _refuse_between(first: Operation, last: Operation, touched: list[Operation]) -> None:
    """Move what stands between operations on vectors in front of them; refused if it cannot be."""
    written = {root(array_of(op)) for op in _accesses(touched) if is_store(op)}
    for top in touched:
        for op in top.walk():
            if isinstance(op, memref.StoreOp):
                raise refuse(op, "single elements are stored between operations on vectors")
    op = first.next_op
    while op is not None and op is not last:
        following = op.next_op
        if op not in touched:
            moves = is_arithmetic(op) or (
                isinstance(op, memref.LoadOp) and root(op.memref) not in written
            )
            if not moves or any(_within(value.owner, touched) for value in op.operands):
                raise refuse(op, "stands between operations on vectors, and cannot be done before")
            op.detach()
            assert first.parent is not None
            first.parent.insert_op_before(op, first)
        op = following
