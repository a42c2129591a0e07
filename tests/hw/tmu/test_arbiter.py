"""Round robin against its definition: the next requester behind the one chosen last."""

import random
import re

import pytest
from amaranth.sim import Simulator
from ember.hw.tmu.arbiter import RoundRobin


@pytest.mark.parametrize("count", (1, 2, 3, 4, 8))
def test_choice(count: int) -> None:
    dut = RoundRobin(count)
    rng = random.Random(count)

    async def bench(ctx):
        last = count - 1
        for _ in range(500):
            requests, advance = rng.getrandbits(count), rng.random() < 0.7
            ctx.set(dut.requests, requests)
            ctx.set(dut.advance, advance)
            order = [(last + 1 + n) % count for n in range(count)]
            chosen = [k for k in order if requests >> k & 1]
            assert ctx.get(dut.any) == bool(chosen)
            if chosen:
                assert ctx.get(dut.choice) == chosen[0]
                if advance:
                    last = chosen[0]
            await ctx.tick()

    sim = Simulator(dut)
    sim.add_clock(1e-6)
    sim.add_testbench(bench)
    sim.run()


@pytest.mark.parametrize("count", (0, -1, "4"))
def test_count_is_checked(count: object) -> None:
    message = f"count must be an integer of at least 1, not {count!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        RoundRobin(count)  # type: ignore[arg-type]
