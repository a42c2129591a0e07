"""``fold-addresses``: constants in integer arithmetic go where they cost nothing.

``table[(i + 3) * 8 + e]`` is element ``i * 8 + e`` of what is 24 elements further on: the access
unit adds that to the array's address before it starts. So an index becomes a sum of streams, each
with its factor, and one constant at its end. Every partial sum stands in the outermost loop that
knows it, equal ones are one, and a loop that starts below 0 is moved to start at 0. Preserved:
every address, bound and row, modulo the machine's ``2**addr_width``.

Sums of one product and an element index, which is what a lookup has, are left as they are.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..streams import integer, is_integer
from . import dialect as slc
from .linear import Linear, block_of, depth, drop_unused, is_induction, linear


@dataclass(frozen=True)
class FoldAddressesPass(ModulePass):
    """Collects constants at the end of sums; preserves what they are."""

    name = "fold-addresses"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, slc.FuncOp):
                _from_zero(function)
                fold = _Fold()
                for user in list(function.walk()):
                    fold.user(user)
                _share(function.body.block, {})
                drop_unused(function)


def _from_zero(function: slc.FuncOp) -> None:
    """Loops that start below 0 count from 0, and their variable is what it was."""
    for loop in list(function.walk()):
        if not isinstance(loop, slc.LoopOp) or loop.trip_count is None:
            continue
        start, stop = loop.bounds
        assert isinstance(start, int) and isinstance(stop, int)
        first = loop.body.block.first_op
        if start >= 0 or first is None:
            continue
        shifted = slc.AddOp(loop.induction, start)
        shifted.result.name_hint = loop.induction.name_hint
        loop.induction.replace_all_uses_with(shifted.result)
        shifted.operands[0] = loop.induction
        loop.body.block.insert_op_before(shifted, first)
        loop.properties["start_literal"] = integer(0)
        loop.properties["stop_literal"] = integer(max(0, stop - start))


def _share(block: Block, known: dict[tuple[object, ...], SSAValue]) -> None:
    """One of equal integer operations, for all that it is visible to."""
    known = dict(known)
    for op in list(block.ops):
        if isinstance(op, slc.LoopOp):
            _share(op.body.block, known)
        elif isinstance(op, slc._Arithmetic):
            key = type(op), op.lhs, op.second
            if key in known:
                op.result.replace_all_uses_with(known[key])
            else:
                known[key] = op.result


class _Fold:
    """Rewrites what loads, bounds and callbacks use."""

    def __init__(self):
        self.sums: dict[tuple[tuple[SSAValue, int], ...], SSAValue] = {}
        #: What callbacks see of a sum and a constant: an inner loop does not compute it again.
        self.seen: dict[tuple[SSAValue, int], SSAValue] = {}

    def user(self, op: Operation) -> None:
        if isinstance(op, slc.LoadOp) and len(op.indices) == 1:
            op.operands[1] = self._value(op, op.indices[0])
        elif isinstance(op, slc.LoopOp):
            self._loop(op)
        elif isinstance(op, slc.ToValOp) and is_integer(op.stream.type):
            self._to_val(op)

    def _loop(self, loop: slc.LoopOp) -> None:
        """Bounds whose distance is a constant stay recognizable."""
        start, stop = loop.bounds
        if not isinstance(start, SSAValue) or not isinstance(stop, SSAValue):
            number = 0 if isinstance(start, SSAValue) else len(loop.operands) - 1
            if len(loop.operands):
                loop.operands[number] = self._value(loop, loop.operands[number])
            return
        distance = linear(stop).plus(linear(start), -1)
        new = self._value(loop, start)
        loop.operands[0] = new
        owner = stop.owner
        if distance.terms:
            loop.operands[1] = self._value(loop, stop)
        elif not (isinstance(owner, slc.AddOp) and owner.lhs is new and owner.literal):
            end = self._new(slc.AddOp(new, distance.constant), loop)
            end.name_hint = stop.name_hint
            loop.operands[1] = end

    def _to_val(self, op: slc.ToValOp) -> None:
        """A callback sees a number of the type that it was computed in."""
        callback = slc.enclosing_callback(op)
        new = self._seen(callback, op.stream)
        if new is op.stream:
            return
        to_val = slc.ToValOp(new)
        value: SSAValue = to_val.value
        _before(to_val, op)
        for kind in (IndexType(), op.value.type):
            if value.type != op.value.type:
                cast = arith.IndexCastOp(value, kind)
                _before(cast, op)
                value = cast.result
        value.name_hint = op.value.name_hint
        op.value.replace_all_uses_with(value)
        Rewriter.erase_op(op)

    def _seen(self, callback: Operation, value: SSAValue) -> SSAValue:
        """A sum as :meth:`_value`, also with its constant where all of it is known."""
        total = linear(value)
        if _is_regular(value, total) or not total.constant or not total.terms:
            return self._value(callback, value)
        result = self._sum(callback, total)
        assert isinstance(result, SSAValue)
        key = result, total.constant
        if key not in self.seen:
            self.seen[key] = self._new(slc.AddOp(*key), _place(result, callback))
            self.seen[key].name_hint = value.name_hint
        return self.seen[key]

    def _value(self, user: Operation, value: SSAValue) -> SSAValue:
        """The value as a sum with its constant at the end."""
        total = linear(value)
        if _is_regular(value, total):
            return value
        result = self._sum(user, total)
        if isinstance(result, SSAValue) and total.constant:
            result = self._new(slc.AddOp(result, total.constant), user)
        if isinstance(result, int):
            result = self._new(slc.ConstOp(result), user)
        result.name_hint = result.name_hint or value.name_hint
        return result

    def _new(self, op: slc.ConstOp | slc._Arithmetic, user: Operation) -> SSAValue:
        _before(op, user)
        return op.result

    def _sum(self, user: Operation, total: Linear) -> SSAValue | int:
        """The streams of a sum, added from the outside in; its constant if there is none."""
        terms = sorted(total.terms.items(), key=lambda term: (depth(term[0]), term[1] < 0))
        if not terms:
            return total.constant
        result: SSAValue | None = None
        for number in range(1, len(terms) + 1):
            key = tuple(terms[:number])
            if key not in self.sums:
                self.sums[key] = self._next(user, result, terms[number - 1])
            result = self.sums[key]
        assert result is not None
        return result

    def _next(
        self, user: Operation, total: SSAValue | None, term: tuple[SSAValue, int]
    ) -> SSAValue:
        """A sum and one more product."""
        value, factor = term
        place = _place(value, user)
        product = value
        if abs(factor) != 1:
            product = self._new(slc.MulOp(value, abs(factor)), place)
            product.name_hint = "base"
        if total is None and factor > 0:
            return product
        if total is None:
            total = self._new(slc.ConstOp(0), place)
        kind = slc.AddOp if factor > 0 else slc.SubOp
        result = self._new(kind(total, product), place)
        result.name_hint = "at" if is_induction(value) else "base"
        return result


def _is_regular(value: SSAValue, total: Linear) -> bool:
    """Whether the sum is already as this pass would have it."""
    owner = value.owner
    if isinstance(owner, slc.AddOp) and isinstance(owner.second, int):
        rest = linear(owner.lhs)
        return bool(owner.second) and not rest.constant and _is_sum(owner.lhs, rest)
    return isinstance(owner, slc.ConstOp) if total.constant else _is_sum(value, total)


def _is_sum(value: SSAValue, total: Linear) -> bool:
    """Whether it is a product, or two, added."""
    owner = value.owner
    if len(total.terms) == 1:
        [(stream, factor)] = total.terms.items()
        direct = isinstance(owner, slc.MulOp | slc.ShlOp) and owner.lhs is stream
        return stream is value if factor == 1 else direct and factor > 0
    if len(total.terms) == 2 and isinstance(owner, slc.AddOp) and owner.rhs is not None:
        parts = [(part, linear(part)) for part in owner.operands]
        return all(len(part.terms) == 1 and _is_sum(v, part) for v, part in parts)
    return False


def _place(value: SSAValue, user: Operation) -> Operation:
    """What to insert before, so that ``value`` is known, as far out as that is possible."""
    block, place = block_of(value), user
    while place.parent is not block:
        parent = place.parent_op()
        assert parent is not None
        place = parent
    return place


def _before(new: Operation, place: Operation) -> None:
    assert place.parent is not None
    place.parent.insert_op_before(new, place)
