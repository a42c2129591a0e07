"""Choices by a comparison, between a value and a literal or another value: all bits of all."""

import itertools

import numpy as np
import pytest
from ember.compiler.interpret import floats
from ember.compiler.interpret.scalars import FLOAT
from ember.compiler.slc import dialect as slc
from ember.compiler.slc.raise_min_max import RaiseMinMaxPass
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, ModuleOp, f32
from xdsl.ir import Block, Region, SSAValue

SPECIAL = np.array(
    [0, 1 << 31, 0x3F800000, 0xC0200000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345, 1],
    np.uint32,
).view(np.float32)
CHOICES = {
    slc.MaxOp: floats.maximum, slc.MaxNOp: floats.maximum_nan, slc.MinOp: floats.minimum,
}  # fmt: skip


def raised(
    predicate: int, literal: float | None, *, mirrored: bool, other: bool
) -> tuple[type, bool] | None:
    """The operation that a choice becomes, and whether its first operand is x."""
    block = Block(arg_types=[f32, f32])
    x, c = block.args
    if literal is not None:
        number = arith.ConstantOp(FloatAttr(literal, f32))
        block.add_op(number)
        c = number.result
    compare = arith.CmpfOp(c, x, predicate) if mirrored else arith.CmpfOp(x, c, predicate)
    chosen: tuple[SSAValue, SSAValue] = (c, x) if other else (x, c)
    select = arith.SelectOp(compare.result, *chosen)
    use = arith.NegfOp(select.result)
    block.add_ops([compare, select, use])
    callback = slc.CallbackOp(Region(block))
    RaiseMinMaxPass().apply(Context(), ModuleOp([callback]))
    owner = use.operand.owner
    return (type(owner), owner.operands[0] is x) if isinstance(owner, slc.ChoiceOp) else None


@pytest.mark.parametrize("literal", [None, 0.0, -0.0, 1.0, -2.5, float("inf"), float("nan")])
def test_a_choice_keeps_every_bit(literal):
    found = set()
    for predicate, mirrored, other in itertools.product(range(16), (False, True), (False, True)):
        result = raised(predicate, literal, mirrored=mirrored, other=other)
        if result is None:
            continue
        kind, first_is_x = result
        found.add((predicate, mirrored, other))
        numbers = SPECIAL if literal is None else np.array([literal], np.float32)
        for x, c in itertools.product(SPECIAL, numbers):
            truth = FLOAT[predicate](*((c, x) if mirrored else (x, c)))
            wanted = (c if truth else x) if other else (x if truth else c)
            operands = (x, c) if first_is_x else (c, x)
            got = CHOICES[kind](*operands)
            assert np.float32(got).view(np.uint32) == np.float32(wanted).view(np.uint32), (
                predicate, mirrored, other, x, c,
            )  # fmt: skip
    # Always: >, <, and the opposites of these, either way round.
    assert len(found) >= 16 and (literal is not None or len(found) == 16)


def test_a_comparison_with_a_literal_that_is_not_0_may_be_equal():
    assert raised(3, 1.0, mirrored=False, other=False) == (slc.MaxOp, True)
    assert raised(3, 0.0, mirrored=False, other=False) is None
    assert raised(9, 0.0, mirrored=False, other=False) == (slc.MaxNOp, True)
    assert raised(11, 1.0, mirrored=False, other=True) == (slc.MaxOp, True)
    assert raised(12, 1.0, mirrored=False, other=False) == (slc.MinOp, False)
    assert raised(11, 1.0, mirrored=False, other=False) is None


#: Numbers where a factor rounds to nothing, or to the number itself.
SMALL = np.array([2, 0x80000001, 0x00800000, 0x80FFFFFF, 0x7F7FFFFF, 0x3DCCCCCD], np.uint32)


def leaky(predicate: int, factor: float, zero: float, *, mirrored: bool, other: bool) -> bool:
    """Whether ``x`` or a part of it, by a comparison with zero, becomes a maximum of both."""
    block = Block(arg_types=[f32])
    [x] = block.args
    numbers = [arith.ConstantOp(FloatAttr(number, f32)) for number in (zero, factor)]
    none, scale = (number.result for number in numbers)
    part = arith.MulfOp(scale, x)
    compare = arith.CmpfOp(none, x, predicate) if mirrored else arith.CmpfOp(x, none, predicate)
    chosen = (part.result, x) if other else (x, part.result)
    select = arith.SelectOp(compare.result, *chosen)
    use = arith.NegfOp(select.result)
    block.add_ops([*numbers, part, compare, select, use])
    callback = slc.CallbackOp(Region(block))
    RaiseMinMaxPass().apply(Context(), ModuleOp([callback]))
    owner = use.operand.owner
    if isinstance(owner, slc.ChoiceOp):
        assert isinstance(owner, slc.MaxOp) and owner.value is x and owner.current is part.result
        return True
    return False


@pytest.mark.parametrize("factor", [0.1, 0.99999994, 1.0, 1e-45, 0.5])
def test_a_part_of_a_number_below_zero_keeps_every_bit(factor):
    found = set()
    scale = np.float32(factor)
    numbers = np.concatenate([SPECIAL, SMALL.view(np.float32)])
    for predicate, mirrored, other, zero in itertools.product(
        range(16), (False, True), (False, True), (0.0, -0.0)
    ):
        if not leaky(predicate, factor, zero, mirrored=mirrored, other=other):
            continue
        found.add((predicate, mirrored, other))
        for x in numbers:
            part, none = floats.mul(x, scale), np.float32(zero)
            truth = FLOAT[predicate](*((none, x) if mirrored else (x, none)))
            wanted = (part if truth else x) if other else (x if truth else part)
            got = floats.maximum(x, part)
            assert np.float32(got).view(np.uint32) == np.float32(wanted).view(np.uint32), (
                predicate, mirrored, other, zero, x,
            )  # fmt: skip
    assert len(found) == 8


@pytest.mark.parametrize("factor", [0.0, -0.0, -0.5, 1.0000001, float("inf"), float("nan")])
def test_another_factor_is_left_alone(factor):
    assert not leaky(2, factor, 0.0, mirrored=False, other=False)
