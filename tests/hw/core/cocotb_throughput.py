"""Exact cycle counts of the Core when nothing but itself can hold it back."""

import random

import cocotb
from bench import Bench, Stalls, config_of_test
from ember.hw.core.fp.lane import ADD_STAGES
from ember.hw.core.stages import RESULT
from ember.hw.isa import Count, Emit, Op, Span, SrcA, SrcC
from stimulus import Stimulus, accumulate, token, word


async def _run(dut, stimulus: Stimulus):
    config = config_of_test()
    bench = Bench(dut, config, random.Random(1))
    await bench.reset()
    await bench.load(stimulus)
    limit = 500 + 40 * (len(stimulus.tokens) + len(stimulus.vectors)) * config.div_interval
    run = await bench.run(stimulus, Stalls(), limit=limit)
    bench.check(stimulus, run)
    return config, run


def _issue_window(run) -> list[str]:
    """Events from the first issue to the last."""
    first = run.events.index("busy")
    last = len(run.events) - run.events[::-1].index("busy")
    return run.events[first:last]


def _independent(config, chunks: int) -> int:
    """Cycles from a row to the next one of the same lane that need no waiting."""
    return max(config.fiber_lanes * chunks, ADD_STAGES)


async def _accumulate(dut, chunks: int, **fields: int):
    config = config_of_test()
    bags, pooling = 4 * config.fiber_lanes, 25
    stimulus = accumulate(config, bags, pooling, chunks=chunks, **fields)
    config, run = await _run(dut, stimulus)
    window = _issue_window(run)
    # The last round ends when its last lane has issued.
    rounds = bags // config.fiber_lanes * pooling
    per_lane = config.fiber_lanes * chunks
    # A bag's first row does not read the register: only rows after it wait.
    waits = (rounds - bags // config.fiber_lanes) * (_independent(config, chunks) - per_lane)
    expected = config.fiber_lanes + rounds * per_lane + waits + 1
    assert len(window) == expected, f"{len(window)} cycles, not {expected}"
    assert window.count("busy") == expected - waits
    assert window.count("wait_hazard") == waits


@cocotb.test()
async def one_chunk(dut):
    """Rows of one vector: one per cycle as soon as the lanes outnumber the adder's stages."""
    await _accumulate(dut, 1)


@cocotb.test()
async def four_chunks(dut):
    """Rows of ADD_STAGES vectors: full rate even with one fiber lane."""
    await _accumulate(dut, 4)


@cocotb.test()
async def fused_multiply_add(dut):
    await _accumulate(dut, 3, op=Op.FMA)


@cocotb.test()
async def maximum(dut):
    await _accumulate(dut, 2, op=Op.MAXN)


async def _gather(dut, chunks: int, **fields: int):
    """Every row is stored: returns what the run took after its first issue."""
    config = config_of_test()
    stimulus = accumulate(config, 64, 1, chunks=chunks, **fields)
    config, run = await _run(dut, stimulus)
    return config, run, _issue_window(run)


@cocotb.test()
async def gather_aligned(dut):
    """One line in, one line out per cycle."""
    for chunks in (1, 2):
        config, run, window = await _gather(dut, chunks)
        assert set(window) == {"busy"}, window
        assert len(run.writes) == 64 * chunks
        assert run.cycles <= 64 * chunks + config.fiber_lanes + RESULT + 12, run.cycles


@cocotb.test()
async def gather_unaligned(dut):
    """Rows that start and end inside a line: as many cycles as lines."""
    config = config_of_test()
    if config.lanes == 1:
        return
    stride = 4 * (3 * config.lanes + 1)
    config, run, _ = await _gather(dut, 2, row_stride=stride)
    lines = len(run.writes)
    assert 64 * 2 < lines <= 64 * 3
    assert run.cycles <= lines + config.fiber_lanes + RESULT + 12, (run.cycles, lines)


@cocotb.test()
async def neighbours_share_lines(dut):
    """Rows shorter than a line, one after the other: full lines leave."""
    config = config_of_test()
    if config.lanes < 4:
        return
    config, run, window = await _gather(dut, 1, tail=config.lanes // 4, row_stride=config.lanes)
    assert set(window) == {"busy"}
    assert len(run.writes) == 64 // 4


@cocotb.test()
async def mean(dut):
    """Division costs no issue slot while the divider keeps up."""
    config = config_of_test()
    pooling = max(2, config.div_interval)
    chunks = min(2, config.row_chunks)
    stimulus = accumulate(config, 4 * config.fiber_lanes, pooling, chunks=chunks, div=1, op=Op.FMA)
    config, run = await _run(dut, stimulus)
    window = _issue_window(run)
    assert "wait_store" not in window, "the divider holds the pipeline up"


@cocotb.test()
async def mean_of_single_rows(dut):
    """Every row is divided: the divider sets the pace."""
    config, run, _ = await _gather(dut, 1, div=1)
    busy = (64 - 1) * config.div_interval
    assert busy <= run.cycles <= busy + RESULT + 60, run.cycles


@cocotb.test()
async def scatter(dut):
    """A row number and a scale from the DataQ: four instructions, four cycles."""
    config = config_of_test()
    rng = random.Random(3)
    shape = {"base": 0x100, "row_stride": 4 * config.lanes, "chunks": 1, "tail": config.lanes}
    code = [
        {"op": Op.POP, "rd": 2},
        {"op": Op.POP, "rd": 3},
        {"op": Op.SETR, "at": 2},
        {"op": Op.FMA, "b": 4, "emit": Emit.ALWAYS, "ret": 1},
    ]
    stimulus = Stimulus([shape], code)
    for n in range(50):
        stimulus.tokens.append(token(lane=n % config.fiber_lanes))
        stimulus.vectors += [[word(rng) for _ in range(config.lanes)] for _ in range(3)]
        stimulus.vectors[-3][0] = rng.randrange(1 << 20)
    stimulus.tokens.append(token(halt=1))
    _, run = await _run(dut, stimulus)
    assert _issue_window(run) == ["busy"] * 201


@cocotb.test()
async def product_then_sum(dut):
    """Two roundings: the sum waits for the product through the multiplier and the adder."""
    config = config_of_test()
    rng = random.Random(4)
    chunks = min(config.row_chunks, 8)
    shape = {"base": 0, "row_stride": 64, "chunks": chunks, "tail": config.lanes}
    code = [
        {"op": Op.MUL, "dst": 1},
        {
            "op": Op.ADD, "a": SrcA.V1, "c": SrcC.V0, "init": 1, "count": Count.FUSED,
            "emit": Emit.LAST, "ret": 1,
        },
    ]  # fmt: skip
    stimulus = Stimulus([shape], code)
    for n in range(20):
        stimulus.tokens.append(token(first=n == 0, last=n == 19, arg=word(rng)))
        stimulus.vectors += [[word(rng) for _ in range(config.lanes)] for _ in range(chunks)]
    stimulus.tokens.append(token(halt=1))
    _, run = await _run(dut, stimulus)
    window = _issue_window(run)
    per_token = 2 * chunks + max(0, RESULT - 1 - chunks)
    assert len(window) == 20 * per_token + 1, len(window)


@cocotb.test()
async def elements(dut):
    """Scalar mode: neighbouring elements of a chunk do not wait for each other."""
    config = config_of_test()
    rng = random.Random(5)
    shape = {"base": 0, "row_stride": 64, "chunks": 1, "tail": config.lanes}
    code = [
        {"op": Op.POP, "rd": 0},
        {"op": Op.ADD, "span": Span.ELEMENT, "c": SrcC.V0, "init": 1, "ret": 1},
        {"op": Op.MOV, "c": SrcC.V0, "count": Count.INC, "emit": Emit.ALWAYS, "ret": 1},
    ]
    stimulus = Stimulus([shape], code)
    for _ in range(6):
        for n in range(config.lanes):
            stimulus.tokens.append(token())
            stimulus.vectors += [[n] * config.lanes, [word(rng)] * config.lanes]
        stimulus.tokens.append(token(pc=2))
    stimulus.tokens.append(token(halt=1))
    config, run = await _run(dut, stimulus)
    if config.lanes >= 4:
        window = _issue_window(run)
        # Only the row's MOV waits, for its last element; the elements after it wait for nothing
        # but the MOV's own result.
        waits = window.count("wait_hazard")
        assert waits <= 6 * (ADD_STAGES - 1) + 5 * (ADD_STAGES - 2), waits
