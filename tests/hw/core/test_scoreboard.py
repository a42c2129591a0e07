"""Which distances wait, and which take which bypass."""

import pytest
from amaranth.sim import Simulator
from ember.hw.config import Config
from ember.hw.core.fp.lane import ADD_STAGES
from ember.hw.core.scoreboard import Scoreboard
from ember.hw.core.stages import RESULT

_WRITER = {"lane": 2, "index": 1, "chunk": 5, "element": 0, "position": 0}
_READER = _WRITER | {"index": 0}


def _outcomes(writer: dict, reader: dict, *, a=None, c=None, late=0):
    """(hazard, a_bypass, c_bypass) at each distance 1 + late .. RESULT + 2 of reader and writer.

    The reader is compared at the first of them and waits from then on.
    """
    dut = Scoreboard(Config(lanes=8, fiber_lanes=4, row_chunks=8))
    seen = []

    async def process(ctx):
        ctx.set(dut.i, writer)
        ctx.set(dut.coming, 1)
        ctx.set(dut.load, 1)
        await ctx.tick()
        ctx.set(dut.there, 1)
        ctx.set(dut.writes, 1)
        ctx.set(dut.issue, 1)
        ctx.set(dut.i, reader)
        ctx.set(dut.read_a, a is not None)
        ctx.set(dut.a, a or 0)
        ctx.set(dut.read_c, c is not None)
        ctx.set(dut.c, c or 0)
        if late:
            # Some other steps first; what comes then is not waited for.
            ctx.set(dut.i, reader | {"chunk": 0})
            for _ in range(late):
                await ctx.tick()
                ctx.set(dut.issue, 0)
            ctx.set(dut.i, reader)
        await ctx.tick()
        ctx.set(dut.issue, 0)
        ctx.set(dut.load, 0)
        for _ in range(RESULT + 2 - late):
            hazard = not ctx.get(dut.clear)
            seen.append((hazard, ctx.get(dut.a_bypass), ctx.get(dut.c_bypass)))
            await ctx.tick()

    sim = Simulator(dut)
    sim.add_clock(1e-6)
    sim.add_testbench(process)
    sim.run()
    return seen


def test_addend():
    hazard, _, bypass = zip(*_outcomes(_WRITER, _READER, c=1), strict=True)
    assert list(hazard) == [1] * (ADD_STAGES - 1) + [0] * (RESULT + 3 - ADD_STAGES)
    assert list(bypass) == [0] * (ADD_STAGES - 1) + [1, 2, 4] + [0] * (RESULT - ADD_STAGES)


def test_multiplicand():
    hazard, bypass, _ = zip(*_outcomes(_WRITER, _READER, a=1), strict=True)
    assert list(hazard) == [1] * (RESULT - 2) + [0] * 4
    assert list(bypass) == [0] * (RESULT - 2) + [1, 2, 0, 0]


@pytest.mark.parametrize("late", range(1, RESULT + 2))
def test_waiting_or_compared_late(late):
    """A comparison that has aged is the one that is made now."""
    at_once = _outcomes(_WRITER, _READER, a=1, c=1)
    assert _outcomes(_WRITER, _READER, a=1, c=1, late=late) == at_once[late:]


@pytest.mark.parametrize("other", [{"lane": 3}, {"chunk": 4}])
def test_independent_rows(other):
    outcomes = _outcomes(_WRITER, _READER | other, a=1, c=1)
    assert set(outcomes) == {(0, 0, 0)}


def test_other_register():
    assert set(_outcomes(_WRITER, _READER, a=0, c=0)) == {(0, 0, 0)}


def test_no_read():
    assert set(_outcomes(_WRITER, _READER)) == {(0, 0, 0)}


@pytest.mark.parametrize(
    ("writer", "reader", "waits"),
    [
        ({"element": 1, "position": 3}, {"element": 1, "position": 3}, True),
        ({"element": 1, "position": 3}, {"element": 1, "position": 2}, False),
        ({"element": 1, "position": 3}, {}, True),
        ({}, {"element": 1, "position": 3}, True),
    ],
)
def test_elements(writer, reader, waits):
    outcomes = _outcomes(_WRITER | writer, _READER | reader, c=1)
    assert any(hazard for hazard, _, _ in outcomes) == waits
    # The bypass is told by chunk alone; its mask takes the elements that were written.
    assert [bypass for _, _, bypass in outcomes if bypass] == [1, 2, 4]
