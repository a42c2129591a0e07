"""What nests of a function read and write, and whether their iterations can be done in turns."""

from xdsl.dialects import arith, math, memref, scf
from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue

from ..errors import name_of
from ..slc.decouple import root
from ..slc.overlap import overlaps
from ..streams import constant
from .affine import sum_of

Access = memref.LoadOp | memref.StoreOp


def accesses(op: Operation) -> list[Access]:
    """The loads and stores in an operation, in order."""
    return [inner for inner in op.walk() if isinstance(inner, Access)]


def is_arithmetic(op: Operation) -> bool:
    """Whether an operation computes, from its operands alone."""
    return op.name.startswith((f"{arith.Arith.name}.", f"{math.Math.name}."))


def arrays_of(op: Operation) -> tuple[set[SSAValue], set[SSAValue]]:
    """The arrays that are read, and those that are written."""
    reads, writes = set(), set()
    for access in accesses(op):
        (writes if isinstance(access, memref.StoreOp) else reads).add(root(access.memref))
    return reads, writes


def walks_loads(nest: scf.ForOp) -> bool:
    """Whether a nest looks rows up: it loads f32, or in loops integers, that no nest writes."""
    return looks_up(nest, nest)


def looks_up(op: Operation, nest: scf.ForOp) -> bool:
    """Whether a part of a nest looks rows up."""
    function = nest.parent_op()
    assert function is not None
    _, written = arrays_of(function)
    return any(
        isinstance(load, memref.LoadOp)
        and root(load.memref) not in written
        and (load.res.type == f32 or _in_loop(load, nest))
        for load in op.walk()
    )


def _in_loop(op: Operation, nest: scf.ForOp) -> bool:
    """Whether an operation is in a loop inside of a nest."""
    around = op.parent_op()
    while around is not nest and not isinstance(around, scf.ForOp):
        assert around is not None
        around = around.parent_op()
    return around is not nest


def continued(nest: scf.ForOp) -> scf.ForOp | None:
    """The last nest before that writes rows which this one begins with a load of."""
    begun: dict[SSAValue, Access] = {}
    for access in accesses(nest):
        begun.setdefault(root(access.memref), access)
    _, writes = arrays_of(nest)
    rows = {
        array
        for array, access in begun.items()
        if array in writes and isinstance(access, memref.LoadOp) and access.indices
    }
    before = nest.prev_op
    while before is not None:
        if isinstance(before, scf.ForOp) and not before.results:
            if rows & arrays_of(before)[1]:
                return before
        before = before.prev_op
    return None


def dependence(first: scf.ForOp, second: scf.ForOp) -> str | None:
    """Why iterations of two nests cannot be done in turns; None if they can."""
    if reason := other_range(first, second):
        return reason
    (reads, writes), (other_reads, other_writes) = arrays_of(first), arrays_of(second)
    for array in (writes & (other_reads | other_writes)) | (reads & other_writes):
        places = {
            (_place(nest, access), access.memref)
            for nest in (first, second)
            for access in accesses(nest)
            if root(access.memref) is array
        }
        apart = not any(overlaps(view.type) for _, view in places)
        if len(places) != 1 or None in (place for place, _ in places) or not apart:
            return (
                f"{name_of(array)} is written, and not only at the row of the same iteration of "
                f"{name_of(variable(first))} and {name_of(variable(second))}"
            )
    return None


def other_range(first: scf.ForOp, second: scf.ForOp) -> str | None:
    """Why two nests do not have the same iterations; None if they have."""
    bounds = [(constant(value), value) for value in (first.lb, first.ub, first.step)]
    others = [(constant(value), value) for value in (second.lb, second.ub, second.step)]
    for (number, value), (other, its) in zip(bounds, others, strict=True):
        if number != other or (number is None and value is not its):
            return f"its range is not that of {name_of(variable(first))} before it"
    return None


def variable(nest: scf.ForOp) -> SSAValue:
    """A loop's variable."""
    return nest.body.block.args[0]


def _place(nest: scf.ForOp, access: Access) -> tuple[int, int] | None:
    """The row of an access as ``n*b + c``; None if it is none."""
    if not access.indices:
        return None
    row = sum_of(access.indices[0])
    factor = row.terms.get(variable(nest), 0)
    return (factor, row.constant) if factor and len(row.terms) == 1 else None


def between(first: scf.ForOp, second: scf.ForOp) -> str | None:
    """Why the first nest cannot move down to the second one; None if it can."""
    reads, writes = arrays_of(first)
    op = first.next_op
    while op is not second:
        assert op is not None
        other_reads, other_writes = arrays_of(op)
        shared = writes & (other_reads | other_writes) | reads & other_writes
        if shared:
            name = name_of(next(iter(shared)))
            return f"between the nests of {name_of(variable(first))} and it, {name} is used"
        op = op.next_op
    return None
