"""The command ember-opt: passes on text, what it prints, and how it fails."""

import subprocess
import sys
from pathlib import Path

import pytest
from ember.compiler.opt import main
from ember.compiler.universe import PASSES

COPY = """
func.func @copy(%rows: memref<4xi64>, %table: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %zero, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %rows[%b] : memref<4xi64>
    %row = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %table[%row, %e] : memref<9x4xf32>
      %acc = memref.load %out[%b, %e] : memref<4x4xf32>
      %sum = arith.addf %acc, %x : f32
      memref.store %sum, %out[%b, %e] : memref<4x4xf32>
    } {unknown.attribute = 3 : i32}
  }
  func.return
}
"""
LOWERING = (
    "decouple,check-bounds,pair-loads,flatten-addresses,promote-accumulator,raise-min-max,"
    "vectorize{lanes=4},bufferize,queue-align,fuse-tokens,slc-to-dlc{layers=3}"
)


@pytest.fixture
def copy(tmp_path: Path) -> str:
    path = tmp_path / "copy.mlir"
    path.write_text(COPY)
    return str(path)


@pytest.mark.parametrize("option", ["-p", "--passes", "--pass-pipeline"])
def test_all_the_way_down(copy, option, capsys):
    assert main([copy, option, LOWERING]) == 0
    out, err = capsys.readouterr()
    assert "dlc.segment access" in out and "dlc.add v0, dataq, v0" in out and err == ""


def test_the_pipeline_may_name_its_module(copy, capsys):
    assert main([copy, "--pass-pipeline", "builtin.module(decouple,pair-loads)"]) == 0
    named = capsys.readouterr().out
    assert main([copy, "-p", "decouple,pair-loads"]) == 0
    assert capsys.readouterr().out == named


def test_what_it_prints_can_be_read_again(copy, tmp_path, capsys):
    half = tmp_path / "half.mlir"
    assert main([copy, "-p", "decouple,check-bounds", "-o", str(half)]) == 0
    assert main([str(half), "-p", LOWERING.removeprefix("decouple,check-bounds,")]) == 0
    twice = capsys.readouterr().out
    assert main([copy, "-p", LOWERING]) == 0
    assert capsys.readouterr().out == twice


def test_print_ir_after_all(copy, capsys):
    assert main([copy, "-p", "decouple,check-bounds", "--print-ir-after-all"]) == 0
    out, err = capsys.readouterr()
    heads = [line for line in err.splitlines() if line.startswith("// -----")]
    assert heads == ["// ----- after decouple", "// ----- after check-bounds"]
    assert [line for line in err.splitlines() if not line.startswith(" ")] == [
        heads[0], "builtin.module {", "}", heads[1], "builtin.module {", "}",
    ]  # fmt: skip
    assert err.count("slc.func @copy") == 2 and err.count("slc.check") == 1
    assert out.count("slc.func @copy") == 1


def test_every_pass_and_xdsl_s_own_are_there(copy, capsys):
    assert main(["--help"]) == 0
    text = "".join(capsys.readouterr().out.split())
    for name in [*PASSES, "canonicalize", "cse"]:
        assert name in text
    assert main([copy, "-p", "canonicalize,cse,decouple"]) == 0


def test_verify_each(tmp_path, capsys):
    """A pass of a test breaks the module; it is found at once, or not at all."""
    broken = tmp_path / "broken.mlir"
    broken.write_text("slc.func @f(%a: memref<4xf32>) { slc.loop (%b = 0 to 4 step 1) {} }")
    from ember.compiler.slc import dialect as slc
    from ember.compiler.slc.pair_loads import PairLoadsPass
    from ember.compiler.streams import integer

    def spoil(self, ctx, op):
        for loop in op.walk():
            if isinstance(loop, slc.LoopOp):
                loop.properties["step"] = integer(0)

    def mend(self, ctx, op):
        for loop in op.walk():
            if isinstance(loop, slc.LoopOp):
                loop.properties["step"] = integer(1)

    from ember.compiler.slc.raise_min_max import RaiseMinMaxPass

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PairLoadsPass, "apply", spoil)
        patch.setattr(RaiseMinMaxPass, "apply", mend)
        assert main([str(broken), "-p", "pair-loads,raise-min-max"]) == 2
        assert capsys.readouterr().err == (
            "ember-opt: the result of pair-loads is not valid: step must be at least 1, not 0\n"
        )
        assert main([str(broken), "-p", "pair-loads,raise-min-max", "--no-verify-each"]) == 0
        assert main([str(broken), "-p", "pair-loads", "--no-verify-each"]) == 2


@pytest.mark.parametrize(
    "text, passes, message",
    [
        (COPY, "decouple,promote-accumulator{max-dim=2}",
         "{path}:7: copy: %b: slc.loop: a row of %out has 4 elements, but a register holds 2: "
         "run tile-columns first"),
        (COPY, "decouple,nothing", "Unrecognized passes: ['nothing']"),
        ("func.func @f( {", "", "{path}:1:15: Expected argument or type"),
        ("\n  func.func @f() { some.thing }", "",
         "{path}:2:31: Operation some.thing is not registered"),
        ('"func.func"() : () -> ()', "", "the input is not valid: Expected 1 region, but got 0"),
    ],
)  # fmt: skip
def test_bad_input(text, passes, message, tmp_path, capsys):
    path = tmp_path / "input.mlir"
    path.write_text(text)
    assert main([str(path), "-p", passes]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err == f"ember-opt: {message.format(path=path)}\n"


def test_a_file_that_is_not_there(capsys):
    assert main(["none.mlir"]) == 2
    assert capsys.readouterr().err == "ember-opt: cannot use none.mlir: no such file or directory\n"


def test_as_a_process():
    command = [sys.executable, "-m", "ember.compiler.opt", "-p", "decouple"]
    done = subprocess.run(
        command, input=COPY, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "") and "slc.func @copy" in done.stdout
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        process.stdout.close()
        process.stdin.write(COPY.encode())
        process.stdin.close()
        assert process.wait(timeout=120) == 141
