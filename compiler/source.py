"""MLIR text with the lines that operations stand on, for messages.

The parser gives every operation its line. What a pass makes of an operation has the line of what
it was made from, as far as the pass says so.
"""

from bisect import bisect_left
from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects import affine, arith, builtin, cf, func, math, memref, ml_program, scf, vector
from xdsl.dialects.builtin import (
    FileLineColLoc,
    IntAttr,
    ModuleOp,
    StringAttr,
    UnregisteredAttr,
)
from xdsl.frontend.mlir import MLIRFrontend
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from .errors import CompileError, name_of, refuse
from .forms import FORMS
from .frontend.from_affine import from_affine
from .frontend.plain_loops import plain_loops

DIALECTS = (
    builtin.Builtin, arith.Arith, cf.Cf, func.Func, math.Math, memref.MemRef, scf.Scf,
    vector.Vector, affine.Affine, ml_program.MLProgram,
)  # fmt: skip


class LenientContext(Context):
    """Keeps attributes of dialects that nobody here knows as text: tools put them anywhere."""

    def get_optional_attr(self, name: str) -> type[Attribute] | None:
        known = super().get_optional_attr(name)
        if known is None:
            known = self._loaded_attrs[name] = UnregisteredAttr.with_name_and_type(name, False)
        return known


class FormsParser(Parser):
    """xDSL's parser, which also reads :data:`ember.compiler.forms.FORMS`."""

    def _get_op_by_name(self, name: str) -> type[Operation]:
        # In the generic form the name is in quotes.
        if name in FORMS and not self.lexer.input.content[: self.pos].rstrip().endswith('"'):
            return FORMS[name]
        return super()._get_op_by_name(name)


class LocatedParser(FormsParser):
    """Operations without a location in the text get that of their first word."""

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
    """A module in the dialects of a front end, verified.

    Without ``affine``, and without what :mod:`ember.compiler.frontend.plain_loops` replaces.

    Raises
    ------
    CompileError
        It is no such module: the message has name, line and column, or what is not valid.
    """
    context = LenientContext()
    for dialect in DIALECTS:
        context.load_dialect(dialect)
    try:
        module = LocatedParser(context, text, name).parse_module()
        _check_flow(module)
        _check_order(module, set())
        _verify(module)
        from_affine(module)
        plain_loops(module)
    except ParseError as error:
        ends = [n for n, letter in enumerate(text) if letter == "\n"]
        line, column = place(ends, error.span.start)
        raise CompileError(f"{name}:{line}:{column}: {' '.join(error.msg.split())}") from None
    return module


def _verify(module: ModuleOp) -> None:
    """Verify each operation by itself, so that a message has the place of the one at fault."""
    for op in module.walk():
        try:
            op.verify(verify_nested_ops=False)
        except VerifyException as error:
            reason = " ".join(str(error).partition("\n")[0].split())
            raise refuse(op, f"is not valid: {reason}") from None


def _check_flow(module: ModuleOp) -> None:
    """Refuse what leaves the order of loops and conditions: blocks that jump, and calls."""
    for op in module.walk():
        if isinstance(op, func.CallOp):
            raise refuse(op, "a function must not call another: it has to be inlined")
        if any(len(region.blocks) > 1 for region in op.regions):
            raise refuse(op, "must have one block: of control flow there are loops and conditions")


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
