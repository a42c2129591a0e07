"""DLC's two halves: what crosses the queues, and programs in which it does not come out even."""

import numpy as np
import pytest
from ember.compiler.interpret.interpret import InterpretError, interpret

from ...support.mlir import parse


def segment(events: str, callbacks: str, row: str = "vector<2xf32>", unit: str = "") -> str:
    unit = unit or "%b = dlc.tu.dense 0 to 2 step 1 : !dlc.stream<0, index>"
    return f"""
    dlc.func @f(%t: memref<9xf32>, %out: memref<2x3xf32>) {{
      dlc.segment access {{
        {unit}
        %x, %e = dlc.tu.row %t[%b : !dlc.stream<0, index>] dim 3 : memref<9xf32>
          -> !dlc.stream<1, {row}>, !dlc.stream<1, index>
        {events}
      }} execute {{
        dlc.rows %out : memref<2x3xf32>
        {callbacks}
      }}
    }}"""


TOKEN = "dlc.token beg of %e, @row_beg : !dlc.stream<1, index>"
DATA = "dlc.push ite of %e, %x : !dlc.stream<1, index>, !dlc.stream<1, vector<2xf32>>"
INDEX = "dlc.push beg of %e, %b : !dlc.stream<1, index>, !dlc.stream<0, index>"


def run(text: str, **options):
    t, out = np.arange(9, dtype=np.float32), np.full((2, 3), np.nan, np.float32)
    return out, interpret(parse(text), dict(t=t, out=out), **options)


@pytest.mark.parametrize("fiber_lanes", [1, 2])
def test_a_copy(fiber_lanes):
    out, outcome = run(
        segment(
            f"{INDEX}\n{TOKEN}\n{DATA}",
            """dlc.callback @row_beg {
              dlc.pop r0
              dlc.setr r0
              dlc.add v0, dataq, zero emit always
            }""",
        ),
        fiber_lanes=fiber_lanes,
    )
    assert out.tolist() == [[0, 1, 2], [1, 2, 3]]
    [queues] = outcome.queues
    assert (queues.tokens, queues.operands) == (2, 2 * 3)


def test_elements_and_counts():
    """Element by element, the mean of a row with itself; the counter is the lane's."""
    out, _ = run(
        segment(
            """
            dlc.push ite of %e, %e : !dlc.stream<1, index>, !dlc.stream<1, index>
            dlc.push ite of %e, %x : !dlc.stream<1, index>, !dlc.stream<1, f32>
            dlc.token ite of %e, @row_ite : !dlc.stream<1, index>
            dlc.token end of %e, @row_end : !dlc.stream<1, index>
            dlc.token beg of %b, @l0_beg : !dlc.stream<0, index>
            """,
            """
            dlc.callback @l0_beg {
              dlc.seta
              dlc.nop count clear
            }
            dlc.callback @row_ite {
              dlc.pop r1
              dlc.add v0, dataq, zero at_element r1 count inc
            }
            dlc.callback @row_end {
              dlc.add v0, v0, v0 emit always div bump
            }""",
            row="f32",
        )
    )
    assert np.allclose(out, [np.arange(0, 3) * 2 / 3, np.arange(1, 4) * 2 / 6])


@pytest.mark.parametrize(
    "events, callbacks, message",
    [
        (f"{TOKEN}\n{DATA}", "dlc.callback @row_beg { dlc.seta }",
         "f: row_beg: dlc.callback: 2 of the 2 operands were not popped"),
        (TOKEN, "dlc.callback @row_beg { dlc.pop r0 }",
         "f: row_beg: dlc.pop: operand 1 is popped, but 0 were pushed"),
        (DATA, "", "f: dlc.push: an operand is pushed before the token whose callback pops it"),
        (TOKEN, "dlc.callback @row_beg { dlc.setr r1 }",
         "f: row_beg: dlc.setr: r1 is read before it is popped"),
        (TOKEN, "dlc.callback @row_beg { dlc.mov v0, zero emit always }",
         "f: row_beg: dlc.mov: the row's address must be set before it is stored"),
        (TOKEN, "dlc.callback @row_beg { dlc.add v0, v1, zero }",
         "f: row_beg: dlc.add: 2 elements from v1[0] on are read before they are written"),
        (f"{TOKEN}\n{DATA}", "dlc.callback @row_beg { dlc.mul v0, dataq, arg }",
         "f: row_beg: dlc.mul: the token has no argument"),
        (TOKEN, """dlc.callback @row_beg {
             dlc.seta
             dlc.mov v0, zero emit always bump
             dlc.mov v0, zero emit always bump
             dlc.mov v0, zero emit always }""",
         "f: row_beg: dlc.mov: index 2 of out[2, 0] is out of range: allowed 0..1"),
    ],
)  # fmt: skip
def test_wrong_programs(events, callbacks, message):
    with pytest.raises(InterpretError) as info:
        run(segment(events, callbacks))
    assert str(info.value) == message


def test_a_row_that_is_not_in_the_table():
    with pytest.raises(InterpretError) as info:
        run(segment("", "", unit="%b = dlc.tu.dense 0 to 9 step 1 : !dlc.stream<0, index>"))
    assert str(info.value) == "f: dlc.tu.row: index 9 of t[9] is out of range: allowed 0..8"
