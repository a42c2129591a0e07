"""Small pieces of LLVM IR that the lowering is written with.

Conditions and counts are Python values where they are known, so that code for what cannot happen
is not made at all.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir

I1, I8, I32, I64 = (ir.IntType(bits) for bits in (1, 8, 32, 64))
F32, PTR = ir.FloatType(), ir.PointerType()

#: Values and builders of llvmlite. It has no annotations, and what a type checker makes of its
#: decorators is wrong; these are names for the reader.
Value = Any
Builder = Any

#: A condition: known, or an i1.
Flag = bool | Value
#: A 64-bit integer: known, or an i64.
Number = int | Value


def value(number: Number) -> Value:
    """An i64."""
    return I64(number) if isinstance(number, int) else number


def add(builder: Builder, a: Number, b: Number) -> Number:
    """a + b, modulo 2**64."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if 0 in (a, b):
        return b if a == 0 else a
    return builder.add(value(a), value(b))


def below(builder: Builder, a: Number, b: Number) -> Flag:
    """a < b, unsigned."""
    if isinstance(a, int) and isinstance(b, int):
        return a < b
    return builder.icmp_unsigned("<", value(a), value(b))


def is_zero(builder: Builder, a: Number) -> Flag:
    """a == 0."""
    return a == 0 if isinstance(a, int) else builder.icmp_unsigned("==", a, I64(0))


def both(builder: Builder, a: Flag, b: Flag) -> Flag:
    """a and b."""
    for known, other in ((a, b), (b, a)):
        if isinstance(known, bool):
            return other if known else False
    return builder.and_(a, b)


def either(builder: Builder, a: Flag, b: Flag) -> Flag:
    """a or b."""
    for known, other in ((a, b), (b, a)):
        if isinstance(known, bool):
            return True if known else other
    return builder.or_(a, b)


@contextmanager
def when(builder: Builder, condition: Flag) -> Iterator[bool]:
    """Code for when ``condition`` holds; yields False if it never does: then emit nothing."""
    if isinstance(condition, bool):
        yield condition
        return
    with builder.if_then(condition):
        yield True


def select(builder: Builder, condition: Flag, yes: Value, no: Value) -> Value:
    """yes if condition else no."""
    if isinstance(condition, bool):
        return yes if condition else no
    return builder.select(condition, yes, no)


def vector(width: int) -> ir.Type:
    """``width`` floats; one is no vector, so that LLVM can make vectors of loops over elements."""
    return F32 if width == 1 else ir.VectorType(F32, width)


def width_of(kind: ir.Type) -> int:
    """The inverse of :func:`vector`."""
    return kind.count if isinstance(kind, ir.VectorType) else 1


def splat(builder: Builder, scalar: Value, width: int) -> Value:
    """``width`` times a float."""
    if width == 1:
        return scalar
    nothing = ir.Constant(vector(width), ir.Undefined)
    one = builder.insert_element(nothing, scalar, I32(0))
    return builder.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(I32, width), [0] * width))


def constant(number: float, width: int) -> ir.Constant:
    """``width`` times a known float, which is not -0.0."""
    if width == 1:
        return F32(number)
    return ir.Constant(vector(width), [number] * width if number else None)


def with_element(builder: Builder, row: Value, one: Value, at: int) -> Value:
    """``row`` with the float ``one`` as its element ``at``."""
    return one if row.type == F32 else builder.insert_element(row, one, I32(at))


def opaque(place: Value) -> Value:
    """What has an address, which is a pointer as every other: llvmlite would type it."""
    place.type = PTR
    return place


def local(builder: Builder, kind: ir.Type, name: str) -> Value:
    """The address of a variable on the stack."""
    return opaque(builder.alloca(kind, name=name))


def call(builder: Builder, function: Value, kind: ir.FunctionType, arguments: list[Value]) -> Value:
    """A call of a function that a pointer leads to."""
    function.type = kind.as_pointer()  # llvmlite finds the arguments' types there
    return builder.call(function, arguments)


def element(builder: Builder, base: Value, index: Number, kind: ir.Type) -> Value:
    """The address of element ``index`` of an array."""
    return builder.gep(base, [value(index)], source_etype=kind, inbounds=True)


def widths(start: int, stop: int, most: int) -> Iterator[tuple[int, int]]:
    """``start`` .. ``stop`` in pieces (first, width) of at most ``most`` elements.

    Every width is a power of two.
    """
    while start < stop:
        width = min(most, 1 << (stop - start).bit_length() - 1)
        yield start, width
        start += width


def mangled(kind: ir.Type) -> str:
    """How the names of intrinsics say a type of :func:`vector`."""
    return "f32" if kind == F32 else f"v{width_of(kind)}f32"


def intrinsic(
    builder: Builder, name: str, result: ir.Type, arguments: list[ir.Type]
) -> ir.Function:
    """The declaration of an LLVM intrinsic."""
    known = builder.module.globals.get(name)
    return known or ir.Function(builder.module, ir.FunctionType(result, arguments), name)
