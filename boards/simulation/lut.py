"""Look-up tables as expressions of Verilog."""

from collections.abc import Sequence
from functools import cache
from itertools import permutations

#: Names of the inputs in a template, lowest bit of a table's index first.
_NAMES = "ABCD"


def lut(table: int, inputs: Sequence[str]) -> str:
    """The bit ``table >> index & 1``, whose index has ``inputs``, its lowest bit first.

    An input is a name, ``1'b0`` or ``1'b1``.
    """
    free = []
    for at, name in enumerate(inputs):
        if name in ("1'b0", "1'b1"):
            table = _fixed(table, len(free), len(inputs) - at, name == "1'b1")
        else:
            free.append(name)
    text = _template(table, len(free))
    for name, actual in zip(_NAMES, free, strict=False):
        text = text.replace(name, actual)
    return text


def _fixed(table: int, at: int, left: int, value: bool) -> int:
    """The table without its input ``at``, of ``at + left``, which has ``value``."""
    found = 0
    for index in range(1 << (at + left - 1)):
        low = index & ((1 << at) - 1)
        full = (index >> at) << (at + 1) | value << at | low
        found |= (table >> full & 1) << index
    return found


@cache
def _template(table: int, width: int) -> str:
    """The shortest of the expressions that take one input after another."""
    found = [_expand(table, list(range(width)), order) for order in permutations(range(width))]
    return min(found, key=len)


def _expand(table: int, inputs: list[int], order: tuple[int, ...]) -> str:
    full = (1 << (1 << len(inputs))) - 1
    if table in (0, full):
        return f"1'b{int(table != 0)}"
    first, rest = order[0], order[1:]
    at = inputs.index(first)
    left = len(inputs) - at
    low, high = (_fixed(table, at, left, value) for value in (False, True))
    others = [n for n in inputs if n != first]
    full = (1 << (1 << len(others))) - 1
    if low == high:
        return _expand(low, others, rest)
    name = _NAMES[first]
    if (low, high) == (0, full):
        return name
    if (low, high) == (full, 0):
        return f"~{name}"
    if low ^ high == full:
        return f"({name} ^ {_expand(low, others, rest)})"
    if low == 0:
        return f"({name} & {_expand(high, others, rest)})"
    if high == 0:
        return f"(~{name} & {_expand(low, others, rest)})"
    if high == full:
        return f"({name} | {_expand(low, others, rest)})"
    if low == full:
        return f"(~{name} | {_expand(high, others, rest)})"
    return f"({name} ? {_expand(high, others, rest)} : {_expand(low, others, rest)})"
