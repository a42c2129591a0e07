"""Machines for campaigns: fixed ones at the corners of the configuration space, and random ones."""

import dataclasses

import numpy as np

from ..hw.config import DIV_INTERVALS, Config

#: Machines that together reach every corner of the configuration space: vector widths, single
#: and many fiber lanes, queues of one entry, one to 256 MSHRs, two to four layers, a read cache,
#: store streams with and without an execute unit.
CONFIGS: dict[str, dict[str, int]] = {
    "smallest": dict(
        lanes=1, layers=2, fiber_lanes=1, mshrs=1, addr_width=32, dataq_depth=1, ctrlq_depth=1,
        row_chunks=8, segments=4, code_depth=64, line_slots=2, run_ahead=2, fiber_depth=1,
        div_interval=26,
    ),
    "narrow": dict(
        lanes=1, layers=4, fiber_lanes=8, mshrs=8, addr_width=48, dataq_depth=2, ctrlq_depth=64,
        row_chunks=16, segments=8, code_depth=256, line_slots=8, run_ahead=16, fiber_depth=3,
        div_interval=13,
    ),
    "tiny": {},
    "shallow": dict(
        lanes=4, layers=3, fiber_lanes=4, mshrs=256, addr_width=40, dataq_depth=1, ctrlq_depth=2,
        row_chunks=8, segments=8, code_depth=256, line_slots=4, run_ahead=32, fiber_depth=2,
        div_interval=1,
    ),
    "cached": dict(
        lanes=4, layers=3, fiber_lanes=4, mshrs=32, addr_width=40, dataq_depth=4, ctrlq_depth=4,
        row_chunks=8, segments=8, code_depth=256, line_slots=4, run_ahead=32, fiber_depth=2,
        div_interval=2, cache_lines=64, cache_ways=4, cache_fetches=16,
    ),
    "wide": dict(
        lanes=8, layers=4, fiber_lanes=2, mshrs=8, addr_width=64, dataq_depth=64, ctrlq_depth=1,
        row_chunks=8, segments=4, code_depth=256, line_slots=16, run_ahead=64, fiber_depth=4,
        div_interval=2,
    ),
    "widest": dict(
        lanes=16, layers=3, fiber_lanes=8, mshrs=256, addr_width=48, dataq_depth=64,
        ctrlq_depth=64, row_chunks=8, segments=8, code_depth=256, line_slots=32, run_ahead=256,
        fiber_depth=8, div_interval=1,
    ),
    "both-ways": dict(
        lanes=4, layers=3, fiber_lanes=4, mshrs=16, addr_width=40, dataq_depth=2, ctrlq_depth=2,
        row_chunks=8, segments=8, code_depth=256, line_slots=4, run_ahead=32, fiber_depth=2,
        div_interval=2, store_streams=1,
    ),
    "stores-only": dict(
        lanes=4, layers=3, fiber_lanes=4, mshrs=16, addr_width=40, row_chunks=8, segments=8,
        line_slots=4, run_ahead=32, fiber_depth=2, store_streams=1, execute=0,
    ),
}  # fmt: skip


def campaign_config(name: str) -> Config:
    """One of :data:`CONFIGS`."""
    return Config(**CONFIGS[name]) if CONFIGS[name] else Config.preset(name)


def random_config(seed: int) -> Config:
    """A machine anywhere in the legal range of every parameter.

    Sizes are drawn evenly in their logarithm, so that small and large ones are equally likely.
    What can be left out, such as ``row_window``, has one machine in four.
    """
    rng = np.random.default_rng([seed, 0xC0F])
    while True:
        drawn = {field.name: _draw(rng, field) for field in dataclasses.fields(Config)}
        # What each other rules out, so that the sizes of a seed stay.
        if drawn["store_streams"]:
            drawn["row_window"] = 0
        else:
            drawn["execute"] = 1
        try:
            return Config(**drawn)
        except ValueError:
            continue  # two fields disagree


def _draw(rng: np.random.Generator, field: dataclasses.Field) -> int:
    if field.name == "div_interval":
        return int(rng.choice(DIV_INTERVALS))
    low, high = field.metadata["low"], field.metadata["high"]
    if (low, high) == (0, 1):
        usual = getattr(Config(), field.name)
        return usual if rng.random() < 0.75 else 1 - usual
    if low == 0:
        if rng.random() < 0.75:
            return 0
        low = 1
    if field.metadata["power_of_two"]:
        return 1 << int(rng.integers(low.bit_length() - 1, high.bit_length()))
    if high <= 4 * low:
        return int(rng.integers(low, high + 1))
    return min(high, int(2 ** rng.uniform(np.log2(low), np.log2(high + 1))))
