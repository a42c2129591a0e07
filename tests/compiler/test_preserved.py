"""What passes of the front end must leave alone: nests that only look like what they rewrite.

Each pass is run on its own, and the interpreter says whether the nest still does the same.
"""

from textwrap import dedent

import numpy as np
import pytest
from ember.compiler.frontend.coo_to_csr import before
from ember.compiler.interpret.interpret import interpret
from ember.sim.golden import bitwise_equal
from ember.sim.nests import parse
from xdsl.context import Context

HEAD = """
func.func @nest(%ptr: memref<5xi64>, %t: memref<9x4xf32>, %out: memref<8x4xf32>,
                %numbers: memref<4x4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
"""


def preserved(nest: str, seed: int) -> None:
    """Every pass on its own, and all of them in order, store what the nest stores."""
    rng = np.random.default_rng(seed)
    arrays = dict(
        ptr=np.array([0, 2, 2, 7, 9]),
        t=rng.standard_normal((9, 4)).astype(np.float32),
        out=rng.standard_normal((8, 4)).astype(np.float32),
        numbers=rng.integers(-9, 9, (4, 4)).astype(np.int32),
    )
    source = parse(HEAD + dedent(nest) + "  func.return\n}\n")
    expected = {name: array.copy() for name, array in arrays.items()}
    interpret(source, expected)
    assert not bitwise_equal(expected["out"], arrays["out"])
    together = source.clone()
    for step in before(()):
        for module in (source.clone(), together):
            step.apply(Context(), module)
            module.verify()
            found = {name: array.copy() for name, array in arrays.items()}
            interpret(module, found)
            for name in ("out", "numbers"):
                same = found[name].view(np.uint32) == expected[name].view(np.uint32)
                assert same.all(), f"{step.name}: {name}"


@pytest.mark.parametrize("variable", ["index", "i32", "i64"])
@pytest.mark.parametrize("position", ["index", "i32", "i64"])
@pytest.mark.parametrize("start, pace, first", [(0, 2, 0), (3, 1, 2), (1, -1, 7)])
def test_positions_of_any_type(variable, position, start, pace, first, seed):
    as_index = "index_cast %at : {0} to index" if position != "index" else "addi %at, %c0 : {0}"
    suffix = "" if variable == "index" else f" : {variable}"
    preserved(
        f"""
        %start = arith.constant {start} : {variable}
        %end = arith.constant {start + 3} : {variable}
        %step = arith.constant 1 : {variable}
        %pace = arith.constant {pace} : {position}
        %first = arith.constant {first} : {position}
        %k = scf.for %j = %start to %end step %step
          iter_args(%at = %first) -> ({position}){suffix} {{
          %row = arith.{as_index.format(position)}
          memref.store %one, %out[%row, %c0] : memref<8x4xf32>
          %more = arith.addi %at, %pace : {position}
          scf.yield %more : {position}
        }}
        """,
        seed,
    )


@pytest.mark.parametrize(
    "behind",
    [
        # The row is the loop's own result.
        """
        %row = arith.index_cast %n : i64 to index
        memref.store %s, %out[%row, %c1] : memref<8x4xf32>
        """,
        # What is computed from a count is no integer, and what is from a sum no float.
        """
        %f = arith.sitofp %n : i64 to f32
        memref.store %f, %out[%c1, %c1] : memref<8x4xf32>
        """,
        """
        %above = arith.cmpf ogt, %s, %z : f32
        %bit = arith.extui %above : i1 to i32
        memref.store %bit, %numbers[%c1, %c1] : memref<4x4xi32>
        memref.store %s, %out[%c1, %c1] : memref<8x4xf32>
        """,
    ],
    ids=["row", "count", "bit"],
)
@pytest.mark.parametrize("end", [0, 3])
def test_places_that_are_no_home(behind, end, seed):
    loop = f"""
        %end = arith.constant {end} : index
        %s, %n = scf.for %j = %c0 to %end step %c1 iter_args(%a = %z, %k = %n1) -> (f32, i64) {{
          %x = memref.load %t[%j, %c0] : memref<9x4xf32>
          %r = arith.addf %a, %x : f32
          %m = arith.addi %k, %n1 : i64
          scf.yield %r, %m : f32, i64
        }}
    """
    preserved(dedent(loop) + dedent(behind), seed)


@pytest.mark.parametrize("column", ["%e", "%next", "%c0", "%c3"])
def test_branches_that_look_at_another_element(column, seed):
    preserved(
        f"""
        scf.for %b = %c0 to %c4 step %c1 {{
          %i = memref.load %ptr[%b] : memref<5xi64>
          %some = arith.cmpi ne, %i, %n0 : i64
          scf.if %some {{
            scf.for %e = %c0 to %c3 step %c1 {{
              %next = arith.addi %e, %c1 : index
              %x = memref.load %t[%b, %e] : memref<9x4xf32>
              memref.store %x, %out[%b, %e] : memref<8x4xf32>
              %y = memref.load %out[%b, {column}] : memref<8x4xf32>
              %s = arith.addf %x, %y : f32
              memref.store %s, %out[%b, %e] : memref<8x4xf32>
            }}
          }} else {{
            scf.for %e = %c0 to %c3 step %c1 {{
              memref.store %one, %out[%b, %e] : memref<8x4xf32>
            }}
          }}
        }}
        """,
        seed,
    )


@pytest.mark.parametrize("width", [3, 8, 32, 64])
@pytest.mark.parametrize("cast", ["sitofp", "uitofp"])
@pytest.mark.parametrize("most", ["sgt", "max"])
def test_lengths_of_any_width(width, cast, most, seed):
    """A length of 5 is -3 in 3 bits."""
    kind = f"i{width}"
    mean = f"""
        %d = arith.{cast} %n : {kind} to f32
        %y = arith.divf %s, %d : f32
    """
    chosen = f"""
        %some = arith.cmpi sgt, %n, %none : {kind}
        %mean = scf.if %some -> (f32) {{
          {mean}
          scf.yield %y : f32
        }} else {{
          scf.yield %z : f32
        }}
    """
    clamped = f"""
        %least = arith.constant 1 : {kind}
        %most = arith.maxsi %n, %least : {kind}
        %d = arith.{cast} %most : {kind} to f32
        %mean = arith.divf %s, %d : f32
    """
    preserved(
        f"""
        scf.for %b = %c0 to %c4 step %c1 {{
          %next = arith.addi %b, %c1 : index
          %p = memref.load %ptr[%b] : memref<5xi64>
          %q = memref.load %ptr[%next] : memref<5xi64>
          %first = arith.index_cast %p : i64 to index
          %last = arith.index_cast %q : i64 to index
          %s = scf.for %j = %first to %last step %c1 iter_args(%a = %z) -> (f32) {{
            %x = memref.load %t[%j, %c0] : memref<9x4xf32>
            %r = arith.addf %a, %x : f32
            scf.yield %r : f32
          }}
          %length = arith.subi %last, %first : index
          %n = arith.index_cast %length : index to {kind}
          %none = arith.constant 0 : {kind}
          {chosen if most == "sgt" else clamped}
          memref.store %mean, %out[%b, %c0] : memref<8x4xf32>
        }}
        """,
        seed,
    )


@pytest.mark.parametrize("stride", [0, 1, 3, 4, 5])
def test_rows_that_overlap(stride, seed):
    kind = f"memref<6x4xf32, strided<[{stride}, 1]>>"
    preserved(
        f"""
        %v = memref.reinterpret_cast %out to offset: [0], sizes: [6, 4], strides: [{stride}, 1]
          : memref<8x4xf32> to {kind}
        scf.for %e = %c0 to %c4 step %c1 {{
          scf.for %j = %c0 to %c3 step %c1 {{
            %x = memref.load %t[%j, %e] : memref<9x4xf32>
            memref.store %x, %v[%j, %e] : {kind}
          }}
        }}
        """,
        seed,
    )
