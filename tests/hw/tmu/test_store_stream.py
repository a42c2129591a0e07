"""The access unit's stores against the contract: addresses, order, tails, rate, the end."""

import random

import pytest
from ember.hw.config import Config
from ember.hw.tmu.item import ItemType
from ember.hw.tmu.store_stream import StoreStream

from ...support.program import load_memory
from ...support.streams import Bench

ALONE = dict(store_streams=1, execute=0)


def _entries(config: Config, rng: random.Random) -> list[dict[str, int]]:
    return [
        {
            "base": 4 * rng.getrandbits(config.addr_width - 2),
            "row_stride": 4 * rng.getrandbits(30),
            "row_sel": rng.randrange(3),
            "tail": rng.randint(1, config.lanes),
        }
        for _ in range(config.segments)
    ]


def _beats(config: Config, rng: random.Random, rows: int) -> list[list[dict]]:
    """Each row's beats; some items have no data."""
    found = []
    for _ in range(rows):
        item = {
            "lane": rng.randrange(config.fiber_lanes),
            "segment": rng.randrange(config.segments),
            "env": [rng.getrandbits(config.addr_width) for _ in range(3)],
        }
        kind = rng.random()
        if kind < 0.3:
            item["type"] = ItemType.MARK if kind < 0.15 else ItemType.ITEM
            found.append([{"item": item | {"skip": 1}, "beg": 1, "end": 1}])
            continue
        length = rng.choice([1, 1, 2, 5])
        found.append(
            [
                {
                    "item": item, "has_data": 1, "beg": n == 0, "end": n == length - 1,
                    "data": [rng.getrandbits(32) for _ in range(config.lanes)],
                }
                for n in range(length)
            ]
        )  # fmt: skip
    return found


def _golden(config: Config, entries: list[dict[str, int]], rows: list[list[dict]]) -> list[tuple]:
    """Chunks straight from docs/machine.md, section 4."""
    chunks = []
    for row in rows:
        item = row[0]["item"]
        if not row[0].get("has_data"):
            continue
        entry = entries[item["segment"]]
        number = item["env"][entry["row_sel"]] & 0xFFFFFFFF
        address = (entry["base"] + number * entry["row_stride"]) % (1 << config.addr_width)
        for beat in row:
            words = entry["tail"] if beat["end"] else config.lanes
            first, last = int(beat["beg"]), int(beat["end"])
            chunks.append((first, last, words, address // 4, tuple(beat["data"])))
    return chunks


def _unpack(payload) -> tuple:
    chunk = payload.chunk
    return int(chunk.first), int(chunk.last), chunk.words, chunk.address, tuple(payload.data)


@pytest.mark.parametrize("preset", ("tiny", "paper"))
@pytest.mark.parametrize("stall", (0.0, 0.5, 0.9))
def test_rows(preset: str, stall: float, seed: int) -> None:
    config = Config.preset(preset).replace(**ALONE)
    rng = random.Random(seed)
    entries = _entries(config, rng)
    rows = _beats(config, rng, 80)
    wanted = _golden(config, entries, rows)
    dut = StoreStream(config)
    bench = Bench(dut, seed, stall=stall)
    start = load_memory(bench, dut.program, config, "store", entries)
    bench.produce(dut.i, [beat for row in rows for beat in row], start=start)
    got = bench.consume(dut.o, len(wanted), _unpack)
    bench.run()
    assert got == wanted


def test_full_rate() -> None:
    """A row of one vector per cycle."""
    config = Config.preset("default").replace(store_streams=1)
    dut = StoreStream(config)
    bench = Bench(dut, 1)
    start = load_memory(bench, dut.program, config, "store", [{"row_stride": 32, "tail": 8}])
    beats = [
        {"item": {"env": [n, 0, 0]}, "has_data": 1, "beg": 1, "end": 1, "data": [n] * 8}
        for n in range(200)
    ]
    bench.produce(dut.i, beats, start=start)
    got = bench.consume(dut.o, 200, _unpack)
    bench.run()
    assert [address for *_, address, _ in got] == [8 * n for n in range(200)]
    assert bench.cycles <= start + 200 + 8


def test_idle_and_the_end() -> None:
    """Idle when the last chunk has gone; ended with the last lane's STOP, until the next start."""
    config = Config.preset("tiny").replace(**ALONE)
    dut = StoreStream(config)
    bench = Bench(dut, 1)
    start = load_memory(bench, dut.program, config, "store", [{"tail": 1}])
    row = {"item": {"env": [0, 0, 0]}, "has_data": 1, "beg": 1, "end": 1}
    stops = [{"item": {"type": ItemType.STOP, "lane": k}} for k in range(config.fiber_lanes)]
    bench.produce(dut.i, [row, *stops], start=start)
    seen = []

    async def watch(ctx):
        await ctx.tick().repeat(start + 20)
        seen.append((ctx.get(dut.idle), ctx.get(dut.ended)))
        ctx.set(dut.o.ready, 1)
        await ctx.tick()
        seen.append((ctx.get(dut.idle), ctx.get(dut.ended)))
        ctx.set(dut.start, 1)
        await ctx.tick()
        seen.append((ctx.get(dut.idle), ctx.get(dut.ended)))

    bench.process(watch)
    bench.run(extra_cycles=start + 30)
    assert seen == [(0, 1), (1, 1), (1, 0)]
