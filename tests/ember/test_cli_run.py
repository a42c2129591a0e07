"""``ember run`` on the functional engine: every kind of input, its report and its JSON."""

import json

import numpy as np
import pytest

from ember.cli import main
from ember.files import check_apart

SMALL = ["--engine", "functional", "--preset", "tiny"]


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text"
    path.write_text("to be or not to be\n\nthat is the question\n")
    return path


def run(capsys, *argv, code=0):
    assert main(["run", *map(str, argv)]) == code
    return capsys.readouterr()


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
def test_text(capsys, text, mode, level):
    out, err = run(capsys, "text", text, *SMALL, "--mode", mode, level, "--dim", 5)
    assert f"{mode} over 16,384 x 5 float32" in out
    assert f"{level[1:]}, 1 launch" in out
    assert "bit-exact against NumPy" in out
    assert "15 values compared" in out
    assert all(line.startswith("ember: ") for line in err.splitlines())


def test_the_report_whole(capsys, text, tiny):
    out, _ = run(capsys, "text", text, *SMALL, "--dim", 4, "--buckets", 100, "--set", "mshrs=4")
    lines = [line for line in out.splitlines() if "torch" not in line]
    config = tiny.replace(mshrs=4)
    seconds = lines[7].split()[-2]
    compared = lines[-1].split(":")[0]
    assert compared.startswith("  bit-exact against NumPy ")
    assert lines == [
        f"ember run text {text}",
        "",
        "  operation      mean over 100 x 4 float32",
        f"  configuration  {config.hash}: lanes=4 layers=3 fiber_lanes=2 mshrs=4 addr_width=32 "
        "dataq_depth=2",
        "                 ctrlq_depth=2 row_chunks=16 segments=8 code_depth=32 line_slots=4 "
        "run_ahead=8",
        "                 fiber_depth=2 div_interval=13 row_window=0 cache_lines=0 cache_ways=4",
        "                 cache_fetches=256 store_streams=0 execute=1",
        f"  compiled       O3, 1 launch, {seconds} s",
        "  engine         functional",
        "",
        "  bags                3  1 of them empty",
        "  lookups            24",
        "  cycles              -  the functional engine has no clock",
        "  port-bound cycles  38  lines: 24 table, 12 index, 2 offset, 3 output",
        "",
        f"{compared}: 12 values compared",
    ]


def test_standard_input(capsys, monkeypatch, text):
    class Standard:
        buffer = text.open("rb")

    monkeypatch.setattr("sys.stdin", Standard)
    with Standard.buffer:
        out, _ = run(capsys, "text", "-", *SMALL)
    assert "3  1 of them empty" in out


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("coding", ["vocabulary", "hash"])
@pytest.mark.parametrize(
    ("kind", "what", "bags", "lookups", "values"),
    [
        ("criteo", "26 tables, {rows} rows x 5 float32", "182 47 of them empty", 135, 910),
        ("movielens", "{rows} x 5 float32", "7 1 of them empty", 15, 35),
    ],
)
def test_made_up_records(capsys, sample_file, mode, coding, kind, what, bags, lookups, values):
    path = sample_file(f"{kind}.csv")
    argv = [kind, path, *SMALL, "--mode", mode, "--dim", 5, "--coding", coding]
    out, _ = run(capsys, *argv, "--buckets", 20)
    rows = {("criteo", "vocabulary"): 60, ("movielens", "vocabulary"): 9}
    count = rows.get((kind, coding), 26 * 20 if kind == "criteo" else 20)
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert f"operation {mode} over {what.format(rows=count)}" in lines
    assert f"bags {bags}" in lines
    assert f"lookups {lookups}" in lines
    assert f"bit-exact against NumPy {np.__version__}: {values} values compared" in lines


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_criteo(capsys, data_file, mode):
    out, _ = run(capsys, "criteo", data_file("criteo_sample.csv"), *SMALL, "--mode", mode)
    assert f"{mode} over 26 tables" in out and "83,200 values compared" in out


def test_criteo_hashed(capsys, data_file):
    path = data_file("criteo_sample.csv")
    out, _ = run(capsys, "criteo", path, *SMALL, "--coding", "hash", "--buckets", 50, "--dim", 3)
    assert "26 tables, 1,300 rows x 3 float32" in out


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_movielens(capsys, data_file, mode):
    out, _ = run(capsys, "movielens", data_file("movielens_sample.csv"), *SMALL, "--mode", mode)
    assert f"{mode} over " in out
    assert "bit-exact against NumPy" in out


def test_bag(capsys, tmp_path, rng):
    path = tmp_path / "x.npz"
    np.savez(
        path, table=rng.standard_normal((9, 7), np.float32), indices=rng.integers(0, 9, 30),
        offsets=np.array([0, 4, 4, 30]), weights=rng.standard_normal(30, np.float32),
    )  # fmt: skip
    out, _ = run(
        capsys, "bag", path, *SMALL, "--mode", "sum", "--include-last-offset", "--padding-idx", -1,
        "--fma", "yes",
    )  # fmt: skip
    assert "sum over 9 x 7 float32, weighted" in out
    assert "21 values compared" in out
    assert "torch does not offer fma=True" in out or "torch: not installed" in out


def test_json(capsys, tmp_path, text, tiny):
    path = tmp_path / "report.json"
    run(capsys, "text", text, *SMALL, "--json", path, "--seed", 7, "--latency", "5..9")
    report = json.loads(path.read_text())
    assert report["config"] == tiny.to_dict() and report["config_hash"] == tiny.hash
    assert (report["seed"], report["latency"], report["opt"]) == (7, "5..9", "O3")
    assert (report["bags"], report["lookups"], report["cycles"]) == (3, 24, None)
    assert report["bit_exact"] is True
    assert report["comparisons"][0]["values"] == 3 * 64
    assert sum(report["bound_lines"].values()) > report["bound_cycles"]


def test_json_instead_of_text(capsys, text):
    out, _ = run(capsys, "text", text, *SMALL, "--json", "-")
    assert json.loads(out)["bags"] == 3


@pytest.mark.parametrize("link", [False, True])
def test_what_is_read_is_not_written_over(capsys, tmp_path, text, link):
    before, path = text.read_text(), text
    if link:
        path = tmp_path / "link"
        path.symlink_to(text)
    _, err = run(capsys, "text", text, *SMALL, "--json", path, code=2)
    assert err == f"ember: --json must be another file than the input, not {path}\n"
    assert text.read_text() == before


@pytest.mark.parametrize("path", ["x.json", "./x.json", "-"])
def test_two_outputs_are_two_files(capsys, monkeypatch, tmp_path, text, path):
    monkeypatch.chdir(tmp_path)
    same = "-" if path == "-" else "x.json"
    args = ["--preset", "tiny", "--trace", same, "--json", path]
    out, err = run(capsys, "text", text, *args, code=2)
    assert (out, err) == ("", f"ember: --json must be another file than --trace, not {path}\n")
    assert not (tmp_path / "x.json").exists()


def test_devices_may_be_named_twice(capsys, text):
    run(capsys, "text", text, *SMALL, "--json", "/dev/null")
    check_apart({"--trace": "/dev/null", "--json": "/dev/null", "--wave": None}, ["/dev/null", "-"])


def test_a_wrong_result_is_exit_code_1(capsys, text, monkeypatch):
    from ember import cmd_run

    def broken(result):
        result.outputs[0][0, 0] = 0
        return compare(result)

    compare = cmd_run.compare_numpy
    monkeypatch.setattr(cmd_run, "compare_numpy", broken)
    out, _ = run(capsys, "text", text, *SMALL, code=1)
    assert "WRONG against NumPy" in out and "1 values differ, first ngrams[0, 0]: 0.0" in out


def test_a_table_larger_than_the_address_space(capsys, text):
    argv = ["text", text, *SMALL, "--buckets", 2**24, "--dim", 64]
    assert main(["run", *map(str, argv)]) == 2
    assert capsys.readouterr().err == (
        "ember: table must fit the address space of 2**32 bytes, but 16777216 buckets x 64 x 4 "
        "bytes are 4294967296\n"
    )


def test_interrupt(capsys, text, monkeypatch):
    from ember import cmd_run

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(cmd_run, "compare_numpy", interrupted)
    assert main(["run", "text", str(text), *SMALL]) == 130
    assert capsys.readouterr().err.splitlines()[-1] == "ember: interrupted"


def test_a_missing_tool_is_exit_code_1(capsys, text, monkeypatch):
    from ember.sim.tools import ToolMissing

    from ember import launches

    def missing(*_):
        raise ToolMissing("g++ is missing: install a C++ compiler")

    monkeypatch.setattr(launches, "borrowed", missing)
    assert main(["run", "text", str(text), "--preset", "tiny"]) == 1
    err = capsys.readouterr().err.splitlines()
    assert err[-1] == "ember: g++ is missing: install a C++ compiler"
