"""Classes of queue levels."""

import re

import pytest
from amaranth.hdl import Cat, Module, Signal
from amaranth.sim import Simulator
from ember.hw.occupancy import BINS, bin_levels, occupancy, occupancy_bin


@pytest.mark.parametrize("depth", [1, 2, 3, 6, 7, 8, 9, 32, 1024])
def test_classes_are_in_order_and_their_ends_stand_alone(depth):
    bins = [occupancy_bin(level, depth) for level in range(depth + 1)]
    assert bins == sorted(bins)
    assert bins.count(0) == 1 and bins[0] == 0
    assert bins.count(BINS - 1) == 1 and bins[-1] == BINS - 1
    between = [bins.count(k) for k in range(1, BINS - 1)]
    assert max(between) - min(between) <= 1
    for k, levels in enumerate(bin_levels(depth)):
        assert [n for n, b in enumerate(bins) if b == k] == list(levels)


@pytest.mark.parametrize("depth", [1, 2, 5, 8, 64])
def test_hardware(depth):
    m = Module()
    level, bins = Signal(range(depth + 1)), Signal(BINS)
    m.d.comb += bins.eq(Cat(occupancy(level, depth)))

    async def bench(ctx):
        for value in range(depth + 1):
            ctx.set(level, value)
            assert ctx.get(bins) == 1 << occupancy_bin(value, depth)

    simulator = Simulator(m)
    simulator.add_testbench(bench)
    simulator.run()


@pytest.mark.parametrize(
    "level, depth, message",
    [
        (0, 0, "depth must be at least 1, not 0"),
        (-1, 4, "level must be in 0..4, not -1"),
        (5, 4, "level must be in 0..4, not 5"),
    ],
)
def test_arguments_are_checked(level, depth, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        occupancy_bin(level, depth)
