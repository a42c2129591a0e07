"""``ember run nest``: the report, its files, and bad input in a line."""

import json

import numpy as np
import pytest

from ember import cmd_run_nest
from ember.cli import main

from .test_nest import ENTRIES, SUMS

SMALL = ["--engine", "functional", "--preset", "tiny"]


@pytest.fixture
def nest(tmp_path):
    path = tmp_path / "sums.mlir"
    path.write_text(SUMS)
    return path


@pytest.fixture
def arrays(tmp_path, rng):
    """A function that writes the archive with some arrays changed; returns its path."""
    path = tmp_path / "arrays.npz"

    def write(**changes):
        found = {
            "ptr": np.array([0, 2, 2, 7]), "idx": rng.integers(0, 9, 7).astype(np.int32),
            "table": rng.standard_normal((9, 6), np.float32),
            "out": np.zeros((3, 6), np.float32), "n": 3, **changes,
        }  # fmt: skip
        np.savez(path, **{name: value for name, value in found.items() if value is not None})
        return path

    return write


def run(capsys, *argv, code=0):
    capsys.readouterr()  # the seed
    assert main(["run", "nest", *map(str, argv)]) == code
    return capsys.readouterr()


def fails(capsys, *argv, code=2) -> str:
    """The last line on standard error of a run that must fail; the others are its progress."""
    out, err = run(capsys, *argv, code=code)
    *progress, last = err.splitlines()
    assert out == "" and all("ing" in line for line in progress)
    return last


def test_the_report_whole(capsys, nest, arrays, tiny):
    path = arrays()
    out, _ = run(capsys, nest, path, *SMALL)
    lines = out.splitlines()
    seconds = lines[7].split()[-2]
    assert lines == [
        f"ember run nest {nest} {path}",
        "",
        "  operation      nest 'sums'",
        f"  configuration  {tiny.hash}: lanes=4 layers=3 fiber_lanes=2 mshrs=8 addr_width=32 "
        "dataq_depth=2",
        "                 ctrlq_depth=2 row_chunks=16 segments=8 code_depth=32 line_slots=4 "
        "run_ahead=8",
        "                 fiber_depth=2 div_interval=13 row_window=0 cache_lines=0 cache_ways=4",
        "                 cache_fetches=256 store_streams=0 execute=1",
        f"  compiled       O3, 1 launch, {seconds} s",
        "  engine         functional",
        "",
        "  ptr        4  int64, read",
        "  idx        7  int32, read",
        "  table  9 x 6  float32, read",
        "  out    3 x 6  float32, written",
        "  n          3  index",
        "",
        "  cycles  -  the functional engine has no clock",
        "",
        "  bit-exact against the interpreter of the SCF form: 18 values compared",
    ]


@pytest.mark.xdist_group("rtl-tiny")
def test_on_rtl(capsys, tmp_path, nest, arrays):
    report, trace = tmp_path / "report.json", tmp_path / "trace.json"
    argv = [nest, arrays(), "--preset", "tiny", "--json", report, "--trace", trace]
    out, _ = run(capsys, *argv)
    assert "simulated in" in out and "execute        blocked" in out and "DataQ level" in out
    assert "bit-exact against the interpreter" in out
    content = json.loads(report.read_text())
    assert content["cycles"] == content["counters"]["cycles"] == sum(
        content["timeline"]["launches"]
    )
    assert "sums" in trace.read_text()


def test_on_this_processor(capsys, nest, arrays):
    pytest.importorskip("llvmlite", reason="llvmlite is not installed")
    out, _ = run(capsys, nest, arrays(), "--engine", "cpu")
    assert "\n  milliseconds  " in out and "the cpu engine has no clock" in out


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
def test_files(capsys, tmp_path, nest, arrays, tiny, level):
    path, output, report = arrays(), tmp_path / "out.npz", tmp_path / "report.json"
    before = path.read_bytes()
    run(capsys, nest, path, *SMALL, level, "--output", output, "--json", report, "--seed", 7)
    assert path.read_bytes() == before
    given, found = np.load(path), np.load(output)
    assert found.files == ["out"]
    assert np.array_equal(found["out"][0], given["table"][given["idx"][:2]].sum(0))
    content = json.loads(report.read_text())
    assert content["config"] == tiny.to_dict() and content["config_hash"] == tiny.hash
    assert (content["seed"], content["opt"], content["launches"]) == (7, level[1:], 1)
    assert (content["function"], content["integers"], content["cycles"]) == ("sums", {"n": 3}, None)
    assert content["arrays"][3] == {
        "name": "out", "dtype": "float32", "shape": [3, 6], "written": True
    }  # fmt: skip
    assert content["bit_exact"] is True
    assert content["comparisons"][0]["reference"] == "the interpreter of the SCF form"
    first = output.read_bytes()
    run(capsys, nest, path, *SMALL, level, "--output", output)
    assert output.read_bytes() == first


def test_entries(capsys, tmp_path, rng):
    nest, path = tmp_path / "entries.mlir", tmp_path / "entries.npz"
    nest.write_text(ENTRIES)
    given = {
        "row": np.array([2, 0, 2, 0, 2]), "column": rng.integers(0, 7, 5),
        "table": rng.standard_normal((7, 4), np.float32), "out": np.ones((3, 4), np.float32),
    }  # fmt: skip
    np.savez(path, **given)
    out, _ = run(capsys, nest, path, *SMALL)
    assert (
        "  converted      row: 5 entries of 3 rows: sorted by row, 4 moved, offsets computed\n"
    ) in out
    np.savez(path, **given | {"row": np.array([2, 0, 2, 0, -1])})
    assert fails(capsys, nest, path, *SMALL) == (
        "ember: row[4] is -1, but there are 3 rows: allowed 0..2"
    )


def test_f64_is_narrowed_on_request(capsys, nest, arrays):
    nest.write_text(SUMS.replace("f32", "f64"))
    assert fails(capsys, nest, arrays(), *SMALL) == "ember: table must be float64, not float32"
    out, _ = run(capsys, nest, arrays(), *SMALL, "--narrow-f64")
    assert "18 values compared" in out


def test_a_wrong_result_is_exit_code_1(capsys, nest, arrays, monkeypatch):
    def broken(result):
        result.arrays["out"][1, 2] = 1
        return compare(result)

    compare = cmd_run_nest.compare_interpreter
    monkeypatch.setattr(cmd_run_nest, "compare_interpreter", broken)
    out, _ = run(capsys, nest, arrays(), *SMALL, code=1)
    assert out.splitlines()[-1] == (
        "  WRONG against the interpreter of the SCF form: 1 values differ, first out[1, 2]: "
        "1.0 (0x3f800000) instead of 0.0 (0x00000000) (of 18)"
    )


def test_an_index_out_of_range(capsys, nest, arrays):
    path = arrays(idx=np.array([0, 1, 2, 9, 3, 4, 5], np.int32))
    assert fails(capsys, nest, path, *SMALL, code=1) == (
        "ember: the machine reported INDEX for table 'sums', layer 1, position 3, value 0x9"
    )


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"ptr": None}, "arrays must have 'ptr' (memref<?xi64>), which 'sums' takes"),
        ({"m": 3}, "arrays must be of ptr, idx, table, out, n, which 'sums' takes, not 'm'"),
        ({"out": np.zeros((3, 5), np.float32)},
         "out must have the shape of memref<3x6xf32>, not 3 x 5"),
        ({"out": np.zeros((3, 6))}, "out must be float32, not float64"),
        ({"n": np.array(3.0)}, "n must be an integer, not an array of float64 (shape ())"),
        ({"n": 4}, "{nest}:13: sums: %b: slc.load: %b1 reaches 4, but must stay below 4"),
    ],
)  # fmt: skip
def test_wrong_arrays(capsys, nest, arrays, changes, message):
    message = message.format(nest=nest)
    assert fails(capsys, nest, arrays(**changes), *SMALL) == f"ember: {message}"


def test_wrong_files_and_options(capsys, tmp_path, nest, arrays):
    path, none = arrays(), tmp_path / "none"
    assert fails(capsys, none, path, *SMALL) == (
        f"ember: cannot read {none}: no such file or directory"
    )
    assert fails(capsys, nest, none, *SMALL) == (
        f"ember: cannot read {none}: no such file or directory"
    )
    assert fails(capsys, nest, nest, *SMALL) == f"ember: {nest} must be a NumPy .npz archive"
    assert fails(capsys, nest, path, *SMALL, "--output", "-") == (
        "ember: cannot write an archive to standard output: give a file"
    )
    assert fails(capsys, nest, path, *SMALL, "--output", path) == (
        f"ember: --output must be another file than the input, not {path}"
    )
    assert fails(capsys, nest, path, *SMALL, "--output", none / "x") == (
        f"ember: cannot write {none / 'x'}: no such file or directory"
    )
    for engine in ("board", "board-sim"):
        assert fails(capsys, nest, path, "--engine", engine) == (
            f"ember: engine of a nest must be rtl, functional or cpu, not '{engine}'"
        )
    nest.write_text("func.func @x( {")
    assert fails(capsys, nest, path, *SMALL) == f"ember: {nest}:1:15: Expected argument or type"


def test_its_report_has_nothing_to_draw(capsys, tmp_path, nest, arrays):
    report = tmp_path / "report.json"
    run(capsys, nest, arrays(), *SMALL, "--json", report)
    assert main(["report", str(report), "-o", str(tmp_path / "x.html")]) == 2
    assert capsys.readouterr().err == (
        f"ember: {report} is of `ember run nest`, which measures no utilization\n"
    )
