"""``split-elements``: an element that is computed from several rows takes them one after the other.

The machine walks one row at a time. An expression of several rows is a chain if in each of its
operations all rows but one are on one side; what it comes to so far is kept in the output:

```
for e {                                  for e { out[b, e] = first[i, e] }
  x = first[i, e]                        for e { out[b, e] = out[b, e] + second[j, e] }
  y = second[j, e]
  out[b, e] = x + y
}
```

Legal if the loop over elements stores to one row, and what that holds is only looked at before the
first of the rows; elements do not depend on each other. Preserved: every rounding, and what is
stored in the end. Other loops are left alone.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import MemRefType, ModuleOp, f32
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain
from ..slc.decouple import root
from .dependences import is_arithmetic, variable
from .element_loops import is_element_loop
from .places import Place
from .simplify import drop_unused

#: A row that is read: the array and all indices but the last.
Row = tuple[SSAValue, ...]


@dataclass(frozen=True)
class SplitElementsPass(ModulePass):
    """Takes rows one after the other; preserves every rounding and what is stored."""

    name = "split-elements"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                for loop in list(function.walk()):
                    if isinstance(loop, scf.ForOp) and is_element_loop(loop):
                        _visit(loop)


@dataclass(frozen=True)
class _Stage:
    """What is stored, and which of its operation's operands is there already."""

    value: SSAValue
    held: SSAValue | None


def _visit(loop: scf.ForOp) -> None:
    """Divide a loop by the rows that it reads, if it reads several and that is legal."""
    ops = list(loop.body.block.ops)
    stores = [op for op in ops if isinstance(op, memref.StoreOp)]
    plain = all(
        isinstance(op, memref.LoadOp | memref.StoreOp | scf.YieldOp) or is_arithmetic(op)
        for op in ops
    )
    if not plain or not stores or stores[0].value.type != f32:
        return
    home = Place.of(stores[0])
    if variable(loop) is not home.indices[-1] or not all(map(home.same, stores)):
        return
    others = [op for op in ops if isinstance(op, memref.LoadOp) and not home.same(op)]
    if any(root(op.memref) is root(home.array) for op in others):
        return
    copy = loop.clone()
    assert loop.parent is not None
    loop.parent.insert_op_before(copy, loop)
    store = _store_once(copy, home)
    many = len(_rows(store.value, store, copy)) > 1
    stages = _stages(store.value, store, copy) if many else None
    if stages is not None:
        explain(loop, f"divided into {len(stages)}: {len(stages)} rows, one after the other")
        _write(copy, stages)
        Rewriter.erase_op(loop)
    elif many:
        explain(loop, "reads several rows at once: what it computes is no chain")
    Rewriter.erase_op(copy)


def _store_once(loop: scf.ForOp, home: Place) -> memref.StoreOp:
    """Keep what a loop stores on its way in a value; its last store."""
    last: memref.StoreOp | None = None
    column = variable(loop)
    home = Place(home.array, (*home.indices[:-1], column))
    for op in list(loop.body.block.ops):
        if isinstance(op, memref.LoadOp) and last is not None and home.same(op):
            op.res.replace_all_uses_with(last.value)
            Rewriter.erase_op(op)
        elif isinstance(op, memref.StoreOp):
            if last is not None:
                Rewriter.erase_op(last)
            last = op
    assert last is not None
    return last


def _write(loop: scf.ForOp, stages: list[_Stage]) -> None:
    """Put a loop for each stage before a loop."""
    assert loop.parent is not None
    for stage in stages:
        mapping: dict[SSAValue, SSAValue] = {}
        copy = loop.clone(mapping)
        loop.parent.insert_op_before(copy, loop)
        new = next(op for op in copy.body.block.ops if isinstance(op, memref.StoreOp))
        value = mapping[stage.value]
        if stage.held is not None:
            # What was stored so far takes the place of what it was computed from.
            load = memref.LoadOp.get(new.memref, new.indices)
            load.res.name_hint = stage.held.name_hint
            owner = value.owner
            assert isinstance(owner, Operation)
            copy.body.block.insert_op_before(load, owner)
            for number, operand in enumerate(owner.operands):
                if operand is mapping[stage.held]:
                    owner.operands[number] = load.res
        new.operands[0] = value
        drop_unused(copy.body.block)


def _stages(value: SSAValue, store: memref.StoreOp, loop: scf.ForOp) -> list[_Stage] | None:
    """How a value is computed row by row; None if it is no chain."""
    if len(_rows(value, store, loop)) < 2:
        return [_Stage(value, None)]
    owner = value.owner
    if not isinstance(owner, Operation) or not is_arithmetic(owner) or len(list(value.uses)) != 1:
        return None
    operands = sorted(set(owner.operands), key=lambda v: -len(_rows(v, store, loop)))
    for held in operands:
        rest = [operand for operand in owner.operands if operand is not held]
        rows = {row for operand in rest for row in _rows(operand, store, loop)}
        if held.type != f32 or len(rows) > 1 or any(_looks(v, store, loop) for v in rest):
            continue
        before = _stages(held, store, loop) if len(list(held.uses)) == 1 else None
        if before is not None:
            return [*before, _Stage(value, held)]
    return None


def _tree(value: SSAValue, loop: scf.ForOp) -> list[memref.LoadOp]:
    """The loads in the loop that a value is computed from."""
    owner = value.owner
    if not isinstance(owner, Operation) or owner.parent is not loop.body.block:
        return []
    if isinstance(owner, memref.LoadOp):
        return [owner]
    return [load for operand in owner.operands for load in _tree(operand, loop)]


def _rows(value: SSAValue, store: memref.StoreOp, loop: scf.ForOp) -> set[Row]:
    """The rows of other arrays that a value is computed from."""
    column = variable(loop)
    rows: set[Row] = set()
    for load in _tree(value, loop):
        kind = load.memref.type
        assert isinstance(kind, MemRefType)
        is_row = kind.element_type == f32 and load.indices and load.indices[-1] is column
        if is_row and root(load.memref) is not root(store.memref):
            rows.add((load.memref, *load.indices[:-1]))
    return rows


def _looks(value: SSAValue, store: memref.StoreOp, loop: scf.ForOp) -> bool:
    """Whether a value is computed from what the output holds."""
    return any(root(load.memref) is root(store.memref) for load in _tree(value, loop))
