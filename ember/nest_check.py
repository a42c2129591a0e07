"""Is the result of a nest right? To the last bit, against the interpreter of its SCF form."""

import numpy as np

from . import parts
from .check import Comparison
from .nest_result import NestResult

REFERENCE = "the interpreter of the SCF form"


def compare_interpreter(result: NestResult) -> Comparison:
    """Run the nest as it was read on the interpreter, and compare all that it stores to.

    The interpreter walks the loops one iteration after the other, in Python.
    """
    *_, interpret = parts.nest_runs()
    source = result.source
    arrays = source.copies()
    values = sum(result.arrays[name].size for name in source.written)
    try:
        interpret.interpret(source.module, {**arrays, **source.integers}, source.function)
    except interpret.InterpretError as error:
        return Comparison(REFERENCE, values, f"it stops: {error}")
    differences = (
        _first(name, result.arrays[name], np.ascontiguousarray(arrays[name]))
        for name in source.written
    )
    return Comparison(REFERENCE, values, next(filter(None, differences), None))


def _first(name: str, got: np.ndarray, expected: np.ndarray) -> str:
    """The first element with another bit pattern; empty if there is none."""
    bits = np.dtype(f"u{got.itemsize}")
    a, b = got.reshape(-1).view(bits), expected.reshape(-1).view(bits)
    wrong = np.flatnonzero(a != b)
    if not wrong.size:
        return ""
    at = int(wrong[0])
    place = ", ".join(str(int(n)) for n in np.unravel_index(at, got.shape))
    digits = 2 * got.itemsize
    return (
        f"{wrong.size} values differ, first {name}[{place}]: "
        f"{got.reshape(-1)[at]!s} (0x{int(a[at]):0{digits}x}) instead of "
        f"{expected.reshape(-1)[at]!s} (0x{int(b[at]):0{digits}x})"
    )
