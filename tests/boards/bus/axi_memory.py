"""AXI4 memories: the one of cocotbext-axi, and one that reorders and interleaves all it may."""

import logging
import random

import cocotb
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiBus, AxiSlave
from cocotbext.axi.axi_channels import AxiARSink, AxiAWSink, AxiBSource, AxiRSource, AxiWSink
from cocotbext.axi.constants import AxiResp
from ember.hw.config import Config
from ember.sim.memory import Memory

# Each access would be a line of the log.
logging.getLogger("cocotb.top").setLevel(logging.WARNING)


class Lines:
    """A Memory as cocotbext-axi wants one; lines with an error raise.

    Parameters
    ----------
    memory : Memory
    config : Config
    read_errors, write_errors : lines whose accesses fail
    """

    def __init__(self, memory: Memory, config: Config, read_errors=(), write_errors=()):
        self._memory, self._size = memory, config.line_bytes
        self._read_errors, self._write_errors = set(read_errors), set(write_errors)

    async def read(self, address: int, length: int) -> bytes:
        return self.load(address, length)

    async def write(self, address: int, data: bytes) -> None:
        self.store(address, data)

    def load(self, address: int, length: int) -> bytes:
        if address // self._size in self._read_errors:
            raise ValueError(f"read error at {address:#x}")
        return self._memory.load(address, length).tobytes()

    def store(self, address: int, data: bytes) -> None:
        if address // self._size in self._write_errors:
            raise ValueError(f"write error at {address:#x}")
        self._memory.store(address, memoryview(data))


def pauses(seed: str, chance: float):
    """Whether a channel rests in a cycle."""
    rng = random.Random(seed)
    while True:
        yield rng.random() < chance


def pause(channels: dict, seed: int, chance: float) -> None:
    """Let each of the channels rest at random."""
    for name, channel in channels.items():
        channel.set_pause_generator(pauses(f"{seed} {name}", chance))


def slave(dut, lines: Lines, seed: int, stall: float) -> None:
    """The memory model of cocotbext-axi: in order, as fast as it can but for pauses."""
    model = AxiSlave(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst, target=lines)
    if stall:
        read, write = model.read_if, model.write_if
        channels = {"ar": read.ar_channel, "r": read.r_channel, "aw": write.aw_channel}
        pause({**channels, "w": write.w_channel, "b": write.b_channel}, seed, stall)


class Shuffling:
    """Answers read beats of all outstanding IDs in random order; writes in order, and late.

    Parameters
    ----------
    lines : Lines
    seed : int
    stall : float
        Chance that a channel rests in a cycle.
    depth : int
        Bursts among which is chosen.
    """

    def __init__(self, dut, lines: Lines, seed: int, stall: float, depth: int = 8):
        bus = AxiBus.from_prefix(dut, "m_axi")
        self._dut, self._lines, self._depth = dut, lines, depth
        self._random = random.Random(f"{seed} order")
        self.reordered = self.interleaved = 0
        clocked = (dut.clk, dut.rst)
        self._ar, self._r = AxiARSink(bus.read.ar, *clocked), AxiRSource(bus.read.r, *clocked)
        self._aw, self._w = AxiAWSink(bus.write.aw, *clocked), AxiWSink(bus.write.w, *clocked)
        self._b = AxiBSource(bus.write.b, *clocked)
        for channel in (self._ar, self._aw, self._w, self._r, self._b):
            channel.queue_occupancy_limit = 2
        channels = {"ar": self._ar, "r": self._r, "aw": self._aw, "w": self._w, "b": self._b}
        pause(channels, seed, stall)
        self._tasks = [cocotb.start_soon(self._reads()), cocotb.start_soon(self._writes())]

    def stop(self) -> None:
        """No more answers: the beginning of a reset."""
        for task in self._tasks:
            task.cancel()

    def restart(self) -> None:
        """Begin again, without what was there before: the end of a reset."""
        for channel in (self._ar, self._aw, self._w, self._r, self._b):
            channel.clear()
        self._tasks = [cocotb.start_soon(self._reads()), cocotb.start_soon(self._writes())]

    async def _reads(self) -> None:
        size = len(self._dut.m_axi_rdata) // 8
        bursts: list[tuple[int, list[tuple[bytes, bool, bool]]]] = []
        last = None
        while True:
            while len(bursts) < self._depth and not self._ar.empty():
                ar = await self._ar.recv()
                count, beats = int(ar.arlen) + 1, []
                for n in range(count):
                    error, data = False, bytes(size)
                    try:
                        data = self._lines.load(int(ar.araddr) + n * size, size)
                    except ValueError:
                        error = True
                    beats.append((data, error, n == count - 1))
                bursts.append((int(ar.arid), beats))
            if (
                not bursts
                or self._r.full()
                or (len(bursts) < self._depth and self._random.random() < 0.7)
            ):
                await RisingEdge(self._dut.clk)
                continue
            chosen = self._random.randrange(len(bursts))
            self.reordered += chosen > 0
            number, beats = bursts[chosen]
            self.interleaved += last not in (None, number)
            data, error, final = beats.pop(0)
            last = None if final else number
            if final:
                bursts.pop(chosen)
            answer = self._r._transaction_obj()
            answer.rid, answer.rlast = number, final
            answer.rdata = int.from_bytes(data, "little")
            answer.rresp = AxiResp.DECERR if error else AxiResp.OKAY
            await self._r.send(answer)

    async def _writes(self) -> None:
        size = len(self._dut.m_axi_wdata) // 8
        while True:
            aw = await self._aw.recv()
            error = False
            for n in range(int(aw.awlen) + 1):
                w = await self._w.recv()
                data = int(w.wdata).to_bytes(size, "little")
                for byte in range(0, size, 4):
                    strobe = int(w.wstrb) >> byte & 15
                    assert strobe in (0, 15), "words are written whole"
                    if strobe:
                        try:
                            address = int(aw.awaddr) + n * size + byte
                            self._lines.store(address, data[byte : byte + 4])
                        except ValueError:
                            error = True
            for _ in range(self._random.randrange(5)):
                await RisingEdge(self._dut.clk)
            answer = self._b._transaction_obj()
            answer.bid, answer.bresp = 0, AxiResp.DECERR if error else AxiResp.OKAY
            await self._b.send(answer)
