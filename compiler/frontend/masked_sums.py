"""Sums and maxima of values that a condition replaces by one that changes nothing."""

from dataclasses import dataclass

from xdsl.dialects import arith, func, math, memref
from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue

from ..slc.decouple import root
from ..streams import float_bits, literal_of
from .dependences import accesses
from .places import Place

PLUS_ZERO, MINUS_ZERO, INFINITY, MINUS_INFINITY = 0, 0x80000000, 0x7F800000, 0xFF800000
#: What makes its NaN itself, so that its result is none of other bits.
MAKES_NAN = (
    arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.DivfOp, arith.MaximumfOp, arith.MinimumfOp,
    math.FmaOp,
)  # fmt: skip


@dataclass(frozen=True)
class Masked:
    """``held + select(condition, value, 0)``, as it is stored to where ``held`` is.

    ``new`` is what is stored where the choice is of ``value``; else everything stays as it is.
    """

    select: arith.SelectOp
    new: Operation
    #: Whether ``value`` is the choice if the condition does not hold.
    negated: bool


def masked(store: memref.StoreOp) -> Masked | None:
    """What a store is, if it is one that a condition can leave out."""
    update = store.value.owner
    if not isinstance(update, arith.AddfOp | arith.MaximumfOp | arith.MinimumfOp):
        return None
    home = Place.of(store)
    for held, chosen in ((update.lhs, update.rhs), (update.rhs, update.lhs)):
        select = chosen.owner
        if not isinstance(select, arith.SelectOp) or not home.holds(held, store):
            continue
        for value, other, negated in (
            (select.lhs, select.rhs, False),
            (select.rhs, select.lhs, True),
        ):
            if _changes_nothing(update, other, store):
                number = list(update.operands).index(chosen)
                new = update.clone()
                new.operands[number] = value
                return Masked(select, new, negated)
    return None


def _changes_nothing(update: Operation, value: SSAValue, store: memref.StoreOp) -> bool:
    """Whether an operation with this value leaves what is stored to the array as it is."""
    literal = literal_of(value)
    if literal is None or value.type != f32:
        return False
    bits = float_bits(literal)
    values = _values(store)
    if isinstance(update, arith.AddfOp) and bits == PLUS_ZERO:
        # -0.0 + 0.0 is 0.0, so that -0.0 must never be there.
        return all(_is_sum(value, place) for value, place in values)
    neutral = {arith.AddfOp: MINUS_ZERO, arith.MaximumfOp: MINUS_INFINITY}
    if bits != neutral.get(type(update), INFINITY):
        return False
    return all(literal_of(v) is not None or isinstance(v.owner, MAKES_NAN) for v, _ in values)


def _values(store: memref.StoreOp) -> list[tuple[SSAValue, memref.StoreOp]]:
    """All that the function stores to an array, and what was there before if that is read."""
    op: Operation | None = store
    while op is not None and not isinstance(op, func.FuncOp):
        op = op.parent_op()
    assert op is not None
    found = [other for other in accesses(op) if root(other.memref) is root(store.memref)]
    if isinstance(found[0], memref.LoadOp):
        # What was there before the function.
        return [(found[0].res, store)]
    stores = [other for other in found if isinstance(other, memref.StoreOp)]
    # What is stored where it was loaded from is there already.
    return [(s.value, s) for s in stores if not Place.of(s).holds(s.value, s)]


def _is_sum(value: SSAValue, store: memref.StoreOp) -> bool:
    """Whether a value is never -0.0: 0.0, or a sum with what is there, which never is either."""
    literal = literal_of(value)
    if literal is not None:
        return float_bits(literal) == PLUS_ZERO
    owner = value.owner
    home = Place.of(store)
    if isinstance(owner, arith.AddfOp):
        return any(home.holds(operand, store) for operand in owner.operands)
    return isinstance(owner, arith.SubfOp) and home.holds(owner.lhs, store)
