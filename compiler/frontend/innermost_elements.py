"""``innermost-elements``: loops over the elements of rows become the innermost ones.

The machine walks rows as a whole. A front end that keeps sums in registers writes ``for e: for j:
out[b, e] += table[index[j], e]``, and one that thinks of single elements loads the index in the
loop over them. Such a loop is divided: what does not depend on the element is done once, around
loops over elements of what does, in the same order:

```
for e {                                  for e { out[b, e] = 0 }
  out[b, e] = 0                          for j {
  for j {                                  i = index[j]
    i = index[j]                           for e { out[b, e] += table[i, e] }
    out[b, e] += table[i, e]             }
  }
}
```

An element loop is one with literal bounds and at least one iteration whose variable is only used as
the last index of accesses to arrays of f32, and that walks a row of an array that it only reads.
Legal if elements do not depend on each other: each array that is stored to is accessed in one view,
at the loop's variable, in a row that does not depend on it; bounds of loops inside do not depend on
the element; nor does what is stored to a cell, which is one for all elements then. A value that
depends on the element and is used behind a loop is computed again, so it must not be loaded from
what is stored to. Floats, truth values and what is computed from cells are computed again wherever
they are used, because the two sides of a loop share memory only; so a cell must not have changed.

Preserved: what is stored, and for each element the order of it. Everything else is left alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith, cf, func, math, memref, scf
from xdsl.dialects.builtin import Float32Type, MemRefType, ModuleOp, i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain, name_of
from ..slc.decouple import root
from ..streams import constant, is_integer
from .carry_in_memory import clear
from .dependences import Access, accesses, arrays_of, variable
from .simplify import SimplifyPass, drop_unused

#: Operations of an element loop that can be divided.
DIVIDED = (memref.LoadOp, memref.StoreOp, memref.AllocaOp, cf.AssertOp, scf.YieldOp)


@dataclass(frozen=True)
class InnermostElementsPass(ModulePass):
    """Moves loops over elements inwards; preserves each element's order of operations."""

    name = "innermost-elements"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        changed = False
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                for block in function.body.blocks:
                    changed |= _visit(block)
        if changed:
            SimplifyPass().apply(ctx, op)


def _visit(block: Block) -> bool:
    changed = False
    for op in list(block.ops):
        if isinstance(op, scf.ForOp) and _is_element_loop(op):
            changed |= _divide(op)
        else:
            for region in op.regions:
                for inner in region.blocks:
                    changed |= _visit(inner)
    return changed


def _is_element_loop(loop: scf.ForOp) -> bool:
    """Whether a loop walks the elements of rows, and not only these."""
    start, stop, step = (constant(value) for value in (loop.lb, loop.ub, loop.step))
    if loop.results or start is None or stop is None or step is None or step < 1 or start >= stop:
        return False
    column = variable(loop)
    for use in column.uses:
        op = use.operation
        if not isinstance(op, Access) or not _is_column(op, column):
            return False
    _, written = arrays_of(loop)
    return any(
        isinstance(op, memref.LoadOp) and root(op.memref) not in written and column in op.indices
        for op in accesses(loop)
    )


def _is_column(op: Access, column: SSAValue) -> bool:
    kind = op.memref.type
    assert isinstance(kind, MemRefType)
    strides = kind.get_strides()
    return (
        isinstance(kind.element_type, Float32Type)
        and op.indices[-1] is column
        and column not in op.indices[:-1]
        and strides is not None
        and strides[-1] == 1
    )


def _divide(loop: scf.ForOp) -> bool:
    """Divide a loop, if that is legal and changes anything."""
    varying = _Varying(loop)
    here = (varying.ops, varying.derived)
    if all(any(id(op) in ops for ops in here) or _stays(op) for op in loop.body.block.ops):
        return False
    reason = varying.reason() or _Groups(varying).reason()
    if reason is not None:
        explain(loop, f"stays where it is: {reason}")
        return False
    explain(loop, "becomes the innermost loop: elements do not depend on each other")
    _Writer(varying).write()
    return True


def _stays(op: Operation) -> bool:
    """Whether an operation may be in an element loop: what has no effect but an integer."""
    return isinstance(op, scf.YieldOp | arith.ConstantOp)


class _Varying:
    """What depends on the element: operations, by identity; and their results."""

    def __init__(self, loop: scf.ForOp):
        self.loop = loop
        self.column = variable(loop)
        _, self.written = arrays_of(loop)
        self.ops: set[int] = set()
        self.values: set[SSAValue] = {self.column}
        before = -1
        while before != len(self.ops):
            before = len(self.ops)
            self._block(loop.body.block)
        #: Floats, truth values, and what is computed from cells, if the element does not matter.
        self.derived: set[int] = set()
        for op in loop.body.walk():
            if id(op) not in self.ops and self._derives(op):
                self.derived.add(id(op))

    def _derives(self, op: Operation) -> bool:
        if isinstance(op, memref.LoadOp):
            return _is_cell(op.memref)
        if not _is_pure(op) or isinstance(op, arith.ConstantOp):
            return False
        integer = any(is_integer(result.type) and result.type != i1 for result in op.results)
        return not integer or any(id(value.owner) in self.derived for value in op.operands)

    def _block(self, block: Block, *, all_: bool = False) -> None:
        for op in block.ops:
            if all_ or self._varies(op):
                self.ops.add(id(op))
                self.values |= set(op.results)
            inside = all_ or (isinstance(op, scf.IfOp) and id(op) in self.ops)
            for region in op.regions:
                for inner in region.blocks:
                    if inside:
                        self.values |= set(inner.args)
                    self._block(inner, all_=inside)

    def _varies(self, op: Operation) -> bool:
        if any(value in self.values for value in op.operands):
            return True
        if isinstance(op, memref.LoadOp):
            array = root(op.memref)
            return array in self.written and not _is_cell(array)
        # A result that depends on the branch's values.
        return bool(op.results) and any(
            value in self.values
            for region in op.regions
            for block in region.blocks
            if isinstance(block.last_op, scf.YieldOp)
            for value in block.last_op.operands
        )

    def reason(self) -> str | None:
        """Why elements may depend on each other; None if they do not."""
        inside = [op for op in self.loop.walk() if op is not self.loop]
        views: dict[SSAValue, SSAValue] = {}
        for op in inside:
            if isinstance(op, Access):
                reason = self._access(op, views)
            else:
                reason = self._operation(op)
            if reason is not None:
                return reason
        return None

    def _access(self, op: Access, views: dict[SSAValue, SSAValue]) -> str | None:
        array = root(op.memref)
        if _is_cell(array):
            within = array.owner
            assert isinstance(within, Operation)
            if isinstance(op, memref.StoreOp) and id(op) in self.ops:
                return f"{name_of(array)} differs from element to element"
            if isinstance(op, memref.StoreOp) and not _is_inside(within, self.loop):
                return f"{name_of(array)} is written for each element"
            return None
        if array not in self.written:
            return None
        if views.setdefault(array, op.memref) is not op.memref:
            return f"{name_of(array)} is written in several views"
        if not _is_column(op, self.column) or any(i in self.values for i in op.indices[:-1]):
            return f"{name_of(array)} is not only accessed at {name_of(self.column)}"
        return None

    def _operation(self, op: Operation) -> str | None:
        whole = id(op) in self.ops
        if isinstance(op, scf.ForOp):
            if whole or op.results:
                return f"the loop of {name_of(variable(op))} depends on the element"
            return None
        if isinstance(op, scf.IfOp):
            return "a condition has results" if op.results and not whole else None
        return None if _is_pure(op) or isinstance(op, DIVIDED) else f"it has {op.name} in it"


def _is_pure(op: Operation) -> bool:
    return op.name.startswith((f"{arith.Arith.name}.", f"{math.Math.name}."))


def _is_cell(array: SSAValue) -> bool:
    return isinstance(array.owner, memref.AllocaOp)


def _is_inside(op: Operation, loop: scf.ForOp) -> bool:
    parent = op.parent_op()
    while parent is not None and parent is not loop:
        parent = parent.parent_op()
    return parent is loop


Group = list[Operation]


def groups(block: Block, varying: _Varying) -> Iterator[Operation | Group]:
    """What is done once, in order, and lists of what is done for each element."""
    pending: Group = []
    for op in block.ops:
        if isinstance(op, scf.YieldOp) or id(op) in varying.derived:
            continue
        if id(op) in varying.ops:
            pending.append(op)
            continue
        # A counter changes after what was computed with its value.
        if pending and (op.regions or isinstance(op, memref.StoreOp)):
            yield pending
            pending = []
        yield op
    if pending:
        yield pending


@dataclass
class _Groups:
    """Whether values of elements can be computed again where they are used."""

    varying: _Varying
    found: str | None = None
    #: The group that each operation is in.
    where: dict[Operation, int] = field(default_factory=dict)

    def reason(self) -> str | None:
        """Why a value cannot; None if all can."""
        self._block(self.varying.loop.body.block)
        for op, number in self.where.items():
            for inner in op.walk():
                for value in inner.operands:
                    owner = value.owner
                    if isinstance(owner, Operation) and self.where.get(owner, number) != number:
                        if not self._again(owner):
                            return f"{name_of(value)} is needed behind a loop"
        for op in self.varying.loop.body.walk():
            for value in op.operands:
                if id(op) not in self.varying.derived and not self._current(value, op):
                    return f"{name_of(value)} is computed from what a cell no longer holds"
        return None

    def _current(self, value: SSAValue, user: Operation) -> bool:
        """Whether a value that is computed from cells would still be the same."""
        owner = value.owner
        if not isinstance(owner, Operation) or id(owner) not in self.varying.derived:
            return True
        if isinstance(owner, memref.LoadOp):
            return clear(owner, user)
        return all(self._current(operand, user) for operand in owner.operands)

    def _block(self, block: Block) -> None:
        for part in groups(block, self.varying):
            if isinstance(part, list):
                self.where |= dict.fromkeys(part, len(self.where))
                continue
            for region in part.regions:
                for inner in region.blocks:
                    self._block(inner)

    def _again(self, op: Operation) -> bool:
        """Whether an operation has the same result later on."""
        if op not in self.where:
            return True
        if op.regions or isinstance(op, memref.StoreOp):
            return False
        if isinstance(op, memref.LoadOp) and root(op.memref) in self.varying.written:
            return False
        owners = [value.owner for value in op.operands]
        return all(self._again(owner) for owner in owners if isinstance(owner, Operation))


class _Writer:
    """Puts the divided loop in place of the other one."""

    def __init__(self, varying: _Varying):
        self.varying, self.loop = varying, varying.loop

    def write(self) -> None:
        block = Block()
        self._block(self.loop.body.block, block, {})
        drop_unused(block)
        for op in list(block.ops):
            op.detach()
            assert self.loop.parent is not None
            self.loop.parent.insert_op_before(op, self.loop)
        Rewriter.erase_op(self.loop)

    def _block(self, source: Block, target: Block, mapping: dict[SSAValue, SSAValue]) -> None:
        for part in groups(source, self.varying):
            if isinstance(part, list):
                self._elements(part, target, mapping)
            elif isinstance(part, scf.ForOp):
                body = Block(arg_types=part.body.block.arg_types)
                inner = dict(mapping)
                for old, new in zip(part.body.block.args, body.args, strict=True):
                    inner[old] = new
                    new.name_hint = old.name_hint
                self._block(part.body.block, body, inner)
                body.add_op(scf.YieldOp())
                first, end, step = (mapping.get(v, v) for v in (part.lb, part.ub, part.step))
                self._add(target, scf.ForOp(first, end, step, [], Region(body)), part)
            elif isinstance(part, scf.IfOp) and not part.results:
                taken, other = (self._branch(region, mapping) for region in part.regions)
                known = self._known(part, target, mapping)
                condition = known.get(part.cond, part.cond)
                self._add(target, scf.IfOp(condition, [], taken, other), part)
            else:
                new = part.clone(self._known(part, target, mapping))
                mapping |= zip(part.results, new.results, strict=True)
                self._add(target, new, part)

    def _known(
        self, op: Operation, target: Block, mapping: dict[SSAValue, SSAValue]
    ) -> dict[SSAValue, SSAValue]:
        """The values that an operation needs, those that are computed from cells computed anew."""
        known = dict(mapping)
        for value in op.operands:
            self._again(value, target, known, [])
        return known

    def _branch(self, region: Region, mapping: dict[SSAValue, SSAValue]) -> Region:
        if not region.blocks:
            return Region()
        body = Block()
        self._block(region.block, body, dict(mapping))
        body.add_op(scf.YieldOp())
        return Region(body)

    def _elements(
        self, ops: list[Operation], target: Block, mapping: dict[SSAValue, SSAValue]
    ) -> None:
        """A loop over the elements of what depends on them."""
        if not any(isinstance(op, memref.StoreOp) for part in ops for op in part.walk()):
            return
        body = Block(arg_types=self.loop.body.block.arg_types)
        body.args[0].name_hint = self.varying.column.name_hint
        inside = mapping | {self.varying.column: body.args[0]}
        for op in ops:
            for inner in op.walk():
                for value in inner.operands:
                    self._again(value, body, inside, ops)
            self._add(body, op.clone(inside), op)
        body.add_op(scf.YieldOp())
        loop = scf.ForOp(self.loop.lb, self.loop.ub, self.loop.step, [], Region(body))
        self._add(target, loop, self.loop)

    def _again(
        self, value: SSAValue, body: Block, inside: dict[SSAValue, SSAValue], ops: list[Operation]
    ) -> None:
        """Compute a value of another group again."""
        owner = value.owner
        if value in inside or not isinstance(owner, Operation):
            return
        if id(owner) not in self.varying.ops | self.varying.derived:
            return
        if any(owner is inner for op in ops for inner in op.walk()):
            return
        for operand in owner.operands:
            self._again(operand, body, inside, ops)
        self._add(body, owner.clone(inside), owner)

    def _add(self, block: Block, new: Operation, old: Operation) -> None:
        new.location = old.location
        block.add_op(new)
