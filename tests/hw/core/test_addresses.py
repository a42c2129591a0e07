"""Row addresses and entry counters against their equations."""

import random

import pytest
from amaranth.sim import Simulator
from ember.hw.config import Config
from ember.hw.core.addresses import RowAddresses
from ember.hw.core.entries import EntryCounters


def _simulate(dut, process) -> None:
    sim = Simulator(dut)
    sim.add_clock(1e-6)
    sim.add_testbench(process)
    sim.run()


@pytest.mark.parametrize("addr_width", [32, 40, 64])
@pytest.mark.parametrize("fiber_lanes", [1, 8])
def test_addresses(addr_width, fiber_lanes):
    seed = addr_width + fiber_lanes
    print("seed", seed)
    rng = random.Random(seed)
    dut = RowAddresses(Config(addr_width=addr_width, fiber_lanes=fiber_lanes))
    modulus = 1 << addr_width

    async def process(ctx):
        model = [0] * fiber_lanes
        expected = []
        for cycle in range(300):
            kind = rng.choice(("set", "bump", "read"))
            lane = rng.randrange(fiber_lanes)
            factor, stride = rng.getrandbits(32), rng.getrandbits(32)
            base = rng.getrandbits(addr_width)
            fields = {"lane": lane, "factor": factor, "row_stride": stride, "base": base}
            fields |= {"set": kind == "set", "bump": kind == "bump"}
            ctx.set(dut.update, fields)
            expected.append(model[lane])
            if kind != "read":
                start = base if kind == "set" else model[lane]
                model[lane] = (start + factor * stride) % modulus
            await ctx.tick()
            if cycle >= dut.LATENCY - 1:
                assert ctx.get(dut.address) == expected[cycle - dut.LATENCY + 1]

    _simulate(dut, process)


@pytest.mark.parametrize("fiber_lanes", [1, 4])
def test_entries(fiber_lanes):
    rng = random.Random(fiber_lanes)
    dut = EntryCounters(Config(fiber_lanes=fiber_lanes))

    async def process(ctx):
        model = [0] * fiber_lanes
        for _ in range(300):
            lane = rng.randrange(fiber_lanes)
            clear, count = rng.random() < 0.1, rng.getrandbits(1)
            ctx.set(dut.lane, lane)
            ctx.set(dut.clear, clear)
            ctx.set(dut.count, count)
            model[lane] = (0 if clear else model[lane]) + count
            await ctx.tick()
            assert ctx.get(dut.after) == model[lane]

    _simulate(dut, process)
