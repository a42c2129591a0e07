"""Stage against a list: order, loss, rate."""

import random

import pytest
from ember.hw.queues.stage import Stage

from ...support.streams import Bench


@pytest.mark.parametrize("stall", (0.0, 0.3, 0.8))
def test_order_and_content(stall: float, seed: int) -> None:
    rng = random.Random(seed)
    sent = [rng.getrandbits(16) for _ in range(300)]
    dut = Stage(16)
    bench = Bench(dut, seed=seed, stall=stall)
    bench.produce(dut.i, sent)
    got = bench.consume(dut.o, len(sent))
    bench.run()
    assert got == sent
    if not stall:
        assert bench.cycles <= len(sent) + 2  # one per cycle, one cycle late
