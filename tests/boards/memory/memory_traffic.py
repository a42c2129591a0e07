"""Random reads and writes through a memory's ports, compared with a dictionary."""

import random

from ember.hw.config import Config


class Traffic:
    """Producers and consumers of a memory's four streams, with random pauses.

    A line is not read while a write to it is on its way, nor written while a read of it is: nobody
    promises which comes first. Every wait is bounded by ``limit`` cycles.
    """

    def __init__(self, config: Config, lines, seed, *, stall: float, count: int, limit: int):
        self.config, self.lines = config, lines
        self.random = random.Random(f"{seed} traffic {stall}")
        self.stall, self.count, self.limit = stall, count, limit
        self.known: dict[int, list[int]] = {}
        self.cycles = 0
        self.reads = self.writes = 0

    def is_error(self, line: int) -> bool:
        """Whether an access to ``line`` must be answered with an error."""
        return False

    async def run(self, ctx, dut):
        rng, lanes = self.random, self.config.lanes
        read, write = dut.read, dut.write
        tags = [{"slot": slot, "stream": stream} for stream in (0, 7) for slot in range(4)]
        reading: dict[tuple, int] = {}  # tag -> line
        writing: list[tuple[int, int, list[int]]] = []
        offered_read = offered_write = None
        left = self.count
        while left or reading or writing or offered_read or offered_write:
            self.cycles += 1
            if self.cycles > self.limit:
                raise TimeoutError(f"{left} of {self.count} accesses left")
            busy = {line for line, *_ in writing} | set(reading.values())
            for offered in (offered_read, offered_write):
                if offered:
                    busy.add(offered[0])
            free = [tag for tag in tags if (tag["slot"], tag["stream"]) not in reading]
            if left and not offered_read and free and rng.random() >= self.stall:
                line = self.lines(rng)
                # A line that nobody has written is unknown.
                if line not in busy and (self.is_error(line) or line in self.known):
                    offered_read = line, rng.choice(free)
                    ctx.set(read.request.payload, {"line": line, "tag": offered_read[1], "nt": 0})
                    busy.add(line)
                    left -= 1
            if left and not offered_write and rng.random() >= self.stall:
                line = self.lines(rng)
                if line not in busy:
                    words = [rng.getrandbits(32) for _ in range(lanes)]
                    # The first write of a line is a whole one.
                    mask = rng.getrandbits(lanes) if line in self.known else (1 << lanes) - 1
                    offered_write = line, mask, words
                    ctx.set(write.request.payload, {"line": line, "data": words, "mask": mask})
                    left -= 1
            ctx.set(read.request.valid, offered_read is not None)
            ctx.set(write.request.valid, offered_write is not None)
            ready = rng.random() >= self.stall
            written = rng.random() >= self.stall
            ctx.set(read.response.ready, ready)
            ctx.set(write.response.ready, written)
            _, _, took_read, took_write, loaded, answer, stored, error = await ctx.tick().sample(
                read.request.ready, write.request.ready, read.response.valid,
                read.response.payload, write.response.valid, write.response.payload,
            )  # fmt: skip
            # Answers first: a request is not answered in the cycle in which it is taken.
            if loaded and ready:
                own = answer.tag.slot, answer.tag.stream
                line = reading.pop(own)
                assert answer.error == self.is_error(line)
                if not answer.error:
                    found = [answer.data[n] for n in range(lanes)]
                    assert found == self.known[line], f"line {line}"
                self.reads += 1
            if stored and written:
                line, mask, words = writing.pop(0)
                assert error.error == self.is_error(line)
                if not error.error:
                    old = self.known.get(line, words)
                    self.known[line] = [
                        new if mask >> n & 1 else was
                        for n, (was, new) in enumerate(zip(old, words, strict=True))
                    ]
                self.writes += 1
            if offered_read and took_read:
                own = offered_read[1]
                reading[own["slot"], own["stream"]] = offered_read[0]
                offered_read = None
            if offered_write and took_write:
                writing.append(offered_write)
                offered_write = None
        ctx.set(read.request.valid, 0)
        ctx.set(write.request.valid, 0)
