"""The public face on the RTL of the ``tiny`` preset: results, cycles, counters, failures."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from ember.hw import isa
from ember.hw.occupancy import BINS

import ember
from ember.cli import main
from ember.report import text_report
from ember.validate import check_lookups

# One worker builds and loads the simulator for all of these.
pytestmark = pytest.mark.xdist_group("rtl-tiny")

MODES = ("sum", "mean", "max")
PORT = ("port_busy", "port_mshr", "port_memory", "port_ring", "port_idle")
EXECUTE = ("exec_busy", "exec_token", "exec_data", "exec_hazard", "exec_store")


def lookup(rng, rows=20, dim=9, bags=12, **kwargs):
    lengths = rng.integers(0, 6, bags)
    indices = rng.integers(0, rows, int(lengths.sum()), np.int32)
    if kwargs.pop("weighted", False):
        kwargs["per_sample_weights"] = rng.standard_normal(indices.size, np.float32)
    table = rng.standard_normal((rows, dim), np.float32)
    return ember.Lookup(table, indices, lengths=lengths, **kwargs)


def check(result):
    for compare in (ember.compare_numpy, ember.compare_torch):
        comparison = compare(result)
        assert comparison.bit_exact, str(comparison.mismatch)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("opt", ["O0", "O1", "O2", "O3"])
def test_every_mode_and_level(rng, tiny, mode, opt):
    check(ember.embedding_bags([lookup(rng, mode=mode)], config=tiny, opt=opt))


@pytest.mark.parametrize("kwargs", [dict(), dict(padding_idx=3), dict(fma=False), dict(dim=1)])
def test_weighted(rng, tiny, kwargs):
    check(ember.embedding_bags([lookup(rng, mode="sum", weighted=True, **kwargs)], config=tiny))


@pytest.mark.parametrize("mode", MODES)
def test_special_values(rng, tiny, mode):
    bits = rng.integers(0, 2**32, (40, 5), np.uint32)
    bits[::3] |= 0x7F800000  # infinities and NaN
    bits[1::3] &= 0x80000003  # zeros and subnormals
    table = bits.view(np.float32)
    for nan in ("torch", "propagate"):
        args = (table, rng.integers(0, 40, 100), np.arange(0, 100, 4))
        check(ember.embedding_bag(*args, mode=mode, nan=nan, config=tiny))


def test_a_read_cache_in_the_report(rng, tiny):
    """Little's law does not bind it, and what it did with each request is said."""
    result = ember.embedding_bags([lookup(rng)], config=tiny, latency=200)
    text = text_report("x", result, [])
    assert "8 MSHRs / 200 cycles of latency allow 4.0 %" in text and "cache hits" not in text
    cache = {"port_busy": 2000, "cache_hits": 1500, "cache_merged": 1, "cache_misses": 400,
             "cache_bypassed": 99}  # fmt: skip
    cached = replace(tiny, cache_lines=64)
    text = text_report("x", replace(result, config=cached, counters=result.counters | cache), [])
    assert " allow " not in text
    assert re.search(
        r"^  cache hits +75\.0 %  1,500 of 2,000; 1 merged, 400 misses, 99 bypassed$", text, re.M
    )


def test_tables_of_every_kind_in_one_run(rng, tiny):
    lookups = [
        lookup(rng, dim=dim, mode=mode, name=f"{mode}{dim}")
        for dim in (1, 3, 4, 33, 65) for mode in MODES
    ]  # fmt: skip
    lookups.append(ember.Lookup(np.zeros((3, 0), np.float32), [1], [0], name="no elements"))
    result = ember.embedding_bags(lookups, config=tiny)
    assert result.launches > 1
    check(result)


def test_cycles_and_counters_add_up(rng, tiny):
    result = ember.embedding_bags([lookup(rng, bags=50)], config=tiny, latency=20)
    counters = result.counters
    assert result.cycles is not None and result.cycles == counters["cycles"]
    assert sum(counters[name] for name in PORT) == result.cycles
    assert sum(counters[name] for name in EXECUTE) == result.cycles
    for unit in isa.units(tiny):
        states = [counters[f"{unit}_{state}"] for state in ("busy", "blocked", "starved")]
        assert sum(states) == result.cycles, unit
    for queue in ("dataq", "ctrlq"):
        assert sum(counters[f"{queue}_bin{k}"] for k in range(BINS)) == result.cycles
    assert counters["lines_row"] == result.bound.table
    assert counters["port_busy"] >= result.bound.reads
    assert 0 < result.bound_cycles <= result.cycles
    assert result.utilization == result.bound_cycles / result.cycles
    moved = result.bound.lines * tiny.line_bytes
    assert result.bytes_per_cycle == moved / result.cycles
    assert result.cycles_per_lookup == result.cycles / result.lookups


def test_results_do_not_depend_on_the_memory(rng, tiny):
    lookups = [lookup(rng, weighted=True, mode="sum")]
    fixed = ember.embedding_bags(lookups, config=tiny, latency=1)
    for seed in range(3):
        other = ember.embedding_bags(lookups, config=tiny, latency=(1, 60), seed=seed)
        assert np.array_equal(fixed.output, other.output)
        assert other.cycles != fixed.cycles


def test_the_same_seed_takes_the_same_cycles(rng, tiny):
    lookups = [lookup(rng)]
    runs = [ember.embedding_bags(lookups, config=tiny, latency=(1, 60), seed=5) for _ in "ab"]
    assert runs[0].cycles == runs[1].cycles and runs[0].counters == runs[1].counters


def test_back_to_back_launches(rng, tiny):
    # hls4ml#351: no row repeated or lost; nothing of one run is left in the next.
    table = rng.standard_normal((20, 5), np.float32)
    bag = ember.EmbeddingBag(table, config=tiny)
    first = bag([[1, 2, 3], [4, 5, 6]])
    other = bag([[7], [8]])
    again = bag([[1, 2, 3], [4, 5, 6]])
    check(other)
    assert np.array_equal(first.output, again.output)
    assert first.cycles == again.cycles and first.counters == again.counters


def test_a_queue_exactly_full(rng, tiny):
    # spatial#209: rows of 33 elements; every queue is full all the time, and drains.
    check(ember.embedding_bags([lookup(rng, dim=33, bags=40)], config=tiny, latency=1))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("value", [4, -1, 2**31 - 1])
def test_a_bad_index_that_the_host_missed(rows4, tiny, dtype, value):
    lookups = [
        ember.Lookup(rows4, [0, 1], [0], name="good"),
        ember.Lookup(rows4, np.array([0, 3, value], dtype), [0, 1], name="bad"),
    ]
    requests = check_lookups(lookups, check_indices=False)
    compiled = ember.compile_bags([request.bag for request in requests], tiny)
    with pytest.raises(ValueError) as error:
        compiled.run_checked(requests, ember.RunOptions())
    assert str(error.value) == (f"indices[2] is {value}, but table 'bad' has 4 rows: allowed 0..3")
    # The next run is clean.
    check(ember.embedding_bag(rows4, [0, 3], [0, 1], config=tiny))


def test_a_limit_on_cycles(rng, tiny):
    # cocotb#872
    lookups = [lookup(rng)]
    with pytest.raises(RuntimeError, match="^machine did not finish within 50 cycles") as error:
        ember.embedding_bags(lookups, config=tiny, max_cycles=50)
    assert "outstanding" in str(error.value)
    check(ember.embedding_bags(lookups, config=tiny))


def test_a_limit_on_time(rng, tiny):
    with pytest.raises(RuntimeError, match="^machine did not finish within 1e-09 s"):
        ember.embedding_bags([lookup(rng)], config=tiny, latency=1 << 19, max_seconds=1e-9)


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text"
    path.write_text("to be or not to be\n\nthat is the question\n" * 10)
    return path


def test_the_report(capsys, tmp_path, text):
    path = tmp_path / "report.json"
    argv = ["run", "text", text, "--preset", "tiny", "--json", path, "--latency", "10..90"]
    assert main([str(arg) for arg in argv]) == 0
    out = capsys.readouterr().out
    for line in (
        "rtl, memory latency 10..90 cycles, seed 0", "utilization", "bytes per cycle",
        "cycles per lookup", "% of the cycles", "waited for", "DataQ level",
        "highest levels: DataQ", "bit-exact against NumPy",
    ):  # fmt: skip
        assert line in out
    report = json.loads(path.read_text())
    assert report["cycles"] == report["counters"]["cycles"] > report["bound_cycles"]
    assert report["bit_exact"] is True


@pytest.mark.parametrize("kind", ["criteo", "movielens"])
@pytest.mark.parametrize("mode", MODES)
def test_made_up_records(capsys, sample_file, kind, mode):
    argv = ["run", kind, sample_file(f"{kind}.csv"), "--preset", "tiny", "--mode", mode]
    assert main([str(arg) for arg in [*argv, "--dim", 5, "--latency", 20]]) == 0
    out = capsys.readouterr().out
    assert f"{mode} over " in out and "bit-exact against NumPy" in out


def test_a_hang_is_exit_code_1_with_a_dump(capsys, text, tiny):
    argv = ["run", "text", text, "--preset", "tiny", "--max-cycles", "100"]
    assert main([str(arg) for arg in argv]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "ember: machine did not finish within 100 cycles" in err
    assert "counters: cycles=1" in err and "Traceback" not in err
    states = re.findall(
        r"^(\w+) is (?:busy|blocked|starved) "
        r"\(cycles: (\d+) busy, (\d+) blocked, (\d+) starved\)$",
        err, re.M,
    )  # fmt: skip
    assert tuple(name for name, *_ in states) == isa.units(tiny)
    # All of one and the same cycle, soon after the limit.
    (cycles,) = {sum(map(int, counts)) for _, *counts in states}
    assert 100 <= cycles <= 100 + len(isa.COUNTERS) + 5


def test_bench(capsys, tmp_path, tiny):
    path = tmp_path / "bench.json"
    argv = [
        "bench", "bag", "--preset", "tiny", "--latency", "20", "--dims", "4,7", "--pooling", "1,3",
        "--modes", "sum,max", "--lines", "200", "--rows", "64", "--seed", "3", "--json", path,
    ]  # fmt: skip
    assert main([str(arg) for arg in argv]) == 0
    assert capsys.readouterr().out.count("bit-exact") == 8
    report = json.loads(path.read_text())
    assert report["config"] == tiny.to_dict()
    assert (report["config_hash"], report["seed"], report["latency"]) == (tiny.hash, 3, "20")
    assert [(p["mode"], p["dim"], p["pooling"]) for p in report["points"]] == [
        (mode, dim, pooling) for mode in ("sum", "max") for dim in (4, 7) for pooling in (1, 3)
    ]
    for point in report["points"]:
        assert set(point) == {
            "dim", "pooling", "mode", "index_type", "weighted", "tables", "opt", "latency", "bags",
            "lookups", "launches", "cycles", "bound_cycles", "overhead_cycles", "utilization",
            "bytes_per_cycle", "cycles_per_lookup", "bit_exact", "counters",
        }  # fmt: skip
        assert point["bit_exact"] is True
        assert point["utilization"] == point["bound_cycles"] / point["cycles"]


def test_bench_with_every_option(capsys, tmp_path):
    path = tmp_path / "bench.json"
    argv = [
        "bench", "bag", "--preset", "tiny", "--latency", "5,20", "--dims", "7", "--pooling",
        "zipf,2", "--bags", "1,30", "--tables", "2", "--index-type", "i64", "--weighted",
        "--rows", "64", "--json", path, "--no-cocotb",
    ]  # fmt: skip
    assert main([str(arg) for arg in argv]) == 0
    out = capsys.readouterr().out
    assert out.count("bit-exact") == 8 and "i64 weighted 2 tables" in out
    assert "start-up: " in out and "8 outstanding loads cover a memory latency of " in out
    report = json.loads(path.read_text())
    assert report["latency"] == "5,20"
    assert [(p["pooling"], p["bags"], p["latency"]) for p in report["points"]] == [
        (pooling, 2 * bags, latency)
        for pooling in ("zipf", 2) for bags in (1, 30) for latency in ("5", "20")
    ]  # fmt: skip
    for point in report["points"]:
        assert (point["index_type"], point["weighted"], point["tables"]) == ("i64", True, 2)
        assert point["overhead_cycles"] == point["cycles"] - point["bound_cycles"]
