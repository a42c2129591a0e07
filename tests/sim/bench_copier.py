"""cocotb tests of the copier; run by test_cocotb_support.py."""

import json
import os

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge
from copier import copy_program
from ember.sim.cocotb_drivers import (
    MemoryModel,
    RegisterBusDriver,
    bench_config,
    bench_seed,
    start,
    wait_until,
)
from ember.sim.dram_presets import DRAM_PRESETS
from ember.sim.latency import LATE, Faults, FixedLatency, RandomLatency
from ember.sim.memory import Memory


async def copy(dut, latency, lines=20, faults=None):
    config = bench_config()
    memory = Memory(config)
    source = np.arange(lines * config.lanes, dtype=np.uint32)
    result = np.zeros_like(source)
    ends = memory.place(source), memory.place(result, writable=True)
    bus = RegisterBusDriver(dut)
    model = MemoryModel(dut, config, memory, latency=latency, faults=faults)
    await start(dut)
    counters = await bus.launch(copy_program(config, (*ends, lines)), config, 5000)
    model.stop()
    return model, source, result, counters


@cocotb.test()
async def fixed(dut):
    for cycles in json.loads(os.environ["LATENCIES"]):
        model, source, result, counters = await copy(dut, FixedLatency(cycles))
        assert (source == result).all()
        assert counters["cycles"] == json.loads(os.environ["CYCLES"])[str(cycles)]
        assert len(model.reads) == len(model.writes) == 20


@cocotb.test()
async def dram(dut):
    for name, cycles in json.loads(os.environ["CYCLES"]).items():
        model, source, result, counters = await copy(dut, DRAM_PRESETS[name], lines=120)
        assert (source == result).all()
        assert counters["cycles"] == cycles
        assert len(model.reads) == len(model.writes) == 120


@cocotb.test()
async def reordered(dut):
    model, source, result, _ = await copy(dut, RandomLatency(1, 30, 0.3))
    assert (source == result).all()
    first = min(model.writes)
    assert sorted(model.writes) == list(range(first, first + 20)) != model.writes
    assert bench_seed() == 5


@cocotb.test()
async def late(dut):
    model, source, result, counters = await copy(dut, RandomLatency(2, 2, late=0.1))
    assert (source == result).all()
    first = min(model.writes)
    assert sorted(model.writes) == list(range(first, first + 20)) != model.writes
    assert counters["cycles"] > 2 * LATE


@cocotb.test()
async def hangs(dut):
    try:
        await copy(dut, FixedLatency(3), faults=Faults(silent_after=2))
    except TimeoutError as error:
        assert str(error) == "end of the program must be reached within 5000 cycles"
    else:
        raise AssertionError("must not end")


@cocotb.test()
async def fails(dut):
    await start(dut)
    await wait_until(dut, lambda: False, 10, "the impossible")


@cocotb.test()
async def never_ends(dut):
    await start(dut)
    while True:
        await FallingEdge(dut.clk)
