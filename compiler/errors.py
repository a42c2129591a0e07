"""What the compiler says when it cannot do what it was asked."""

from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException


class CompileError(PassFailedException, ValueError):
    """The input cannot be compiled for this machine; the message says where and why."""


def name_of(value: SSAValue) -> str:
    """How the value is called in the text."""
    return f"%{value.name_hint}" if value.name_hint else "a value without a name"


def place_of(op: Operation) -> str:
    """Function, loops and name of an operation: ``C3: %b: %j: memref.load``."""
    parts = [op.name]
    parent: Operation | None = op
    while parent is not None:
        if parent.name in ("scf.for", "slc.loop"):
            parts.append(name_of(parent.regions[0].block.args[0]))
        symbol = parent.get_attr_or_prop("sym_name")
        if symbol is not None:
            parts.append(getattr(symbol, "data", str(symbol)))
        parent = parent.parent_op()
    return ": ".join(reversed(parts))


def refuse(op: Operation, reason: str) -> CompileError:
    """The error for ``op``: where it is, and why it cannot be compiled."""
    return CompileError(f"{place_of(op)}: {reason}")
