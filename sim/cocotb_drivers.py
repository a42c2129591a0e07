"""Drivers and monitors for cocotb benches: clock, streams, register bus and memory.

Everything here changes inputs at the falling clock edge and looks at signals once they have
settled there: that is what the next rising edge will see. Benches that add processes of their own
should do the same, or change inputs after the rising edge.
"""

import json
import os
import random
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

import cocotb
from amaranth.hdl import ShapeLike
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

from ..hw import isa, layouts
from ..hw.config import Config
from ..hw.program import Program
from .cocotb_support import CONFIG_VARIABLE, SEED_VARIABLE
from .engine import HostMemory
from .latency import Faults, FixedLatency, Latency
from .packing import Packed, pack, unpack
from .port_timing import PortTiming, port_timings

_PERIOD_STEPS = 2


def bench_config() -> Config:
    """The configuration that ``run_bench`` was given."""
    return Config(**json.loads(os.environ[CONFIG_VARIABLE]))


def bench_seed() -> int:
    """The seed that ``run_bench`` was given."""
    return int(os.environ[SEED_VARIABLE])


async def start(dut: Any, cycles: int = 2) -> None:
    """Start the clock and reset for ``cycles``; ends at a falling edge. Undriven inputs are 0."""
    dut.rst.value = 1
    Clock(dut.clk, _PERIOD_STEPS, unit="step").start()
    for _ in range(cycles):
        await RisingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst.value = 0


async def wait_until(
    dut: Any, condition: Callable[[], bool], cycles: int, what: str = "condition"
) -> int:
    """Wait until ``condition()`` is true, looking once per cycle; returns the cycles waited.

    Raises
    ------
    TimeoutError
        It did not become true within ``cycles``.
    """
    for n in range(cycles + 1):
        if condition():
            return n
        await FallingEdge(dut.clk)
    raise TimeoutError(f"{what} must be reached within {cycles} cycles")


def known(handle: Any) -> int:
    """A signal's value as an integer."""
    return int(handle.value)


class StreamSource:
    """Feeds the input stream ``name`` of the design; ``stall`` is the chance of an idle cycle."""

    def __init__(
        self, dut: Any, name: str, shape: ShapeLike, *, stall: float = 0.0, seed: int | None = None
    ):
        self._dut, self._shape, self.stall = dut, shape, stall
        self._valid = getattr(dut, f"{name}__valid")
        self._ready = getattr(dut, f"{name}__ready", None)
        self._payload = getattr(dut, f"{name}__payload")
        self._random = random.Random(f"{seed if seed is not None else bench_seed()} {name}")
        self.waiting: deque[Packed] = deque()
        self.sent = 0
        self._valid.value = 0
        cocotb.start_soon(self._run())

    def send(self, *values: Packed) -> None:
        """Queue values; they are sent in order."""
        self.waiting.extend(values)

    async def drain(self, cycles: int) -> None:
        """Wait until all queued values are taken."""
        await wait_until(self._dut, lambda: not self.waiting, cycles, "end of the input")

    async def _run(self) -> None:
        offering = False
        while True:
            await FallingEdge(self._dut.clk)
            if not offering:
                offering = bool(self.waiting) and self._random.random() >= self.stall
                if offering:
                    self._payload.value = pack(self._shape, self.waiting[0])
                self._valid.value = int(offering)
            await ReadOnly()
            if known(self._dut.rst):
                continue
            if offering and (self._ready is None or known(self._ready)):
                self.waiting.popleft()
                self.sent += 1
                offering = False


class StreamSink:
    """Takes from the output stream ``name``; ``stall`` is the chance of not being ready.

    Also holds the stream to its rules: once valid, it stays so with the same payload until taken.
    """

    def __init__(
        self, dut: Any, name: str, shape: ShapeLike, *, stall: float = 0.0, seed: int | None = None
    ):
        self._dut, self._name, self._shape, self.stall = dut, name, shape, stall
        self._valid = getattr(dut, f"{name}__valid")
        self._ready = getattr(dut, f"{name}__ready", None)
        self._payload = getattr(dut, f"{name}__payload")
        self._random = random.Random(f"{seed if seed is not None else bench_seed()} {name}")
        self.received: list[Packed] = []
        if self._ready is not None:
            self._ready.value = 0
        cocotb.start_soon(self._run())

    async def expect(self, count: int, cycles: int) -> list[Packed]:
        """Wait until ``count`` values have come in all; returns them."""
        await wait_until(
            self._dut, lambda: len(self.received) >= count, cycles,
            f"{count} values of {self._name}",
        )  # fmt: skip
        return self.received

    async def _run(self) -> None:
        held = None
        while True:
            await FallingEdge(self._dut.clk)
            ready = self._random.random() >= self.stall
            if self._ready is not None:
                self._ready.value = int(ready)
            await ReadOnly()
            if known(self._dut.rst):
                held = None
                continue
            valid = known(self._valid)
            word = known(self._payload) if valid else None
            if held is not None and word != held:
                raise AssertionError(f"{self._name} must hold its payload until it is taken")
            held = word
            if valid and (ready or self._ready is None):
                self.received.append(unpack(self._shape, known(self._payload)))
                held = None


_REGISTER = {name: address for name, address, _, _ in isa.REGISTERS}


class RegisterBusDriver:
    """The host's side of the register bus ``name``."""

    def __init__(self, dut: Any, name: str = "bus"):
        self._dut = dut
        self._address = getattr(dut, f"{name}__address")
        self._write = getattr(dut, f"{name}__write")
        self._write_data = getattr(dut, f"{name}__write_data")
        self._read_data = getattr(dut, f"{name}__read_data")
        self._address.value = self._write.value = self._write_data.value = 0

    async def write(self, address: int, value: int) -> None:
        """Write one word."""
        await FallingEdge(self._dut.clk)
        self._address.value, self._write_data.value, self._write.value = address, value, 1
        await FallingEdge(self._dut.clk)
        self._write.value = 0

    async def read(self, address: int) -> int:
        """Read one word."""
        await FallingEdge(self._dut.clk)
        self._address.value, self._write.value = address, 0
        await FallingEdge(self._dut.clk)
        return known(self._read_data)

    async def load(self, image: Iterable[tuple[int, int]]) -> None:
        """Write (address, value) pairs, one per cycle."""
        await FallingEdge(self._dut.clk)
        for address, value in image:
            self._address.value, self._write_data.value, self._write.value = address, value, 1
            await FallingEdge(self._dut.clk)
        self._write.value = 0

    async def launch(self, program: Program, config: Config, cycles: int) -> dict[str, int]:
        """Load and run ``program``, at most ``cycles``; returns the counters.

        Raises
        ------
        TimeoutError
            The machine did not finish.
        """
        await self.load(program.image(config))
        await self.write(_REGISTER["CONTROL"], 2)
        await self.write(_REGISTER["IRQ_ENABLE"], 1)
        await self.write(_REGISTER["SEGMENTS"], len(program.segments))
        await self.write(_REGISTER["CONTROL"], 1)
        irq = self._dut.irq
        await wait_until(self._dut, lambda: bool(known(irq)), cycles, "end of the program")
        return await self.counters()

    async def counters(self) -> dict[str, int]:
        """The counters of the last snapshot, that of the end of a run for example."""
        return {
            name: await self.read(isa.COUNTER_BASE + 2 * n)
            | await self.read(isa.COUNTER_BASE + 2 * n + 1) << 32
            for n, (name, _) in enumerate(isa.COUNTERS)
        }

    async def snapshot(self) -> dict[str, int]:
        """The counters as they are now, all of the same cycle.

        Raises
        ------
        TimeoutError
            There was no snapshot.
        """
        await self.write(_REGISTER["SNAPSHOT"], 1)
        limit = 2 * len(isa.COUNTERS) + 4
        for _ in range(limit):
            number = await self.read(_REGISTER["SNAPSHOT"])
            if number & 1:
                continue
            counters = await self.counters()
            # The run may have ended meanwhile, with a snapshot of its own.
            if await self.read(_REGISTER["SNAPSHOT"]) == number:
                return counters
        raise TimeoutError(f"counters must have a snapshot within {limit} cycles")


class MemoryModel:
    """The memory behind the ports ``read`` and ``write`` (None: the design has no such port).

    The same models and faults as in the native engine: with a latency, a request taken in cycle t
    is answered in cycle t + latency at the earliest, one answer per cycle; a DRAM takes the same
    cycles as there. Writes take effect when taken.
    """

    def __init__(
        self,
        dut: Any,
        config: Config,
        memory: HostMemory,
        *,
        latency: Latency | None = None,
        seed: int | None = None,
        faults: Faults | None = None,
        read: str | None = "read",
        write: str | None = "write",
    ):
        self._config, self._faults = config, faults or Faults()
        self._segments = list(memory.segments())
        latency = latency or FixedLatency()
        seed = bench_seed() if seed is None else seed
        self.stray_writes = 0
        self.reads: list[int] = []
        self.writes: list[int] = []
        self._ports: list[_MemoryPort] = []
        timings = port_timings(latency, config, seed, read or "read", write or "write")
        if read is not None:
            request, response = layouts.read_request(config), layouts.read_response(config)
            self._ports.append(_MemoryPort(dut, read, request, response, timings[0], self._read))
        if write is not None:
            request = layouts.write_request(config)
            members = layouts.WritePort(config).members
            response = members["response"].signature.members["payload"].shape
            self._ports.append(_MemoryPort(dut, write, request, response, timings[1], self._write))

    def stop(self) -> None:
        """Leave the ports to another model."""
        for port in self._ports:
            port.stop()

    def answer_unasked(self, stream: int, slot: int) -> None:
        """Answer, as soon as the port is free, a read that nobody has asked for."""
        self._ports[0].answer_unasked(self._stray({"stream": stream, "slot": slot}))

    def _stray(self, tag: Packed) -> Packed:
        words = [0x5712A4 + n for n in range(self._config.lanes)]
        return {"data": words, "tag": tag, "error": 0}

    def _read(self, request: Packed) -> Callable[[], Packed] | None:
        line, size = request["line"], self._config.line_bytes
        self.reads.append(line)
        limit = self._faults.silent_after
        if limit is not None and len(self.reads) > limit:
            return None
        error = any(address // size == line for address in self._faults.read_errors)
        stray = self._faults.unknown_tag
        if stray is not None and stray[0] == len(self.reads):
            self.answer_unasked(**unpack(layouts.tag(self._config), stray[1]))

        def answer() -> Packed:
            data = self._load(line * size, size)
            words = [int.from_bytes(data[n : n + 4], "little") for n in range(0, size, 4)]
            return {"data": words, "tag": request["tag"], "error": int(error)}

        return answer

    def _write(self, request: Packed) -> Callable[[], Packed]:
        line, size = request["line"], self._config.line_bytes
        self.writes.append(line)
        error = any(address // size == line for address in self._faults.write_errors)
        if not error:
            for n, word in enumerate(request["data"]):
                if not request["mask"] >> n & 1:
                    continue
                for b in range(4):
                    error |= not self._store(line * size + 4 * n + b, word >> 8 * b & 0xFF)
            self.stray_writes += error
        return lambda: {"error": int(error)}

    def _load(self, address: int, size: int) -> bytes:
        data = bytearray(size)
        for base, length, array, _ in self._segments:
            low, high = max(address, base), min(address + size, base + length)
            if low < high:
                data[low - address : high - address] = array[low - base : high - base].tobytes()
        return bytes(data)

    def _store(self, address: int, value: int) -> bool:
        for base, size, array, writable in self._segments:
            if base <= address < base + size and writable:
                array[address - base] = value
                return True
        return False


class _MemoryPort:
    """One request stream and its responses, at the times of a memory model."""

    def __init__(
        self,
        dut: Any,
        name: str,
        request: ShapeLike,
        response: ShapeLike,
        timing: PortTiming,
        take: Callable[[Packed], Callable[[], Packed] | None],
    ):
        self._dut, self._timing, self._take = dut, timing, take
        self._request, self._response = request, response
        self._handles: dict[str, Any] = {
            f"{side}_{member}": getattr(dut, f"{name}__{side}__{member}", None)
            for side in ("request", "response")
            for member in ("valid", "ready", "payload")
        }
        self._handles["request_ready"].value = 0
        self._handles["response_valid"].value = 0
        self._unasked: deque[Packed] = deque()
        self._task = cocotb.start_soon(self._run())

    def stop(self) -> None:
        self._task.cancel()

    def answer_unasked(self, answer: Packed) -> None:
        """Give an answer, before all others, that no request is behind."""
        self._unasked.append(answer)

    async def _run(self) -> None:
        h, timing, answering, asked = self._handles, self._timing, False, True
        cycle = 0
        while True:
            await FallingEdge(self._dut.clk)
            cycle += 1
            if not answering:
                asked = not self._unasked
                answering = not asked or timing.answers(cycle)
                if answering:
                    answer = timing.front()() if asked else self._unasked.popleft()
                    h["response_payload"].value = pack(self._response, answer)
                h["response_valid"].value = int(answering)
            ready = timing.accepts(cycle)
            h["request_ready"].value = int(ready)
            await ReadOnly()
            if known(self._dut.rst):
                timing.reset()
                self._unasked.clear()
                answering = False
                continue
            if answering and (h["response_ready"] is None or known(h["response_ready"])):
                if asked:
                    timing.pop()
                answering = False
            if ready and known(h["request_valid"]):
                request = unpack(self._request, known(h["request_payload"]))
                answer = self._take(request)
                if answer is not None:
                    timing.take(cycle, request["line"], answer)
