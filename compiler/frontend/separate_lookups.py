"""``separate-lookups``: iterations with several lookups are written out, each lookup a nest.

The layers are one chain of loops with one table, so an iteration cannot look rows up in one table
and then in another. Where that could not become one loop (``roll-lookups``), each iteration of the
outermost loop is written out, and its lookups follow each other as nests of one iteration:

```
for b = 0 to 2 {                          for b = 0 to 1 { out[b] = 0
  out[b] = 0                                for j: out[b] += first[i[j]] }
  for j: out[b] += first[i[j]]            for b = 0 to 1 { for k: out[b] += second[l[k]] }
  for k: out[b] += second[l[k]]           for b = 1 to 2 { out[b] = 0
}                                           for j: out[b] += first[i[j]] }
                                          ..
```

The second nest goes on with the row that the first one has left in the register, which
``promote-accumulator`` sees. An outermost loop with literal bounds that does nothing but run such a
loop is written out, too. Preserved: all that is done, in order.

A nest without such iterations is left alone. One that cannot be written out is refused, with the
reason: each lookup of each iteration is a segment.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain, name_of, refuse
from ..slc.decouple import ARITHMETIC, CASTS, root
from ..streams import constant
from .dependences import arrays_of, looks_up, variable
from .simplify import drop_unused
from .unroll_outer import depth

#: Nests that one is written out to, at most.
MOST_NESTS = 1024


@dataclass(frozen=True)
class SeparateLookupsPass(ModulePass):
    """Makes a nest of each lookup of an iteration; preserves what is done, in order."""

    name = "separate-lookups"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                for nest in list(function.body.block.ops):
                    if isinstance(nest, scf.ForOp) and not nest.results:
                        _separate(nest, 1)


def _separate(nest: scf.ForOp, copies: int) -> None:
    """Write a nest out, if it has an iteration with several lookups."""
    crowded = _crowded(nest, nest)
    if crowded is None:
        return
    inner = next((f for loop in _lookups(nest, nest) if (f := _crowded(loop, nest))), None)
    if inner is not None and _unroll(inner):
        _separate(nest, copies)
        return
    iterations = _iterations(nest, crowded)
    if crowded is nest:
        if inner is not None:
            raise refuse(inner, _around(inner, nest))
        parts = _parts(nest)
        _limit(nest, copies * len(iterations) * len(parts), len(parts))
        explain(nest, f"written out, {len(iterations) * len(parts)} nests: {len(parts)} lookups")
        for number in iterations:
            for part in parts:
                _copy(nest, number, part)
    else:
        if not _only_lookups(nest):
            raise refuse(crowded, _around(crowded, nest))
        _limit(nest, copies * len(iterations), 1)
        for number in iterations:
            for inner in _inline(nest, number):
                _separate(inner, copies * len(iterations))
    Rewriter.erase_op(nest)


def _unroll(loop: scf.ForOp) -> bool:
    """Write a loop with literal bounds out where it stands; whether it is one."""
    start, stop, step = (constant(value) for value in (loop.lb, loop.ub, loop.step))
    if start is None or stop is None or step is None or step < 1 or loop.results:
        return False
    iterations = range(start, stop, step)
    if len(iterations) > MOST_NESTS:
        return False
    explain(loop, f"written out, {len(iterations)} times: its lookups are nests of their own")
    for number in iterations:
        _inline(loop, number)
    Rewriter.erase_op(loop)
    return True


def _crowded(loop: scf.ForOp, nest: scf.ForOp) -> scf.ForOp | None:
    """The outermost loop of which an iteration has several lookups."""
    lookups = _lookups(loop, nest)
    if len(lookups) > 1:
        return loop
    return next((found for inner in lookups if (found := _crowded(inner, nest))), None)


def _lookups(loop: scf.ForOp, nest: scf.ForOp) -> list[scf.ForOp]:
    """The loops in an iteration that look rows up or repeat rows, also under a condition."""
    found: list[scf.ForOp] = []
    for op in loop.body.block.ops:
        found += _in_part(op, nest)
    return found


def _loops(op: Operation) -> Iterable[scf.ForOp]:
    """The outermost loops in a condition."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if isinstance(inner, scf.ForOp):
                    yield inner
                elif isinstance(inner, scf.IfOp):
                    yield from _loops(inner)


def _around(loop: scf.ForOp, nest: scf.ForOp) -> str:
    """Why a loop inside of another one cannot be written out."""
    return (
        f"{_what(loop)}, and to write that out, {name_of(variable(nest))} around must do nothing "
        "but run loops"
    )


def _what(loop: scf.ForOp) -> str:
    """What is wrong with a loop."""
    return (
        f"an iteration of {name_of(variable(loop))} has several loops that look rows up, but the "
        "layers form one chain, which has one table"
    )


def _iterations(nest: scf.ForOp, crowded: scf.ForOp) -> range:
    start, stop, step = (constant(value) for value in (nest.lb, nest.ub, nest.step))
    if start is None or stop is None or step is None or step < 1:
        raise refuse(
            crowded,
            f"{_what(crowded)}, and to write that out, {name_of(variable(nest))} must have literal "
            "bounds",
        )
    return range(start, stop, step)


def _limit(nest: scf.ForOp, nests: int, each: int) -> None:
    if nests > MOST_NESTS:
        raise refuse(
            nest,
            f"written out, because {each} lookups of an iteration are {each} nests, it would be "
            f"{nests} nests, but {MOST_NESTS} are the most",
        )


def _parts(nest: scf.ForOp) -> list[set[int]]:
    """Places of the operations of each part of an iteration; each part has one lookup."""
    ops = list(nest.body.block.ops)
    _, written = arrays_of(nest)
    parts: list[set[int]] = [set()]
    full = False
    where: dict[Operation, int] = {}
    for place, op in enumerate(ops):
        lookups = len(_in_part(op, nest))
        if lookups > 1:
            raise refuse(op, f"{_what(nest)}, and they are under one condition")
        if full and lookups:
            parts.append(set())
        full = full or bool(lookups)
        where[op] = len(parts) - 1
        if _has_effect(op):
            parts[-1].add(place)
    for op, part in where.items():
        if isinstance(op, memref.AllocaOp):
            raise refuse(op, f"{_what(nest)}, and {name_of(op.memref)} is kept for all of them")
        if isinstance(op, memref.LoadOp) and root(op.memref) not in written:
            continue
        if isinstance(op, memref.LoadOp) or op.regions:
            for result in op.results:
                for user in _users(result):
                    if where[_top(user, nest)] != part:
                        raise refuse(
                            user,
                            f"{_what(nest)}, and {name_of(result)} is needed behind one of them",
                        )
    return parts


def _users(value: SSAValue) -> Iterable[Operation]:
    """The operations that a value, or what is computed from it, goes to."""
    for use in value.uses:
        yield use.operation
        if not use.operation.regions:
            for result in use.operation.results:
                yield from _users(result)


def _in_part(op: Operation, nest: scf.ForOp) -> list[scf.ForOp]:
    loops = [op] if isinstance(op, scf.ForOp) else _loops(op)
    return [loop for loop in loops if looks_up(loop, nest) or depth(loop) > 1]


def _top(op: Operation, nest: scf.ForOp) -> Operation:
    """The operation of an iteration that an operation is, or is in."""
    while op.parent_op() is not nest:
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return op


def _has_effect(op: Operation) -> bool:
    pure = (memref.LoadOp, memref.AllocaOp, scf.YieldOp)
    return bool(op.regions) or not (isinstance(op, pure) or op.results)


def _copy(nest: scf.ForOp, number: int, part: set[int]) -> None:
    """One part of one iteration, as a nest before the nest."""
    copy = nest.clone()
    for place, op in reversed(list(enumerate(copy.body.block.ops))):
        if place not in part and _has_effect(op):
            if op.results:
                drop_unused(copy.body.block)
            Rewriter.erase_op(op)
    drop_unused(copy.body.block)
    assert nest.parent is not None
    bounds = [_number(value) for value in (number, number + 1, 1)]
    nest.parent.insert_ops_before([*bounds, copy], nest)
    for place, bound in enumerate(bounds):
        copy.operands[place] = bound.result


def _inline(nest: scf.ForOp, number: int) -> list[scf.ForOp]:
    """One iteration, before the nest; the loops of it."""
    value = _number(number)
    assert nest.parent is not None
    nest.parent.insert_op_before(value, nest)
    mapping: dict[SSAValue, SSAValue] = {variable(nest): value.result}
    loops: list[scf.ForOp] = []
    for op in nest.body.block.ops:
        if isinstance(op, scf.YieldOp):
            continue
        copy = op.clone(mapping)
        nest.parent.insert_op_before(copy, nest)
        if isinstance(copy, scf.ForOp):
            loops.append(copy)
    return loops


def _number(value: int) -> arith.ConstantOp:
    return arith.ConstantOp(IntegerAttr(value, IndexType()))


def _only_lookups(nest: scf.ForOp) -> bool:
    """Whether an iteration runs lookups and computes indices, and no more."""
    allowed = (scf.YieldOp, arith.ConstantOp, *ARITHMETIC, *CASTS)
    lookups = _lookups(nest, nest)
    return all(isinstance(op, allowed) or op in lookups for op in nest.body.block.ops)
