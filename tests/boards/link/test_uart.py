"""The serial line: every divisor, clocks that differ, noise, breaks."""

import random

import pytest
from amaranth.sim import Simulator
from ember.boards.link.uart import UartReceiver, UartTransmitter

from ...support.streams import Bench

DIVISORS = [4, 5, 7, 16, 33]


def receive(divisor: int, line) -> list[tuple[int, int]]:
    """(data, error) of every byte that a receiver sees on ``line``, a level per clock cycle."""
    dut = UartReceiver(divisor)
    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    seen = []

    async def testbench(ctx):
        for level in [1] * 4 + list(line) + [1] * (divisor + 8):
            ctx.set(dut.line, level)
            _, _, valid, data, error = await ctx.tick().sample(dut.valid, dut.data, dut.error)
            if valid:
                seen.append((data, error))

    simulator.add_testbench(testbench)
    simulator.run()
    return seen


def levels(sent, period: float, pauses) -> list[int]:
    """The line while ``sent`` goes over it, ``period`` clock cycles a bit."""
    out, time = [], 0.0
    for byte, pause in zip(sent, pauses, strict=True):
        for bit in [0, *(byte >> n & 1 for n in range(8)), 1]:
            time += period
            out += [bit] * (round(time) - len(out))
        time += pause
        out += [1] * (round(time) - len(out))
    return out


@pytest.mark.parametrize("divisor", DIVISORS)
def test_bytes_arrive(divisor, seed):
    rng = random.Random(f"{seed} {divisor}")
    sent = [rng.randrange(256) for _ in range(30)]
    pauses = [rng.choice([0, 0, rng.randrange(40)]) for _ in sent]
    assert receive(divisor, levels(sent, divisor, pauses)) == [(byte, 0) for byte in sent]


@pytest.mark.parametrize("off", [-0.04, -0.02, 0.02, 0.04])
def test_the_senders_clock_may_be_off(off, seed):
    rng = random.Random(f"{seed} {off}")
    sent = [0x00, 0xFF, 0x55, *(rng.randrange(256) for _ in range(20))]
    line = levels(sent, 16 * (1 + off), [0] * len(sent))
    assert receive(16, line) == [(byte, 0) for byte in sent]


def test_short_pulses_are_no_bytes():
    pulse = [0] * 7 + [1] * 40
    assert receive(16, pulse * 3 + levels([0xA5], 16, [0])) == [(0xA5, 0)]


def test_a_break_is_one_wrong_byte(seed):
    line = [0] * (16 * 30) + [1] * 20 + levels([0x3C], 16, [0])
    assert receive(16, line) == [(0, 1), (0x3C, 0)]


@pytest.mark.parametrize("divisor", DIVISORS)
def test_what_is_sent_is_received(divisor, seed):
    rng = random.Random(f"{seed} {divisor}")
    sent = [rng.randrange(256) for _ in range(20)]
    dut = UartTransmitter(divisor)
    bench = Bench(dut, seed, stall=0.2)
    bench.produce(dut.i, sent)
    line = []

    async def record(ctx):
        while True:
            line.append(ctx.get(dut.line))
            await ctx.tick()

    bench.process(record)
    bench.run(extra_cycles=20 * 11 * divisor + 200)
    assert receive(divisor, line) == [(byte, 0) for byte in sent]


@pytest.mark.parametrize("kind", [UartReceiver, UartTransmitter])
def test_divisors(kind):
    with pytest.raises(ValueError) as error:
        kind(3)
    assert str(error.value) == "divisor must be 4..1048575 clock cycles per bit, not 3"
    with pytest.raises(TypeError) as error:
        kind(16.5)
    assert str(error.value) == "divisor must be an integer, not 16.5"
