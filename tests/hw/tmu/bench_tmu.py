"""cocotb bench of the access unit: random programs, all ports stalled, against the model."""

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge
from ember.hw import isa, layouts
from ember.sim.cocotb_drivers import MemoryModel, StreamSink, bench_config, bench_seed, start
from ember.sim.compare import compare_queues
from ember.sim.latency import FixedLatency, RandomLatency
from ember.sim.random_program import random_program
from ember.sim.result import RunResult

CONFIG = bench_config()
#: (memory, stall of the queue ends): free running, reordered, and blocked most of the time.
SITUATIONS = {
    "free": (FixedLatency(3), 0.0),
    "reordered": (RandomLatency(1, 60, 0.2), 0.2),
    "blocked": (RandomLatency(1, 10, 0.6), 0.8),
}


async def _load(dut, program) -> None:
    for address, value in program.image(CONFIG):
        dut.program__window.value = address >> isa.WINDOW_SHIFT
        dut.program__entry.value = address >> isa.ENTRY_SHIFT & 0x7FF
        dut.program__word.value = address & (1 << isa.ENTRY_SHIFT) - 1
        dut.program__value.value = value
        await FallingEdge(dut.clk)
    dut.program__window.value = 0


def _result(tokens: list[dict], vectors: list[list[int]]) -> RunResult:
    """The sinks' catch in the form that the native engine's probes give."""
    fields = list(layouts.token(CONFIG).members)
    rows = [tuple(token[name] for name in fields) for token in tokens]
    packed = np.array(rows, dtype=[(name, np.uint64) for name in fields])
    words = np.array(vectors, np.uint32).reshape(-1, CONFIG.lanes)
    return RunResult(0, {}, None, packed, words, 0.0)


@cocotb.test()
@cocotb.parametrize(situation=list(SITUATIONS), number=list(range(6)))
async def random_programs(dut, situation: str, number: int) -> None:
    seed = bench_seed() + number
    latency, stall = SITUATIONS[situation]
    subject = random_program(CONFIG, seed, rows=30)
    MemoryModel(dut, CONFIG, subject.memory, latency=latency, seed=seed, write=None)
    tokens = StreamSink(dut, "token_o", layouts.token(CONFIG), stall=stall, seed=seed)
    vectors = StreamSink(dut, "vector_o", layouts.vector(CONFIG), stall=stall, seed=seed + 1)
    dut.start.value = 0
    await start(dut)
    await _load(dut, subject.program)
    # The second start finds every queue and buffer as the first run left them.
    for _ in range(2):
        tokens.received.clear()
        vectors.received.clear()
        dut.segments.value = len(subject.program.segments)
        dut.start.value = 1
        await FallingEdge(dut.clk)
        dut.start.value = 0
        await tokens.expect(subject.queues.tokens + 1, 60_000)
        await vectors.expect(subject.queues.vectors, 1_000)
        for _ in range(20):  # nothing may follow
            await FallingEdge(dut.clk)
        where = f"configuration {CONFIG.hash}, seed {seed}, {situation}"
        compare_queues(where, subject.queues, _result(tokens.received, vectors.received))
