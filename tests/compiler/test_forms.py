"""Text as MLIR's tools print it, where xDSL reads only the generic form, and unknown attributes."""

import re

import pytest
from ember.compiler.errors import CompileError
from ember.compiler.opt import main
from ember.compiler.source import parse_nests

NEST = """
func.func @nest(%n: index, %i: memref<4xi64>, %a: memref<9x5xf32>, %out: memref<9x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
BODY
  func.return
}
"""


def read(body: str) -> str:
    """The text of a nest after it was read."""
    return str(parse_nests(NEST.replace("BODY", body), "a.mlir"))


def test_casts():
    text = read(
        "  %v = memref.cast %a {x = 1 : i32} : memref<9x5xf32> to memref<?x5xf32>\n"
        "  %k = arith.index_castui %n : index to i64"
    )
    assert re.search(r'"memref.cast"\(%a\) \{x = 1 : i32\} : \(memref<9x5xf32>\) -> mem', text)
    assert "%k = arith.index_cast %n : index to i64" in text


def test_the_generic_form_stays():
    body = '  %v = "memref.cast"(%a) : (memref<9x5xf32>) -> memref<?x5xf32>'
    assert '"memref.cast"(%a)' in read(body)


def test_parallel_loops_become_loops_the_outermost_first():
    text = read(
        "  scf.parallel (%b, %e) = (%c0, %c1) to (%c4, %n) step (%c1, %c4) {\n"
        "    %x = memref.load %a[%b, %e] : memref<9x5xf32>\n"
        "    memref.store %x, %out[%b, %e] : memref<9x5xf32>\n"
        "    scf.reduce\n"
        "  } {mapping = #gpu.loop_dim_map<processor = block_x>}"
    )
    assert [line.strip() for line in text.splitlines()[5:9]] == [
        "scf.for %b = %c0 to %c4 step %c1 {",
        "scf.for %e = %c1 to %n step %c4 {",
        "%x = memref.load %a[%b, %e] : memref<9x5xf32>",
        "memref.store %x, %out[%b, %e] : memref<9x5xf32>",
    ]
    assert "parallel" not in text and "reduce" not in text


@pytest.mark.parametrize("end", ["", "    scf.reduce\n"])
def test_a_parallel_loop_may_end_without_a_word(end):
    body = f"  scf.parallel (%b) = (%c0) to (%c4) step (%c1) {{\n{end}  }}"
    assert "scf.for %b = %c0 to %c4 step %c1 {" in read(body)


def test_a_copy_becomes_loops():
    text = read("  memref.copy %a, %out : memref<9x5xf32> to memref<9x5xf32>")
    assert re.search(
        r"scf.for %i0 = %\d+ to %\d+ step %\d+ \{\s+scf.for %i1 = %\d+ to %\d+ step %\d+ \{\s+"
        r"(%\d+) = memref.load %a\[%i0, %i1\] : memref<9x5xf32>\s+"
        r"memref.store \1, %out\[%i0, %i1\] : memref<9x5xf32>",
        text,
    )


def test_a_copy_of_a_row_is_one_loop():
    kind = "memref<1x5xf32, strided<[5, 1], offset: ?>>"
    text = read(
        f"  %v = memref.subview %a[%n, 0] [1, 5] [1, 1] : memref<9x5xf32> to {kind}\n"
        f"  %w = memref.subview %out[%n, 0] [1, 5] [1, 1] : memref<9x5xf32> to {kind}\n"
        f"  memref.copy %v, %w : {kind} to {kind}"
    )
    assert text.count("scf.for") == 1 and re.search(r"memref.load %v\[%\d+, %i0\]", text)


def test_a_copy_of_unknown_sizes_asks_for_them():
    text = read(
        "  %v = memref.cast %a : memref<9x5xf32> to memref<?x5xf32>\n"
        "  %w = memref.cast %out : memref<9x5xf32> to memref<?x5xf32>\n"
        "  memref.copy %v, %w : memref<?x5xf32> to memref<?x5xf32>"
    )
    assert len(re.findall("memref.dim %v", text)) == 1


def test_attributes_and_globals_that_nobody_here_knows():
    parse_nests(
        "#loop = #llvm.loop_annotation<unroll = <disable = true>>\n"
        "module attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i64>} {\n"
        "ml_program.global private mutable @seed(dense<0> : tensor<i64>) : tensor<i64>\n"
        + NEST.replace("BODY", "  scf.for %b = %c0 to %c4 step %c1 {\n  } {a.b = #loop}")
        + "}\n"
    )


def test_ember_opt_reads_the_same(tmp_path, capsys):
    path = tmp_path / "a.mlir"
    path.write_text(
        NEST.replace("BODY", "  memref.copy %a, %out : memref<9x5xf32> to memref<9x5xf32>")
    )
    assert main([str(path)]) == 0
    assert '"memref.copy"(%a, %out)' in capsys.readouterr().out


@pytest.mark.parametrize(
    "body, message",
    [
        (
            "  %s = scf.parallel (%b) = (%c0) to (%c4) step (%c1) init (%n) -> index {\n  }",
            "a.mlir:6:59: a parallel loop must reduce nothing: its sums have no order",
        ),
        (
            "  %k = arith.constant 1 : i32\n  %q = arith.index_castui %k : i32 to index",
            "a.mlir:7:27: arith.index_castui must be of 64 bits, not from i32 to index: "
            "arith.extui makes them so",
        ),
        (
            '  %s = "scf.parallel"(%c0, %c4, %c1, %n) <{operandSegmentSizes = array<i32: 1, 1, 1, '
            '1>}> ({\n  ^bb0(%b: index):\n    "scf.reduce"(%b) ({\n    ^bb0(%x: index, %y: index):'
            '\n      "scf.reduce.return"(%x) : (index) -> ()\n    }) : (index) -> ()\n'
            "  }) : (index, index, index, index) -> index",
            "a.mlir:6: nest: scf.parallel: a parallel loop must reduce nothing: its sums have no "
            "order",
        ),
        (
            "  cf.br ^next\n^next:",
            "a.mlir:2: nest: func.func: must have one block: of control flow there are loops and "
            "conditions",
        ),
        (
            "  func.call @nest(%n, %i, %a, %out) : (index, memref<4xi64>, memref<9x5xf32>, "
            "memref<9x5xf32>) -> ()",
            "a.mlir:6: nest: func.call: a function must not call another: it has to be inlined",
        ),
    ],
)
def test_what_is_refused(body, message):
    with pytest.raises(CompileError) as info:
        read(body)
    assert str(info.value) == message
