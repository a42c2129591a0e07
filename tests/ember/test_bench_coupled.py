"""The baselines: configurations, limits, and the comparison on the RTL."""

import json
import math

import pytest

import ember
from ember.bench_coupled import Comparison, baselines, furthest_above, furthest_below, geomean
from ember.cli import main


def comparison(**changes) -> Comparison:
    fields = dict(
        shape="RM1 low", dim=32, pooling=80, locality="low", latency=200, baseline="windowed",
        config_hash="0", cycles=600, decoupled_cycles=100, utilization=0.1,
        decoupled_utilization=1.0, ratio=6.0, limit=6.25, bit_exact=True,
    )  # fmt: skip
    return Comparison(**(fields | changes))


def test_baselines_differ_in_one_field():
    config = ember.Config.preset("paper")
    made = baselines(config, 32)
    assert made == {"coupled": config.replace(row_window=1), "windowed": config.replace(mshrs=32)}


def test_baselines_of_a_machine_that_is_one(tiny):
    with pytest.raises(ValueError, match="^window must be below the machine's mshrs, 8, not 32$"):
        baselines(tiny, 32)
    with pytest.raises(ValueError, match="^row_window must be 0 to be compared, not 2$"):
        baselines(tiny.replace(row_window=2), 2)


def test_figures():
    points = [comparison(ratio=2.0), comparison(ratio=8.0)]
    assert geomean(points) == pytest.approx(4.0)
    assert furthest_below(points) == pytest.approx(1 - 2 / 6.25)
    assert furthest_above(points) == pytest.approx(8 / 6.25 - 1)


@pytest.mark.parametrize(
    "argv, message",
    [
        (["--window", "256"], "window must be below the machine's mshrs, 256, not 256"),
        (["--window", "3"], "window must be a power of two, not 3"),
        (["--latency", "100..200"], "latency must be fixed, not 100..200"),
        (["--locality", "/nowhere"], "cannot read /nowhere: no such file or directory"),
    ],
)
def test_bad_options(capsys, argv, message):
    assert main(["bench", "coupled", *argv]) == 2
    assert capsys.readouterr() == ("", f"ember: {message}\n")


@pytest.mark.xdist_group("rtl-tiny")
def test_the_command(capsys, tmp_path, tiny):
    path = tmp_path / "coupled.json"
    argv = [
        "bench", "coupled", "--preset", "tiny", "--window", "2", "--latency", "20,40",
        "--lines", "3000", "--seed", "4", "--json", path,
    ]  # fmt: skip
    assert main([str(arg) for arg in argv]) == 0
    out = capsys.readouterr().out
    assert "over coupled: geometric mean" in out and "over windowed: geometric mean" in out
    report = json.loads(path.read_text())
    assert report["config_hash"] == tiny.hash and report["seed"] == 4
    assert report["baselines"]["coupled"] == tiny.replace(row_window=1).hash
    points = report["points"]
    assert len(points) == 2 * 3 * 3 * 2
    for point in points:
        assert point["bit_exact"] is True
        assert point["ratio"] == point["cycles"] / point["decoupled_cycles"]
        assert 0.85 < point["ratio"] / point["limit"] < 1.6, point
    windowed = [point for point in points if point["baseline"] == "windowed"]
    # Eight loads against two, both far below what the latency asks for.
    assert {point["limit"] for point in windowed} == {4.0}
    mean = report["summary"]["windowed"]["geomean"]
    assert mean == pytest.approx(math.prod(p["ratio"] for p in windowed) ** (1 / len(windowed)))
