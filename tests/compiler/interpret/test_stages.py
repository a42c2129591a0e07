"""Every stage of a compiled bag, interpreted, gives the golden reference's bits."""

import numpy as np
import pytest
from ember.compiler.interpret.interpret import interpret
from ember.compiler.pipeline import LEVELS, run
from ember.compiler.spec import BagSpec
from ember.hw.config import Config
from ember.sim.golden import embedding_bag
from ember.sim.random_floats import random_floats

MODES = [
    dict(mode="sum"),
    dict(mode="mean", padding_idx=2),
    dict(mode="max"),
    dict(mode="max", nan="propagate"),
    dict(mode="sum", weighted=True),
    dict(mode="sum", weighted=True, padding_idx=2),
]


@pytest.mark.parametrize("opt", LEVELS)
@pytest.mark.parametrize("mode", MODES, ids=str)
def test_bags(mode, opt, seed):
    rng = np.random.default_rng(seed)
    config = Config.preset("tiny").replace(row_chunks=2)
    lengths = rng.integers(0, 4, 6) * (rng.random(6) < 0.8)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    lookups = int(offsets[-1])
    spec = BagSpec("t", 9, 11, 6, lookups, offset_type="i32", out_stride=13, **mode)
    arguments = dict(
        offsets=offsets,
        indices=rng.integers(0, 9, lookups),
        table=random_floats(rng, 99).reshape(9, 11),
        weights=random_floats(rng, lookups),
    )
    expected = embedding_bag(
        arguments["table"], arguments["indices"], offsets, spec.mode,
        weights=arguments["weights"] if spec.weighted else None, padding_idx=spec.padding_idx,
        include_last_offset=True, nan=spec.nan, fma=spec.fma,
    )  # fmt: skip
    arguments = {name: arguments[name] for name in spec.roles if name != "out"}
    for stage, module in run(config, [spec], opt):
        whole = np.full((6, 13), 7.0, np.float32)
        outcome = interpret(
            module, {**arguments, "out": whole[:, :11]}, fiber_lanes=config.fiber_lanes,
            addr_width=config.addr_width,
        )  # fmt: skip
        assert not outcome.faults
        found = whole[:, :11].copy()
        assert np.array_equal(found.view(np.uint32), expected.view(np.uint32)), stage
        assert np.all(whole[:, 11:] == 7.0), stage


@pytest.mark.parametrize("fiber_lanes", [1, 2, 4])
def test_lanes_share_the_rows(fiber_lanes, seed):
    """Each lane has its own queue, and all together have every row's token."""
    rng = np.random.default_rng(seed)
    spec = BagSpec("t", 9, 4, 7, 14, pooling=2)
    *_, (_, module) = run(Config.preset("tiny"), [spec], "O3")
    table, indices = random_floats(rng, 36).reshape(9, 4), rng.integers(0, 9, 14)
    out = np.zeros((7, 4), np.float32)
    outcome = interpret(
        module, dict(indices=indices, table=table, out=out), fiber_lanes=fiber_lanes
    )
    [queues] = outcome.queues
    rows = [len([w for w in works if w.token.callback == "row_beg"]) for works in queues.lanes]
    assert rows == [2 * len(range(lane, 7, fiber_lanes)) for lane in range(fiber_lanes)]
    expected = embedding_bag(table, indices, np.arange(0, 14, 2), "sum")
    assert np.array_equal(out.view(np.uint32), expected.view(np.uint32))
