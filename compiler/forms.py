"""Operations in the form that MLIR's tools print them in, where xDSL reads only the generic form.

Each class here only parses: what it returns is the operation that it is derived from.
"""

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import Parser


class _Cast(memref.CastOp):
    """``%value attributes : type to type``"""

    @classmethod
    def parse(cls, parser: Parser) -> Operation:  # type: ignore[override]
        value, kind, attributes = _conversion(parser)
        return memref.CastOp.build(operands=[value], result_types=[kind], attributes=attributes)


class _IndexCastUnsigned(arith.IndexCastOp):
    """As ``index_cast`` where no bit is added: xDSL has no operation for the others."""

    @classmethod
    def parse(cls, parser: Parser) -> Operation:  # type: ignore[override]
        position = parser.pos
        value, kind, attributes = _conversion(parser)
        if any(isinstance(t, IntegerType) and t.width.data != 64 for t in (value.type, kind)):
            parser.raise_error(
                f"arith.index_castui must be of 64 bits, not from {value.type} to {kind}: "
                "arith.extui makes them so", position, parser.pos,
            )  # fmt: skip
        return arith.IndexCastOp.build(operands=[value], result_types=[kind], attributes=attributes)


class _Copy(memref.CopyOp):
    """``%source, %target attributes : type to type``"""

    @classmethod
    def parse(cls, parser: Parser) -> Operation:  # type: ignore[override]
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = [parser.parse_type()]
        parser.parse_keyword("to")
        types.append(parser.parse_type())
        operands = parser.resolve_operands(names, types, parser.pos)
        return memref.CopyOp.build(operands=operands, attributes=attributes)


class _Parallel(scf.ParallelOp):
    """``(%i, ..) = (..) to (..) step (..) { .. }``; nothing can be reduced."""

    @classmethod
    def parse(cls, parser: Parser) -> Operation:  # type: ignore[override]
        delimiter = parser.Delimiter.PAREN
        variables = parser.parse_comma_separated_list(
            delimiter, lambda: parser.parse_argument(expect_type=False)
        )
        parser.parse_punctuation("=")
        bounds: list[list[SSAValue]] = []
        for word in ("to", "step", None):
            names = parser.parse_comma_separated_list(delimiter, parser.parse_unresolved_operand)
            bounds.append([parser.resolve_operand(name, IndexType()) for name in names])
            if word is not None:
                parser.parse_keyword(word)
        if parser.parse_optional_keyword("init"):
            parser.raise_error("a parallel loop must reduce nothing: its sums have no order")
        body = parser.parse_region([name.resolve(IndexType()) for name in variables])
        if not isinstance(body.block.last_op, scf.ReduceOp):
            body.block.add_op(scf.ReduceOp())
        first, last, step = bounds
        loop = scf.ParallelOp(first, last, step, body)
        loop.attributes |= parser.parse_optional_attr_dict()
        return loop


def _conversion(parser: Parser) -> tuple[SSAValue, Attribute, dict[str, Attribute]]:
    """``%value attributes : type to type``: value, new type, attributes."""
    operand = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    value = parser.resolve_operand(operand, parser.parse_type())
    parser.parse_keyword("to")
    return value, parser.parse_type(), attributes


#: By the name that stands in front of the form.
FORMS: dict[str, type[Operation]] = {
    "memref.cast": _Cast,
    "memref.copy": _Copy,
    "arith.index_castui": _IndexCastUnsigned,
    "scf.parallel": _Parallel,
}
