"""Alignment against slicing a flat list of words: every offset, length and mode."""

import random

import pytest
from ember.hw.config import Config
from ember.hw.tmu.align import Align
from ember.hw.tmu.item import ItemType

from ...support.streams import Bench


def _row(config: Config, offset: int, dim: int, vector: int, number: int) -> dict:
    lines = -(-(offset + dim) // config.lanes)
    item = {"type": ItemType.ITEM, "segment": number % config.segments}
    return {"item": item, "lines": lines, "offset": offset, "dim": dim, "vector": vector}


def _golden(config: Config, rows: list[dict], lines: list[list[int]]) -> list[tuple]:
    """(segment, has_data, beg, end, position, words) of every beat, by slicing."""
    beats, at = [], 0
    for row in rows:
        segment = row["item"].get("segment", 0)
        if not row["lines"]:
            beats.append((segment, 0, None, None, None, None))
            continue
        words = [w for line in lines[at : at + row["lines"]] for w in line]
        at += row["lines"]
        words = words[row["offset"] : row["offset"] + row["dim"]]
        step = config.lanes if row["vector"] else 1
        for position in range(0, row["dim"], step):
            chunk = words[position : position + step]
            padded = tuple(chunk + [0] * (config.lanes - len(chunk)))
            last = position + step >= row["dim"]
            beats.append((segment, 1, position == 0, last, position, padded))
    return beats


def _run(config: Config, rows: list[dict], seed: int, stall: float) -> tuple[Align, int]:
    rng = random.Random(seed)
    count = sum(r["lines"] for r in rows)
    lines = [[rng.getrandbits(32) for _ in range(config.lanes)] for _ in range(count)]
    dut = Align(config)
    bench = Bench(dut, seed, stall=stall)
    bench.produce(dut.rows, rows)
    bench.produce(dut.lines, [{"data": line, "error": 0} for line in lines])
    expected = _golden(config, rows, lines)

    def convert(beat):
        segment = beat.item.segment
        if not beat.has_data:
            return (segment, 0, None, None, None, None)
        return (segment, 1, beat.beg, beat.end, beat.position, tuple(beat.data))

    got = bench.consume(dut.o, len(expected), convert)
    bench.run()
    assert got == expected
    return dut, bench.cycles


@pytest.mark.parametrize("lanes", (1, 2, 4, 8))
@pytest.mark.parametrize("stall", (0.0, 0.4))
def test_every_offset_and_length(lanes: int, stall: float, seed: int) -> None:
    config = Config(lanes=lanes, row_chunks=4, segments=8)
    rng = random.Random(seed)
    shapes = [
        (offset, dim, vector)
        for offset in range(lanes)
        for dim in {1, 2, lanes - 1, lanes, lanes + 1, 2 * lanes, 3 * lanes + 1, 4 * lanes}
        for vector in (0, 1)
        if 0 < dim <= config.max_dim
    ]
    rng.shuffle(shapes)
    rows = []
    for n, (offset, dim, vector) in enumerate(shapes[:120]):
        rows.append(_row(config, offset, dim, vector, n))
        if rng.random() < 0.2:  # a marker or a skipped row in between
            rows.append({"item": {"type": ItemType.MARK, "segment": n % 8}, "lines": 0})
    _run(config, rows, seed, stall)


@pytest.mark.parametrize("offset, dim", [(0, 8), (3, 8), (1, 33), (7, 25), (0, 33), (4, 100)])
def test_full_rate(offset: int, dim: int) -> None:
    """A row that spans k lines takes k cycles: no bubble between rows, aligned or not."""
    config = Config(lanes=8, row_chunks=16)
    rows = [_row(config, offset, dim, 1, n) for n in range(60)]
    _, cycles = _run(config, rows, 1, 0.0)
    assert cycles <= sum(r["lines"] for r in rows) + 6


def test_an_error_is_reported_with_its_segment() -> None:
    config = Config.preset("tiny")
    dut = Align(config)
    bench = Bench(dut, 1)
    rows = [_row(config, 0, 4, 1, n) for n in range(3)]
    bench.produce(dut.rows, rows)
    bench.produce(dut.lines, [{"data": [0] * 4, "error": n == 1} for n in range(3)])
    bench.consume(dut.o, 3)
    seen = []

    async def watch(ctx):
        while True:
            _, _, valid, report = await ctx.tick().sample(dut.error.valid, dut.error.report)
            if valid:
                seen.append((report.kind, report.segment, report.layer))

    bench.process(watch)
    bench.run()
    assert seen == [(3, 1, 2)]
