"""What the interpreter makes of integers, and of truth values as integers."""

import numpy as np
import pytest
from ember.compiler.interpret.interpret import interpret

from ...support.mlir import parse

TEXT = """
func.func @f(%a: index, %b: index, %out: memref<1xi64>) {{
  %c0 = arith.constant 0 : index
  %x = arith.index_cast %a : index to i64
  %y = arith.index_cast %b : index to i64
  %p = arith.cmpi slt, %x, %y : i64
  %true = arith.constant true
  {line}
  memref.store %r, %out[%c0] : memref<1xi64>
  func.return
}}
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%r = arith.minsi %x, %y : i64", min),
        ("%r = arith.maxsi %x, %y : i64", max),
        ("%r = arith.minui %x, %y : i64", lambda a, b: min(a, b, key=lambda n: n % (1 << 64))),
        ("%r = arith.maxui %x, %y : i64", lambda a, b: max(a, b, key=lambda n: n % (1 << 64))),
        ("%r = arith.extsi %p : i1 to i64", lambda a, b: -int(a < b)),
        ("%r = arith.extui %p : i1 to i64", lambda a, b: int(a < b)),
        ("%i = arith.index_cast %p : i1 to index\n  %r = arith.index_cast %i : index to i64",
         lambda a, b: -int(a < b)),
        ("%q = arith.xori %p, %true : i1\n  %r = arith.extui %q : i1 to i64",
         lambda a, b: int(a >= b)),
        ("%q = arith.trunci %x : i64 to i1\n  %r = arith.extsi %q : i1 to i64",
         lambda a, b: -(a & 1)),
    ],
)  # fmt: skip
@pytest.mark.parametrize(("a", "b"), [(3, 5), (5, 3), (-2, 7), (7, -2), (-1, -1)])
def test_integers(line, expected, a, b):
    out = np.zeros(1, np.int64)
    interpret(parse(TEXT.format(line=line)), {"a": a, "b": b, "out": out}, "f")
    assert out[0] == expected(a, b)
