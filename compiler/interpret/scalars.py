"""``arith`` and ``math`` on integers of two's complement, binary32 numbers and vectors of these."""

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float32Type,
    FloatAttr,
    IntegerAttr,
    VectorType,
)
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Attribute, Operation

from ..comparisons import COMPARISONS, WITHOUT_SIGN
from . import floats
from .errors import fail
from .values import lanes_of, signed, unsigned, width_of, with_sign

#: arith.cmpf by predicate: always false, six ordered ones, ord, six unordered ones, uno, true.
FLOAT: tuple[Callable[[Any, Any], Any], ...] = (
    lambda a, b: (a != a) & (a == a),
    lambda a, b: a == b,
    lambda a, b: a > b,
    lambda a, b: a >= b,
    lambda a, b: a < b,
    lambda a, b: a <= b,
    lambda a, b: (a < b) | (a > b),
    lambda a, b: (a == a) & (b == b),
    lambda a, b: ~((a < b) | (a > b)),
    lambda a, b: ~(a <= b),
    lambda a, b: ~(a < b),
    lambda a, b: ~(a >= b),
    lambda a, b: ~(a > b),
    lambda a, b: a != b,
    lambda a, b: (a != a) | (b != b),
    lambda a, b: (a != a) | (a == a),
)


@register_impls
class ScalarFunctions(InterpreterFunctions):
    """``arith`` and ``math``."""

    @impl(arith.ConstantOp)
    def constant(self, _: Interpreter, op: arith.ConstantOp, args: PythonValues) -> PythonValues:
        value = op.value
        if isinstance(value, IntegerAttr):
            return (signed(value.value.data, value.type),)
        if isinstance(value, FloatAttr) and isinstance(value.type, Float32Type):
            return (np.float32(value.value.data),)
        if isinstance(value, DenseIntOrFPElementsAttr) and value.is_splat():
            kind, number = value.type, value.get_attrs()[0]
            if isinstance(number, FloatAttr) and isinstance(number.type, Float32Type):
                return (np.full(lanes_of(kind), np.float32(number.value.data)),)
        raise fail(op, f"only integers and f32 are interpreted, not {value}")

    # Integers -----------------------------------------------------------------------------

    @impl(arith.AddiOp)
    def addi(self, _: Interpreter, op: arith.AddiOp, args: PythonValues) -> PythonValues:
        return (signed(args[0] + args[1], op.result.type),)

    @impl(arith.SubiOp)
    def subi(self, _: Interpreter, op: arith.SubiOp, args: PythonValues) -> PythonValues:
        return (signed(args[0] - args[1], op.result.type),)

    @impl(arith.MuliOp)
    def muli(self, _: Interpreter, op: arith.MuliOp, args: PythonValues) -> PythonValues:
        return (signed(args[0] * args[1], op.result.type),)

    @impl(arith.MaxSIOp)
    def maxsi(self, _: Interpreter, op: arith.MaxSIOp, args: PythonValues) -> PythonValues:
        return (max(args),)

    @impl(arith.MaxUIOp)
    def maxui(self, _: Interpreter, op: arith.MaxUIOp, args: PythonValues) -> PythonValues:
        return (max(args, key=lambda value: unsigned(value, op.result.type)),)

    @impl(arith.MinSIOp)
    def minsi(self, _: Interpreter, op: arith.MinSIOp, args: PythonValues) -> PythonValues:
        return (min(args),)

    @impl(arith.MinUIOp)
    def minui(self, _: Interpreter, op: arith.MinUIOp, args: PythonValues) -> PythonValues:
        return (min(args, key=lambda value: unsigned(value, op.result.type)),)

    @impl(arith.AndIOp)
    def andi(self, _: Interpreter, op: arith.AndIOp, args: PythonValues) -> PythonValues:
        return (args[0] & args[1],)

    @impl(arith.OrIOp)
    def ori(self, _: Interpreter, op: arith.OrIOp, args: PythonValues) -> PythonValues:
        return (args[0] | args[1],)

    @impl(arith.XOrIOp)
    def xori(self, _: Interpreter, op: arith.XOrIOp, args: PythonValues) -> PythonValues:
        return (args[0] ^ args[1],)

    @impl(arith.ShLIOp)
    def shli(self, _: Interpreter, op: arith.ShLIOp, args: PythonValues) -> PythonValues:
        kind = op.result.type
        if not 0 <= args[1] < width_of(kind):
            raise fail(op, f"a shift must be 0..{width_of(kind) - 1}, not {args[1]}")
        return (signed(args[0] << args[1], kind),)

    @impl(arith.CmpiOp)
    def cmpi(self, _: Interpreter, op: arith.CmpiOp, args: PythonValues) -> PythonValues:
        predicate = op.predicate.value.data
        if predicate in WITHOUT_SIGN:
            args = tuple(unsigned(value, op.lhs.type) for value in args)
        return (int(COMPARISONS[predicate](*args)),)

    @impl(arith.IndexCastOp)
    def index_cast(self, _: Interpreter, op: arith.IndexCastOp, args: PythonValues):
        return (signed(with_sign(args[0], op.input.type), op.result.type),)

    @impl(arith.ExtSIOp)
    def extsi(self, _: Interpreter, op: arith.ExtSIOp, args: PythonValues) -> PythonValues:
        return (with_sign(args[0], op.input.type),)

    @impl(arith.ExtUIOp)
    def extui(self, _: Interpreter, op: arith.ExtUIOp, args: PythonValues) -> PythonValues:
        return (unsigned(args[0], op.input.type),)

    @impl(arith.TruncIOp)
    def trunci(self, _: Interpreter, op: arith.TruncIOp, args: PythonValues) -> PythonValues:
        return (signed(args[0], op.result.type),)

    # Floats -------------------------------------------------------------------------------

    @impl(arith.AddfOp)
    def addf(self, _: Interpreter, op: arith.AddfOp, args: PythonValues) -> PythonValues:
        return (floats.add(*_binary32(op, args)),)

    @impl(arith.SubfOp)
    def subf(self, _: Interpreter, op: arith.SubfOp, args: PythonValues) -> PythonValues:
        return (floats.sub(*_binary32(op, args)),)

    @impl(arith.MulfOp)
    def mulf(self, _: Interpreter, op: arith.MulfOp, args: PythonValues) -> PythonValues:
        return (floats.mul(*_binary32(op, args)),)

    @impl(arith.DivfOp)
    def divf(self, _: Interpreter, op: arith.DivfOp, args: PythonValues) -> PythonValues:
        return (floats.div(*_binary32(op, args)),)

    @impl(arith.NegfOp)
    def negf(self, _: Interpreter, op: arith.NegfOp, args: PythonValues) -> PythonValues:
        return (floats.negate(*_binary32(op, args)),)

    @impl(arith.MinimumfOp)
    def minimumf(self, _: Interpreter, op: arith.MinimumfOp, args: PythonValues) -> PythonValues:
        return (floats.minimum_ieee(*_binary32(op, args)),)

    @impl(arith.MaximumfOp)
    def maximumf(self, _: Interpreter, op: arith.MaximumfOp, args: PythonValues) -> PythonValues:
        return (floats.maximum_ieee(*_binary32(op, args)),)

    @impl(math.FmaOp)
    def fma(self, _: Interpreter, op: math.FmaOp, args: PythonValues) -> PythonValues:
        return (floats.fma(*_binary32(op, args)),)

    @impl(arith.CmpfOp)
    def cmpf(self, _: Interpreter, op: arith.CmpfOp, args: PythonValues) -> PythonValues:
        result = FLOAT[op.predicate.value.data](*_binary32(op, args))
        return (result if isinstance(result, np.ndarray) else int(bool(result)),)

    @impl(arith.SelectOp)
    def select(self, _: Interpreter, op: arith.SelectOp, args: PythonValues) -> PythonValues:
        condition, a, b = args
        if isinstance(condition, np.ndarray):
            return (floats.select(condition, a, b),)
        return (a if condition else b,)

    @impl(arith.UIToFPOp)
    def uitofp(self, _: Interpreter, op: arith.UIToFPOp, args: PythonValues) -> PythonValues:
        return (_rounded(op, unsigned(args[0], op.input.type)),)

    @impl(arith.SIToFPOp)
    def sitofp(self, _: Interpreter, op: arith.SIToFPOp, args: PythonValues) -> PythonValues:
        return (_rounded(op, with_sign(args[0], op.input.type)),)


def _element(kind: Attribute) -> Attribute:
    return kind.element_type if isinstance(kind, VectorType) else kind


def _binary32(op: Operation, args: PythonValues) -> PythonValues:
    kind = op.operands[0].type
    if not isinstance(_element(kind), Float32Type):
        raise fail(op, f"only f32 is interpreted, not {kind}")
    return args


def _rounded(op: Operation, value: int) -> np.float32:
    kind = op.results[0].type
    if not isinstance(kind, Float32Type) or lanes_of(kind) != 1:
        raise fail(op, f"only f32 is interpreted, not {kind}")
    # From its own integer type: through binary64 it could be rounded twice.
    return (np.int64 if value < 1 << 63 else np.uint64)(value).astype(np.float32)
