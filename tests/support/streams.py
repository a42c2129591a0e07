"""Drivers and monitors for stream ports in Amaranth's simulator, with random back-pressure."""

import random
from collections.abc import Callable, Sequence

from amaranth.sim import Simulator


class Bench:
    """Runs a component with producers and consumers until all consumers are satisfied.

    A stall probability applies to every producer (idle cycles) and consumer (not ready). A bench
    that is not done within ``limit`` cycles raises TimeoutError: no wait is unbounded.
    """

    def __init__(self, dut, seed: int, *, stall: float = 0.0, limit: int = 20_000):
        self._sim = Simulator(dut)
        self._sim.add_clock(1e-6)
        self._random = random.Random(seed)
        self._stall, self._limit = stall, limit
        self._open: set[str] = set()
        self.cycles = 0

    def produce(self, stream, payloads: Sequence, start: int = 0) -> None:
        """Send ``payloads`` in order from cycle ``start``; valid holds until taken."""

        async def process(ctx):
            if start:
                await ctx.tick().repeat(start)
            for payload in payloads:
                while self._random.random() < self._stall:
                    await ctx.tick()
                ctx.set(stream.payload, payload)
                ctx.set(stream.valid, 1)
                await ctx.tick().until(stream.ready)
                ctx.set(stream.valid, 0)

        self._sim.add_testbench(process, background=True)

    def consume(self, stream, count: int, convert: Callable = lambda value: value) -> list:
        """Collect ``count`` payloads; checks that a waiting payload does not change."""
        seen: list = []
        name = f"consumer {len(self._open)}"
        if count:
            self._open.add(name)

        async def process(ctx):
            offered = None
            while True:
                # A stalled cycle offers no ready; valid must then hold its payload.
                ready = self._random.random() >= self._stall
                ctx.set(stream.ready, ready)
                _, _, valid, payload = await ctx.tick().sample(stream.valid, stream.payload)
                value = convert(payload) if valid else None
                if offered is not None and (not valid or value != offered):
                    raise AssertionError(f"offered {offered!r}, then {value!r} without a transfer")
                offered = None
                if valid and ready:
                    seen.append(value)
                    if len(seen) == count:
                        self._open.discard(name)
                elif valid:
                    offered = value

        self._sim.add_testbench(process, background=True)
        return seen

    def process(self, coroutine) -> None:
        """Add a testbench of its own, for ports that are not streams."""
        self._sim.add_testbench(coroutine, background=True)

    def run(self, extra_cycles: int = 8) -> None:
        """Run until all is consumed, then a little longer to catch what is too much."""

        async def watch(ctx):
            while self._open:
                await ctx.tick()
                self.cycles += 1
                if self.cycles > self._limit:
                    raise TimeoutError(f"{sorted(self._open)} not done in {self._limit} cycles")
            for _ in range(extra_cycles):
                await ctx.tick()

        self._sim.add_testbench(watch)
        self._sim.run()
