"""Messages of code generation for DLC that another configuration was meant for."""

import pytest
from ember.compiler.codegen import generate
from ember.compiler.dlc.dialect import DLC
from ember.compiler.errors import CompileError
from ember.hw import isa
from ember.hw.config import Config
from xdsl.context import Context
from xdsl.dialects import builtin, memref
from xdsl.parser import Parser

CONFIG = Config.preset("tiny")
TEXT = """
dlc.func @t(%idxs: memref<8xi64>, %table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 2 : !dlc.stream<0, index>
    %i = dlc.mem %idxs[%b] offset 1 below 9 : memref<8xi64>, !dlc.stream<0, index> -> \
!dlc.stream<0, i64>
    %s = dlc.alu add %i, %b : !dlc.stream<0, index> : !dlc.stream<0, i64> -> !dlc.stream<0, i64>
    %o = dlc.tu.once : !dlc.stream<1, index>
    %f = dlc.fwd %s : !dlc.stream<0, i64> -> !dlc.stream<1, i64>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<2, vector<4xf32>>, \
!dlc.stream<2, index>
    dlc.push beg of %e, %f : !dlc.stream<2, index>, !dlc.stream<1, i64>
    dlc.push ite of %e, %x : !dlc.stream<2, index>, !dlc.stream<2, vector<4xf32>>
    dlc.token beg of %e, @start : !dlc.stream<2, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
    dlc.callback @start {
      dlc.pop r3
      dlc.setr r3
      dlc.max v0, dataq, zero init count clear emit always
    }
  }
}
"""


def module(text: str):
    context = Context()
    for dialect in (builtin.Builtin, memref.MemRef, DLC):
        context.load_dialect(dialect)
    result = Parser(context, text).parse_module()
    result.verify()
    return result


def test_what_no_bag_uses():
    [template] = generate(module(TEXT), CONFIG)
    program = template.link({("t", "idxs"): 64, ("t", "table"): 256, ("t", "out"): 1024}, CONFIG)
    program.image(CONFIG)
    [segment] = program.segments
    assert segment.layers == (
        dict(
            kind=isa.Kind.DENSE, stop=8, step=2, m0_en=1, m0_base=72, m0_at=isa.Sel.ITE,
            m0_size=1, m0_check=1, m0_limit=9, alu_a=isa.Sel.MEM0, alu_b=isa.Sel.ITE,
            e0=isa.Sel.ALU,
        ),
        dict(step=1, e0=isa.Sel.ENV0),
    )  # fmt: skip
    assert segment.row == dict(base=256, dim=8, vector=1)
    assert program.code == (
        dict(op=isa.Op.POP, rd=3),
        dict(op=isa.Op.SETR, at=3),
        dict(op=isa.Op.MAX, init=1, count=isa.Count.CLEAR, emit=isa.Emit.ALWAYS, ret=1),
    )


@pytest.mark.parametrize(
    "text, config, message",
    [
        (TEXT, CONFIG.replace(layers=4), "table 't' has 3 layers, but the configuration has 4"),
        (TEXT, CONFIG.replace(lanes=8),
         "table 't' uses vectors of 4 elements, but the configuration has 8 lanes"),
        (TEXT, CONFIG.replace(row_chunks=1),
         "table 't' has rows of 8 elements, but a register holds 4 (max_dim)"),
        (TEXT.replace("below 9", "below 4294967296"), CONFIG,
         "table 't' needs a range check against 4294967296, but the configuration allows "
         "4294967295"),
        (TEXT.replace("      dlc.pop r3\n", "      dlc.pop r3\n" * 31), CONFIG,
         "callbacks need 33 instructions, but code_depth is 32"),
    ],
)  # fmt: skip
def test_refusals(text, config, message):
    with pytest.raises(CompileError) as info:
        generate(module(text), config)
    assert str(info.value) == message


CACHED = CONFIG.replace(cache_lines=64)
#: With a loop inside that walks over the same array again and again.
INNER = TEXT.replace(
    "    %o = dlc.tu.once : !dlc.stream<1, index>\n",
    "    %o = dlc.tu.dense 0 to 2 step 1 : !dlc.stream<1, index>\n"
    "    %j = dlc.mem %idxs[%o] : memref<8xi64>, !dlc.stream<1, index> -> !dlc.stream<1, i64>\n",
)


def hints(text: str, config: Config) -> list[int]:
    """The hint of the first stream of each scalar layer."""
    [template] = generate(module(text), config)
    return [layer.get("m0_nt", 0) for layer in template.segments[0].layers]


def test_streams_that_are_read_once_pass_by_a_cache():
    assert hints(TEXT, CACHED) == [1, 0]
    assert hints(TEXT, CONFIG) == [0, 0]


def test_what_an_outer_loop_repeats_is_kept():
    assert hints(INNER, CACHED) == [1, 0]
