"""Framing in hardware and in Python: whole frames get through, whatever stands between them."""

import random
import zlib

import pytest
from amaranth.sim import Simulator
from ember.boards.link.frames import FrameReceiver, FrameTransmitter
from ember.boards.link.framing import Deframer, frame

from ...support.streams import Bench

LIMIT = 24


def bodies(rng: random.Random, count: int) -> list[bytes]:
    """Of every length, with many flags and escapes."""
    special = [0x7E, 0x7D, 0x5E, 0x5D, 0x20]
    return [
        bytes(
            rng.choice(special) if rng.random() < 0.3 else rng.randrange(256)
            for _ in range(rng.randrange(LIMIT + 1))
        )
        for _ in range(count)
    ]


def damaged(rng: random.Random, data: bytes) -> bytes:
    """``data`` with bytes dropped, repeated, flipped or inserted."""
    out = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(out)) if out else 0
        kind = rng.randrange(5)
        if kind == 0:
            del out[at : at + 1]
        elif kind == 1:
            out[at:at] = out[at : at + 1]
        elif kind == 2 and out:
            out[at] ^= 1 << rng.randrange(8)
        elif kind == 3:
            out[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 5)))
        else:
            out[at:at] = bytes([rng.choice([0x7E, 0x7D])])
    return bytes(out)


def unframe(data, holds=()) -> tuple[list[bytes], int]:
    """Bodies that the hardware finds in ``data``, (byte, error) each, and its count of bad ones.

    ``holds`` are ranges of bytes of ``data`` during which the buffer is held.
    """
    dut = FrameReceiver(LIMIT)
    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    found, buffer, bad = [], bytearray(LIMIT + 4), []

    async def testbench(ctx):
        for number, (byte, error) in enumerate([*data, (0x7E, 0)]):
            ctx.set(dut.hold, any(number in span for span in holds))
            for valid in (1, 0):
                ctx.set(dut.valid, valid)
                ctx.set(dut.data, byte)
                ctx.set(dut.error, error)
                if ctx.get(dut.write):
                    buffer[ctx.get(dut.address)] = ctx.get(dut.byte)
                if ctx.get(dut.received):
                    body = bytes(buffer[: ctx.get(dut.length)])
                    assert ctx.get(dut.fcs) == zlib.crc32(body)
                    found.append(body)
                await ctx.tick()
        bad.append(ctx.get(dut.bad))
        assert not ctx.get(dut.received)

    simulator.add_testbench(testbench)
    simulator.run()
    return found, bad[0]


def test_whole_frames(seed):
    sent = bodies(random.Random(seed), 60)
    line = b"".join(map(frame, sent))
    assert unframe([(byte, 0) for byte in line]) == (sent, 0)
    deframer = Deframer(LIMIT)
    assert deframer.feed(line) == sent and deframer.bad == 0


def test_one_flag_may_stand_between_frames(seed):
    sent = bodies(random.Random(seed), 20)
    line = b"\x7e" + b"".join(frame(body)[1:] for body in sent)
    assert unframe([(byte, 0) for byte in line])[0] == sent


def test_damage_and_garbage(seed):
    """Hardware and Python agree on all; frames that nothing was done to always arrive."""
    rng = random.Random(seed)
    line, whole = bytearray(), []
    for body in bodies(rng, 250):
        kind = rng.random()
        if kind < 0.4:
            line += damaged(rng, frame(body))
        elif kind < 0.6:
            line += bytes(rng.randrange(256) for _ in range(rng.randrange(40)))
        else:
            line += frame(body)
            whole.append(body)
    deframer = Deframer(LIMIT)
    expected = deframer.feed(bytes(line) + b"\x7e")
    found, bad = unframe([(byte, 0) for byte in line])
    assert found == expected and bad == deframer.bad > 50
    # Damage may leave a frame whole (a flag more): what arrives has all the whole ones, in order.
    rest = iter(found)
    assert all(body in rest for body in whole)


def test_pieces(seed):
    """The Python side does not care how a line is cut."""
    rng = random.Random(seed)
    sent = bodies(rng, 30)
    line = b"".join(map(frame, sent))
    deframer, found = Deframer(LIMIT), []
    while line:
        cut = rng.randrange(1, 9)
        found += deframer.feed(line[:cut])
        line = line[cut:]
    assert found == sent


@pytest.mark.parametrize(
    ("line", "bad"),
    [
        (b"", 0),
        (b"\x7e\x7e\x7e", 0),
        (b"\x7eabc\x7e", 1),
        (b"\x7e\x7d\x7e", 1),  # an escape before the flag
        (frame(b"abcd")[:-1] + b"\x7d\x7e", 1),
        (b"\x7ea\x7d\x7db\x7e", 1),
        (frame(b"x" * (LIMIT + 1)), 1),
        (b"\x7e" + b"y" * 300 + b"\x7e", 1),
    ],
)
def test_what_is_no_frame(line, bad):
    deframer = Deframer(LIMIT)
    assert deframer.feed(line) == [] and deframer.bad == bad
    assert deframer.feed(frame(b"next")) == [b"next"]
    stream = [(byte, 0) for byte in line + frame(b"next")]
    assert unframe(stream) == ([b"next"], bad)


def test_a_byte_that_the_line_got_wrong():
    line = [(byte, 0) for byte in frame(b"first") + frame(b"second") + frame(b"third")]
    line[len(frame(b"first")) + 3] = (0, 1)
    assert unframe(line) == ([b"first", b"third"], 1)


def test_frames_that_come_while_the_buffer_is_held():
    """Dropped as a whole, also where the hold ends in their middle; they are not bad."""
    parts = [frame(b"one"), frame(b"two"), frame(b"three")]
    start = len(parts[0])
    for end in range(start + 2, start + len(parts[1])):
        line = [(byte, 0) for byte in b"".join(parts)]
        assert unframe(line, [range(start, end)]) == ([b"one", b"three"], 0), end


@pytest.mark.parametrize("stall", [0.0, 0.5])
def test_transmitter(stall, seed):
    rng = random.Random(f"{seed} {stall}")
    sent = bodies(rng, 12)
    dut = FrameTransmitter(LIMIT)
    bench = Bench(dut, seed, stall=stall)
    current = [b""]

    async def buffer(ctx):
        while True:
            _, _, address = await ctx.tick().sample(dut.address)
            word = current[0][4 * address : 4 * address + 4].ljust(4, b"\xee")
            ctx.set(dut.word, int.from_bytes(word, "little"))

    async def control(ctx):
        for body in sent:
            current[0] = body
            await ctx.tick().repeat(3)
            ctx.set(dut.start, 1)
            ctx.set(dut.length, len(body))
            await ctx.tick()
            ctx.set(dut.start, 0)
            await ctx.tick().until(~dut.busy)

    bench.process(buffer)
    bench.process(control)
    line = b"".join(map(frame, sent))
    seen = bench.consume(dut.o, len(line))
    bench.run()
    assert bytes(seen) == line
