# amaranth: UnusedElaboratable=no
"""The counter bank, against totals that are kept cycle by cycle."""

import random
import re

import pytest
from amaranth.lib import data
from amaranth.sim import Simulator
from ember.hw.counters import COUNTER_WIDTH, CounterBank

#: ``clock`` counts every cycle that counts, so that a snapshot says of which cycle it is.
SMALL = {"clock": 1, "a": 1, "sum": 9, "high": 5}
LARGE = {"clock": 1, **{f"e{n}": 1 for n in range(9)}, "sum": 4, "high": 3, "low": 3, "b": 2}
PEAKS = ("high", "low")


class Bench:
    """A bank with random events; ``history[t]`` has the values before cycle t."""

    def __init__(self, ctx, dut, widths: dict[str, int], random: random.Random):
        self.ctx, self.dut, self.widths, self.random = ctx, dut, widths, random
        self.values = dict.fromkeys(widths, 0)
        self.history: list[dict[str, int]] = [dict(self.values)]
        self.rate = 0.5
        self.counts = True

    async def tick(self, **inputs: int) -> None:
        """One cycle with the inputs of this cycle, ``clear`` and ``snapshot``."""
        ctx, dut = self.ctx, self.dut
        count = self.counts and self.random.random() < 0.9
        ctx.set(dut.count, count)
        for name in ("clear", "snapshot"):
            ctx.set(getattr(dut, name), inputs.get(name, 0))
        for name, width in self.widths.items():
            event = self.random.getrandbits(width) if self.random.random() < self.rate else 0
            if self.rate == 1:
                event = (1 << width) - 1
            event = 1 if name == "clock" else event
            ctx.set(dut.events[name], event)
            if count:
                old = self.values[name]
                self.values[name] = max(old, event) if name in PEAKS else old + event
        if inputs.get("clear"):
            self.values = dict.fromkeys(self.widths, 0)
        await ctx.tick()
        self.history.append(dict(self.values))
        ctx.set(dut.clear, 0)
        ctx.set(dut.snapshot, 0)

    async def read(self) -> dict[str, int]:
        found = {}
        for n, name in enumerate(self.widths):
            self.ctx.set(self.dut.index, n)
            await self.tick()
            found[name] = self.ctx.get(self.dut.value)
        return found

    @property
    def number(self) -> int:
        return self.ctx.get(self.dut.number)

    async def complete(self, limit: int) -> None:
        for _ in range(limit):
            if not self.number & 1:
                return
            await self.tick()
        assert not self.number & 1, f"snapshot must be complete within {limit} cycles"

    def assert_is_of(self, found: dict[str, int], first: int, last: int) -> None:
        """``found`` are the values of one of these cycles."""
        assert found in self.history[first : last + 1], (found, self.history[first])


def simulate(bench, widths: dict[str, int], seed: int) -> None:
    dut = CounterBank(data.StructLayout(widths), [p for p in PEAKS if p in widths])
    simulator = Simulator(dut)
    simulator.add_clock(1e-6)

    async def testbench(ctx):
        await bench(Bench(ctx, dut, widths, random.Random(seed)))

    simulator.add_testbench(testbench)
    simulator.run()


@pytest.fixture(params=[SMALL, LARGE], ids=["small", "large"])
def widths(request):
    return request.param


def test_snapshots_at_random_cycles(widths, seed):
    n = len(widths)

    async def bench(b: Bench):
        await b.complete(n + 4)
        for _ in range(60):
            b.rate = b.random.choice((0.05, 0.5, 1))
            for _ in range(b.random.randrange(4 * n)):
                await b.tick()
            asked, number = len(b.history), b.number
            await b.tick(snapshot=1)
            assert b.number == number + 1
            await b.complete(2 * n + 4)
            assert b.number == number + 2
            # Values before the request's cycle are there; then a round begins within n cycles.
            b.assert_is_of(await b.read(), asked - 1, asked + n)

    simulate(bench, widths, seed)


def test_largest_events_in_every_cycle(widths, seed):
    # The flip-flops take the most that a round can bring, for many rounds.
    n = len(widths)

    async def bench(b: Bench):
        await b.tick(clear=1)
        b.rate = 1
        for _ in range(20 * n):
            await b.tick()
        asked = len(b.history)
        await b.tick(snapshot=1)
        await b.complete(2 * n + 4)
        found = await b.read()
        b.assert_is_of(found, asked - 1, asked + n)
        assert found["sum"] == found["clock"] * ((1 << widths["sum"]) - 1)

    simulate(bench, widths, seed)


def test_clear_at_random_cycles(widths, seed):
    n = len(widths)

    async def bench(b: Bench):
        for _ in range(40):
            for _ in range(b.random.randrange(3 * n)):
                await b.tick(snapshot=b.random.random() < 0.05)
            # Twice in a row sometimes, as whatever is on its way must not come through.
            for _ in range(b.random.choice((1, 1, 2, 5))):
                await b.tick(clear=1, snapshot=b.random.random() < 0.2)
            assert b.number & 1
            await b.complete(n + 4)
            assert await b.read() == dict.fromkeys(widths, 0)
            for _ in range(b.random.randrange(3 * n)):
                await b.tick()
            asked = len(b.history)
            await b.tick(snapshot=1)
            await b.complete(2 * n + 4)
            b.assert_is_of(await b.read(), asked - 1, asked + n)

    simulate(bench, widths, seed)


def test_requests_while_one_is_due(widths, seed):
    """An even number says that the last request has been answered."""
    n = len(widths)

    async def bench(b: Bench):
        await b.complete(n + 4)
        for _ in range(40):
            asked = len(b.history)
            for _ in range(b.random.randrange(1, 4)):
                for _ in range(b.random.randrange(2 * n)):
                    await b.tick()
                asked = len(b.history)
                await b.tick(snapshot=1)
            await b.complete(2 * n + 4)
            b.assert_is_of(await b.read(), asked - 1, asked + n)

    simulate(bench, widths, seed)


def test_reads_between_equal_numbers_are_of_one_cycle(widths, seed):
    """What a host sees that reads while somebody else asks for snapshots."""
    good = torn = 0

    async def bench(b: Bench):
        nonlocal good, torn
        while min(good, torn) < 20:
            assert len(b.history) < 50_000
            ask = b.random.randrange(4 * len(widths))
            before, found = b.number, {}
            for k, name in enumerate(widths):
                b.ctx.set(b.dut.index, k)
                await b.tick(snapshot=k == ask)
                found[name] = b.ctx.get(b.dut.value)
                for _ in range(b.random.randrange(4)):
                    await b.tick()
            if before & 1 or b.number != before:
                torn += found not in b.history
            else:
                assert found in b.history
                good += 1

    simulate(bench, widths, seed)


def test_snapshot_stays_while_events_go_on(widths, seed):
    async def bench(b: Bench):
        await b.complete(100)
        for _ in range(50):
            await b.tick()
        await b.tick(snapshot=1)
        await b.complete(100)
        found, number = await b.read(), b.number
        for _ in range(200):
            await b.tick()
        assert (await b.read(), b.number) == (found, number)

    simulate(bench, widths, seed)


def test_a_snapshot_of_counters_that_stand_has_everything(widths, seed):
    async def bench(b: Bench):
        for _ in range(30):
            for _ in range(b.random.randrange(100)):
                await b.tick()
            b.counts = False
            await b.tick(snapshot=1)
            await b.complete(100)
            assert await b.read() == b.values
            b.counts = True

    simulate(bench, widths, seed)


def test_after_a_reset_all_are_0():
    async def bench(b: Bench):
        assert b.number == (1 << 16) - 1
        await b.complete(len(LARGE) + 4)
        assert b.number == 0
        assert await b.read() == dict.fromkeys(LARGE, 0)

    simulate(bench, LARGE, 0)


def test_carry_reaches_the_upper_bits():
    # 30 wide events fill 32 bits within a second of simulation.
    widths = {"clock": 1, "wide": 40, "x": 1, "y": 1}

    async def bench(b: Bench):
        b.rate = 1
        for _ in range(40):
            await b.tick()
        b.counts = False
        await b.tick(snapshot=1)
        await b.complete(100)
        found = await b.read()
        assert found == b.values
        assert 1 << 44 < found["wide"] < 1 << COUNTER_WIDTH

    simulate(bench, widths, 0)


@pytest.mark.parametrize(
    "widths, peaks, message",
    [
        ({"a": 1, "b": 1, "c": 1}, (), "events must name at least 4 counters, not 3"),
        (SMALL, ("top",), "peaks must be names of events, not 'top'"),
    ],
)
def test_arguments_are_checked(widths, peaks, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        CounterBank(data.StructLayout(widths), peaks)
