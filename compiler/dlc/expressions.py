"""Elementwise expressions as instructions.

An instruction takes the row's data or a register, a scalar factor, and a register as its addend.
So an expression is a chain: of an operation's two operands at most one is computed, into v1, and
the other one is the data, the accumulator (v0) or +0.0.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import SSAValue

from ..slc import dialect as slc
from ..streams import float_bits, literal_of, scalar_of
from . import dialect as dlc

#: What the operands' order does not matter to.
SYMMETRIC = {
    arith.AddfOp: dlc.AddOp, arith.MaximumfOp: dlc.MaximumOp, arith.MinimumfOp: dlc.MinimumOp,
}  # fmt: skip
CHOICES = {slc.MaxOp: dlc.MaxOp, slc.MaxNOp: dlc.MaxNOp, slc.MinOp: dlc.MinOp}
_ONE, _PLUS_ZERO = 0x3F800000, 0


@dataclass
class Step:
    """An instruction, and what it calls ``literal``."""

    op: dlc.RowInstruction
    literal: FloatAttr | None = None


#: None: there are no instructions for it.
Steps = list[Step] | None

#: The name of operand b, and the number if it is a literal.
Factor = tuple[str, FloatAttr | None]


@dataclass
class Expressions:
    """Makes instructions of expressions.

    Parameters
    ----------
    is_data, is_accumulator : functions of a value
    scalars : dict
        Register of each scalar that the callback has.
    span : dict
        What the instructions work on.
    """

    is_data: Callable[[SSAValue], bool]
    is_accumulator: Callable[[SSAValue], bool]
    scalars: dict[SSAValue, str]
    span: dict[str, str]
    _known: dict[tuple[SSAValue, str], Steps] = field(default_factory=dict)

    def into(self, value: SSAValue, dst: str) -> Steps:
        """Instructions that leave ``value`` in ``dst``, and change v1 besides."""
        if (value, dst) not in self._known:
            self._known[value, dst] = self._compute(value, dst)
        return self._known[value, dst]

    def first_or(self, first: SSAValue, value: SSAValue) -> Steps:
        """``value``, a comparison of ``first`` and the accumulator; ``first`` if nothing counted.

        Into v0.
        """
        owner = value.owner
        if type(owner) in CHOICES:
            assert isinstance(owner, slc.ChoiceOp)
            kind, operands = CHOICES[type(owner)], [(owner.value, owner.current)]
        elif isinstance(owner, arith.MaximumfOp | arith.MinimumfOp):
            kind = SYMMETRIC[type(owner)]
            operands = [(owner.lhs, owner.rhs), (owner.rhs, owner.lhs)]
        else:
            return None
        for x, current in operands:
            if x is first and self.is_accumulator(current) and self.is_exact(x):
                return self._pair(x, current, lambda a, c: kind("v0", a, c, init=True, **self.span))
        return None

    # Operands -----------------------------------------------------------------------------

    def _first(self, value: SSAValue) -> str | None:
        """Operand a."""
        if self.is_data(value):
            return "dataq"
        if self.is_accumulator(value):
            return "v0"
        return "one" if _bits(value) == _ONE else None

    def _addend(self, value: SSAValue) -> str | None:
        """Operand c."""
        if self.is_accumulator(value):
            return "v0"
        return "zero" if _bits(value) == _PLUS_ZERO else None

    def _factor(self, value: SSAValue) -> Factor | None:
        """Operand b."""
        scalar = scalar_of(value)
        if scalar in self.scalars:
            return self.scalars[scalar], None
        literal = literal_of(value)
        return None if literal is None else ("literal", literal)

    def is_exact(self, value: SSAValue) -> bool:
        """Whether :meth:`into` keeps the bits of a NaN: a scalar becomes a row by a product."""
        bits = _bits(value)
        if bits is not None:
            return bits & 0x7FFFFFFF <= 0x7F800000
        return scalar_of(value) not in self.scalars

    # Operations ---------------------------------------------------------------------------

    def _compute(self, value: SSAValue, dst: str) -> Steps:
        owner = value.owner
        if (addend := self._addend(value)) is not None:
            return [Step(dlc.MovOp(dst, addend, **self.span))]
        if self.is_data(value):
            # Nothing copies the data bit for bit, but this.
            return [
                Step(dlc.NegOp("v1", "dataq", **self.span)),
                Step(dlc.NegOp(dst, "v1", **self.span)),
            ]
        if (factor := self._factor(value)) is not None:
            return [self._multiply(dst, "one", factor)]
        if isinstance(owner, arith.NegfOp):
            if not self.is_exact(owner.operand):
                return None
            return self._unary(owner.operand, lambda a: Step(dlc.NegOp(dst, a, **self.span)))
        if isinstance(owner, arith.MulfOp):
            return self._product(owner.lhs, owner.rhs, None, dst)
        if isinstance(owner, math.FmaOp):
            return self._product(owner.a, owner.b, owner.c, dst)
        if isinstance(owner, arith.AddfOp | arith.SubfOp):
            return self._sum(owner.lhs, owner.rhs, isinstance(owner, arith.SubfOp), dst)
        if type(owner) in SYMMETRIC:
            assert isinstance(owner, arith.MaximumfOp | arith.MinimumfOp)
            kind = SYMMETRIC[type(owner)]
            return _shortest(
                self._pair(x, y, lambda a, c: kind(dst, a, c, **self.span))
                for x, y in self._orders(owner.lhs, owner.rhs)
            )
        if type(owner) in CHOICES:
            assert isinstance(owner, slc.ChoiceOp)
            kind = CHOICES[type(owner)]
            if self.is_exact(owner.value) and self.is_exact(owner.current):
                return self._pair(
                    owner.value, owner.current, lambda a, c: kind(dst, a, c, **self.span)
                )
        return None

    def _sum(self, x: SSAValue, y: SSAValue, minus: bool, dst: str) -> Steps:
        """``x + y``, or ``x - y``."""
        if isinstance(y.owner, arith.NegfOp):
            # Exactly the same, but for the bits of a NaN, which no sum keeps.
            return self._sum(x, y.owner.operand, not minus, dst)
        if minus:
            return _shortest(
                (
                    self._pair(y, x, lambda a, c: dlc.RsubOp(dst, a, c, **self.span)),
                    self._pair(x, y, lambda a, c: dlc.SubOp(dst, a, c, **self.span)),
                )
            )
        if isinstance(x.owner, arith.NegfOp):
            return self._sum(y, x.owner.operand, True, dst)
        ways = [
            self._pair(a, c, lambda a, c: dlc.AddOp(dst, a, c, **self.span))
            for a, c in self._orders(x, y)
        ]
        for row, scalar in ((x, y), (y, x)):
            if (factor := self._factor(scalar)) is not None:
                ways.append(self._fma("one", factor, row, dst))
        return _shortest(ways)

    def _orders(self, x: SSAValue, y: SSAValue) -> list[tuple[SSAValue, SSAValue]]:
        """Both orders of operands a and c, the one with the accumulator as c first.

        An instruction that also begins and stores the row needs it there.
        """
        orders = [(y, x), (x, y)]
        return sorted(orders, key=lambda order: not self.is_accumulator(order[1]))

    def _product(self, x: SSAValue, y: SSAValue, c: SSAValue | None, dst: str) -> Steps:
        """``x * y``, or ``x * y + c`` rounded once."""
        ways: list[Steps] = []
        for row, scalar in ((x, y), (y, x)):
            if (factor := self._factor(scalar)) is None:
                continue
            if c is None:
                ways.append(self._unary(row, lambda a, f=factor: self._multiply(dst, a, f)))
                continue
            addend, first = self._addend(c), self._first(row)
            if addend is not None:
                ways.append(
                    self._unary(row, lambda a, f=factor, c=addend: self._multiply(dst, a, f, c))
                )
            elif first is not None:
                ways.append(self._fma(first, factor, c, dst))
        return _shortest(ways)

    def _fma(self, first: str, factor: Factor, c: SSAValue, dst: str) -> Steps:
        """``first * factor + c``, where c may have to be computed."""
        if (addend := self._addend(c)) is not None:
            return [self._multiply(dst, first, factor, addend)]
        computed = self.into(c, "v1")
        return None if computed is None else [*computed, self._multiply(dst, first, factor, "v1")]

    def _multiply(self, dst: str, first: str, factor: Factor, addend: str | None = None) -> Step:
        name, literal = factor
        if addend is None:
            return Step(dlc.MulOp(dst, first, name, **self.span), literal)
        return Step(dlc.FmaOp(dst, first, name, addend, **self.span), literal)

    def _unary(self, x: SSAValue, make: Callable[[str], Step]) -> Steps:
        """An instruction of which x is operand a."""
        if (first := self._first(x)) is not None:
            return [make(first)]
        computed = self.into(x, "v1")
        return None if computed is None else [*computed, make("v1")]

    def _pair(
        self, x: SSAValue, y: SSAValue, make: Callable[[str, str], dlc.RowInstruction]
    ) -> Steps:
        """An instruction of which x is operand a, and y operand c."""
        first, addend = self._first(x), self._addend(y)
        if addend is not None:
            return self._unary(x, lambda a: Step(make(a, addend)))
        if first is None or (computed := self.into(y, "v1")) is None:
            return None
        return [*computed, Step(make(first, "v1"))]


def _bits(value: SSAValue) -> int | None:
    literal = literal_of(value)
    return None if literal is None else float_bits(literal)


def _shortest(ways: Iterable[Steps]) -> Steps:
    """The first of the shortest."""
    return min((steps for steps in ways if steps is not None), key=len, default=None)
