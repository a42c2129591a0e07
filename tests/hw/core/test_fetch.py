"""Token dispatch: one instruction per cycle, across tokens."""

import pytest
from ember.hw.config import Config
from ember.hw.core.fetch import Fetch
from ember.hw.isa import Op

from ...support.program import load_memory
from ...support.streams import Bench

_CONFIG = Config.preset("tiny")
#: Callbacks of one, two and three instructions at 0, 1 and 3.
_CODE = [
    {"op": Op.ADD, "ret": 1},
    {"op": Op.MUL},
    {"op": Op.ADD, "ret": 1},
    {"op": Op.POP},
    {"op": Op.SETA},
    {"op": Op.MOV, "ret": 1},
]
_LENGTHS = {0: 1, 1: 2, 3: 3}


def _token(**fields):
    names = ("pc", "lane", "segment", "first", "last", "skip", "halt", "arg")
    return {name: fields.get(name, 0) for name in names}


@pytest.mark.parametrize("stall", [0.0, 0.5])
def test_callbacks_follow_without_a_bubble(stall):
    dut = Fetch(_CONFIG)
    bench = Bench(dut, 3, stall=stall)
    ready = load_memory(bench, dut.program, _CONFIG, "code", _CODE)
    pcs = [0, 0, 1, 3, 0, 3, 1, 1] * 10
    tokens = [_token(pc=pc, arg=n) for n, pc in enumerate(pcs)] + [_token(halt=1)]
    bench.produce(dut.token_i, tokens, start=ready + 1)

    async def start(ctx):
        await ctx.tick().repeat(ready)
        ctx.set(dut.start, 1)
        await ctx.tick()
        ctx.set(dut.start, 0)

    bench.process(start)
    count = sum(_LENGTHS[pc] for pc in pcs) + 1
    seen = bench.consume(dut.o, count, lambda i: (i.arg, i.halt, i.pop, i.set, i.vector))
    bench.run()
    kinds = {0: [(0, 0, 1)], 1: [(0, 0, 1)] * 2, 3: [(1, 0, 0), (0, 1, 0), (0, 0, 1)]}
    expected = [(n, 0, *kind) for n, pc in enumerate(pcs) for kind in kinds[pc]]
    assert seen == [*expected, (0, 1, 0, 0, 0)]
    if not stall:
        assert bench.cycles <= ready + count + 5


def test_nothing_is_taken_after_halt():
    dut = Fetch(_CONFIG)
    bench = Bench(dut, 4)
    seen = bench.consume(dut.o, 1, lambda i: i.halt)
    taken = []

    async def send(ctx):
        ctx.set(dut.start, 1)
        await ctx.tick()
        ctx.set(dut.start, 0)
        ctx.set(dut.token_i.payload, _token(halt=1))
        ctx.set(dut.token_i.valid, 1)
        while True:
            _, _, ready = await ctx.tick().sample(dut.token_i.ready)
            taken.append(ready)

    bench.process(send)
    bench.run(extra_cycles=20)
    assert seen == [1]
    assert sum(taken) == 1
