"""What the compiler says: when it cannot do what it was asked, and, if asked, of what it does."""

import logging

from xdsl.dialects.builtin import FileLineColLoc
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

#: Where decisions are explained, at level INFO: nobody listens unless asked to.
DECISIONS = logging.getLogger("ember.compiler")


class CompileError(PassFailedException, ValueError):
    """The input cannot be compiled for this machine; the message says where and why."""


def name_of(value: SSAValue) -> str:
    """How the value is called in the text."""
    return f"%{value.name_hint}" if value.name_hint else "a value without a name"


def line_of(op: Operation) -> str | None:
    """File and line of an operation, or of what is around it, if the text was read with them."""
    parent: Operation | None = op
    while parent is not None:
        if isinstance(parent.location, FileLineColLoc):
            return f"{parent.location.filename.data}:{parent.location.line.data}"
        parent = parent.parent_op()
    return None


def place_of(op: Operation) -> str:
    """Line, function, loops and name of an operation: ``a.mlir:7: C3: %b: %j: memref.load``."""
    parts = [op.name]
    parent: Operation | None = op
    while parent is not None:
        if parent.name in ("scf.for", "slc.loop"):
            parts.append(name_of(parent.regions[0].block.args[0]))
        symbol = parent.get_attr_or_prop("sym_name")
        if symbol is not None:
            parts.append(getattr(symbol, "data", str(symbol)))
        parent = parent.parent_op()
    line = line_of(op)
    return ": ".join([*([line] if line else []), *reversed(parts)])


def refuse(op: Operation, reason: str) -> CompileError:
    """The error for ``op``: where it is, and why it cannot be compiled."""
    return CompileError(f"{place_of(op)}: {reason}")


def explain(op: Operation, decision: str) -> None:
    """Say what was decided about ``op``, and why."""
    if DECISIONS.isEnabledFor(logging.INFO):
        DECISIONS.info("%s: %s", place_of(op), decision)
