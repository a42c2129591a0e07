"""What an interpreter says of a program that it cannot run."""

from xdsl.ir import Operation

from ..errors import place_of


class InterpretError(ValueError):
    """A program that does what its form does not allow; the message says where and what."""


def fail(op: Operation, reason: str) -> InterpretError:
    """The error for ``op``."""
    return InterpretError(f"{place_of(op)}: {reason}")
