"""Programs that the contract does not allow, and what is said of them."""

from dataclasses import replace

import pytest
from ember.hw.config import Config
from ember.hw.isa import Op, Operand, Sel, Span
from ember.hw.program import Program, Segment
from ember.sim.legal import check

CONFIG = Config.preset("tiny")
SEGMENT = Segment((dict(step=1), dict(step=1)), dict(dim=4, vector=1), {}, dict(chunks=1, tail=4))
PROGRAM = Program(CONFIG.hash, (SEGMENT,), (dict(op=Op.NOP, ret=1),))


def test_legal():
    check(PROGRAM, CONFIG)


@pytest.mark.parametrize(
    "part, fields, text",
    [
        ("layers", dict(step=0), "segment 0 layer 0: step must be at least 1, not 0"),
        ("layers", dict(start_sel=3), "segment 0 layer 0: start_sel must be 0..2, not 3"),
        ("layers", dict(m1_en=1, m1_at=Sel.ALU),
         "segment 0 layer 0: m1_at must be ITE or ENV0..ENV2, not ALU"),
        ("layers", dict(m0_en=1, m0_at=Sel.ITE, m0_size=1, m0_base=4),
         "segment 0 layer 0: m0_base must be a multiple of 8, not 0x4"),
        ("layers", dict(m0_en=1, m0_at=Sel.ITE, m0_pair=1, step=2),
         "segment 0 layer 0: m0_pair needs m0_at = ITE and step = 1"),
        ("layers", dict(alu_b=Sel.ALU), "segment 0 layer 0: alu_b must not be ALU"),
        ("layers", dict(e0=11),
         "scalar_layer.e0 must be one of ZERO=0, ITE=1, MEM0=2, MEM1=3, NEXT=4, ALU=5, "
         "ENV0=6, ENV1=7, ENV2=8, IMM=9, not 11"),
        ("row", dict(dim=0), "segment 0: dim must be 1..64, not 0"),
        ("row", dict(start_sel=3), "segment 0: row start_sel must be 0..2, not 3"),
        ("row", dict(base=2), "segment 0: row base must be a multiple of 4, not 0x2"),
        ("execute", dict(tail=0),
         "segment 0: chunks must be 1..16 and tail 1..4, not 1 and 0"),
        ("execute", dict(row_stride=6), "segment 0: row_stride must be a multiple of 4, not 0x6"),
        ("marshal", dict(row_beg_op0=Operand.DATA), "segment 0: row_beg_op0 must not be DATA"),
        ("marshal", dict(l1_end_op2=Operand.ITE), "segment 0: l1_end_op2 must not be ITE"),
        ("marshal", dict(l0_beg_token=1, l0_beg_pc=1), "segment 0: l0_beg_pc must be 0..0, not 1"),
    ],
)  # fmt: skip
def test_illegal_segment(part, fields, text):
    old = getattr(SEGMENT, part)
    new = (old[0] | fields, *old[1:]) if part == "layers" else old | fields
    program = replace(PROGRAM, segments=(replace(SEGMENT, **{part: new}),))
    with pytest.raises(ValueError) as error:
        check(program, CONFIG)
    assert str(error.value) == text


@pytest.mark.parametrize(
    "code, text",
    [
        ((dict(op=Op.NOP),), "instruction 0, the last one, must have ret set"),
        ((dict(op=Op.MOV, span=Span.CHUNK, emit=1, ret=1),),
         "instruction 0 emits: its span must be ROW"),
    ],
)  # fmt: skip
def test_illegal_code(code, text):
    with pytest.raises(ValueError) as error:
        check(replace(PROGRAM, code=code), CONFIG)
    assert str(error.value) == text


def test_program_of_another_machine():
    other = CONFIG.replace(lanes=8)
    with pytest.raises(ValueError) as error:
        check(PROGRAM, other)
    assert str(error.value) == (
        f"program must be made for configuration {other.hash}, not {CONFIG.hash}"
    )
