"""Berkeley SoftFloat on arrays of binary32 words: the reference of the tests."""

import numpy as np
import softfloatpy

CANONICAL_NAN = np.uint32(0x7FC00000)
ONE = np.uint32(0x3F800000)
MINUS_ZERO = np.uint32(0x80000000)
MINUS_ONE = np.uint32(0xBF800000)


def _apply(function, *operands):
    columns = []
    for words in operands:
        text = np.asarray(words, dtype=">u4").tobytes()
        columns.append(
            [softfloatpy.Float32.from_bytes(text[n : n + 4]) for n in range(0, len(text), 4)]
        )
    softfloatpy.set_rounding_mode(softfloatpy.RoundingMode.NEAR_EVEN)
    return [function(*row) for row in zip(*columns, strict=True)]


def _arithmetic(function, *operands):
    """Result words, each NaN the canonical one: SoftFloat's own NaN depends on its build."""
    text = b"".join(value.to_bytes() for value in _apply(function, *operands))
    words = np.frombuffer(text, dtype=">u4").astype(np.uint32)
    return np.where(is_nan(words), CANONICAL_NAN, words)


def is_nan(words):
    return (words & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000)


def add(a, b):
    return _arithmetic(softfloatpy.f32_add, a, b)


def sub(a, b):
    return _arithmetic(softfloatpy.f32_sub, a, b)


def mul(a, b):
    return _arithmetic(softfloatpy.f32_mul, a, b)


def fma(a, b, c):
    return _arithmetic(softfloatpy.f32_mul_add, a, b, c)


def div(a, b):
    return _arithmetic(softfloatpy.f32_div, a, b)


def less(a, b):
    """Ordered a < b."""
    return np.array(_apply(softfloatpy.f32_lt_quiet, a, b), dtype=bool)


def from_uint(values):
    text = b"".join(
        softfloatpy.ui32_to_f32(softfloatpy.UInt32.from_int(int(value))).to_bytes()
        for value in values
    )
    return np.frombuffer(text, dtype=">u4").astype(np.uint32)


def check(got, want, *operands):
    """Assert equal words; the message has the first operands that went wrong."""
    assert len(got) == len(want) > 0
    wrong = np.flatnonzero(got != want)
    first = []
    for n in wrong[:8]:
        words = " ".join(f"{int(column[n]):08x}" for column in operands)
        first.append(f"{words}: got {int(got[n]):08x}, want {int(want[n]):08x}")
    assert not len(wrong), f"{len(wrong)} of {len(got)} wrong\n" + "\n".join(first)
