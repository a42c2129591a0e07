"""``ember compile`` and ``ember verilog``."""

import json

import pytest

from ember.cli import main

TINY = ["--preset", "tiny"]


def output(capsys, *argv) -> str:
    assert main([str(arg) for arg in argv]) == 0
    out, err = capsys.readouterr()
    assert err == "" or argv[0] == "verilog"
    return out


@pytest.mark.parametrize("stage", ["scf", "slc", "dlc", "asm", "json"])
@pytest.mark.parametrize("level", ["-O0", "-O3"])
def test_every_stage(capsys, stage, level):
    out = output(capsys, "compile", *TINY, "--emit", stage, level)
    assert out.endswith("\n") and len(out) > 100
    assert out == output(capsys, "compile", *TINY, "--emit", stage, level)


def test_what_the_stages_show(capsys):
    assert "scf.for" in output(capsys, "compile", *TINY, "--emit", "scf")
    assert "slc.loop" in output(capsys, "compile", *TINY, "--emit", "slc")
    assert "dlc." in output(capsys, "compile", *TINY, "--emit", "dlc")
    json.loads(output(capsys, "compile", *TINY, "--emit", "json"))


def test_shape_options(capsys):
    argv = ["--rows", 10, "--dim", 3, "--bags", 5, "--pooling", 2, "--index-type", "i32"]
    out = output(capsys, "compile", *TINY, "--emit", "scf", *argv, "--weighted", "--mode", "sum")
    assert "memref<10x3xf32>" in out and "memref<10xi32>" in out and "memref<6xi64>" in out


def test_to_a_file(capsys, tmp_path):
    path = tmp_path / "x.slc"
    assert output(capsys, "compile", *TINY, "-o", path) == ""
    assert path.read_text() == output(capsys, "compile", *TINY)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (
            ["--weighted"],
            "ember: per_sample_weights must come with mode 'sum', not 'mean': a weighted mean is "
            "not defined",
        ),
        (
            ["--padding-idx", "16384"],
            "ember: padding_idx is 16384, but table 'table' has 16384 rows: allowed -16384..16383",
        ),
        (
            ["--set", "layers=2"],
            "ember: table: %b: slc.loop: the nest has 2 loops above the row, but the configuration "
            "has 1 scalar layers (layers = 2)",
        ),
        (["-o", "/"], "ember: cannot write /: is a directory"),
        (["--set", "lanes=5"], "ember: lanes must be a power of two, not 5"),
    ],
)
def test_bad_input(capsys, argv, message):
    assert main(["compile", *argv]) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"{message}\n")


def test_verilog_is_the_same_each_time(capsys, tmp_path):
    path = tmp_path / "tiny.v"
    output(capsys, "verilog", *TINY, "-o", path)
    text = path.read_text()
    assert text == output(capsys, "verilog", *TINY)
    assert text.count("module ember(") == 1
    for trace in (str(tmp_path), "/home", "/tmp", "site-packages", ".py:"):
        assert trace not in text


@pytest.mark.parametrize("top", ["2x", "a b", "", "\u00fc"])
def test_verilog_names(capsys, top):
    assert main(["verilog", *TINY, "--top", top]) == 2
    assert capsys.readouterr().err == f"ember: top must be a Verilog name, not {top!r}\n"
