"""Queue against a list: order, loss, level, high-water mark, at every interesting depth."""

import random
import re
from pathlib import Path

import pytest
from amaranth.sim import Simulator
from ember.hw import layouts
from ember.hw.config import Config
from ember.hw.queues.queue import Queue

from ...support.streams import Bench

DEPTHS = (1, 2, 3, 31, 32, 33, 64)


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("stall", (0.0, 0.3, 0.8))
def test_order_and_content(depth: int, stall: float) -> None:
    sent = [random.Random(depth).getrandbits(16) for _ in range(300)]
    dut = Queue(16, depth)
    bench = Bench(dut, seed=depth, stall=stall)
    bench.produce(dut.i, sent)
    got = bench.consume(dut.o, len(sent))
    bench.run()
    assert got == sent


@pytest.mark.parametrize("depth", DEPTHS)
def test_level_and_high_water(depth: int) -> None:
    """The level is what a counter of transfers says, in every cycle; the mark follows it."""
    dut = Queue(8, depth)
    rng = random.Random(7 + depth)
    levels = set()

    async def bench(ctx):
        level = 0
        for cycle in range(12 * depth + 200):
            # Filling and draining by turns reaches both ends.
            filling = (cycle // (3 * depth)) % 2 == 0
            ctx.set(dut.i.valid, rng.random() < (0.9 if filling else 0.1))
            ctx.set(dut.o.ready, rng.random() < (0.1 if filling else 0.9))
            assert ctx.get(dut.level) == level
            assert ctx.get(dut.high_water) == (level >= -(-3 * depth // 4))
            assert ctx.get(dut.i.ready) == (level < depth)
            level += ctx.get(dut.i.valid & dut.i.ready) - ctx.get(dut.o.valid & dut.o.ready)
            levels.add(level)
            await ctx.tick()

    sim = Simulator(dut)
    sim.add_clock(1e-6)
    sim.add_testbench(bench)
    sim.run()
    assert {0, depth} <= levels


@pytest.mark.parametrize("depth", [d for d in DEPTHS if d > 1])
def test_full_rate(depth: int) -> None:
    """One entry per cycle goes through, but for depth 1."""
    sent = list(range(200))
    dut = Queue(8, depth)
    bench = Bench(dut, seed=0)
    bench.produce(dut.i, sent)
    got = bench.consume(dut.o, len(sent))
    bench.run()
    assert got == sent
    assert bench.cycles <= len(sent) + 4


@pytest.mark.parametrize("depth", (0, -1, 2.5, None))
def test_depth_is_checked(depth: object) -> None:
    message = f"depth must be an integer of at least 1, not {depth!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Queue(8, depth)  # type: ignore[arg-type]


@pytest.mark.parametrize("depth", (1, 2, 64))
def test_under_cocotb(depth: int, seed: int) -> None:
    """The CtrlQ as it is built into the machine."""
    cocotb_support = pytest.importorskip("ember.sim.cocotb_support", reason="no cocotb")
    config = Config.preset("tiny").replace(ctrlq_depth=depth)
    bench = Path(__file__).with_name("bench_queue.py")
    queue = Queue(layouts.token(config), depth)
    assert cocotb_support.run_bench(queue, bench, config=config, seed=seed) == 9
