"""Text and types shared by the SLC and DLC dialects."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import I64, IndexType, IntegerAttr, IntegerType, i64
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


def constant(value: SSAValue | int) -> int | None:
    """The integer that a value is known to be."""
    if isinstance(value, int):
        return value
    if isinstance(value.owner, arith.ConstantOp) and isinstance(value.owner.value, IntegerAttr):
        return value.owner.value.value.data
    return None


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
