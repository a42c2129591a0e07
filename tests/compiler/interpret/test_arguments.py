"""What the interpreter says of arguments that are not what the program takes."""

import numpy as np
import pytest
from ember.compiler.interpret.interpret import InterpretError, interpret

from ...support.mlir import parse

TEXT = """
func.func @f(%a: memref<4x?xf32>, %i: memref<2xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %dim = memref.dim %a, %c1 : memref<4x?xf32>
  scf.for %e = %c0 to %dim step %c1 {
    %x = memref.load %a[%n, %e] : memref<4x?xf32>
    memref.store %x, %a[%c0, %e] : memref<4x?xf32>
  }
  func.return
}
func.func @g(%0: f64) { func.return }
"""
GOOD = dict(a=np.zeros((4, 3), np.float32), i=np.zeros(2, np.int64), n=1)


def test_a_function_with_unknown_sizes():
    a = np.arange(12, dtype=np.float32).reshape(4, 3)
    interpret(parse(TEXT), {**GOOD, "a": a, "n": 2}, "f")
    assert a[0].tolist() == [6, 7, 8]


@pytest.mark.parametrize(
    "change, error, message",
    [
        (dict(a=np.zeros((4, 3))), TypeError, "a must be of f32, not float64"),
        (dict(a=np.zeros((3, 3), np.float32)), ValueError,
         "a must have the shape of memref<4x?xf32>, not (3, 3)"),
        (dict(a=np.zeros((3, 4), np.float32).T), ValueError,
         "a must have the strides of memref<4x?xf32>, not 16 bytes in dimension 1"),
        (dict(a=[1.0]), TypeError, "a must be an array, not list"),
        (dict(n=1.5), TypeError, "n must be an integer, not 1.5"),
        (dict(i=None), KeyError, "'argument i is missing'"),
        (dict(z=1), ValueError, "arguments must be among a, i, n, not z"),
        (dict(n=4), InterpretError,
         "f: %e: memref.load: index 4 of a[4, 0] is out of range: allowed 0..3"),
    ],
)  # fmt: skip
def test_wrong_arguments(change, error, message):
    arguments = {name: value for name, value in {**GOOD, **change}.items() if value is not None}
    with pytest.raises(error) as info:
        interpret(parse(TEXT), arguments, "f")
    assert type(info.value) is error and str(info.value) == message


@pytest.mark.parametrize(
    "name, message",
    [
        (None, "function must be one of f, g, as there is not just one"),
        ("h", "function must be one of f, g, not 'h'"),
    ],
)
def test_wrong_functions(name, message):
    with pytest.raises(ValueError) as info:
        interpret(parse(TEXT), {}, name)
    assert str(info.value) == message


def test_a_type_that_is_not_interpreted():
    with pytest.raises(TypeError) as info:
        interpret(parse(TEXT), {"arg0": 1.0}, "g")
    assert str(info.value) == "arg0 is of type f64, which is no array or scalar"
