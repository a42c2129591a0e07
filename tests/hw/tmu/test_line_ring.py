"""The ring against the list of lines: any response order, any slot count, errors, rate."""

import random

import pytest
from ember.hw.config import Config
from ember.hw.tmu.line_ring import LineRing

from ...support.streams import Bench


def _memory(bench: Bench, dut: LineRing, rng: random.Random, latency: tuple[int, int]) -> None:
    """Answers line n with words n, n+1, .., in random order; odd multiples of 7 are errors."""

    async def process(ctx):
        pending: list[tuple[int, int, int]] = []
        cycle = 0
        while True:
            ready = rng.random() < 0.8 if latency[0] != latency[1] else 1
            ctx.set(dut.request.ready, ready)
            due = [p for p in pending if p[0] <= cycle]
            ctx.set(dut.fill.valid, bool(due))
            if due:
                answer = rng.choice(due)
                pending.remove(answer)
                _, line, slot = answer
                ctx.set(dut.fill.slot, slot)
                ctx.set(dut.fill.error, line % 7 == 0)
                for k in range(len(dut.fill.data)):
                    ctx.set(dut.fill.data[k], line + k)
            _, _, valid, payload = await ctx.tick().sample(dut.request.valid, dut.request.payload)
            if valid and ready:
                pending.append((cycle + rng.randint(*latency), payload.line, payload.slot))
            cycle += 1

    bench.process(process)


@pytest.mark.parametrize("mshrs", (1, 2, 8, 64))
@pytest.mark.parametrize("latency", ((1, 1), (1, 30), (30, 30)))
def test_order(mshrs: int, latency: tuple[int, int], seed: int) -> None:
    config = Config(lanes=4, mshrs=mshrs, row_chunks=8)
    rng = random.Random(seed)
    spans = [{"line": rng.randrange(1000), "lines": rng.randint(1, 9)} for _ in range(60)]
    expected = [s["line"] + n for s in spans for n in range(s["lines"])]
    dut = LineRing(config)
    bench = Bench(dut, seed, stall=0.2, limit=40_000)
    bench.produce(dut.spans, spans)
    _memory(bench, dut, rng, latency)
    got = bench.consume(dut.o, len(expected), lambda v: (tuple(v.data), v.error))
    bench.run()
    assert got == [((n, n + 1, n + 2, n + 3), int(n % 7 == 0)) for n in expected]


def test_full_rate() -> None:
    """With enough slots for the latency one line is delivered per cycle."""
    config = Config(lanes=4, mshrs=64, row_chunks=8)
    spans = [{"line": 8 * n, "lines": 1 + n % 3} for n in range(150)]
    count = sum(s["lines"] for s in spans)
    dut = LineRing(config)
    bench = Bench(dut, 1)
    bench.produce(dut.spans, spans)
    _memory(bench, dut, random.Random(1), (50, 50))
    bench.consume(dut.o, count)
    bench.run()
    assert bench.cycles <= count + 60


def test_an_unknown_response_is_ignored_and_reported() -> None:
    config = Config(lanes=4, mshrs=4)
    dut = LineRing(config)
    bench = Bench(dut, 1)
    seen = []

    async def process(ctx):
        ctx.set(dut.fill.valid, 1)
        ctx.set(dut.fill.slot, 2)
        seen.append(ctx.get(dut.unknown))
        await ctx.tick()
        ctx.set(dut.fill.valid, 0)
        await ctx.tick().repeat(10)
        seen.append(ctx.get(dut.o.valid))

    bench.process(process)
    bench.run(extra_cycles=20)
    assert seen == [1, 0]
