"""cocotb bench of the whole machine: random programs over the register bus, ports stalled."""

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge, RisingEdge
from ember.hw import isa
from ember.hw.occupancy import BINS
from ember.sim.cocotb_drivers import (
    MemoryModel,
    RegisterBusDriver,
    bench_config,
    bench_seed,
    start,
)
from ember.sim.latency import FixedLatency, RandomLatency
from ember.sim.model import execute
from ember.sim.random_program import UNTOUCHED, random_program

CONFIG = bench_config()
REGISTER = {name: address for name, address, _, _ in isa.REGISTERS}
SITUATIONS = {
    "free": FixedLatency(3),
    "reordered": RandomLatency(1, 60, 0.2),
    "blocked": RandomLatency(1, 10, 0.7),
}
_LIMIT = 120_000  # cycles of one launch


def _expected(subject) -> list[np.ndarray]:
    for output in subject.outputs:
        output.fill(UNTOUCHED)
    execute(subject.program, CONFIG, subject.queues, subject.memory)
    expected = [output.copy() for output in subject.outputs]
    for output in subject.outputs:
        output.fill(UNTOUCHED)
    return expected


def _check(subject, expected) -> None:
    for output, wanted in zip(subject.outputs, expected, strict=True):
        np.testing.assert_array_equal(output, wanted)
        output.fill(UNTOUCHED)


def _check_activity(counters: dict[str, int]) -> None:
    """Every unit is in one state in each cycle, every queue in one class."""
    cycles = counters["cycles"]
    for unit in isa.units(CONFIG):
        states = [counters[f"{unit}_{state}"] for state in ("busy", "blocked", "starved")]
        assert sum(states) == cycles, (unit, states, cycles)
    for queue in ("dataq", "ctrlq"):
        bins = [counters[f"{queue}_bin{k}"] for k in range(BINS)]
        assert sum(bins) == cycles, (queue, bins, cycles)
    # What two counters say in their own ways.
    assert counters["loads_busy"] == counters["port_busy"]
    assert counters["loads_blocked"] == counters["port_mshr"] + counters["port_memory"]
    assert counters["execute_busy"] == counters["exec_busy"]
    assert counters["execute_blocked"] == counters["exec_hazard"] + counters["exec_store"]
    assert counters["execute_starved"] == counters["exec_token"] + counters["exec_data"]
    assert counters["store_busy"] == counters["lines_out"]


@cocotb.test()
@cocotb.parametrize(situation=list(SITUATIONS), number=list(range(4)))
async def random_programs(dut, situation: str, number: int) -> None:
    """Two launches back to back store the model's result, and count the same work."""
    seed = bench_seed() + number
    subject = random_program(CONFIG, seed, rows=25)
    expected = _expected(subject)
    MemoryModel(dut, CONFIG, subject.memory, latency=SITUATIONS[situation], seed=seed)
    bus = RegisterBusDriver(dut)
    await start(dut)
    for _ in range(2):
        counters = await bus.launch(subject.program, CONFIG, _LIMIT)
        _check(subject, expected)
        _check_activity(counters)
        assert counters["rows"] == subject.queues.rows
        assert counters["vectors"] == subject.queues.vectors
        assert counters["lines_row"] == subject.queues.lines["lines_row"]
        status = await bus.read(REGISTER["STATUS"])
        assert bool(status & 4) == bool(subject.queues.errors)


@cocotb.test()
async def snapshots_while_running(dut) -> None:
    """They agree in themselves, grow, and change neither the results nor the cycles."""
    seed = bench_seed()
    subject = random_program(CONFIG, seed, rows=60)
    expected = _expected(subject)
    memory = MemoryModel(dut, CONFIG, subject.memory, latency=FixedLatency(30), seed=seed)
    bus = RegisterBusDriver(dut)
    await start(dut)
    final = await bus.launch(subject.program, CONFIG, _LIMIT)
    _check(subject, expected)
    reads = len(memory.reads)
    await bus.write(REGISTER["CONTROL"], 1)
    last = await bus.snapshot()
    assert 0 < last["cycles"] < final["cycles"]
    for _ in range(_LIMIT):
        counters = await bus.snapshot()
        _check_activity(counters)
        assert all(last[name] <= value for name, value in counters.items())
        last = counters
        if await bus.read(REGISTER["STATUS"]) & 2:
            break
    assert await bus.counters() == final
    assert len(memory.reads) == 2 * reads
    _check(subject, expected)


@cocotb.test()
async def reset_in_the_middle(dut) -> None:
    """After a reset at any moment the next run is clean; a start while busy changes nothing."""
    seed = bench_seed()
    subject = random_program(CONFIG, seed, rows=25)
    expected = _expected(subject)
    MemoryModel(dut, CONFIG, subject.memory, latency=RandomLatency(5, 40, 0.2), seed=seed)
    bus = RegisterBusDriver(dut)
    await start(dut)
    for cycles in (1, 30, 77, 200, 333):
        await bus.load(subject.program.image(CONFIG))
        await bus.write(REGISTER["SEGMENTS"], len(subject.program.segments))
        await bus.write(REGISTER["CONTROL"], 1)
        for _ in range(cycles):
            await FallingEdge(dut.clk)
        await bus.write(REGISTER["CONTROL"], 1)
        dut.rst.value = 1
        await RisingEdge(dut.clk)
        await FallingEdge(dut.clk)
        dut.rst.value = 0
        for output in subject.outputs:
            output.fill(UNTOUCHED)
        await bus.launch(subject.program, CONFIG, _LIMIT)
        _check(subject, expected)


@cocotb.test()
async def identity(dut) -> None:
    """What a driver asks before it loads a program."""
    bus = RegisterBusDriver(dut)
    await start(dut)
    assert await bus.read(REGISTER["ID"]) == isa.ID_VALUE
    assert f"{await bus.read(REGISTER['CONFIG_HASH']):08x}" == CONFIG.hash
    assert await bus.read(REGISTER["STATUS"]) == 0
