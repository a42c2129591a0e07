"""Read caches beside the machine without one: configurations, and the measurement on the RTL."""

import json

import pytest

import ember
from ember.bench_cache import cached
from ember.cli import main


def test_without_a_cache_as_much_is_on_its_way():
    config = ember.Config.preset("paper").replace(cache_fetches=64)
    without, caches = cached(config, (512, 1024))
    assert without == config.replace(mshrs=64)
    assert caches == {size: config.replace(cache_lines=size) for size in (512, 1024)}


@pytest.mark.parametrize(
    "argv, message",
    [
        (["--sizes", "2"], "cache_lines must be 0 or at least cache_ways, 4, not 2"),
        (["--sizes", "48"], "cache_lines must be a power of two, not 48"),
        (["--locality", "/nowhere"], "cannot read /nowhere: no such file or directory"),
    ],
)
def test_bad_options(capsys, argv, message):
    assert main(["bench", "cache", *argv]) == 2
    assert capsys.readouterr() == ("", f"ember: {message}\n")


def test_a_memory_that_is_none(capsys):
    assert main(["bench", "cache", "--memories", "200,ddr4-2400:3"]) == 2
    assert "argument --memories: channels must be" in capsys.readouterr().err


@pytest.mark.xdist_group("rtl-cached-tiny")
def test_the_command(capsys, tmp_path, tiny):
    path = tmp_path / "cache.json"
    argv = [
        "bench", "cache", "--preset", "tiny", "--sizes", "256", "--memories", "40,ddr4-2400",
        "--lines", "3000", "--seed", "4", "--json", path,
    ]  # fmt: skip
    assert main([str(arg) for arg in argv]) == 0
    assert "lines of 16 bytes, 4 ways, 256 fetches, mshrs 8" in capsys.readouterr().out
    report = json.loads(path.read_text())
    assert report["config_hash"] == tiny.hash and report["seed"] == 4
    assert report["caches"] == {"256": tiny.replace(cache_lines=256).hash}
    points = report["points"]
    assert len(points) == 3 * 3 * 2 * 2
    assert all(point["bit_exact"] for point in points)
    for without, with_cache in zip(points[::2], points[1::2], strict=True):
        assert without["cache_lines"] == 0 and with_cache["cache_lines"] == 256
        assert without["hit_rate"] == 0 and without["speedup"] == 1
        assert without["lines_memory"] == without["lines_port"] == with_cache["lines_port"]
        assert with_cache["speedup"] == without["cycles"] / with_cache["cycles"]
        if with_cache["locality"] == "high":
            assert with_cache["lines_memory"] < 0.5 * without["lines_memory"]
            assert with_cache["speedup"] > 1.5
