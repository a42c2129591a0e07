"""A memory from the command line and from Python: what fits together, and what the report has."""

import json

import pytest

import ember
from ember.cli import main

TEXT = "\n".join(f"the quick brown fox number {n} jumps" for n in range(30))


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text"
    path.write_text(TEXT)
    return path


@pytest.mark.parametrize(
    "argv, message",
    [
        (["--memory", "random"], "ember: --memory random must come with --latency LOW..HIGH"),
        (
            ["--memory", "random", "--latency", "5"],
            "ember: --memory random must come with --latency LOW..HIGH",
        ),
        (
            ["--memory", "fixed", "--latency", "5..9"],
            "ember: --memory fixed must come with --latency N",
        ),
        (
            ["--memory", "hbm2", "--latency", "5"],
            "ember: --latency must not come with --memory hbm2, whose timing decides",
        ),
        (
            ["--clock-mhz", "500"],
            "ember: --clock-mhz must come with a DRAM as --memory (ddr4-2400, hbm2), not a latency",
        ),
        (
            ["--memory", "fixed", "--clock-mhz", "500"],
            "ember: --clock-mhz must come with a DRAM as --memory (ddr4-2400, hbm2), not fixed",
        ),
        (
            ["--memory", "hbm2", "--engine", "functional"],
            "ember: latency must be in cycles with engine 'functional', which has no clock, not "
            "that of hbm2",
        ),
        (
            ["--memory", "ddr5"],
            "ember run text: argument --memory: must be one of fixed, random, ddr4-2400, hbm2, not "
            "'ddr5' (see ember run text --help)",
        ),
        (
            ["--memory", "hbm2:x"],
            "ember run text: argument --memory: must be NAME or NAME:CHANNELS, not 'hbm2:x' "
            "(see ember run text --help)",
        ),
        (
            ["--memory", "ddr4-2400:3"],
            "ember run text: argument --memory: channels must be a power of two, not 3 "
            "(see ember run text --help)",
        ),
    ],
)
def test_what_does_not_fit(capsys, text, argv, message):
    assert main(["run", "text", str(text), *argv]) == 2
    assert capsys.readouterr() == ("", message + "\n")


@pytest.mark.xdist_group("rtl-tiny")
def test_the_report_of_a_dram(capsys, tmp_path, text):
    path = tmp_path / "report.json"
    argv = ["run", "text", text, "--preset", "tiny", "--buckets", 64, "--json", path]
    argv += ["--memory", "ddr4-2400:2", "--clock-mhz", 800]
    assert main([str(arg) for arg in argv]) == 0
    out = capsys.readouterr().out
    for line in (
        "rtl, memory ddr4-2400, 2 channels, machine at 800 MHz, seed 0",
        "% of the peak, 38.4 GB/s; data buses busy", "row hits", "conflicts, ",
        "cycles in the memory, on the average", "bit-exact against NumPy",
    ):  # fmt: skip
        assert line in out
    report = json.loads(path.read_text())
    assert report["latency"] == "ddr4-2400:2"
    dram = report["dram"]
    assert (dram["model"], dram["channels"], dram["clock_mhz"]) == ("ddr4-2400", 2, 800)
    # What moved is what the machine's counters say, 16 bytes a line.
    moved = report["counters"]["port_busy"] + report["counters"]["lines_out"]
    assert dram["reads"] + dram["writes"] == moved
    assert dram["bytes_per_second"] == pytest.approx(16 * moved / report["cycles"] * 800e6)
    assert dram["of_peak"] == pytest.approx(dram["bytes_per_second"] / 38.4e9)


@pytest.mark.xdist_group("rtl-tiny")
def test_a_dram_from_python(tiny, rng):
    table = rng.standard_normal((50, 9), dtype="f4")
    arguments = (table, rng.integers(0, 50, 60), [0, 20, 20, 45])
    settings = dict(mode="sum", config=tiny)
    far = ember.embedding_bag(*arguments, **settings, latency=ember.dram_preset("hbm2"))
    fixed = ember.embedding_bag(*arguments, **settings)
    assert (far.output == fixed.output).all()
    assert fixed.dram is None
    assert far.dram is not None and far.dram.cycles == far.cycles
    again = ember.embedding_bag(*arguments, **settings, latency=ember.dram_preset("hbm2"))
    assert again.dram == far.dram


@pytest.mark.xdist_group("rtl-tiny")
def test_bench_bag_on_a_dram(capsys, tmp_path):
    path = tmp_path / "bench.json"
    argv = [
        "bench", "bag", "--preset", "tiny", "--memory", "hbm2", "--dims", "8", "--pooling", "4",
        "--lines", "300", "--rows", "64", "--json", path, "--no-cocotb",
    ]  # fmt: skip
    assert main([str(arg) for arg in argv]) == 0
    assert "latency hbm2:16, seed 0" in capsys.readouterr().out
    (point,) = json.loads(path.read_text())["points"]
    assert point["latency"] == "hbm2:16" and 0 < point["dram"]["of_peak"] < 1


@pytest.mark.xdist_group("rtl-tiny")
def test_bench_memory(capsys, tmp_path, tiny):
    path = tmp_path / "memory.json"
    argv = [
        "bench", "memory", "--preset", "tiny", "--memories", "20,5..40,ddr4-2400,hbm2:2",
        "--clock-mhz", "500", "--lines", "600", "--rows", "5000", "--seed", "3", "--json", path,
    ]  # fmt: skip
    assert main([str(arg) for arg in argv]) == 0
    assert capsys.readouterr().out.count("bit-exact") == 3 * 3 * 4
    report = json.loads(path.read_text())
    assert (report["config_hash"], report["seed"], report["rows"]) == (tiny.hash, 3, 5000)
    assert report["memories"] == "20,5..40,ddr4-2400:1,hbm2:2"
    assert len(report["points"]) == 36
    for point in report["points"]:
        assert point["bit_exact"] is True
        assert point["utilization"] == point["bound_cycles"] / point["cycles"]
        assert 0 < point["read_port"] <= point["utilization"] + 0.01
        latency = point["memory"] in ("20", "5..40")
        assert (point["dram"] is None) == latency
        if not latency:
            assert point["dram"]["clock_mhz"] == 500
            assert 0 < point["dram"]["row_hit_rate"] < 1


def test_bench_memory_refuses(capsys):
    for argv, message in (
        (["--rows", "1"], "rows must be at least the "),
        (["--memories", "ddr5"], "must be an integer, not 'ddr5'"),
    ):
        assert main(["bench", "memory", "--preset", "tiny", "--lines", "600", *argv]) == 2
        assert message in capsys.readouterr().err
