"""What each operation of SLC does, and what the interpreter says of programs that are wrong."""

import numpy as np
import pytest
from ember.compiler.interpret.faults import Fault
from ember.compiler.interpret.interpret import InterpretError, interpret
from ember.hw.isa import Error

from ...support.mlir import parse


def traced(body: str, **arrays: np.ndarray):
    """Run a body whose callbacks append numbers to ``%log``; returns them, and the faults.

    ``NOTE(%v)`` in a callback appends an index, ``NOTE(7)`` a literal.
    """
    names = iter(range(1000))

    def note(value: str) -> str:
        n = next(names)
        literal = "" if value.startswith("%") else f"%l{n} = arith.constant {value} : index\n"
        value = value if value.startswith("%") else f"%l{n}"
        return f"""{literal}
          %n{n} = memref.load %count[%zero_{n}] : memref<1xindex>
          memref.store {value}, %log[%n{n}] : memref<99xindex>
          %one_{n} = arith.constant 1 : index
          %m{n} = arith.addi %n{n}, %one_{n} : index
          memref.store %m{n}, %count[%zero_{n}] : memref<1xindex>
        """.replace(f"%n{n} = memref", f"%zero_{n} = arith.constant 0 : index\n%n{n} = memref", 1)

    pieces = body.split("NOTE(")
    text = pieces[0] + "".join(
        note(value) + rest for value, _, rest in (piece.partition(")") for piece in pieces[1:])
    )
    kinds = {"int64": "i64", "int32": "i32", "float32": "f32"}
    arguments = "".join(
        f", %{name}: memref<{len(a)}x{kinds[str(a.dtype)]}>" for name, a in arrays.items()
    )
    module = parse(
        f"slc.func @f(%log: memref<99xindex>, %count: memref<1xindex>{arguments}) {{\n{text}\n}}"
    )
    log, count = np.zeros(99, np.int64), np.zeros(1, np.int64)
    outcome = interpret(module, dict(log=log, count=count, **arrays))
    return log[: count[0]].tolist(), outcome.faults


I64 = np.array([2, 0, 5, 1], np.int64)


def test_events_come_in_order():
    assert traced("""
      slc.loop (%b = 1 to 6 step 3) {
        slc.callback { %v = slc.to_val %b : index NOTE(%v) }
        slc.loop (%j = 0 to 2 step 1) {
          slc.callback { NOTE(100) }
        }
        slc.callback { NOTE(200) }
      }
    """) == ([1, 100, 100, 200, 4, 100, 100, 200], [])


def test_a_check_leaves_out_the_rest_of_an_iteration():
    log, faults = traced(
        """
      slc.loop (%b = 0 to 4 step 1) {
        %i = slc.load %a[%b] : memref<4xi64>
        slc.check %i below 2 : i64
        slc.callback { %v = slc.to_val %b : index NOTE(%v) }
      }
    """,
        a=I64,
    )
    assert log == [1, 3]
    assert faults == [Fault(Error.INDEX, 0, 0, 2), Fault(Error.INDEX, 0, 2, 5)]


def test_a_check_has_no_sign():
    _, faults = traced(
        """
      slc.loop (%b = 0 to 1 step 1) {
        %i = slc.load %a[%b] : memref<1xi32>
        slc.check %i below 2 : i32
      }
    """,
        a=np.array([-1], np.int32),
    )
    assert faults == [Fault(Error.INDEX, 0, 0, (1 << 32) - 1)]


def test_a_skip_leaves_out_the_rest_of_an_iteration():
    assert traced(
        """
      slc.loop (%b = 0 to 4 step 1) {
        %i = slc.load %a[%b] : memref<4xi64>
        slc.skip %i equal 5 : i64
        slc.callback { %v = slc.to_val %b : index NOTE(%v) }
      }
    """,
        a=I64,
    ) == ([0, 1, 3], [])


def test_a_skip_may_be_negative():
    assert traced(
        """
      slc.loop (%b = 0 to 2 step 1) {
        %i = slc.load %a[%b] : memref<2xi32>
        slc.skip %i equal -1 : i32
        slc.callback { %v = slc.to_val %b : index NOTE(%v) }
      }
    """,
        a=np.array([-1, 0], np.int32),
    ) == ([1], [])


def test_a_range_that_ends_before_it_starts_is_reported():
    log, faults = traced(
        """
      slc.loop (%b = 0 to 3 step 1) {
        %p, %q = slc.load_pair %a[%b] : memref<4xi64>
        slc.loop (%j = %p to %q step 2) {
          slc.callback { %v = slc.to_val %j : index NOTE(%v) }
        }
      }
    """,
        a=I64,
    )
    assert log == [0, 2, 4]
    assert faults == [Fault(Error.BOUNDS, 1, 2, 0), Fault(Error.BOUNDS, 1, 5, 1)]


FUSED = """
  slc.loop (%b = 0 to 3 step 1) {
    %p, %q = slc.load_pair %ptrs[%b] : memref<4xi64>
    slc.loop (%j = %p to %q step 1) fused {
      %i = slc.load %a[%j] : memref<4xi64>
      slc.skip %i equal 5 : i64
      slc.callback first { NOTE(100) } each {
        %v = slc.to_val %j : index NOTE(%v)
      } last { NOTE(200) }
    }
  }
"""


@pytest.mark.parametrize(
    "values, expected",
    [
        ([0, 1, 2, 3], [100, 0, 200, 100, 200, 100, 1, 2, 3, 200]),
        ([5, 1, 2, 5], [100, 200, 100, 200, 100, 1, 2, 200]),
        ([0, 5, 2, 3], [100, 0, 200, 100, 200, 100, 2, 3, 200]),
    ],
)
def test_first_and_last_of_a_fused_loop(values, expected):
    """Bags of one, of none, and of three; ``first`` and ``last`` come though one is skipped."""
    pointers = np.array([0, 1, 1, 4], np.int64)
    assert traced(FUSED, ptrs=pointers, a=np.array(values, np.int64)) == (expected, [])


def test_integers_wrap_at_the_address_width():
    text = """
    slc.func @f(%a: memref<4xi64>, %out: memref<1xindex>) {
      slc.loop (%b = 0 to 1 step 1) {
        %i = slc.load %a[%b] : memref<4xi64>
        %r = slc.sub %b, 1 : index
        slc.callback {
          %v = slc.to_val %r : index
          %c0 = arith.constant 0 : index
          memref.store %v, %out[%c0] : memref<1xindex>
        }
      }
    }"""
    out = np.zeros(1, np.int64)
    interpret(parse(text), dict(a=I64, out=out), addr_width=32)
    assert out[0] == (1 << 32) - 1


def callback(body: str, out: str = "memref<2x3xf32>") -> str:
    return f"""
    slc.func @f(%a: memref<4xf32>, %out: {out}) {{
      slc.loop (%b = 0 to 2 step 1) {{
        %x = slc.load %a[%b] : memref<4xf32>
        %buffer = slc.buffer : memref<4xf32>
        slc.loop (%e = 0 to 4 step 2) {{
          %piece = slc.load %a[%e] : memref<4xf32>, vector<2xf32>
          slc.push %piece to %buffer : vector<2xf32>, memref<4xf32>
        }}
        slc.callback {{
          %c0 = arith.constant 0 : index
          %row = slc.to_val %b : index
          {body}
        }}
      }}
    }}"""


@pytest.mark.parametrize(
    "text, message",
    [
        (callback("""
          %r = slc.row %out[%row] : memref<2x3xf32> to memref<4xf32>
          slc.emit %r : memref<4xf32>"""),
         "f: %b: slc.emit: 3 elements from %r[0] on are read before they are written"),
        (callback("""
          %c9 = arith.constant 9 : index
          %data = slc.to_val %buffer : memref<4xf32>
          %v = memref.load %data[%c9] : memref<4xf32>"""),
         "f: %b: memref.load: index 9 of %buffer[9] is out of range: allowed 0..3"),
        (callback("%r = slc.row %out : memref<2x3xf32> to memref<3xf32>"),
         "f: %b: slc.row: the counter of %out must be rewound first"),
        (callback("%r = math.absf %undefined : f32".replace("%undefined", "%v")
                  .replace("%r", "%v = slc.to_val %x : f32\n%r")),
         "f: %b: math.absf: this operation is not interpreted"),
        (callback("""%r = slc.row %out[%row] : memref<2x3xf32> to memref<3xf32>
          %s = slc.row %out[%row] : memref<2x3xf32> to memref<4xf32>"""),
         "f: %b: slc.row: the register for %out has 3 elements, not 4"),
        ("""slc.func @f(%a: memref<4xf32>, %out: memref<2x3xf32>) {
          slc.loop (%b = 3 to 5 step 1) {
            %x = slc.load %a[%b] : memref<4xf32>
          }
        }""", "f: %b: slc.load: index 4 of a[4] is out of range: allowed 0..3"),
        ("""slc.func @f(%a: memref<4xf32>, %out: memref<2x3xf32>) {
          slc.loop (%b = 0 to 2 step 1) {
            %buffer = slc.buffer : memref<4xf32>
            slc.loop (%e = 0 to 2 step 2) {
              %piece = slc.load %a[%e] : memref<4xf32>, vector<2xf32>
              slc.push %piece to %buffer : vector<2xf32>, memref<4xf32>
            }
            slc.callback { %d = slc.to_val %buffer : memref<4xf32> }
          }
        }""", "f: %b: slc.to_val: %buffer holds 4 elements, but 2 were pushed"),
    ],
)  # fmt: skip
def test_wrong_programs(text, message):
    arguments = dict(a=np.zeros(4, np.float32), out=np.zeros((2, 3), np.float32))
    with pytest.raises(InterpretError) as info:
        interpret(parse(text), arguments)
    assert str(info.value) == message
