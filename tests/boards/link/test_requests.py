"""Requests to the hardware: the same answers and effects as the model's, whatever the line does."""

import random

import pytest
from amaranth.sim import Simulator
from ember.boards.link.framing import Deframer, frame
from ember.boards.link.link import ByteLink, HostLink
from ember.boards.link.protocol import ANSWER, ANSWERS, MAX_BODY, MAX_WORDS, Command, Status
from ember.hw import isa
from ember.hw.config import Config

from .board_model import REGISTER, BoardModel, request

MEMORY = 1 << 12
TINY = Config.preset("tiny")


class Bench:
    """A link in Amaranth's simulator, between a model of machine and memory and a list of bytes.

    The model's memory and registers are behind the ports: what the hardware does shows there.
    Every wait is bounded by ``limit`` cycles.
    """

    def __init__(self, seed, *, config=TINY, stall=0.3, limit=60_000):
        self.config, self.limit = config, limit
        self.random = random.Random(seed)
        self.stall = stall
        self.board = BoardModel(config.hash, MEMORY)
        self.dut = ByteLink(config, memory_bytes=MEMORY, clock_hz=75_000_000, board=1)
        self.simulator = Simulator(self.dut)
        self.simulator.add_clock(1e-6)
        self.claimed = 0
        self.simulator.add_testbench(self._reads, background=True)
        self.simulator.add_testbench(self._writes, background=True)
        self.simulator.add_testbench(self._registers, background=True)

    async def _idle(self, ctx):
        while self.random.random() < self.stall:
            await ctx.tick()

    # In the background nobody waits with `until`: a wait that the end of a test cuts off complains.
    async def _take(self, ctx, stream):
        ctx.set(stream.ready, 1)
        valid = False
        while not valid:
            _, _, valid, payload = await ctx.tick().sample(stream.valid, stream.payload)
        ctx.set(stream.ready, 0)
        return payload

    async def _give(self, ctx, stream):
        ctx.set(stream.valid, 1)
        ready = False
        while not ready:
            _, _, ready = await ctx.tick().sample(stream.ready)
        ctx.set(stream.valid, 0)

    def _bad(self, line: int) -> bool:
        lanes = self.config.lanes
        return any(line * lanes <= word < (line + 1) * lanes for word in self.board.bad_words)

    async def _reads(self, ctx):
        port, size = self.dut.read, self.config.line_bytes
        while True:
            await self._idle(ctx)
            payload = await self._take(ctx, port.request)
            assert ctx.get(self.dut.claim)
            await self._idle(ctx)
            data = self.board.memory[payload.line * size :][:size]
            words = [
                int.from_bytes(data[4 * n : 4 * n + 4], "little") for n in range(self.config.lanes)
            ]
            ctx.set(port.response.payload.data, words)
            ctx.set(port.response.payload.error, self._bad(payload.line))
            await self._give(ctx, port.response)

    async def _writes(self, ctx):
        port, size = self.dut.write, self.config.line_bytes
        while True:
            await self._idle(ctx)
            payload = await self._take(ctx, port.request)
            assert ctx.get(self.dut.claim)
            bad = self._bad(payload.line)
            for n in range(self.config.lanes):
                if payload.mask >> n & 1 and not bad:
                    at = payload.line * size + 4 * n
                    self.board.memory[at : at + 4] = payload.data[n].to_bytes(4, "little")
            await self._idle(ctx)
            ctx.set(port.response.payload.error, bad)
            await self._give(ctx, port.response)

    async def _registers(self, ctx):
        bus = self.dut.bus
        while True:
            _, _, address, write, value = await ctx.tick().sample(
                bus.address, bus.write, bus.write_data
            )
            if write:
                self.board.write_register(address, value)
            ctx.set(bus.read_data, self.board.read_register(address))

    async def send(self, ctx, data: bytes):
        for byte in data:
            ctx.set(self.dut.data, byte)
            ctx.set(self.dut.valid, 1)
            await ctx.tick()
            ctx.set(self.dut.valid, 0)
            # On a serial line the next byte takes 40 cycles at least.
            await ctx.tick().repeat(3 if byte == 0x7E else 1)

    async def answers(self, ctx) -> list[bytes]:
        """What comes back until the link is idle again."""
        deframer, found, quiet = Deframer(MAX_BODY), [], 0
        for _ in range(self.limit):
            ready = self.random.random() >= self.stall
            ctx.set(self.dut.o.ready, ready)
            _, _, valid, byte, active = await ctx.tick().sample(
                self.dut.o.valid, self.dut.o.payload, self.dut.active
            )
            if valid and ready:
                found += deframer.feed(bytes([byte]))
            quiet = 0 if active else quiet + 1
            if quiet == 4:
                assert not deframer.bad
                return found
        raise TimeoutError(f"link is active after {self.limit} cycles")

    def run(self, testbench):
        self.simulator.add_testbench(testbench)
        self.simulator.run()


def status(answer: bytes) -> int:
    return ANSWER.unpack(answer[: ANSWER.size])[2]


def words(answer: bytes) -> list[int]:
    data = answer[ANSWER.size :]
    return [int.from_bytes(data[n : n + 4], "little") for n in range(0, len(data), 4)]


def random_request(rng: random.Random) -> bytes:
    """Most of them right, the others wrong in one way."""
    command = rng.choice(list(Command))
    count, address, data = 0, 0, []
    near_end = rng.random() < 0.2
    if command in (Command.READ_MEMORY, Command.WRITE_MEMORY, Command.FILL_MEMORY):
        count = rng.randrange(1, 12)
        last = MEMORY - 4 * count
        address = last + 4 * rng.randrange(-1, 2) if near_end else 4 * rng.randrange(last // 4)
        if command == Command.WRITE_MEMORY:
            data = [rng.getrandbits(32) for _ in range(count)]
        if command == Command.FILL_MEMORY:
            data, count = [count, rng.getrandbits(32)], 0
    elif command == Command.READ_REGISTERS:
        count = rng.randrange(1, 12)
        last = (1 << isa.BUS_ADDR_WIDTH) - count
        address = last + rng.randrange(-1, 2) if near_end else rng.randrange(32)
    elif command == Command.WRITE_REGISTERS:
        count = rng.randrange(1, 6)
        for _ in range(count):
            kind = rng.randrange(8)
            where = [rng.randrange(16, 64), rng.getrandbits(20), 3, 5, 1 << 20][max(0, kind - 3)]
            data += [where, rng.getrandbits(32)]
    elif command == Command.WAIT:
        address = rng.randrange(60)
    if rng.random() < 0.25:
        kind = rng.randrange(6)
        if kind == 0:
            command = rng.choice([0, 8, 100, 255])
        elif kind == 1:
            count = rng.choice([0, count + 1, MAX_WORDS + 1, 0xFFFF])
        elif kind == 2:
            address ^= rng.choice([1, 2, 3, 0x80000000])
        elif kind == 3:
            data = [*data, 7]
        elif kind == 4:
            data = data[:-1]
        else:
            # Not a whole word.
            whole = request(rng.randrange(256), command, count, address, data)
            return whole[: len(whole) - rng.randrange(1, 4)] if data else whole + b"x"
    return request(rng.randrange(256), command, count, address, data)


@pytest.mark.parametrize(
    ("config", "stall"),
    [(TINY, 0.3), (TINY.replace(lanes=1), 0.0), (TINY.replace(lanes=16), 0.5)],
    ids=["4-lanes", "1-lane", "16-lanes"],
)
def test_random_requests(config, stall, seed):
    """Answers, memory and registers as the model's; also of repeats, after frames that were lost,
    and with a machine that is busy now and then."""
    bench = Bench(f"{seed} {config.lanes}", config=config, stall=stall)
    rng, board = random.Random(seed), bench.board
    model = BoardModel(config.hash, MEMORY)
    contents = rng.randbytes(MEMORY)
    model.memory[:], board.memory[:] = contents, contents
    # A line that is bad is bad as a whole; here all of the last one.
    bad = {MEMORY // 4 - 1 - n for n in range(config.lanes)}
    model.bad_words, board.bad_words = bad, bad
    seen = set()

    async def testbench(ctx):
        body = b""
        for _ in range(45):
            if not body or rng.random() < 0.8:
                body = random_request(rng)
            for one in (model, board):
                one.busy = rng.random() < 0.3 if one is model else model.busy
            damage = rng.random()
            if damage < 0.1:  # garbage before it: at worst it looks like a frame that is wrong
                garbage = rng.randbytes(rng.randrange(1, 20)).replace(b"\x7e", b"")
                await bench.send(ctx, garbage)
            if damage > 0.9:  # a checksum that is wrong: silence
                wrong = bytearray(frame(body))
                wrong[-2] ^= 0x40 if wrong[-2] not in (0x3E, 0x3D) else 0x10
                await bench.send(ctx, bytes(wrong))
                assert await bench.answers(ctx) == []
                continue
            await bench.send(ctx, frame(body))
            expected = model.answer(body)
            found = await bench.answers(ctx)
            if body[1:2] == b"\x01" and expected is not None and status(expected) == Status.OK:
                # What was wrong on the line so far is for the other test.
                found = [found[0][:-4] + expected[-4:]]
            assert found == ([] if expected is None else [expected]), body.hex()
            assert board.memory == model.memory and board.written == model.written, body.hex()
            if expected:
                seen.add(status(expected))

    bench.run(testbench)
    assert seen >= {Status.OK, Status.COMMAND, Status.LENGTH, Status.RANGE, Status.BUSY}, seen


def test_a_repeated_write_is_done_once(seed):
    bench = Bench(seed)
    start = request(9, Command.WRITE_REGISTERS, 1, 0, [REGISTER["CONTROL"], 1])
    same_with_another_number = request(10, Command.WRITE_REGISTERS, 1, 0, [REGISTER["CONTROL"], 1])
    other_with_the_same_number = request(10, Command.IDENTIFY)

    async def testbench(ctx):
        got = []
        for body in (start, start, start, same_with_another_number, other_with_the_same_number):
            await bench.send(ctx, frame(body))
            got += await bench.answers(ctx)
        assert [status(answer) for answer in got] == [Status.OK] * 5
        assert [answer[0] for answer in got] == [9, 9, 9, 10, 10]
        assert bench.board.written == [(REGISTER["CONTROL"], 1)] * 2
        assert got[-1][1] == Command.IDENTIFY | ANSWERS

    bench.run(testbench)


def test_wait(seed):
    """It answers when the machine is done, or when the bound is over."""
    bench = Bench(seed, stall=0.0)
    board = bench.board
    took = []

    async def finish(ctx):
        await ctx.tick().until(bench.dut.active)
        await ctx.tick().repeat(300)
        board.busy = False
        board.registers[REGISTER["STATUS"]] = 2

    async def testbench(ctx):
        board.busy = True
        for bound in (1000, 1000, 50):
            start = len(took)
            await bench.send(ctx, frame(request(bound & 0xFF ^ start, Command.WAIT, 0, bound)))
            (answer,) = await bench.answers(ctx)
            took.append((status(answer), words(answer)))
            if len(took) == 2:
                board.busy, board.registers[REGISTER["STATUS"]] = True, 0

    bench.simulator.add_testbench(finish, background=True)
    bench.run(testbench)
    assert took == [(Status.OK, [2]), (Status.OK, [2]), (Status.RUNNING, [1])]


def test_the_longest_request_and_answer(seed):
    bench = Bench(seed, stall=0.0)
    rng = random.Random(seed)
    data = [rng.choice([0x7E7D7E7D, rng.getrandbits(32)]) for _ in range(MAX_WORDS)]

    async def testbench(ctx):
        await bench.send(ctx, frame(request(1, Command.WRITE_MEMORY, MAX_WORDS, 16, data)))
        (answer,) = await bench.answers(ctx)
        assert status(answer) == Status.OK and words(answer) == []
        await bench.send(ctx, frame(request(2, Command.READ_MEMORY, MAX_WORDS, 16)))
        (answer,) = await bench.answers(ctx)
        assert status(answer) == Status.OK and words(answer) == data

    bench.run(testbench)


def test_bad_frames_are_counted(seed):
    bench = Bench(seed, stall=0.0)
    wrong = bytearray(frame(request(1, Command.IDENTIFY)))
    wrong[5] ^= 1

    async def testbench(ctx):
        await bench.send(ctx, bytes(wrong) * 3)
        assert await bench.answers(ctx) == []
        await bench.send(ctx, frame(request(1, Command.IDENTIFY)))
        (answer,) = await bench.answers(ctx)
        assert words(answer)[-1] == 3

    bench.run(testbench)


def test_a_frame_during_an_answer_is_ignored(seed):
    bench = Bench(seed, stall=0.0)

    async def testbench(ctx):
        await bench.send(ctx, frame(request(1, Command.READ_MEMORY, 40)))
        await bench.send(ctx, frame(request(2, Command.READ_MEMORY, 1)))
        assert [answer[0] for answer in await bench.answers(ctx)] == [1]
        await bench.send(ctx, frame(request(2, Command.READ_MEMORY, 1)))
        assert [answer[0] for answer in await bench.answers(ctx)] == [2]

    bench.run(testbench)


def test_over_a_serial_line(seed):
    """The whole link, bit by bit: a request after noise, and its answer."""
    divisor = 4
    dut = HostLink(TINY, divisor, memory_bytes=MEMORY, clock_hz=1, board=2)
    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    deframer, found = Deframer(MAX_BODY), []

    async def answer(ctx):
        while True:
            while ctx.get(dut.tx):
                await ctx.tick()
            await ctx.tick().repeat(divisor // 2)
            byte = 0
            for bit in range(9):
                byte |= ctx.get(dut.tx) << bit
                await ctx.tick().repeat(divisor)
            found.extend(deframer.feed(bytes([byte >> 1])))

    async def testbench(ctx):
        rng = random.Random(seed)
        for byte in rng.randbytes(5) + frame(request(7, Command.IDENTIFY)):
            for level in [0, *(byte >> n & 1 for n in range(8)), 1]:
                ctx.set(dut.rx, level)
                await ctx.tick().repeat(divisor)
        for _ in range(60):
            if found:
                break
            await ctx.tick().repeat(100)
        (body,) = found
        assert status(body) == Status.OK and words(body)[6] == 2

    simulator.add_testbench(answer, background=True)
    simulator.add_testbench(testbench)
    simulator.run()
