"""Turn against counts of work: who has the turn has work, nobody waits for more than a round."""

import random

import pytest
from amaranth.sim import Simulator
from ember.hw.tmu.turn import Turn

COUNTS = (1, 2, 3, 4, 8)


def simulate(count: int, cycles: int, step) -> None:
    """Call ``step(ctx, dut, work)`` in each cycle; ``work[k]`` entries wait in lane k."""
    dut, work = Turn(count), [0] * count

    async def bench(ctx):
        for cycle in range(cycles):
            ctx.set(dut.valid, sum((entries > 0) << k for k, entries in enumerate(work)))
            ctx.set(dut.more, sum((entries > 1) << k for k, entries in enumerate(work)))
            step(ctx, dut, work, cycle)
            await ctx.tick()

    sim = Simulator(dut)
    sim.add_clock(1e-6)
    sim.add_testbench(bench)
    sim.run()


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("busy", (0.1, 0.5, 0.9))
def test_turns_are_fair(count: int, busy: float, seed: int) -> None:
    """Work may come at any time; a turn may end with or without its work's removal."""
    rng = random.Random(f"{seed} {count} {busy}")
    waited, idle, turns = [0] * count, 0, 0

    def step(ctx, dut, work, cycle):
        nonlocal idle, turns
        done = remove = False
        if ctx.get(dut.active):
            lane = ctx.get(dut.lane)
            assert work[lane] > 0, f"cycle {cycle}: lane {lane} has the turn and no work"
            assert ctx.get(dut.mine) == 1 << lane
            done, idle = rng.random() < 0.7, 0
            remove = rng.random() < 0.6
            if done:
                turns += 1
                waited[:] = [w + 1 if work[k] else 0 for k, w in enumerate(waited)]
                waited[lane] = 0
                # The others' turns, and one that was chosen before this lane had work.
                assert max(waited) <= count, f"cycle {cycle}: {waited} turns waited"
        elif any(work):
            idle += 1
            assert idle <= 1, f"cycle {cycle}: nobody has the turn, and there is work"
        ctx.set(dut.done, done)
        ctx.set(dut.remove, done and remove)
        if done and remove:
            work[lane] -= 1
        for k in range(count):
            work[k] += rng.random() < busy / count

    simulate(count, 2000, step)
    assert turns > 100


@pytest.mark.parametrize("count", COUNTS)
def test_a_turn_each_cycle(count: int) -> None:
    """Lanes that all have work come one after the other, without a cycle between."""
    lanes = []

    def step(ctx, dut, work, cycle):
        if cycle == 0:
            work[:] = [1000] * count
        active = ctx.get(dut.active)
        ctx.set(dut.done, active)
        ctx.set(dut.remove, active)
        if active:
            lanes.append(ctx.get(dut.lane))
            work[lanes[-1]] -= 1

    simulate(count, 200, step)
    assert len(lanes) >= 197
    assert lanes == [(lanes[0] + n) % count for n in range(len(lanes))]
