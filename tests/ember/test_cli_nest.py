"""``ember compile FILE.mlir``: nests as text, and one line for each that is refused."""

import json

import pytest

from ember.cli import main

GATHER = """\
func.func @gather(%idx: memref<?xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %n step %c1 {
    %i = memref.load %idx[%b] : memref<?xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      memref.store %x, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}
"""
GIVEN = ["--argument", "n=4", "--argument", "idx=4"]


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "gather.mlir"
    found.write_text(GATHER)
    return found


def refusal(capsys, *argv) -> str:
    assert main(["compile", "--preset", "tiny", *map(str, argv)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("ember: ") and err.count("\n") == 1
    return err.removeprefix("ember: ").rstrip("\n")


@pytest.mark.parametrize("level", ["-O0", "-O3"])
def test_microcode_and_every_stage(capsys, path, level):
    texts = {}
    for stage in ("", "scf", "slc", "dlc", "asm", "json"):
        argv = ["compile", "--preset", "tiny", level, str(path), *GIVEN]
        assert main([*argv, *(["--emit", stage] if stage else [])]) == 0
        texts[stage], err = capsys.readouterr()
        assert err == ""
    assert texts[""] == texts["asm"] and "m0_base=gather.idx" in texts["asm"]
    assert "func.func @gather" in texts["scf"] and "slc.func @gather" in texts["slc"]
    assert "dlc.func @gather" in texts["dlc"] and json.loads(texts["json"])


@pytest.mark.parametrize("level", ["-O0", "-O3"])
def test_code_of_this_processor(capsys, path, level):
    pytest.importorskip("llvmlite", reason="llvmlite is not installed")
    assert main(["compile", level, str(path), *GIVEN, "--emit", "llvm"]) == 0
    out, err = capsys.readouterr()
    assert "define i1 @\"ember\"(" in out and err == ""


def test_f64_is_narrowed_on_request_only(capsys, path):
    path.write_text(GATHER.replace("xf32", "xf64"))
    assert refusal(capsys, path, *GIVEN) == (
        f"{path}:9: gather: %b: %e: memref.load: the access unit loads integers and f32, not f64: "
        "narrow-f64 makes f32 of it"
    )
    assert main(["compile", "--preset", "tiny", str(path), *GIVEN, "--narrow-f64"]) == 0
    narrowed = capsys.readouterr().out
    path.write_text(GATHER)
    assert main(["compile", "--preset", "tiny", str(path), *GIVEN]) == 0
    assert capsys.readouterr().out == narrowed


def test_decisions_are_explained(capsys, path):
    assert main(["compile", "--preset", "tiny", str(path), *GIVEN, "-v"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert f"{path}:5: gather: %b: scf.for: walked by the access unit" in lines
    assert f"{path}:10: gather: %b: %e: memref.store: stays with the execute unit" in lines
    assert len(lines) == len(set(lines))
    assert main(["compile", "--preset", "tiny", str(path), *GIVEN]) == 0
    assert capsys.readouterr().err == ""


def test_what_is_not_given(capsys, path):
    assert refusal(capsys, path, "--argument", "n=4") == (
        f"{path}:1: gather: func.func: the sizes of %idx (memref<?xi64>) are only known at a "
        "launch: give them, as in idx=8, to compile for them"
    )
    assert refusal(capsys, path, *GIVEN, "--argument", "m=4") == (
        "no function has an argument %m, which is given"
    )
    assert refusal(capsys, path, *GIVEN, "--argument", "n") == (
        "an argument must be given as n=5, table=10x8 or table=10x8:12x1, not 'n'"
    )


def test_a_refusal_has_its_line(capsys, path):
    assert refusal(capsys, path, "--argument", "n=7", "--argument", "idx=4") == (
        f"{path}:6: gather: %b: slc.load: %b reaches 6, but must stay below 4"
    )
    early = "memref.store %i, %idx[%b] : memref<?xi64>"
    path.write_text(GATHER.replace("    %i =", f"    {early}\n    %i ="))
    assert refusal(capsys, path, *GIVEN) == (
        f"{path}:6: gather: %b: memref.store: %i is used where it is not defined"
    )
    store = "memref.store %i, %idx[%b] : memref<?xi64>"
    path.write_text(GATHER.replace("    %r =", f"    {store}\n    %r ="))
    assert refusal(capsys, path, *GIVEN) == (
        f"{path}:6: gather: %b: memref.load: %idx is written in this function ({path}:7), so its "
        "values cannot be addresses, bounds or conditions of the access unit"
    )


@pytest.mark.parametrize(
    "text, message",
    [
        ("func.func @x( {", "{path}:1:15: Expected argument or type"),
        ("nonsense", "{path}:1:9: Operation nonsense is not registered"),
        (
            "func.func @x() {\n  scf.yield\n}",
            "{path}:2: x: scf.yield: is not valid: 'scf.yield' expects parent op",
        ),
        (
            "func.func @x(%a: i32) {\n  %b = arith.index_cast %a : i32 to i64\n  func.return\n}",
            "{path}:2: x: arith.index_cast: is not valid: 'arith.index_cast' op operand type 'i32'",
        ),
    ],
)
def test_text_that_is_no_module(capsys, tmp_path, text, message):
    path = tmp_path / "a.mlir"
    path.write_text(text)
    assert refusal(capsys, path).startswith(message.format(path=path))


def test_files_and_options(capsys, tmp_path, path):
    assert refusal(capsys, tmp_path / "none.mlir").startswith("cannot read ")
    (tmp_path / "bytes.mlir").write_bytes(b"\xff")
    assert refusal(capsys, tmp_path / "bytes.mlir").endswith(":1: must be UTF-8, but has byte 0xff")
    assert refusal(capsys, "--narrow-f64") == "--narrow-f64 is of a nest: a FILE.mlir is missing"
    assert refusal(capsys, "--argument", "n=4") == (
        "--argument is of a nest: a FILE.mlir is missing"
    )
