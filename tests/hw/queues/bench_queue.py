"""cocotb bench of a queue with a token payload: order under random stalls, level in each cycle."""

import random

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly
from ember.hw import layouts
from ember.sim.cocotb_drivers import (
    StreamSink,
    StreamSource,
    bench_config,
    bench_seed,
    known,
    start,
)
from ember.sim.packing import pack, unpack

CONFIG = bench_config()
SHAPE = layouts.token(CONFIG)


@cocotb.test()
@cocotb.parametrize(stall_i=[0.0, 0.5, 0.9], stall_o=[0.0, 0.5, 0.9])
async def order_and_level(dut, stall_i: float, stall_o: float) -> None:
    rng = random.Random(bench_seed())
    width = SHAPE.size
    words = [rng.getrandbits(width) for _ in range(400)]
    source = StreamSource(dut, "i", SHAPE, stall=stall_i)
    sink = StreamSink(dut, "o", SHAPE, stall=stall_o)
    await start(dut)
    source.send(*(unpack(SHAPE, word) for word in words))
    cycles = 0
    while len(sink.received) < len(words):
        cycles += 1
        assert cycles < 100 * len(words), f"{len(sink.received)} of {len(words)} words came"
        await FallingEdge(dut.clk)
        held = source.sent - len(sink.received)
        await ReadOnly()
        assert known(dut.level) == held
        assert known(dut.high_water) == (held >= -(-3 * CONFIG.ctrlq_depth // 4))
    assert [pack(SHAPE, value) for value in sink.received] == words
