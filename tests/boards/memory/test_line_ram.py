"""Lines in block RAM: what was written is read, masks and errors, order of the answers."""

import pytest
from amaranth.sim import Simulator
from ember.boards.memory.line_ram import LineRam
from ember.hw.config import Config

from .memory_traffic import Traffic

TINY = Config.preset("tiny")


class Lines(Traffic):
    def is_error(self, line):
        return line >= 20


@pytest.mark.parametrize("stall", [0.0, 0.5])
@pytest.mark.parametrize("lanes", [1, 4, 16])
def test_random_traffic(lanes, stall, seed):
    config = TINY.replace(lanes=lanes)
    top = 1 << config.line_addr_width
    lines = lambda rng: rng.choice([rng.randrange(20), rng.randrange(22), top - 1])  # noqa: E731
    traffic = Lines(config, lines, f"{seed} {lanes}", stall=stall, count=300, limit=5000)
    dut = LineRam(config, 20)
    simulator = Simulator(dut)
    simulator.add_clock(1e-6)

    async def testbench(ctx):
        await traffic.run(ctx, dut)

    simulator.add_testbench(testbench)
    simulator.run()
    assert traffic.reads > 50 and traffic.writes > 50


def test_a_line_per_cycle():
    """Both ports at once, an answer one cycle after each request."""
    dut = LineRam(TINY, 64)
    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    counts = {"read": 0, "write": 0}

    async def testbench(ctx):
        for port in (dut.read, dut.write):
            ctx.set(port.response.ready, 1)
            ctx.set(port.request.valid, 1)
        for n in range(101):
            ctx.set(dut.read.request.payload.line, n % 32)
            ctx.set(dut.write.request.payload.line, 32 + n % 32)
            for name in counts:
                counts[name] += ctx.get(getattr(dut, name).response.valid)
            await ctx.tick()

    simulator.add_testbench(testbench)
    simulator.run()
    assert counts == {"read": 100, "write": 100}


@pytest.mark.parametrize("lines", [0, 1, 1 << 40, 2.0])
def test_sizes(lines):
    with pytest.raises(ValueError) as error:
        LineRam(TINY, lines)
    assert str(error.value) == f"lines must be an integer 2..268435456, not {lines!r}"
