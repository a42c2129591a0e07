"""The read cache against the golden one: every request, fetch and answer, and its rate."""

import random

import pytest
from amaranth.hdl import ResetInserter, Signal
from amaranth.sim import Simulator
from ember.hw.config import Config
from ember.hw.mem import generation
from ember.hw.mem.read_cache import ReadCache

from .bench import Behaviour, CacheBench

BASE = Config.preset("tiny").replace(mshrs=16)

#: (lines, ways, fetches): one line, one set, one way, one fetch at a time, and the usual.
CORNERS = ((1, 1, 256), (4, 4, 256), (8, 8, 2), (8, 1, 256), (4, 2, 1), (16, 4, 8), (32, 2, 256))

BEHAVIOURS = {
    "free": Behaviour(),
    "stalled": Behaviour(stall=0.3, latency=(1, 40)),
    "blocked": Behaviour(stall=0.7, latency=(1, 5)),
    "faulty": Behaviour(stall=0.2, latency=(1, 60), error=0.2, stray=0.05),
    "flushed": Behaviour(stall=0.1, latency=(1, 30), error=0.1, stray=0.02, flush=0.01),
}


def cache(lines: int, ways: int, fetches: int = 256) -> Config:
    return BASE.replace(cache_lines=lines, cache_ways=ways, cache_fetches=fetches)


def traffic(rng: random.Random, config: Config, count: int, nt: float = 0.2):
    """Lines of few sets, with runs of the same line, some with the hint."""
    spread = 3 * config.cache_lines
    out = []
    while len(out) < count:
        line = rng.randrange(spread)
        for _ in range(rng.choice((1, 1, 1, 2, 6))):
            out.append((line, int(rng.random() < nt)))
    return out[:count]


@pytest.mark.parametrize("corner", CORNERS, ids=str)
@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_random_traffic(corner: tuple[int, int, int], behaviour: str, seed: int) -> None:
    config = cache(*corner)
    bench = CacheBench(config, BEHAVIOURS[behaviour], seed)
    bench.run(traffic(random.Random(seed), config, 500))
    assert all(bench.events.values()), "everything must have happened"


RATES = {
    "hits": lambda rng, n: rng.randrange(32),
    "misses": lambda rng, n: n,
    "merged": lambda rng, n: n // 6,
    "any": lambda rng, n: rng.choice((rng.randrange(24), 100 + n)),
}


@pytest.mark.parametrize("kind", RATES)
@pytest.mark.parametrize("nt", (0.0, 0.3))
def test_one_request_and_one_answer_per_cycle(kind: str, nt: float, seed: int) -> None:
    """Whatever is mixed: what is beyond one cycle per request is one trip to the memory."""
    rng = random.Random(seed)
    latency, count = 20, 800
    config = cache(64, 4)
    bench = CacheBench(config, Behaviour(latency=(latency, latency)), seed)
    bench.run([(RATES[kind](rng, n), int(rng.random() < nt)) for n in range(count)])
    assert bench.cycles <= count + latency + 8 + 12


@pytest.mark.parametrize("fetches", (1, 4))
def test_hits_at_full_rate_with_few_fetches(fetches: int, seed: int) -> None:
    """What may be fetched at a time bounds the misses, not the hits."""
    rng = random.Random(seed)
    config = cache(64, 4, fetches)
    requests = [(n, 0) for n in range(64)] + [(rng.randrange(64), 0) for _ in range(800)]
    bench = CacheBench(config, Behaviour(latency=(10, 10)), seed)
    bench.run(requests)
    assert bench.cycles <= 64 * 14 / fetches + 800 + 20


def test_generations_run_out(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """With numbers of 2 bits, every third flush sweeps the memories: all is forgotten as ever."""
    monkeypatch.setattr(generation, "WIDTH", 2)
    config = cache(8, 2)
    bench = CacheBench(config, Behaviour(stall=0.1, latency=(1, 9), stray=0.02, flush=0.03), seed)
    bench.run([(n % 9, 0) for n in range(1000)])
    assert bench.flushes > 12


def test_a_cache_needs_lines() -> None:
    with pytest.raises(ValueError, match="^cache_lines must be above 0 for a cache, not 0$"):
        ReadCache(BASE)


def test_a_reset_does_not_end_a_sweep() -> None:
    """What was not swept would be taken for present, generations later."""
    entries = 16
    dut = generation.Generation(entries)
    reset = ResetInserter(Signal(name="again"))
    again = reset.controls["sync"]
    swept = []

    async def process(ctx):
        for _ in range(1 << generation.WIDTH):
            ctx.set(dut.advance, not ctx.get(dut.sweeping))
            await ctx.tick()
        ctx.set(dut.advance, 0)
        for cycle in range(2 * entries):
            ctx.set(again, 3 <= cycle < 6)
            if ctx.get(dut.sweeping):
                swept.append(ctx.get(dut.entry))
            await ctx.tick()

    sim = Simulator(reset(dut))
    sim.add_clock(1e-6)
    sim.add_testbench(process)
    sim.run()
    assert swept[-1] == entries - 1 and set(swept) == set(range(entries))
