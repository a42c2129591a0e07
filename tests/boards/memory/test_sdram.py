"""The SDRAM controller against a chip that checks every rule of its data sheet."""

import random
from dataclasses import replace

import pytest
from amaranth.sim import Simulator
from ember.boards.memory.sdram import Sdram
from ember.boards.memory.sdram_timing import SdramTiming
from ember.hw.config import Config

from .memory_traffic import Traffic
from .sdram_model import SdramModel

TINY = Config.preset("tiny")
#: A short power-up, refreshes that are often due, and few rows, so that all happens soon.
QUICK = SdramTiming(power_up_ns=1000.0, refresh_ns=1500.0, row_bits=4)


def attach(simulator, dut, model) -> None:
    """The chip at the pins, with a register in each pin's cell."""
    pins = dut.pins
    outputs = [
        pins.cke, pins.cs, pins.ras, pins.cas, pins.we, pins.a, pins.ba, pins.dqm, pins.dq_o,
        pins.dq_oe,
    ]  # fmt: skip

    async def chip(ctx):
        on_pins = 0
        while True:
            _, _, *values = await ctx.tick().sample(*outputs)
            ctx.set(pins.dq_i, on_pins)
            on_pins = model.clock(*values)

    simulator.add_testbench(chip, background=True)


class Lines(Traffic):
    size = 0

    def is_error(self, line):
        return line >= self.size


@pytest.mark.parametrize(
    ("lanes", "hz", "stall"),
    [(4, 75_000_000, 0.0), (8, 100_000_000, 0.3), (1, 60_000_000, 0.0), (2, 25_000_000, 0.3),
     (16, 50_000_000, 0.0)],
)  # fmt: skip
def test_random_traffic(lanes, hz, stall, seed):
    """Rows hit and missed, banks in turn, both directions, masks, refreshes in between."""
    config = TINY.replace(lanes=lanes)
    dut = Sdram(config, hz, QUICK)
    size = dut.bytes // config.line_bytes
    bases = [random.Random(f"{seed}").randrange(size) for _ in range(6)]

    def lines(rng):
        kind = rng.random()
        if kind < 0.02:
            return rng.choice([size, (1 << config.line_addr_width) - 1])
        return (rng.choice(bases) + rng.randrange(6)) % size

    traffic = Lines(config, lines, f"{seed} {lanes}", stall=stall, count=220, limit=12_000)
    traffic.size = size
    model = SdramModel(QUICK, hz, seed)
    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    attach(simulator, dut, model)

    async def testbench(ctx):
        await traffic.run(ctx, dut)
        model.finish()

    simulator.add_testbench(testbench)
    simulator.run()
    print(traffic.cycles, model.counts)
    assert traffic.reads > 40 and traffic.writes > 40
    assert model.counts["ACTIVATE"] > 10 and model.counts["REFRESH"] > 12


def rate(config, next_line, count=64):
    """Cycles for ``count`` reads of the lines ``next_line(n)``, all answers taken at once, and
    cycles from the first request to its answer."""
    timing = replace(QUICK, refresh_ns=1e6)
    dut = Sdram(config, 75_000_000, timing)
    model = SdramModel(timing, 75_000_000)
    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    attach(simulator, dut, model)
    took = []

    async def testbench(ctx):
        ctx.set(dut.read.response.ready, 1)
        await ctx.tick().until(dut.ready)
        sent = cycle = 0
        while len(took) < count:
            ctx.set(dut.read.request.valid, sent < count)
            ctx.set(dut.read.request.payload.line, next_line(sent))
            _, _, ready, valid = await ctx.tick().sample(
                dut.read.request.ready, dut.read.response.valid
            )
            sent += ready and sent < count
            if valid:
                took.append(cycle)
            cycle += 1
            assert cycle < 5000

    simulator.add_testbench(testbench)
    simulator.run()
    return (took[-1] - took[0]) / (count - 1), took[0]


def test_rates():
    """Lines in order, and lines of a new row each time, in banks in turn or in one bank."""
    lines_per_row = 1 << QUICK.column_bits - 3
    in_order, first = rate(TINY, lambda n: n)
    assert in_order == 8.0 and first == 16
    in_turn, _ = rate(TINY, lambda n: n * lines_per_row)
    assert in_turn == 8.0
    one_bank, _ = rate(TINY, lambda n: 4 * n * lines_per_row % (16 * 4 * lines_per_row))
    assert one_bank <= 16.0
    default, _ = rate(TINY.replace(lanes=8), lambda n: n)
    assert default == 16.0


def test_the_model_sees_what_is_wrong():
    """A test of the tests: each rule that is broken is found."""
    timing, hz = QUICK, 100_000_000
    nop, act, rd, ref, pre, wr, mode = range(7)
    pins = {nop: 0, act: 1, rd: 2, ref: 3, pre: 5, wr: 6, mode: 7}
    start = [(pre, 0, 1 << 10, 105), *[(ref, 0, 0, 7)] * 8, (mode, 0, 0x23, 2)]

    def play(commands):
        model = SdramModel(timing, hz)
        writing = 0
        for _ in range(100):
            model.clock(1, 1, 0, 0, 0, 0, 0, 3, 0, 0)
        for command, bank, address, gap in commands:
            if command == wr:
                writing = 8
            bits = pins[command]
            for n in range(gap):
                now = bits if n == 0 else 0
                model.clock(
                    1, 1, now & 1, now >> 1 & 1, now >> 2, address, bank, 0, 0, int(writing > 0)
                )
                writing = max(0, writing - 1)
        model.finish()

    good = [(act, 0, 3, 3), (rd, 0, 8, 10), (wr, 0, 16, 9), (pre, 0, 0, 3), (act, 0, 4, 5)]
    play(start + good)
    wrong = {
        "ACTIVATE before": [(pre, 0, 1 << 10, 3), (act, 0, 1, 1)],
        "RCD": [*start, (act, 0, 3, 2), (rd, 0, 0, 1)],
        "RAS": [*start, (act, 0, 3, 4), (pre, 0, 0, 1)],
        "RP": [*start, (act, 0, 3, 6), (pre, 0, 0, 2), (act, 0, 3, 1)],
        "RRD": [*start, (act, 0, 3, 1), (act, 1, 3, 1)],
        "open": [*start, (act, 0, 3, 10), (act, 0, 4, 1)],
        "closed": [*start, (rd, 0, 0, 1)],
        "cut": [*start, (act, 0, 3, 3), (rd, 0, 0, 7), (rd, 0, 8, 1)],
        "turn": [*start, (act, 0, 3, 3), (rd, 0, 0, 9), (wr, 0, 8, 1)],
        "WR": [*start, (act, 0, 3, 3), (wr, 0, 0, 8), (pre, 0, 0, 1)],
        "refresh open": [*start, (act, 0, 3, 9), (ref, 0, 0, 1)],
        "RFC": [*start, (ref, 0, 0, 5), (act, 0, 0, 1)],
        "refreshes": [*start, (nop, 0, 0, 1000)],
    }
    for name, commands in wrong.items():
        with pytest.raises(AssertionError):
            play(commands)
            pytest.fail(name)


def test_clocks():
    clocks = SdramTiming().clocks(75_000_000)
    assert clocks.rcd == 2 and clocks.rp == 2 and clocks.rfc == 6 and clocks.refresh == 585
    assert clocks.power_up == 15_000
    assert SdramTiming().bytes == 32 << 20
    with pytest.raises(ValueError) as error:
        SdramTiming().clocks(125_000_000)
    assert str(error.value) == (
        "clock must be at most 100 MHz with a CAS latency of 2, not 125"
    )
