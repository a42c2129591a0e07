"""Engine ``cpu``: from the Python API and the command line, and the bench that compares it."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import ember
from ember.cli import main

pytest.importorskip("llvmlite", reason="llvmlite is not installed")

CPU = ["--engine", "cpu", "--preset", "tiny"]


def test_a_result_has_no_cycles(rows4, tiny):
    result = ember.embedding_bag(rows4, [0, 2, 3], [0, 2], mode="sum", config=tiny, engine="cpu")
    assert result.output.tolist() == [[4.0, 6.0], [6.0, 7.0]]
    assert (result.cycles, result.utilization, result.bytes_per_cycle) == (None, None, None)
    assert (result.counters, result.launches) == ({}, 1)
    assert result.compile_seconds > 0 and result.run_seconds > 0 and result.bound_cycles > 0


def test_tables_of_every_size_in_one_run(rng, tiny):
    table = rng.standard_normal((20, 200), np.float32)
    lookups = [
        ember.Lookup(table[:, :dim].copy(), rng.integers(0, 20, 30), [0, 0, 7, 30], mode=mode)
        for dim in (1, 0, 33, 200)
        for mode in ("sum", "mean", "max")
    ]
    result = ember.embedding_bags(lookups, config=tiny, engine="cpu")
    assert ember.compare_numpy(result).bit_exact
    wanted = ember.embedding_bags(lookups, config=tiny, engine="functional")
    for ours, theirs in zip(result.outputs, wanted.outputs, strict=True):
        assert np.array_equal(ours, theirs)


def test_a_table_is_used_where_it_is(rng, tiny):
    """Compiled once, called again with other contents and arrays."""
    table = rng.standard_normal((9, 5), np.float32)
    layer = ember.EmbeddingBag(table, mode="sum", config=tiny, engine="cpu")
    for _ in range(3):
        table += 1
        indices = rng.integers(0, 9, 12)
        result = layer(indices, [0, 4, 4])
        assert ember.compare_numpy(result).bit_exact
        assert np.array_equal(result.requests[0].table, table)


def test_threads_share_a_compilation(rng, tiny):
    table, bags = rng.standard_normal((50, 17), np.float32), 300
    compiled = ember.compile_bag(ember.Bag(50, 17, bags, 10 * bags, mode="mean"), tiny)
    inputs = [rng.integers(0, 50, 10 * bags) for _ in range(16)]

    def work(indices):
        lookup = ember.Lookup(table, indices, np.arange(bags) * 10)
        return compiled.run(lookup, engine="cpu")

    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(work, inputs):
            assert ember.compare_numpy(result).bit_exact


def test_the_report(capsys, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("one two\n\nthree\n")
    assert main(["run", "text", str(path), *CPU]) == 0
    out = capsys.readouterr().out
    assert "\n  engine         cpu\n" in out
    assert "  -  the cpu engine has no clock\n" in out
    assert "\n  milliseconds " in out and " ns per lookup\n" in out
    assert main(["run", "text", str(path), *CPU, "--json", "-"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["engine"] == "cpu" and report["cycles"] is None and report["bit_exact"]


def test_the_stage(capsys):
    argv = ["--preset", "tiny", "--emit", "llvm", "--weighted", "--mode", "sum"]
    assert main(["compile", *argv]) == 0
    out = capsys.readouterr().out
    assert 'define i1 @"ember"(ptr %"arrays", ptr %"report")' in out
    assert "@llvm.fma.v" in out.replace('"', "") and "llvm.prefetch" in out


@pytest.mark.parametrize(
    "argv",
    [["compile", "--preset", "tiny", "--emit", "llvm"],
     ["compile", "-", "--emit", "llvm"], ["run", "text", "-", *CPU],
     ["bench", "cpu"]],
)  # fmt: skip
def test_without_llvmlite(argv):
    code = (
        "import sys\n"
        "sys.modules['llvmlite'] = None\n"
        "from ember.cli import main\n"
        f"sys.exit(main({argv!r}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input="a b\n", capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip
    assert done.returncode == 1 and not done.stdout
    assert done.stderr.splitlines()[-1] == (
        "ember: engine 'cpu' and stage 'llvm' need llvmlite: pip install llvmlite==0.50.0"
    )
    assert "Traceback" not in done.stderr


def test_the_bench(capsys, tmp_path):
    pytest.importorskip("torch", reason="torch is not installed")
    path = tmp_path / "cpu.json"
    sizes = ["--table-mib", "4", "--lookups", "4000", "--repeats", "2", "--index-type", "i32"]
    argv = [*sizes, "--preset", "tiny", "--seed", "3", "--json", str(path)]
    assert main(["bench", "cpu", *argv]) == 0
    out = capsys.readouterr().out
    assert out.count("bit-exact") == 9 and "\ntorch's time by ours: geometric mean " in out
    report = json.loads(path.read_text())
    shapes = [f"{model} {level}" for model in ("RM1", "RM2", "RM3")
              for level in ("low", "medium", "high")]  # fmt: skip
    assert [point["shape"] for point in report["points"]] == shapes
    for point in report["points"]:
        assert point["bit_exact"] and point["lookups"] >= 4000 and point["index_type"] == "i32"
        assert min(point["seconds"], point["torch_seconds"], point["ratio"]) > 0
        assert point["used_rows"] <= point["rows"] == (4 << 20) // (4 * point["dim"])
    assert report["summary"]["lowest"] == min(point["ratio"] for point in report["points"])


def test_a_table_that_is_too_small_for_the_bench(capsys):
    pytest.importorskip("torch", reason="torch is not installed")
    assert main(["bench", "cpu", "--table-mib", "1", "--lookups", "100000"]) == 2
    err = capsys.readouterr().err.splitlines()[-1]
    assert err.startswith("ember: table must have at least ") and err.endswith(
        " rows for 100000 lookups of low locality, not 8192"
    )


def test_the_bench_without_torch(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert main(["bench", "cpu"]) == 1
    assert capsys.readouterr().err == (
        "ember: ember bench cpu compares with torch, which is missing: pip install torch==2.13.0\n"
    )
