"""The window against a count of rows: never more than so many on their way, and never stuck."""

import random
from collections import deque

import pytest
from amaranth.sim import Simulator
from ember.hw.config import Config
from ember.hw.tmu.row_window import RowWindow


def _simulate(config: Config, rows: int, seed: int, *, most: int, busy: float):
    """Feeds ``rows`` spans through and plays ring, marshaling stage and execute pipeline.

    Each row pushes up to ``most`` vectors. ``busy`` is the probability that something happens in
    a cycle. Returns the cycle in which each row was first offered, and that in which its last
    vector was popped (or its last beat was done).
    """
    dut = RowWindow(config)
    rng = random.Random(seed)
    offered: list[int] = []
    consumed: dict[int, int] = {}

    async def bench(ctx):
        coming: deque[int] = deque()  # rows whose lines were all requested
        queue: deque[tuple[int, bool]] = deque()  # vectors in the DataQ: row, is it the last
        sent = marshaled = 0
        beat: list[int] | None = None  # row in the marshaling stage, vectors left
        in_span = False
        for cycle in range(400 * rows + 1000):
            ctx.set(dut.i.valid, sent < rows)
            ctx.set(dut.i.payload, {"line": sent, "lines": 1})
            ctx.set(dut.o.ready, rng.random() < busy)
            push = pop = done = False
            if beat is not None and beat[1] and len(queue) < config.dataq_depth:
                push = rng.random() < busy
            if beat is not None and beat[1] - push == 0:
                done = rng.random() < busy or push
            take = bool(coming) and (beat is None or done) and rng.random() < busy
            if queue:
                pop = rng.random() < busy
            ctx.set(dut.row_pushed, done)
            ctx.set(dut.vector_pushed, push)
            ctx.set(dut.vector_popped, pop)
            if ctx.get(dut.o.valid) and not in_span:
                assert ctx.get(dut.o.payload.line) == sent
                offered.append(cycle)
                in_span = True
            assert len(offered) - len(consumed) <= config.row_window
            if ctx.get(dut.i.ready):
                assert ctx.get(dut.o.valid) and ctx.get(dut.o.ready)
                coming.append(sent)
                sent += 1
                in_span = False
            if pop:
                row, last = queue.popleft()
                if last:
                    consumed[row] = cycle
            if push:
                beat[1] -= 1
                queue.append((beat[0], beat[1] == 0))
            if done:
                if not beat[2]:
                    consumed[beat[0]] = cycle
                beat = None
                marshaled += 1
            if take:
                vectors = rng.randint(0, most)
                beat = [coming.popleft(), vectors, vectors]
            if len(consumed) == rows:
                return
            await ctx.tick()
        raise TimeoutError(f"{len(consumed)} of {rows} rows were consumed")

    sim = Simulator(dut)
    sim.add_clock(1e-6)
    sim.add_testbench(bench)
    sim.run()
    return offered, consumed


@pytest.mark.parametrize("window", (1, 2, 5, 40))
@pytest.mark.parametrize("depth", (1, 4, 64))
@pytest.mark.parametrize("busy", (0.3, 0.9))
def test_no_more_rows_than_the_window(window: int, depth: int, busy: float, seed: int) -> None:
    config = Config.preset("tiny").replace(row_window=window, dataq_depth=depth)
    offered, consumed = _simulate(config, 150, seed, most=5, busy=busy)
    assert len(offered) == len(consumed) == 150


def test_rows_that_push_nothing(seed: int) -> None:
    config = Config.preset("tiny").replace(row_window=3)
    _simulate(config, 100, seed, most=0, busy=0.7)


def test_the_next_row_follows_in_three_cycles() -> None:
    config = Config.preset("tiny").replace(row_window=1)
    offered, consumed = _simulate(config, 50, 1, most=1, busy=1.0)
    gaps = [offered[n + 1] - consumed[n] for n in range(49)]
    assert max(gaps) <= 3


def test_a_machine_without_a_window_has_none() -> None:
    with pytest.raises(ValueError, match="^row_window must be at least 1, not 0$"):
        RowWindow(Config.preset("tiny"))
