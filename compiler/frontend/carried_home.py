"""Where a value can be kept: the place that it, or what is computed from it, is stored to."""

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import Float32Type, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from ..errors import explain, name_of
from ..slc.decouple import CASTS, root
from .dependences import accesses, arrays_of, is_arithmetic
from .places import Place, is_before
from .simplify import FOLDS

#: Bits of integers that a cell holds.
CELL_BITS = (32, 64)


def home_of(op: scf.ForOp | scf.IfOp, result: SSAValue) -> Place | None:
    """Where a result can be kept; a cell is made for an integer of a loop."""
    store = next(iter(stores_of(op, result)), None)
    if store is not None:
        home = Place.of(store)
        reason = taken(op, store)
        if reason is None:
            return home
        explain(op, f"{name_of(result)} is not kept in {name_of(home.array)}: {reason}")
    loop = isinstance(op, scf.ForOp)
    kind = result.type
    if loop and fits_cell(kind):
        cell = memref.AllocaOp.get(kind, shape=[])
        cell.memref.name_hint = result.name_hint or "carried"
        assert op.parent is not None
        op.parent.insert_op_before(cell, op)
        return Place(cell.memref)
    if store is None and isinstance(kind, Float32Type):
        what = "the loop" if loop else "the condition"
        explain(op, f"{name_of(result)} is stored to no place behind {what}")
    return None


def fits_cell(kind: Attribute) -> bool:
    """Whether a cell can hold a type."""
    return isinstance(kind, IntegerType) and kind.width.data in CELL_BITS


def stores_of(op: Operation, result: SSAValue) -> Iterator[memref.StoreOp]:
    """Stores behind an operation, in its block, of its result or what is computed from it.

    Only those to arrays that can hold the result too.
    """
    pending, seen = [result], {result}
    found: list[memref.StoreOp] = []
    while pending:
        value = pending.pop()
        for use in value.uses:
            user = use.operation
            if isinstance(user, memref.StoreOp):
                here = user.value is value and user.parent is op.parent
                if here and value.type == result.type:
                    found.append(user)
                continue
            results: Sequence[SSAValue] = ()
            if is_arithmetic(user):
                results = user.results
            elif isinstance(user, scf.YieldOp) and isinstance(around := user.parent_op(), scf.IfOp):
                results = [around.results[use.index]]
            for following in results:
                if following not in seen:
                    seen.add(following)
                    pending.append(following)
    order = {id(store): n for n, store in enumerate(op.parent.ops)} if op.parent else {}
    yield from sorted(found, key=lambda store: order[id(store)])


def taken(op: Operation, store: memref.StoreOp) -> str | None:
    """Why a result cannot be kept where it is stored to; if it can, the place is known before."""
    between: Operation | None = op
    while between is not store:
        assert between is not None
        if any(root(access.memref) is root(store.memref) for access in accesses(between)):
            return "it is used before that"
        between = between.next_op
    for value in (store.memref, *store.indices):
        if not _moves(value, op, _written(op)):
            return f"{name_of(value)} is only known behind it"
    for value in (store.memref, *store.indices):
        _move(value, op)
    return None


def _written(op: Operation) -> set[SSAValue]:
    """What the function around an operation stores to."""
    while not isinstance(op, func.FuncOp):
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return arrays_of(op)[1]


def _moves(value: SSAValue, op: Operation, written: set[SSAValue]) -> bool:
    """Whether a value is known before an operation, or can be."""
    owner = value.owner
    if not isinstance(owner, Operation) or owner.parent is not op.parent:
        return True
    if is_before(owner, op):
        return True
    computes = type(owner) in FOLDS or isinstance(owner, (*CASTS, arith.ConstantOp))
    reads = isinstance(owner, memref.LoadOp) and root(owner.memref) not in written
    return (computes or reads) and all(_moves(v, op, written) for v in owner.operands)


def _move(value: SSAValue, op: Operation) -> None:
    """Compute a value before an operation."""
    owner = value.owner
    if isinstance(owner, Operation) and owner.parent is op.parent and op.parent is not None:
        if not is_before(owner, op):
            for operand in owner.operands:
                _move(operand, op)
            owner.detach()
            op.parent.insert_op_before(owner, op)
