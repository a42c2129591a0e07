"""The line buffer against its promises: one request per line while it is held, data never lost."""

import random
from collections import deque

import pytest
from amaranth.sim import Simulator
from ember.hw.config import Config
from ember.hw.tmu.line_buffer import LineBuffer


def _simulate(config: Config, lines: list[int], seed: int, latency: int, window: int):
    """Looks ``lines`` up in order with at most ``window`` open claims; returns requests, data."""
    dut = LineBuffer(config, 2 * window)
    rng = random.Random(seed)
    requests: list[int] = []
    data: list[tuple[int, int]] = []

    async def bench(ctx):
        todo, claims, answers = deque(lines), deque(), []
        reading = loaded = False
        checked, oldest = 0, False
        for cycle in range(40 * len(lines) * max(1, latency) + 1000):
            # First what `ok` depends on.
            ready = rng.random() < 0.7
            ctx.set(dut.request.ready, ready)
            ctx.set(dut.lookup, 0)
            before = [slot for _, slot in claims]
            if loaded and len(claims) < window and rng.random() < 0.9 and ctx.get(dut.ok):
                ctx.set(dut.lookup, 1)
                claims.append((todo.popleft(), ctx.get(dut.slot)))
                loaded = False
            ctx.set(dut.load, 0)
            if todo and not loaded and rng.random() < 0.9:
                ctx.set(dut.line, todo[0])
                ctx.set(dut.load, 1)
                loaded = True
            # `filled` is that of the oldest claim if that was open when its slot was named.
            released = oldest and rng.random() < 0.7
            ctx.set(dut.check, checked)
            released = released and bool(ctx.get(dut.filled))
            ctx.set(dut.release, released)
            behind = before[released:]
            oldest = bool(behind)
            following = behind[0] if behind else rng.randrange(config.line_slots)
            ctx.set(dut.moves, following != checked or rng.random() < 0.5)
            ctx.set(dut.following, following)
            checked = following
            due = [a for a in answers if a[0] <= cycle]
            ctx.set(dut.fill.valid, bool(due))
            if due:
                answer = rng.choice(due)
                answers.remove(answer)
                ctx.set(dut.fill.slot, answer[2])
                ctx.set(dut.fill.error, answer[1] & 1)
                for k in range(config.lanes):
                    ctx.set(dut.fill.data[k], answer[1] + k)
            if ctx.get(dut.request.valid) and ready:
                line, slot = dut.request.payload.line, dut.request.payload.slot
                requests.append(ctx.get(line))
                answers.append((cycle + rng.randint(1, latency), ctx.get(line), ctx.get(slot)))
            reading = ctx.get(dut.release)
            await ctx.tick()
            if reading:
                line = claims.popleft()[0]
                words = [ctx.get(dut.data[k]) for k in range(config.lanes)]
                assert words == [line + k for k in range(config.lanes)]
                data.append((line, ctx.get(dut.error)))
            if not todo and not claims:
                return
        raise TimeoutError(f"{len(todo)} lookups left")

    sim = Simulator(dut)
    sim.add_clock(1e-6)
    sim.add_testbench(bench)
    sim.run()
    return requests, data


@pytest.mark.parametrize("slots", (2, 4, 16))
@pytest.mark.parametrize("latency", (1, 20))
def test_data(slots: int, latency: int, seed: int) -> None:
    """Every claim reads its own line, whatever is replaced in the meantime."""
    config = Config(lanes=4, line_slots=slots)
    rng = random.Random(seed)
    lines = [rng.randrange(3 * slots) for _ in range(300)]
    requests, data = _simulate(config, lines, seed, latency, window=8)
    assert data == [(n, n & 1) for n in lines]
    assert set(requests) == set(lines)


def test_a_line_walked_by_several_lanes_is_requested_once(seed: int) -> None:
    config = Config(lanes=4, line_slots=8)
    lines = [line for block in range(20) for _ in range(4) for line in (2 * block, 2 * block + 1)]
    requests, _ = _simulate(config, lines, seed, 30, window=16)
    assert requests == list(range(40))
