"""Text and types shared by the SLC and DLC dialects."""

import struct

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import I64, FloatAttr, IndexType, IntegerAttr, IntegerType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import eq
from xdsl.parser import Parser
from xdsl.printer import Printer

#: A 64-bit integer property that prints as a bare number.
INT = IntegerAttr.constr(type=eq(i64))


def integer(value: int) -> IntegerAttr[I64]:
    """The property value of :data:`INT`."""
    return IntegerAttr(value, i64)


def is_integer(kind: Attribute) -> bool:
    """Whether a type can be an index, a loop bound or an operand of the integer unit."""
    return isinstance(kind, (IndexType, IntegerType))


def holds_indices(kind: Attribute) -> bool:
    """Whether an integer type is wide enough for indices: in a narrower one they would wrap."""
    return isinstance(kind, IndexType) or (isinstance(kind, IntegerType) and kind.width.data >= 32)


def constant(value: SSAValue | int) -> int | None:
    """The integer that a value is known to be."""
    if isinstance(value, int):
        return value
    if isinstance(value.owner, arith.ConstantOp) and isinstance(value.owner.value, IntegerAttr):
        return value.owner.value.value.data
    return None


def scalar_of(value: SSAValue) -> SSAValue:
    """What a vector of equal elements is made of."""
    return value.owner.source if isinstance(value.owner, vector.BroadcastOp) else value


def literal_of(value: SSAValue) -> FloatAttr | None:
    """The number that a value is, or all elements of a vector are."""
    owner = scalar_of(value).owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, FloatAttr):
        return owner.value
    return None


def float_bits(value: FloatAttr) -> int:
    """The binary32 word of an f32; what is too large is infinite."""
    number = value.value.data
    try:
        [bits] = struct.unpack("<I", struct.pack("<f", number))
    except OverflowError:
        bits = 0xFF800000 if number < 0 else 0x7F800000
    return bits


def parse_stream(parser: Parser) -> SSAValue:
    """``%name`` of a value defined above; its type is the defined value's."""
    start = parser.pos
    unresolved = parser.parse_unresolved_operand("expected a stream")
    values = parser.ssa_values.get(unresolved.operand_name, ())
    if unresolved.index >= len(values):
        parser.raise_error(f"%{unresolved.operand_name} must be defined before its use", start)
    return values[unresolved.index]


def parse_stream_or_integer(parser: Parser) -> SSAValue | int:
    """``%name`` or a literal."""
    literal = parser.parse_optional_integer(allow_boolean=False)
    return parse_stream(parser) if literal is None else literal


def print_stream_or_integer(printer: Printer, value: SSAValue | int) -> None:
    """The inverse of :func:`parse_stream_or_integer`."""
    if isinstance(value, int):
        printer.print_string(str(value))
    else:
        printer.print_operand(value)
