"""``roll-columns``: columns of a row that were written out become a loop over them again.

A tool that has unrolled a loop over the elements of rows leaves an iteration that works on the
columns ``e``, ``e + 1``, .., or one without such a loop on the columns 0, 1, .., maybe with all
their sums in the ``iter_args`` of one loop. The machine walks rows as a whole:

```
scf.for %e = 0 to 16 step 2 {                    scf.for %e = 0 to 16 step 1 {
  %x = memref.load %t[%r, %e]                      %x = memref.load %t[%r, %e]
  memref.store %x, %out[%b, %e]                    memref.store %x, %out[%b, %e]
  %f = arith.addi %e, 1                          }
  %y = memref.load %t[%r, %f]
  memref.store %y, %out[%b, %f]
}
```

Vectors that were unrolled, at ``e``, ``e + 8``, .., go the same way. Legal if the columns are all
there, at equal distances, if the same is done to each of them, and nothing is computed from two of
them; arrays that are stored to must be accessed at these columns only.

Preserved: every element that is stored, and the order of operations on it. What is not of this form
is left alone.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, cf, memref, scf
from xdsl.dialects.builtin import Float32Type, IndexType, MemRefType, ModuleOp, f32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from ..errors import explain
from ..slc.decouple import ARITHMETIC, CASTS
from ..slc.linear import Linear
from ..streams import constant
from .affine import index, sum_of
from .column_lanes import Access, Lanes, accessed, indices
from .dependences import is_arithmetic, variable
from .simplify import simplify_changed
from .vector_elements import Access as VectorAccess
from .vector_elements import is_repeated, is_vector, lanes


@dataclass(frozen=True)
class RollColumnsPass(ModulePass):
    """Makes loops over columns that were written out; preserves what is stored, and its order."""

    name = "roll-columns"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        simplify_changed(
            ctx, op, lambda function: any([_visit(block) for block in function.body.blocks])
        )


def _visit(block: Block) -> bool:
    """Roll what is in a block; whether anything was."""
    changed = False
    for run in _runs(block):
        changed |= _wrap(run)
    for op in list(block.ops):
        if isinstance(op, scf.ForOp) and _walks(op):
            changed = True
            continue
        for region in op.regions:
            for inner in region.blocks:
                changed |= _visit(inner)
    return changed


def _is_row(op: Operation) -> bool:
    """Whether an operation accesses elements of rows."""
    if not isinstance(op, Access) or (isinstance(op, VectorAccess) and is_repeated(op)):
        return False
    kind = accessed(op).type
    assert isinstance(kind, MemRefType)
    return isinstance(kind.element_type, Float32Type) and kind.get_num_dims() > 1


def _width(accesses: list[Operation]) -> int | None:
    """Elements of each access; None if they differ."""
    widths = {
        1 if isinstance(op, memref.LoadOp | memref.StoreOp) else _elements(op) for op in accesses
    }
    return widths.pop() if len(widths) == 1 else None


def _elements(op: Operation) -> int:
    return next(n for v in (*op.operands, *op.results) if (n := lanes(v.type)) is not None)


def _columns(
    accesses: list[Operation], column: SSAValue | None, width: int
) -> dict[Operation, int] | None:
    """The lane of each access, if their columns are ``width`` apart and all there."""
    places: dict[Operation, Linear] = {}
    for op in accesses:
        assert isinstance(op, Access)
        place = sum_of(indices(op)[-1])
        if column is not None and place.terms.get(column) != 1:
            return None
        places[op] = place if column is None else place.without(column)
    first = min(place.constant for place in places.values())
    if len({frozenset(place.terms.items()) for place in places.values()}) != 1:
        return None
    found = {op: divmod(place.constant - first, width) for op, place in places.items()}
    numbers = {number for number, _ in found.values()}
    if any(rest for _, rest in found.values()) or numbers != set(range(len(numbers))):
        return None
    return {op: number for op, (number, _) in found.items()}


# Loops that were unrolled -----------------------------------------------------------------


def _walks(loop: scf.ForOp) -> bool:
    """Let a loop walk columns one by one; whether it has walked several at once."""
    start, stop, step = (constant(value) for value in (loop.lb, loop.ub, loop.step))
    column = variable(loop)
    accesses = [op for op in loop.body.walk() if _is_row(op) and _at(op, column)]
    width = _width(accesses) if accesses else None
    if start is None or stop is None or step is None or width is None or loop.results:
        return False
    columns = _columns(accesses, column, width)
    if columns is None or len(set(columns.values())) * width != step or step == width:
        return False
    if not _only_columns(loop, columns):
        return False
    found = Lanes(list(loop.body.block.ops), columns)
    if not found.alike():
        return False
    explain(loop, f"walks columns one by one instead of {step // width} at once")
    found.keep_first()
    numbers = [index(start + max(0, -(-(stop - start) // step)) * step), index(width)]
    assert loop.parent is not None
    loop.parent.insert_ops_before(numbers, loop)
    loop.operands[1], loop.operands[2] = (number.result for number in numbers)
    return True


def _at(op: Operation, column: SSAValue) -> bool:
    assert isinstance(op, Access)
    return column in sum_of(indices(op)[-1]).terms


def _only_columns(loop: scf.ForOp, columns: dict[Operation, int]) -> bool:
    """Whether an iteration only works on columns, and its variable is nothing else."""
    pending, seen = [variable(loop)], {variable(loop)}
    while pending:
        for use in pending.pop().uses:
            op = use.operation
            if isinstance(op, (*ARITHMETIC, *CASTS)):
                if op.results[0] not in seen:
                    seen.add(op.results[0])
                    pending.append(op.results[0])
            elif op not in columns or any(i in seen for i in indices(op)[:-1]):  # type: ignore[arg-type]
                return False
    return all(
        op in columns or _is_shared(op) or isinstance(op, scf.ForOp | scf.IfOp | scf.YieldOp)
        for op in loop.body.walk()
    )


def _is_shared(op: Operation) -> bool:
    """Whether an operation may be done once for all columns, or for each of them."""
    plain = isinstance(op, memref.LoadOp | cf.AssertOp) or op.name.startswith("vector.")
    return is_arithmetic(op) or plain


# Columns without a loop -------------------------------------------------------------------


def _runs(block: Block) -> list[list[Operation]]:
    """Operations one after another that may work on columns which are written out."""
    runs: list[list[Operation]] = [[]]
    for op in block.ops:
        if _is_fixed(op) or _hands_on(op) or _is_shared(op):
            runs[-1].append(op)
        else:
            runs.append([])
    return [run for run in runs if any(_is_fixed(op) or _hands_on(op) for op in run)]


def _is_fixed(op: Operation) -> bool:
    """Whether an operation accesses a literal column of rows."""
    if not _is_row(op):
        return False
    assert isinstance(op, Access)
    return not sum_of(indices(op)[-1]).terms


def _hands_on(op: Operation) -> bool:
    """Whether an operation is a loop that hands elements on."""
    return isinstance(op, scf.ForOp) and any(r.type == f32 or is_vector(r) for r in op.results)


def _wrap(run: list[Operation]) -> bool:
    """Put a loop over columns around what is done to each of them; whether it was."""
    accesses = [op for top in run for op in top.walk() if _is_fixed(op)]
    width = _width(accesses) if accesses else None
    columns = _columns(accesses, None, width) if width is not None else None
    if columns is None or len(set(columns.values())) < 2 or width is None:
        return False
    found = Lanes(run, columns)
    if not found.alike():
        return False
    tops = [op for op in run if found.is_lane(op)]
    if not all(_is_closed(op, found, tops) for op in tops):
        return False
    count = len(set(columns.values()))
    explain(tops[0], f"a loop over {count} columns that are written out")
    marker = tops[-1].next_op
    block = tops[-1].parent
    assert block is not None and marker is not None
    # The first lane's operations may be anywhere among the others.
    left = found.keep_first()
    kept = [op for op in left if found.is_lane(op)]
    body = Block(arg_types=[IndexType()])
    body.args[0].name_hint = "e"
    for op in kept:
        op.detach()
        body.add_op(op)
    body.add_op(scf.YieldOp())
    bounds = [index(number) for number in (0, count * width, width)]
    start, stop, step = (bound.result for bound in bounds)
    loop = scf.ForOp(start, stop, step, [], Region(body))
    loop.location = kept[0].location
    block.insert_ops_before([*bounds, loop], marker)
    for op in [op for op in body.walk() if op in columns]:
        _move(op, body.args[0])
    return True


def _is_closed(op: Operation, found: Lanes, tops: list[Operation]) -> bool:
    """Whether what comes out of an operation is used by its lane only."""
    for result in op.results:
        for use in result.uses:
            user = use.operation
            while user.parent is not op.parent:
                parent = user.parent_op()
                assert parent is not None
                user = parent
            if user not in tops or result not in found.values:
                return False
    return True


def _move(op: Operation, column: SSAValue) -> None:
    """Access a further column."""
    assert isinstance(op, Access) and op.parent is not None
    place = indices(op)[-1]
    total = arith.AddiOp(place, column)
    op.parent.insert_op_before(total, op)
    for number, operand in enumerate(op.operands):
        if operand is place and number == _last(op):
            op.operands[number] = total.result


def _last(op: Access) -> int:
    """The number of the operand that is the last index."""
    before = 1 if isinstance(op, memref.LoadOp) or op.results else 2
    return before + len(indices(op)) - 1
