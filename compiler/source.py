"""MLIR text with the lines that operations stand on, for messages.

The parser gives every operation its line. What a pass makes of an operation has the line of what
it was made from, as far as the pass says so.
"""

from bisect import bisect_left
from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects import affine, arith, builtin, cf, func, math, memref, scf, vector
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr
from xdsl.frontend.mlir import MLIRFrontend
from xdsl.ir import Operation, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from .errors import CompileError, name_of, refuse
from .frontend.from_affine import from_affine

DIALECTS = (
    builtin.Builtin, arith.Arith, cf.Cf, func.Func, math.Math, memref.MemRef, scf.Scf,
    vector.Vector, affine.Affine,
)  # fmt: skip


class LocatedParser(Parser):
    """xDSL's parser; operations without a location in the text get that of their first word."""

    def __init__(self, ctx: Context, input: str, name: str):
        super().__init__(ctx, input, name)
        self._name = name
        #: The position after each line.
        self._ends = [n for n, letter in enumerate(input) if letter == "\n"]

    def parse_operation(self) -> Operation:
        start = self.pos
        op = super().parse_operation()
        if not isinstance(op.location, FileLineColLoc):
            line, column = place(self._ends, start)
            op.location = FileLineColLoc(StringAttr(self._name), IntAttr(line), IntAttr(column))
        return op


def place(ends: list[int], position: int) -> tuple[int, int]:
    """Line and column, from 1, of a position in a text with these ends of lines."""
    line = bisect_left(ends, position)
    return line + 1, position - (ends[line - 1] + 1 if line else 0) + 1


@dataclass(frozen=True)
class LocatedFrontend(MLIRFrontend):
    """For command line tools of xDSL."""

    def parse(self, ctx: Context, input: IO[bytes], input_name: str = "input") -> ModuleOp:
        text = input.read()
        text = text if isinstance(text, str) else text.decode()
        return LocatedParser(ctx, text, input_name).parse_module(not self.no_implicit_module)


def parse_nests(text: str, name: str = "input") -> ModuleOp:
    """A module in the dialects of a front end, verified, without ``affine``.

    Raises
    ------
    CompileError
        It is no such module: the message has name, line and column, or what is not valid.
    """
    context = Context()
    for dialect in DIALECTS:
        context.load_dialect(dialect)
    try:
        module = LocatedParser(context, text, name).parse_module()
        _check_order(module, set())
        module.verify()
        from_affine(module)
    except ParseError as error:
        ends = [n for n, letter in enumerate(text) if letter == "\n"]
        line, column = place(ends, error.span.start)
        raise CompileError(f"{name}:{line}:{column}: {' '.join(error.msg.split())}") from None
    except VerifyException as error:
        reason = " ".join(str(error).partition("\n\n")[0].split())
        raise CompileError(f"{name} is not valid: {reason}") from None
    return module


def _check_order(op: Operation, defined: set[SSAValue]) -> None:
    """Refuse values that are used where they are not defined; xDSL's verifier does not look."""
    for operand in op.operands:
        if operand not in defined:
            raise refuse(op, f"{name_of(operand)} is used where it is not defined")
    for region in op.regions:
        for block in region.blocks:
            inside = defined | set(block.args)
            for inner in block.ops:
                _check_order(inner, inside)
                inside |= set(inner.results)
