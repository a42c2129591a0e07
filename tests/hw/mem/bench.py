"""A read cache between a load unit that uses each tag once at a time, and a reordering memory."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from amaranth.sim import Simulator
from ember.hw.config import Config
from ember.hw.layouts import NO_STREAM, ROW_STREAM, tag
from ember.hw.mem.read_cache import ReadCache
from ember.sim.packing import pack, unpack

from .golden import GoldenCache


@dataclass(frozen=True)
class Behaviour:
    """``stall`` holds for each channel by itself. Probabilities are of a cycle or a request."""

    stall: float = 0.0
    latency: tuple[int, int] = (5, 5)
    error: float = 0.0
    stray: float = 0.0
    flush: float = 0.0


class CacheBench:
    """Compares everything that goes over the two ports with the golden cache.

    Words of line n are n, n + 1, .. plus a version, which changes with each flush as the host's
    memory may.
    """

    def __init__(self, config: Config, behaviour: Behaviour, seed: int):
        self.config, self.behaviour = config, behaviour
        self.golden = GoldenCache(config.cache_lines, config.cache_ways)
        self.dut = ReadCache(config)
        self.cycles = self.flushes = 0
        self.events = dict.fromkeys(self.golden.counts, 0)
        self._random = random.Random(seed)
        self._shape = tag(config)
        self._version = 0

    def run(self, requests: list[tuple[int, int]], limit: int = 40_000) -> None:
        """Send (line, nt) in order, and wait for all answers.

        Raises
        ------
        TimeoutError
            They do not come within ``limit`` cycles.
        """
        sim = Simulator(self.dut)
        sim.add_clock(1e-6)

        async def process(ctx):
            await self._process(ctx, iter(requests), limit)

        sim.add_testbench(process)
        sim.run()
        assert self.events == self.golden.counts

    def _chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def _words(self, line: int) -> tuple[int, ...]:
        return tuple(
            (line + k + 7919 * self._version) & 0xFFFF_FFFF for k in range(self.config.lanes)
        )

    def _tags(self) -> list[int]:
        slots = range(max(self.config.ring_slots, self.config.line_slots))
        return [
            pack(self._shape, {"slot": slot, "stream": stream})
            for stream in (0, 1, ROW_STREAM)
            for slot in slots
        ]

    async def _process(self, ctx, requests: Iterator[tuple[int, int]], limit: int) -> None:
        dut, golden, do = self.dut, self.golden, self.behaviour
        tags = self._tags()
        open_tags: set[int] = set()  # of requests not yet answered
        at_memory: list[tuple[int, int, int]] = []  # (due, line, tag)
        strays: list[tuple[int, object, int]] = []  # how they must be answered
        fetched = 0
        offered: tuple[int, int, int] | None = None
        responding: tuple[int, tuple[int, ...], int, bool] | None = None
        held = None  # an answer that was offered and not taken
        forget = False
        todo = next(requests, None)
        quiet = 0  # cycles with nothing to do: whatever comes then is too much
        while quiet < 20:
            quiet += 1
            if todo or open_tags or offered or responding or strays:
                quiet = 0
                self.cycles += 1
            if self.cycles > limit:
                raise TimeoutError(f"{len(open_tags)} requests not answered in {limit} cycles")

            # The inputs of this cycle.
            if not offered and todo and not self._chance(do.stall):
                taken = open_tags | ({responding[0]} if responding else set())
                free = [t for t in tags if t not in taken]
                if free:
                    offered, todo = (*todo, self._random.choice(free)), next(requests, None)
                    line, nt, name = offered
                    fields = {"line": line, "tag": unpack(self._shape, name), "nt": nt}
                    ctx.set(dut.port.request.payload, fields)
            if not responding and not self._chance(do.stall):
                due = [entry for entry in at_memory if entry[0] <= self.cycles]
                if self._chance(do.stray) and todo:
                    # Any tag that is not at the memory: unused, or of a hit, or one that waits.
                    taken = offered and offered[2]
                    name = self._random.choice(tags)
                    if not golden.awaits(name) and name != taken:
                        responding = (name, self._words(name), self._random.randrange(2), True)
                elif due:
                    entry = self._random.choice(due)
                    at_memory.remove(entry)
                    error = int(self._chance(do.error))
                    responding = (entry[2], self._words(entry[1]), error, False)
                if responding:
                    name, words, error, _ = responding
                    fields = {"tag": unpack(self._shape, name), "data": words, "error": error}
                    ctx.set(dut.memory.response.payload, fields)
            ready, memory_ready = not self._chance(do.stall), not self._chance(do.stall)
            flush = bool(todo) and self._chance(do.flush)
            ctx.set(dut.port.request.valid, bool(offered))
            ctx.set(dut.port.response.ready, ready)
            ctx.set(dut.memory.request.ready, memory_ready)
            ctx.set(dut.memory.response.valid, bool(responding))
            ctx.set(dut.flush, flush)

            # What happens in it: outputs follow at once from registers and these inputs.
            for name in self.events:
                self.events[name] += ctx.get(getattr(dut.events, name))
            answer = self._answer(ctx)
            assert held is None or answer == held, "an answer that is offered stays"
            held = None if ready else answer
            if offered and ctx.get(dut.port.request.ready):
                if forget:
                    assert not open_tags, "after a flush requests wait for all earlier answers"
                    golden.flush()
                    forget = False
                line, nt, name = offered
                golden.request(line, name, nt)
                open_tags.add(name)
                offered = None
            if responding and ctx.get(dut.memory.response.ready):
                name, words, error, stray = responding
                if stray:
                    fields = unpack(self._shape, name) | {"stream": NO_STREAM}
                    strays.append((pack(self._shape, fields), words, error))
                else:
                    golden.respond(name, words, error)
                responding = None
            if memory_ready and ctx.get(dut.memory.request.valid):
                payload = dut.memory.request.payload
                line, name = ctx.get(payload.line), ctx.get(payload.tag.as_value())
                assert (line, name, ctx.get(payload.nt)) == golden.fetches[fetched]
                fetched += 1
                at_memory.append((self.cycles + self._random.randint(*do.latency), line, name))
                on_their_way = len(at_memory) + bool(responding and not responding[3])
                assert on_their_way <= self.config.cache_fetches
            if answer and ready:
                name = answer[0]
                if answer in strays:
                    strays.remove(answer)
                else:
                    open_tags.remove(name)
                    assert answer[1:] == golden.answers.pop(name)
            if flush:
                forget = True
                self.flushes += 1
                self._version += 1
            await ctx.tick()
        assert fetched == len(golden.fetches)

    def _answer(self, ctx) -> tuple[int, tuple[int, ...], int] | None:
        response = self.dut.port.response
        if not ctx.get(response.valid):
            return None
        words = tuple(ctx.get(response.payload.data[k]) for k in range(self.config.lanes))
        return ctx.get(response.payload.tag.as_value()), words, ctx.get(response.payload.error)
