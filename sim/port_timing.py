"""When a memory port takes and answers, cycle by cycle: for the memory under cocotb."""

import heapq
import random
from collections.abc import Callable
from typing import Protocol

from ..hw.config import Config
from .dram import Dram
from .dram_model import DramModel
from .latency import LATE, FixedLatency, Latency, RandomLatency

#: Makes the payload of an answer, when it is given.
Answer = Callable[[], dict]


class PortTiming(Protocol):
    """One port's part of a memory model. In each cycle ``answers`` comes first, if no answer is
    being given, then ``accepts``, then what goes through the port."""

    def answers(self, cycle: int) -> bool:
        """Whether an answer begins in this cycle."""
        ...

    def front(self) -> Answer:
        """The answer that began."""
        ...

    def pop(self) -> None:
        """It was taken."""
        ...

    def accepts(self, cycle: int) -> bool:
        """Whether a request may be taken in this cycle."""
        ...

    def take(self, cycle: int, line: int, answer: Answer) -> None:
        """Take a request for line number ``line``."""
        ...

    def reset(self) -> None:
        """Forget all requests."""
        ...


def port_timings(latency: Latency, config: Config, seed: int, *names: str) -> list[PortTiming]:
    """The timing of the read and the write port, called ``names``."""
    if isinstance(latency, Dram):
        dram = _SharedDram(latency, config.line_bytes)
        return [_DramPort(dram, port) for port in range(len(names))]
    return [_DelayPort(latency, random.Random(f"{seed} {name}")) for name in names]


class _DelayPort:
    """A fixed time for each request, or a random one with random back-pressure."""

    def __init__(self, latency: FixedLatency | RandomLatency, rng: random.Random):
        self._latency, self._random = latency, rng
        self._queue: list[tuple[int, int, Answer]] = []
        self._count = 0

    def answers(self, cycle: int) -> bool:
        return bool(self._queue) and self._queue[0][0] <= cycle and not self._stalled()

    def front(self) -> Answer:
        return self._queue[0][2]

    def pop(self) -> None:
        heapq.heappop(self._queue)

    def accepts(self, cycle: int) -> bool:
        return not self._stalled()

    def take(self, cycle: int, line: int, answer: Answer) -> None:
        if self._latency.late and self._random.random() < self._latency.late:
            delay = LATE * self._latency.high
        else:
            delay = self._random.randint(self._latency.low, self._latency.high)
        self._count += 1
        heapq.heappush(self._queue, (cycle + delay, self._count, answer))

    def reset(self) -> None:
        self._queue.clear()

    def _stalled(self) -> bool:
        return self._random.random() < self._latency.stall


class _SharedDram:
    """The model that both ports share; whichever comes first in a cycle begins it."""

    def __init__(self, dram: Dram, line_bytes: int):
        self._made = dram, line_bytes
        self.reset()

    def reset(self) -> None:
        self.model: DramModel[Answer] = DramModel(*self._made)

    def at(self, cycle: int) -> DramModel[Answer]:
        if self.model.cycle < cycle:
            self.model.advance(cycle)
        return self.model


class _DramPort:
    """One of the two ports."""

    def __init__(self, dram: _SharedDram, port: int):
        self._dram, self._port = dram, port

    def answers(self, cycle: int) -> bool:
        return self._dram.at(cycle).answers(self._port)

    def front(self) -> Answer:
        return self._dram.model.front(self._port)

    def pop(self) -> None:
        self._dram.model.pop(self._port)

    def accepts(self, cycle: int) -> bool:
        return self._dram.at(cycle).accepts(self._port)

    def take(self, cycle: int, line: int, answer: Answer) -> None:
        self._dram.at(cycle).take(self._port, line, answer)

    def reset(self) -> None:
        self._dram.reset()
