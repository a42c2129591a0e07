"""Bad input on the command line: exit code 2, one line, no traceback. All messages whole."""

import subprocess
import sys

import numpy as np
import pytest

from ember import Config
from ember.cli import main


def fails(capsys, *argv, code=2) -> str:
    """Standard error of a command that must fail before anything is printed."""
    assert main([str(arg) for arg in argv]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1, err
    return err.rstrip("\n")


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text"
    path.write_text("a b\n")
    return path


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "ember: the following arguments are required: COMMAND (see ember --help)"),
        (
            ["walk"],
            "ember: argument COMMAND: invalid choice: 'walk' (choose from 'run', 'compile', "
            "'verilog', 'export', 'verify', 'synth', 'build', 'program', 'bench', 'report', "
            "'doctor') "
            "(see ember --help)",
        ),
        (["run"], "ember run: the following arguments are required: INPUT (see ember run --help)"),
        (
            ["run", "text"],
            "ember run text: the following arguments are required: FILE "
            "(see ember run text --help)",
        ),
        (
            ["run", "text", "x", "--dim", "0"],
            "ember run text: argument --dim: must be 1..1048576, not 0 (see ember run text --help)",
        ),
        (
            ["run", "text", "x", "--dim", "many"],
            "ember run text: argument --dim: must be an integer, not 'many' "
            "(see ember run text --help)",
        ),
        (
            ["run", "text", "x", "--latency", "9..2"],
            "ember run text: argument --latency: must be a range LOW..HIGH, not '9..2' "
            "(see ember run text --help)",
        ),
        (
            ["run", "text", "x", "--max-seconds", "-1"],
            "ember run text: argument --max-seconds: must be above 0 seconds, not -1 "
            "(see ember run text --help)",
        ),
        (
            ["compile", "--dim", "1048577"],
            "ember compile: argument --dim: must be 1..1048576, not 1048577 "
            "(see ember compile --help)",
        ),
        (
            ["compile", "--pooling", "1048577"],
            "ember compile: argument --pooling: must be 0..1048576, not 1048577 "
            "(see ember compile --help)",
        ),
        (
            ["compile", "--bags", "2147483649"],
            "ember compile: argument --bags: must be 1..2147483648, not 2147483649 "
            "(see ember compile --help)",
        ),
        (
            ["compile", "--rows", "281474976710657"],
            "ember compile: argument --rows: must be 0..281474976710656, not 281474976710657 "
            "(see ember compile --help)",
        ),
        (
            ["bench", "bag", "--modes", "sum,product"],
            "ember bench bag: argument --modes: must be of sum, mean, max, not 'product' "
            "(see ember bench bag --help)",
        ),
        (
            ["bench", "bag", "--dims", "16,,32"],
            "ember bench bag: argument --dims: must be an integer, not '' "
            "(see ember bench bag --help)",
        ),
    ],
)
def test_usage(capsys, argv, message):
    assert fails(capsys, *argv) == message


def test_choices_are_listed(capsys):
    err = fails(capsys, "run", "text", "x", "--mode", "add")
    assert "invalid choice: 'add'" in err and "sum" in err and err.endswith("--help)")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--set", "lanes"], "setting must be key=value, not 'lanes'"),
        (["--set", "lanes=x"], "lanes must be an integer, not 'x'"),
        (["--set", "lanes=3"], "lanes must be a power of two, not 3"),
        (["--set", "lanes=32"], "lanes must be 1..16 FP32 elements, not 32"),
        (["--set", "mshrs=512"], "mshrs must be 1..256 lines, not 512"),
        (["--set", "cache_lines=48"], "cache_lines must be a power of two, not 48"),
        (
            ["--set", "cache_lines=2"],
            "cache_lines must be 0 or at least cache_ways, 4, not 2",
        ),
        (["--config", "{tmp}/no.toml"], "cannot use {tmp}/no.toml: no such file or directory"),
        (["--config", "{tmp}"], "cannot use {tmp}: is a directory"),
        (["--json", "{tmp}"], "cannot write {tmp}: is a directory"),
        (["--json", "{tmp}/a/b"], "cannot write {tmp}/a/b: no such file or directory"),
        (["--wave", "{tmp}/a/b.vcd"], "cannot write {tmp}/a/b.vcd: no such file or directory"),
        (
            ["--engine", "functional", "--wave", "{tmp}/w.vcd"],
            "wave must come with engine 'rtl', not 'functional'",
        ),
    ],
)
def test_options(capsys, tmp_path, text, options, message):
    options = [option.format(tmp=tmp_path) for option in options]
    err = fails(capsys, "run", "text", text, *options)
    assert err == f"ember: {message.format(tmp=tmp_path)}"


def test_unknown_settings_are_listed(capsys, text):
    err = fails(capsys, "run", "text", text, "--set", "lames=4")
    assert err.startswith("ember: configuration key must be one of lanes, layers, ")
    assert err.endswith(", not 'lames'")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("lanes = 3\n", "{path}: lanes must be a power of two, not 3"),
        ("mshrs = 999\n", "{path}: mshrs must be 1..256 lines, not 999"),
        ("lanes = 'x'\n", "{path}: lanes must be an integer, not 'x'"),
        ("speed = 3\n", "{path}: configuration key must be one of {keys}, not 'speed'"),
        ("lanes = ", "{path} must be a TOML file: Invalid value (at end of document)"),
    ],
)
def test_broken_configuration_files(capsys, tmp_path, text, content, message):
    path = tmp_path / "c.toml"
    path.write_text(content)
    keys = ", ".join(Config().to_dict())
    err = fails(capsys, "run", "text", text, "--config", path)
    assert err == f"ember: {message.format(path=path, keys=keys)}"


def test_configuration_file_then_settings(capsys, tmp_path, text):
    path = tmp_path / "c.toml"
    path.write_text("lanes = 4\n")
    err = fails(capsys, "run", "text", text, "--config", path, "--set", "mshrs=999")
    assert err == "ember: mshrs must be 1..256 lines, not 999"


def test_files(capsys, tmp_path):
    for kind in ("text", "criteo", "movielens", "bag"):
        missing = tmp_path / "missing"
        err = fails(capsys, "run", kind, missing)
        assert err == f"ember: cannot read {missing}: no such file or directory"
        assert (
            fails(capsys, "run", kind, tmp_path) == f"ember: cannot read {tmp_path}: is a directory"
        )


def test_csv_line(capsys, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,genres\n1,x\n2\n")
    err = fails(capsys, "run", "movielens", path)
    assert err == f"ember: {path}:3: must have 2 fields, as the header has, not 1"


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (dict(indices=np.array([0, 9])),
         "indices[1] is 9, but table 'table' has 4 rows: allowed 0..3"),
        (dict(offsets=np.array([0, 2, 1])),
         "offsets[2] is 1, but offsets[1] is 2: offsets must not decrease"),
        (dict(table=np.ones((4, 2))),
         "table must be float32, not float64 (other table types are not supported yet; convert it "
         "if that is what you want)"),
        (dict(table=np.ones(4, np.float32)), "table must be 2-D, not 1-D (shape (4,))"),
        (dict(weights=np.ones(2, np.float32)),
         "weights must come with mode 'sum', not 'mean': a weighted mean is not defined"),
        (dict(weights=np.ones(3, np.float32)),
         "weights must have the shape of indices, (2,), not (3,)"),
        (dict(weights=np.ones(2)), "weights must be float32, not float64"),
    ],
)  # fmt: skip
def test_archives(capsys, tmp_path, arrays, message):
    path = tmp_path / "x.npz"
    good = dict(
        table=np.ones((4, 2), np.float32), indices=np.array([0, 1]), offsets=np.array([0, 1])
    )
    np.savez(path, **{**good, **arrays})
    assert fails(capsys, "run", "bag", path) == f"ember: {message}"


def test_padding_idx_of_the_operation(capsys, text):
    err = fails(capsys, "run", "text", text, "--buckets", 8, "--padding-idx", 8)
    assert err == "ember: padding_idx is 8, but table 'ngrams' has 8 rows: allowed -8..7"


def test_help_of_every_command(capsys):
    for argv in (
        [], ["run"], ["run", "text"], ["run", "criteo"], ["run", "movielens"], ["run", "bag"],
        ["compile"], ["verilog"], ["export"], ["bench"], ["bench", "bag"], ["doctor"],
    ):  # fmt: skip
        assert main([*argv, "--help"]) == 0
        out, err = capsys.readouterr()
        assert out.startswith(" ".join(["usage: ember", *argv])) and not err
        assert "SUPPRESS" not in out


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("ember 0.")


def test_no_traceback_from_a_process(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "ember.cli", "run", "criteo", tmp_path / "missing"],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == f"ember: cannot read {tmp_path}/missing: no such file or directory\n"
