"""The table of rates: what is in it, and how a row is judged."""

import json

import pytest

import ember
from ember.bench import Point, latency_limit
from ember.bench_rate import Row, judge, table
from ember.bench_shape import Shape
from ember.cli import main


def point(**changes) -> Point:
    fields = dict(
        dim=64, pooling=16, mode="sum", index_type="i32", weighted=False, tables=1, opt="O3",
        latency="200", bags=1, lookups=16, launches=1, cycles=1000, bound_cycles=900,
        overhead_cycles=100, utilization=0.9, bytes_per_cycle=60.0, cycles_per_lookup=1.0,
        bit_exact=True, counters={"outstanding_sum": 2020, "port_busy": 10},
        cycles_per_second=1.0,
    )  # fmt: skip
    return Point(**(fields | changes))


def test_the_table_has_every_row():
    rows = {row.name: row for row in table(1000)}
    first = rows["D = 32..256, pooling 16, 64"]
    assert first.target == 0.97
    assert {(s.dim, s.pooling) for s in first.shapes} == {
        (d, p) for d in (32, 64, 128, 256) for p in (16, 64)
    }
    assert {s.dim for s in rows["D = 33, 100: unaligned rows"].shapes} == {33, 100}
    assert {s.lines for row in rows.values() for s in row.shapes if not s.bags} == {1000}
    assert rows["latency 50, 100, 200, 400, D = 64"].latencies == (50, 100, 200, 400)
    for name, field, value in (
        ("int64 indices", "index_type", "i64"), ("weighted sum", "weighted", True),
        ("mean", "mode", "mean"), ("max", "mode", "max"), ("8 tables in one launch", "tables", 8),
        ("heavy-tailed pooling, 20 % empty", "pooling", "zipf"),
    ):  # fmt: skip
        assert rows[name].target == 0.9
        assert {getattr(s, field) for s in rows[name].shapes} == {value}


def test_the_worst_point_decides(tiny):
    row = Row("some", 0.9, (Shape(64, 16),))
    verdict = judge(tiny, row, [point(utilization=0.95), point(utilization=0.89)])
    assert (verdict.worst, verdict.met) == (0.89, False)
    assert judge(tiny, row, [point()]).met is True
    assert judge(tiny, Row("some", None, ()), [point()]).met is None


def test_a_spread_counts_up_to_the_limit():
    config = ember.Config.preset("paper")
    points = [
        point(latency="100", utilization=0.98), point(latency="200", utilization=0.96),
        point(latency="400", utilization=0.6),
        point(pooling=64, latency="200", utilization=0.5),
    ]  # fmt: skip
    assert latency_limit(config, points[1:]) == 254  # 2020 / 10 cycles at a latency of 200
    row = Row("some", 0.03, (), (100, 200, 400), "spread")
    verdict = judge(config, row, points[1:2] + points)
    assert verdict.worst == pytest.approx(0.02) and verdict.met is True


def test_a_start_is_counted_in_latencies(tiny):
    row = Row("some", 6, (), None, "start")
    assert judge(tiny, row, [point(cycles=1200)]).met is True
    assert judge(tiny, row, [point(cycles=1201)]).met is False


@pytest.mark.xdist_group("rtl-tiny")
def test_the_command(capsys, tmp_path, tiny, monkeypatch):
    monkeypatch.setattr("ember.bench_rate.BAGS", (1, 20))
    path = tmp_path / "rate.json"
    argv = ["bench", "rate", "--preset", "tiny", "--latency", "5", "--lines", "300", "--json", path]
    assert main([str(arg) for arg in argv]) == 0
    out = capsys.readouterr().out
    assert "one bag of one row" in out and "MISSED" in out and "WRONG" not in out
    report = json.loads(path.read_text())
    assert report["config_hash"] == tiny.hash
    names = [row["row"] for row in report["rows"]]
    assert names == [row.name for row in table()]
    assert {point["row"] for point in report["points"]} == set(names)
    for row in report["rows"]:
        assert set(row) == {"row", "kind", "target", "worst", "met"}
    for made in report["points"]:
        assert made["bit_exact"] is True
        assert made["utilization"] == made["bound_cycles"] / made["cycles"]
