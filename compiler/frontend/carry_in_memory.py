"""``carry-in-memory``: what loops and conditions hand on in registers is kept where it ends up.

Neither unit has state between iterations but the output row and the counter. So a value in
``iter_args``, or the result of a ``scf.if``, gets a *home* in memory:

* An *fp32 value* has the place of an array that it, or what is computed from it, is stored to
  behind the loop: ``%s = scf.for .. iter_args(%a = %z) {.. yield %r}; store %s, %out[%b]`` stores
  ``%z`` to ``%out[%b]``, loads it at the beginning of an iteration, stores ``%r`` at its end. Legal
  if the array is not touched between the loop's beginning and that store, which must be in the
  block of the loop, and if its indices can be computed before it.
* An *integer that grows by a constant*, and that nobody needs after the loop, is computed from the
  loop's variable; but a count that is compared or divided by is the execute unit's.
* An *fp32 cell*, ``memref<f32>``, is no different: it is the place that its value is stored to.
* Any other *integer* has a cell, ``memref<i32>`` or ``memref<i64>``, of its own.
* A value that stays as it is is no loop's.

With that, ``store select(%c, %new, %old)`` of integers compared, where ``%old`` is what the place
holds, is ``if %c { store %new }``. What is stored where it was loaded from goes, and loads move
into the loops and conditions that use them, if nothing is stored there between.

Preserved: every value that is stored, once the nest is over. A value without a home is left alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, math, memref, scf
from xdsl.dialects.builtin import Float32Type, IndexType, IntegerType, MemRefType, ModuleOp, f32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain, name_of
from ..slc.decouple import CASTS, root
from ..streams import constant, is_integer
from .affine import index
from .dependences import Access, accesses, arrays_of
from .simplify import FOLDS, SimplifyPass

#: How the names of operations without an effect begin.
PURE = (f"{arith.Arith.name}.", f"{math.Math.name}.")
#: Bits of integers that a cell holds.
CELL_BITS = (32, 64)


@dataclass(frozen=True)
class Home:
    """A place in memory: an array and the indices of an element, or a cell."""

    array: SSAValue
    indices: tuple[SSAValue, ...] = ()

    @staticmethod
    def of(op: Access) -> "Home":
        """The place of an access."""
        return Home(op.memref, tuple(op.indices))

    def load(self, name: SSAValue) -> memref.LoadOp:
        """What is there, called as another value."""
        load = memref.LoadOp.get(self.array, self.indices)
        load.res.name_hint = name.name_hint
        return load

    def same(self, op: Access) -> bool:
        """Whether an access is at this place, as far as the text shows it."""
        places = [constant(i) if constant(i) is not None else i for i in op.indices]
        own = [constant(i) if constant(i) is not None else i for i in self.indices]
        return op.memref is self.array and places == own


@dataclass(frozen=True)
class CarryInMemoryPass(ModulePass):
    """Keeps carried values in memory; preserves what is stored."""

    name = "carry-in-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        changed = False
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                changed |= _Function(function).run()
        if changed:
            SimplifyPass().apply(ctx, op)


class _Function:
    """One function, from the outside in."""

    def __init__(self, function: func.FuncOp):
        self.function, self.changed = function, False
        _, self.written = arrays_of(function)

    def run(self) -> bool:
        for block in self.function.body.blocks:
            self._block(block)
        if self.changed:
            self._tidy()
        return self.changed

    def _block(self, block: Block) -> None:
        for op in list(block.ops):
            if isinstance(op, scf.ForOp) and op.results:
                op = self._loop(op)
            elif isinstance(op, scf.IfOp) and op.results:
                op = self._condition(op)
            elif isinstance(op, memref.AllocaOp):
                self._cell(op)
            elif isinstance(op, memref.StoreOp):
                self._select(op)
                continue
            for region in op.regions:
                for inner in region.blocks:
                    self._block(inner)

    # Loops --------------------------------------------------------------------------------

    def _loop(self, op: scf.ForOp) -> scf.ForOp:
        """The loop without the values that got a home."""
        block = op.body.block
        kept: list[int] = []
        for number in _floats_first(op):
            if not (self._unchanged(op, number) or self._counts(op, number)):
                if not self._carry(op, number):
                    kept.append(number)
        if len(kept) == len(op.results):
            return op
        self.changed = True
        kept.sort()
        end = block.last_op
        assert isinstance(end, scf.YieldOp)
        values = [end.operands[n] for n in kept]
        Rewriter.replace_op(end, scf.YieldOp(*values), [])
        for number in reversed(range(len(op.results))):
            if number not in kept:
                block.erase_arg(block.args[1 + number])
        new = scf.ForOp(
            op.lb, op.ub, op.step, [op.iter_args[n] for n in kept], op.detach_region(op.body)
        )
        new.location = op.location
        for number, result in zip(kept, new.results, strict=True):
            result.name_hint = op.results[number].name_hint
            op.results[number].replace_all_uses_with(result)
        assert op.parent is not None
        op.parent.insert_op_before(new, op)
        Rewriter.erase_op(op)
        return new

    def _parts(self, op: scf.ForOp, number: int) -> tuple[SSAValue, SSAValue, SSAValue, SSAValue]:
        """What a loop begins with, has in an iteration, hands on, and ends with."""
        end = op.body.block.last_op
        assert end is not None
        argument = op.body.block.args[1 + number]
        return op.iter_args[number], argument, end.operands[number], op.results[number]

    def _unchanged(self, op: scf.ForOp, number: int) -> bool:
        """A value that stays as it is, or that nobody looks at."""
        first, argument, handed_on, result = self._parts(op, number)
        unused = not argument.uses and not result.uses
        if handed_on is not argument and handed_on is not first and not unused:
            return False
        for value in (argument, result):
            value.replace_all_uses_with(first)
        return True

    def _counts(self, op: scf.ForOp, number: int) -> bool:
        """An integer that grows by a constant: computed from the loop's variable."""
        first, argument, handed_on, result = self._parts(op, number)
        step, pace = constant(op.step), _growth(argument, handed_on)
        if step is None or step < 1 or pace is None or pace % step or result.uses:
            return False
        if pace == 1 and _fits_cell(argument.type) and _is_looked_at(argument):
            return False
        block = op.body.block
        walked = arith.SubiOp(block.args[0], op.lb)
        factor = index(pace // step)
        ops: list[Operation] = [walked, factor, arith.MuliOp(walked, factor)]
        if argument.type != ops[-1].results[0].type:
            ops.append(arith.IndexCastOp(ops[-1].results[0], argument.type))
        ops.append(arith.AddiOp(first, ops[-1].results[0]))
        ops[-1].results[0].name_hint = argument.name_hint
        place = block.first_op
        assert place is not None
        block.insert_ops_before(ops, place)
        explain(op, f"{name_of(argument)} is computed from {name_of(block.args[0])}")
        argument.replace_all_uses_with(ops[-1].results[0])
        return True

    def _carry(self, op: scf.ForOp, number: int) -> bool:
        """Give a value a home; whether there is one."""
        first, argument, handed_on, result = self._parts(op, number)
        home = self._home(op, result, "the loop")
        if home is None:
            return False
        block, around = op.body.block, op.parent
        begin, end = block.first_op, block.last_op
        assert begin is not None and end is not None and around is not None
        explain(op, f"{name_of(argument)} is kept in {name_of(home.array)}")
        self._store(first, home, op)
        load = home.load(argument)
        block.insert_op_before(load, begin)
        argument.replace_all_uses_with(load.res)
        # What is handed on may just have become the load.
        value = end.operands[number]
        self._store(value, home, _before_counting(end) if value.type == f32 else end)
        self._load_behind(op, result, home)
        return True

    # Conditions ---------------------------------------------------------------------------

    def _condition(self, op: scf.IfOp) -> scf.IfOp:
        """The condition without the results that got a home."""
        kept: list[int] = []
        for number in _floats_first(op):
            result = op.results[number]
            home = self._home(op, result, "the condition") if result.uses else None
            if result.uses and home is None:
                kept.append(number)
            if home is not None:
                explain(op, f"{name_of(result)} is kept in {name_of(home.array)}")
                for region in (op.true_region, op.false_region):
                    end = region.block.last_op
                    assert end is not None
                    self._store(end.operands[number], home, end)
                self._load_behind(op, result, home)
        if len(kept) == len(op.results):
            return op
        self.changed = True
        kept.sort()
        for region in (op.true_region, op.false_region):
            end = region.block.last_op
            assert isinstance(end, scf.YieldOp)
            Rewriter.replace_op(end, scf.YieldOp(*(end.operands[n] for n in kept)), [])
        # Regions have numbers: the last one first.
        other, taken = op.detach_region(op.false_region), op.detach_region(op.true_region)
        new = scf.IfOp(op.cond, [op.results[n].type for n in kept], taken, other)
        new.location = op.location
        for number, result in zip(kept, new.results, strict=True):
            result.name_hint = op.results[number].name_hint
            op.results[number].replace_all_uses_with(result)
        assert op.parent is not None
        op.parent.insert_op_before(new, op)
        Rewriter.erase_op(op)
        return new

    def _select(self, store: memref.StoreOp) -> None:
        """A choice between a new value and the one that is there: a store under a condition."""
        select = store.value.owner
        if not isinstance(select, arith.SelectOp) or not _compares_integers(select.cond):
            return
        home = Home.of(store)
        olds = [self._is_there(value, home, store) for value in (select.lhs, select.rhs)]
        if sum(olds) != 1 or isinstance(home.array.owner, memref.AllocaOp):
            return
        new, keeps = (select.lhs, False) if olds[1] else (select.rhs, True)
        branch = Region(Block([memref.StoreOp.get(new, home.array, home.indices), scf.YieldOp()]))
        empty = Region(Block([scf.YieldOp()]))
        taken, other = (empty, branch) if keeps else (branch, Region())
        condition = scf.IfOp(select.cond, [], taken, other)
        condition.location = store.location
        explain(store, "a store under a condition: else the value stays")
        Rewriter.replace_op(store, condition)
        if not select.result.uses:
            Rewriter.erase_op(select)
        self.changed = True

    # Cells --------------------------------------------------------------------------------

    def _cell(self, op: memref.AllocaOp) -> None:
        """Keep an fp32 cell where its value is stored to in the end."""
        uses = [use.operation for use in op.memref.uses]
        kind = op.memref.type
        if not isinstance(kind, MemRefType) or kind.element_type != f32 or kind.get_shape() != ():
            return
        if not all(isinstance(use, Access) and use.memref is op.memref for use in uses):
            return
        loads = [use for use in uses if isinstance(use, memref.LoadOp) and use.parent is op.parent]
        stores = [store for load in loads for store in _stores_of(op, load.res)]
        store = next((s for s in stores if s.memref is not op.memref), None)
        if store is None or any(not _is_around(op, use, store) for use in uses):
            explain(op, f"{name_of(op.memref)} is stored to no place behind all that works on it")
            return
        home = Home.of(store)
        reason = self._taken(op, store, home)
        if reason is not None:
            explain(op, f"{name_of(op.memref)} is not kept in {name_of(home.array)}: {reason}")
            return
        explain(op, f"{name_of(op.memref)} is kept in {name_of(home.array)}")
        for use in uses:
            assert use.parent is not None
            if isinstance(use, memref.LoadOp):
                load = home.load(use.res)
                use.parent.insert_op_before(load, use)
                use.res.replace_all_uses_with(load.res)
            elif isinstance(use, memref.StoreOp):
                moved = memref.StoreOp.get(use.value, home.array, home.indices)
                moved.location = use.location
                use.parent.insert_op_before(moved, use)
            Rewriter.erase_op(use)
        Rewriter.erase_op(op)
        self.changed = True

    # Homes --------------------------------------------------------------------------------

    def _home(self, op: Operation, result: SSAValue, what: str) -> Home | None:
        """Where a result can be kept; a cell is made for it."""
        store = next(iter(_stores_of(op, result)), None)
        if store is not None:
            home = Home.of(store)
            reason = self._taken(op, store, home)
            if reason is None:
                return home
            explain(op, f"{name_of(result)} is not kept in {name_of(home.array)}: {reason}")
        kind = result.type
        if _fits_cell(kind):
            if isinstance(op, scf.ForOp):
                cell = memref.AllocaOp.get(kind, shape=[])
                cell.memref.name_hint = result.name_hint or "carried"
                assert op.parent is not None
                op.parent.insert_op_before(cell, op)
                return Home(cell.memref)
        elif isinstance(kind, Float32Type) and store is None:
            explain(op, f"{name_of(result)} is stored to no place behind {what}")
        return None

    def _taken(self, op: Operation, store: memref.StoreOp, home: Home) -> str | None:
        """Why a result cannot be kept where it is stored to."""
        between: Operation | None = op
        while between is not store:
            assert between is not None
            if any(root(access.memref) is root(home.array) for access in accesses(between)):
                return "it is used before that"
            between = between.next_op
        for value in (home.array, *home.indices):
            if not self._moves(value, op):
                return f"{name_of(value)} is only known behind it"
        for value in (home.array, *home.indices):
            self._move(value, op)
        return None

    def _moves(self, value: SSAValue, op: Operation) -> bool:
        """Whether a value is known before an operation, or can be."""
        owner = value.owner
        if not isinstance(owner, Operation) or owner.parent is not op.parent:
            return True
        if _is_before(owner, op):
            return True
        computes = type(owner) in FOLDS or isinstance(owner, (*CASTS, arith.ConstantOp))
        reads = isinstance(owner, memref.LoadOp) and root(owner.memref) not in self.written
        return (computes or reads) and all(self._moves(v, op) for v in owner.operands)

    def _move(self, value: SSAValue, op: Operation) -> None:
        owner = value.owner
        if isinstance(owner, Operation) and owner.parent is op.parent and op.parent is not None:
            if not _is_before(owner, op):
                for operand in owner.operands:
                    self._move(operand, op)
                owner.detach()
                op.parent.insert_op_before(owner, op)

    def _store(self, value: SSAValue, home: Home, place: Operation) -> None:
        """Store a value before an operation, if it is not there already."""
        if not self._is_there(value, home, place):
            assert place.parent is not None
            store = memref.StoreOp.get(value, home.array, home.indices)
            store.location = place.location
            place.parent.insert_op_before(store, place)

    def _load_behind(self, op: Operation, result: SSAValue, home: Home) -> None:
        if result.uses:
            load = home.load(result)
            assert op.parent is not None
            op.parent.insert_op_after(load, op)
            result.replace_all_uses_with(load.res)

    def _is_there(self, value: SSAValue, home: Home, place: Operation) -> bool:
        """Whether a value is what was loaded from a place, to which nothing was stored since."""
        owner = value.owner
        return isinstance(owner, memref.LoadOp) and home.same(owner) and clear(owner, place)

    # Afterwards ---------------------------------------------------------------------------

    def _tidy(self) -> None:
        """Drop what is stored where it was loaded, and load where a value is used."""
        for op in list(self.function.walk()):
            if isinstance(op, memref.StoreOp) and self._is_there(op.value, Home.of(op), op):
                Rewriter.erase_op(op)
            elif isinstance(op, memref.StoreOp) and isinstance(op.memref.owner, memref.AllocaOp):
                _count_here(op)
        _, written = arrays_of(self.function)
        for op in reversed(list(self.function.walk())):
            if isinstance(op, memref.LoadOp) and root(op.memref) in written:
                _sink(op)
            else:
                _into_condition(op)


def _before_counting(end: Operation) -> Operation:
    """Where counters begin to change, at the end of an iteration."""

    def counts(op: Operation | None) -> bool:
        if isinstance(op, Access):
            kind = op.memref.type
            assert isinstance(kind, MemRefType)
            return isinstance(op.memref.owner, memref.AllocaOp) and is_integer(kind.element_type)
        return isinstance(op, arith.AddiOp)

    place = end
    while counts(place.prev_op):
        assert place.prev_op is not None
        place = place.prev_op
    return place


def _floats_first(op: Operation) -> list[int]:
    """The numbers of results: counters change after what was computed with their values."""
    return sorted(range(len(op.results)), key=lambda n: op.results[n].type != f32)


def _is_around(op: Operation, use: Operation, last: Operation) -> bool:
    """Whether an operation is, in the block of ``op``, before the last one."""
    while use.parent is not op.parent:
        parent = use.parent_op()
        if parent is None:
            return False
        use = parent
    return _is_before(use, last)


def _growth(argument: SSAValue, handed_on: SSAValue) -> int | None:
    """The constant that is added to an argument in each iteration."""
    owner = handed_on.owner
    if not isinstance(argument.type, IndexType | IntegerType):
        return None
    if isinstance(owner, arith.AddiOp):
        for value, added in ((owner.lhs, owner.rhs), (owner.rhs, owner.lhs)):
            if value is argument:
                return constant(added)
    return None


def _fits_cell(kind: Attribute) -> bool:
    return isinstance(kind, IntegerType) and kind.width.data in CELL_BITS


def _is_looked_at(number: SSAValue) -> bool:
    """Whether the execute unit needs a count: it compares it, or divides by it."""
    looks = (arith.CmpiOp, arith.UIToFPOp, arith.SIToFPOp)
    return any(isinstance(use.operation, looks) for use in number.uses)


def _stores_of(op: Operation, result: SSAValue) -> Iterator[memref.StoreOp]:
    """Stores behind an operation, in its block, of its result or what is computed from it."""
    pending, seen = [result], {result}
    found: list[memref.StoreOp] = []
    while pending:
        value = pending.pop()
        for use in value.uses:
            user = use.operation
            if isinstance(user, memref.StoreOp):
                if user.value is value and user.parent is op.parent:
                    found.append(user)
                continue
            results: Sequence[SSAValue] = ()
            if user.name.startswith(PURE):
                results = user.results
            elif isinstance(user, scf.YieldOp) and isinstance(around := user.parent_op(), scf.IfOp):
                results = [around.results[use.index]]
            for following in results:
                if following not in seen:
                    seen.add(following)
                    pending.append(following)
    order = {id(store): n for n, store in enumerate(op.parent.ops)} if op.parent else {}
    yield from sorted(found, key=lambda store: order[id(store)])


def _compares_integers(condition: SSAValue) -> bool:
    """Whether a condition is one that may be around loads."""
    owner = condition.owner
    if isinstance(owner, arith.AndIOp | arith.OrIOp):
        return all(map(_compares_integers, owner.operands))
    return isinstance(owner, arith.CmpiOp)


def _is_before(first: Operation, second: Operation) -> bool:
    """Whether the first of two operations of a block is the earlier one."""
    op: Operation | None = first
    while op is not None:
        if op is second:
            return True
        op = op.next_op
    return False


def clear(load: memref.LoadOp, place: Operation) -> bool:
    """Whether nothing is stored to a load's array after it and before ``place``."""

    def stores(op: Operation) -> bool:
        return any(
            isinstance(access, memref.StoreOp) and root(access.memref) is root(load.memref)
            for access in accesses(op)
        )

    op = place
    while True:
        before = op.prev_op
        while before is not None and before is not load:
            if stores(before):
                return False
            before = before.prev_op
        if before is load:
            return True
        parent = op.parent_op()
        if parent is None or isinstance(parent, func.FuncOp):
            return False
        # A loop comes back to its beginning.
        if not isinstance(parent, scf.IfOp) and stores(parent):
            return False
        op = parent


def _count_here(store: memref.StoreOp) -> None:
    """Compute the next value of a cell where it is stored, beside what else is done there."""
    following = store.value.owner
    if not isinstance(following, arith.AddiOp) or following.parent is not store.parent:
        return
    count, block = following.lhs.owner, store.parent
    alone = all(use.operation is store for use in following.result.uses)
    if not alone or block is None or not isinstance(count, memref.LoadOp):
        return
    if not Home.of(store).same(count) or not clear(count, store):
        return
    following.detach()
    block.insert_op_before(following, store)
    again = Home.of(count).load(count.res)
    block.insert_op_before(again, following)
    following.operands[0] = again.res
    if not count.res.uses:
        Rewriter.erase_op(count)


def _into_condition(op: Operation) -> None:
    """Compute, or load, a float in the branch that alone uses it."""
    pure = isinstance(op, memref.LoadOp) or op.name.startswith(PURE)
    users = [use.operation for result in op.results for use in result.uses]
    branches = {user.parent for user in users}
    if not pure or len(branches) != 1 or any(result.type != f32 for result in op.results):
        return
    [branch] = branches
    assert branch is not None
    condition = branch.parent_op()
    if isinstance(condition, scf.IfOp) and condition.parent is op.parent:
        first = next(inner for inner in branch.ops if inner in users)
        op.detach()
        branch.insert_op_before(op, first)


def _sink(load: memref.LoadOp) -> None:
    """Load again in the loops and conditions that use the value."""
    blocks: dict[Block, Operation] = {}
    for use in load.res.uses:
        user = use.operation
        if user.parent is not None and user.parent is not load.parent:
            first = blocks.setdefault(user.parent, user)
            if _is_before(user, first):
                blocks[user.parent] = user
    for block, user in blocks.items():
        if not clear(load, user):
            continue
        again = Home.of(load).load(load.res)
        again.location = load.location
        block.insert_op_before(again, user)
        for use in list(load.res.uses):
            if use.operation.parent is block and clear(load, use.operation):
                use.operation.operands[use.index] = again.res
    if not load.res.uses:
        Rewriter.erase_op(load)
