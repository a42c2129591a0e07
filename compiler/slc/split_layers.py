"""``split-layers``: an iteration that is too much for one layer is divided between several.

A layer loads at addresses that it is given, not at those that it has just computed or loaded; it
has two loads, one integer operation with one literal, and one value that it skips. What does not
fit moves, with all that comes after it, into a loop of one iteration, which takes a layer of its
own:

```
%i = slc.load %first[%j]                %i = slc.load %first[%j]
%k = slc.load %second[%i]               slc.loop (%once = 0 to 1 step 1) {
..                                        %k = slc.load %second[%i]
                                          ..
```

A load that is to skip a value which its own check would report (-1, as padding) is done twice:
the first time it only skips, the second time its value is checked. So is one that skips two values.

Preserved: every value, and the order of all that is skipped, checked and called back. A nest for
which the layers would not suffice is refused, with what it needs them for.
"""

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import Float32Type, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain, name_of, refuse
from . import dialect as slc
from .vectorize import loads_floats, offset_of

LOADS, INTEGER_OPS = 2, 1
Access = slc.LoadOp | slc.LoadPairOp | slc._Arithmetic


@dataclass(frozen=True)
class SplitLayersPass(ModulePass):
    """Divides iterations between layers; preserves values and order."""

    name = "split-layers"

    layers: int = 3

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, slc.FuncOp):
                for loop in slc.inner_loops(function.body.block):
                    _nest(loop, self.layers)


def _nest(outermost: slc.LoopOp, layers: int) -> None:
    loop, depth = outermost, 0
    while True:
        inner = slc.inner_loops(loop.body.block)
        if len(inner) > 1 or loads_floats(loop) and not inner:
            return
        depth += 1
        late = _Layer(loop).late()
        if late is None and not inner:
            return
        if late is None:
            [loop] = inner
            continue
        op, reason = late
        # A nest that only fills rows has a layer for a row all the same.
        needed = depth + 1 + (_loops(inner[0]) if inner else 1)
        if needed > layers:
            raise refuse(
                op,
                f"{reason}; a further layer would do it, but then the nest has {needed} of them "
                f"and the configuration {layers} (layers)",
            )
        explain(op, f"goes to a further layer: {reason}")
        loop = _split(loop, op)


def _loops(loop: slc.LoopOp) -> int:
    """Loops of a nest; where it branches, of its first branch."""
    inner = slc.inner_loops(loop.body.block)
    return 1 + (_loops(inner[0]) if inner else 0)


@dataclass
class _Layer:
    """What one layer does of a loop's body."""

    loop: slc.LoopOp
    #: Results of loads, and of integer operations.
    loaded: set[SSAValue] = field(default_factory=set)
    computed: set[SSAValue] = field(default_factory=set)
    #: The numbers that the integer operation and bounds need; 0 is always there.
    literals: set[int] = field(default_factory=set)
    integers: int = 0
    loads: int = 0
    special: int = 0

    def late(self) -> tuple[Operation, str] | None:
        """The first operation that does not fit, and why; None if all do."""
        called = False
        for op in self.loop.body.block.ops:
            called = called or isinstance(op, slc.CallbackOp | slc.LoopOp)
            reason = None
            if isinstance(op, slc.LoopOp):
                reason = self._bounds(op)
            if isinstance(op, slc.LoadOp | slc.LoadPairOp):
                reason = self._load(op)
            elif isinstance(op, slc._Arithmetic):
                reason = self._integer(op)
            elif isinstance(op, slc.CheckOp | slc.SkipOp):
                reason = self._condition(op, called)
            if reason is not None:
                return op, reason
        return None

    def _load(self, op: slc.LoadOp | slc.LoadPairOp) -> str | None:
        index, _ = offset_of(op)
        if index in self.loaded | self.computed:
            return f"the index {name_of(index)} is computed in the layer that is to load with it"
        if self.loads == LOADS:
            return f"a layer has {LOADS} loads, and this is one more"
        special = isinstance(op, slc.LoadPairOp) or bool(_skips(op))
        if special and self.special:
            return "a layer has 1 load of pairs or with a value to skip, and this is one more"
        self.special += special
        self.loads += 1
        self.loaded |= set(op.results)
        return None

    def _integer(self, op: slc._Arithmetic) -> str | None:
        second = op.second
        if _is_offset(op):
            if op.lhs in self.loaded | self.computed:
                self.computed.add(op.result)
            return None
        if any(operand in self.computed for operand in op.operands):
            return f"{name_of(op.result)} is computed from what the layer has just computed"
        if self.integers == INTEGER_OPS:
            return f"a layer has {INTEGER_OPS} integer operation, and this is one more"
        numbers = [v.owner.number for v in op.operands if isinstance(v.owner, slc.ConstOp)]
        if isinstance(second, int):
            numbers.append(abs(second) if isinstance(op, slc.AddOp | slc.SubOp) else second)
        if not self._room(numbers):
            return "a layer has 1 literal, and this needs another one"
        self.integers += 1
        self.computed.add(op.result)
        return None

    def _bounds(self, loop: slc.LoopOp) -> str | None:
        """A literal beside a loaded bound is a value of the layer above."""
        literals = [bound for bound in loop.bounds if isinstance(bound, int)]
        if len(literals) == 1 and not self._room(literals):
            return "a layer has 1 literal, and a bound of the loop needs another one"
        return None

    def _room(self, numbers: list[int]) -> bool:
        literals = self.literals | set(numbers) - {0}
        if len(literals) > 1:
            return False
        self.literals = literals
        return True

    def _condition(self, op: slc.CheckOp | slc.SkipOp, called: bool) -> str | None:
        if op.value not in self.loaded:
            return f"{name_of(op.value)} is loaded further out"
        if called:
            return "a layer checks and skips before it calls back"
        load = op.value.owner
        if not isinstance(load, slc.LoadOp):
            return None
        skips, limit = _skips(load), _limit(load)
        if isinstance(op, slc.SkipOp):
            return None if op is skips[0] else "a load skips 1 value, and this is one more"
        first = skips[0].unwanted.value.data if skips else None
        if first is not None and limit is not None and not 0 <= first < limit:
            return f"a layer checks before it skips, and {first} would not pass"
        return None


def _is_offset(op: slc._Arithmetic) -> bool:
    """Whether nobody has to compute it: a part of an address, or the end of an index loop."""

    def free(user: Operation) -> bool:
        if isinstance(user, slc.LoopOp):
            return user.start is op.lhs and user.stop is op.result
        return isinstance(user, slc.LoadOp)

    literal = isinstance(op, slc.AddOp) and isinstance(op.second, int)
    return literal and all(free(use.operation) for use in op.result.uses)


def _skips(load: slc.LoadOp | slc.LoadPairOp) -> list[slc.SkipOp]:
    ops = load.parent.ops if load.parent is not None else ()
    return [op for op in ops if isinstance(op, slc.SkipOp) and op.value in load.results]


def _limit(load: slc.LoadOp) -> int | None:
    limits = [
        use.operation.limit.value.data
        for use in load.result.uses
        if isinstance(use.operation, slc.CheckOp)
    ]
    return min(limits, default=None)


def _split(loop: slc.LoopOp, late: Operation) -> slc.LoopOp:
    """Move an operation, and all after it, to a loop of one iteration."""
    once = slc.LoopOp(0, 1, 1)
    once.induction.name_hint = "once"
    once.location = late.location
    block = loop.body.block
    rest: list[Operation] = []
    op: Operation | None = late
    while op is not None:
        rest.append(op)
        op = op.next_op
    block.insert_op_before(once, late)
    for op in rest:
        op.detach()
        once.body.block.add_op(op)
        if isinstance(op, slc.LoadPairOp):
            _unpair(op)
    if isinstance(late, slc.CheckOp | slc.SkipOp):
        _again(late, once)
    return once


def _unpair(pair: slc.LoadPairOp) -> None:
    """Two loads: pairs are of neighbours of the loop's variable, which this loop has not."""
    following = slc.AddOp(pair.indices[0], 1)
    loads = [slc.LoadOp(pair.array, pair.indices), slc.LoadOp(pair.array, [following.result])]
    assert pair.parent is not None
    pair.parent.insert_ops_before([following, *loads], pair)
    for old, load in zip(pair.results, loads, strict=True):
        load.result.name_hint = old.name_hint
        old.replace_all_uses_with(load.result)
    Rewriter.erase_op(pair)


def _again(late: slc.CheckOp | slc.SkipOp, once: slc.LoopOp) -> None:
    """The value that is checked or skipped is loaded by the layer that does it."""
    load = late.value.owner
    if not isinstance(load, slc.LoadOp) or isinstance(load.result.type, Float32Type):
        raise refuse(late, f"{name_of(late.value)} must be one loaded integer")
    index, offset = offset_of(load)
    first = once.body.block.first_op
    assert first is not None
    if offset:
        place = slc.AddOp(index, offset)
        once.body.block.insert_op_before(place, first)
        index = place.result
    again = slc.LoadOp(load.array, [index])
    again.result.name_hint = load.result.name_hint
    once.body.block.insert_op_before(again, first)
    for use in list(load.result.uses):
        if _inside(use.operation, once):
            use.operation.operands[use.index] = again.result


def _inside(op: Operation, loop: slc.LoopOp) -> bool:
    parent: Operation | None = op
    while parent is not None and parent is not loop:
        parent = parent.parent_op()
    return parent is loop
