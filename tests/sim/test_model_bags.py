"""Whole runs of the functional model: fused embedding bags against the golden reference."""

import numpy as np
import pytest
from ember.hw.config import Config
from ember.sim.bag_program import Bags, fused_bag_program
from ember.sim.golden import bitwise_equal, embedding_bag
from ember.sim.memory import Memory
from ember.sim.model import run
from ember.sim.random_floats import random_floats


def random_bags(rng, dim, rows=50, bags=40, **keywords):
    table = random_floats(rng, rows * dim, 0.2, 0.1).reshape(rows, dim)
    lengths = rng.integers(0, 7, bags) * (rng.random(bags) < 0.8)
    index, offset = rng.choice([np.int32, np.int64], 2)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(offset)
    indices = rng.integers(0, rows, offsets[-1]).astype(index)
    if keywords.pop("weighted", False):
        keywords["weights"] = random_floats(rng, len(indices), 0.1, 0.1)
    return Bags(table, indices, offsets, **keywords)


def golden(bags):
    return embedding_bag(
        bags.table, bags.indices, bags.offsets, bags.mode, bags.weights, bags.padding_idx,
        include_last_offset=True, nan=bags.nan, fma=bags.fma,
    )  # fmt: skip


def check(config, tables, offset_bytes=0):
    memory = Memory(config)
    program, outputs = fused_bag_program(config, memory, tables, offset_bytes)
    result = run(program, config, memory)
    assert result.queues.errors == []
    for number, (bags, output) in enumerate(zip(tables, outputs, strict=True)):
        compared = bitwise_equal(output, golden(bags))
        assert compared.equal, f"table {number}: {compared.mismatch}"
    return result


@pytest.mark.parametrize("padding_idx", [None, 7])
@pytest.mark.parametrize(
    "mode",
    [
        dict(mode="sum"), dict(mode="mean"), dict(mode="max"), dict(mode="max", nan="propagate"),
        dict(weighted=True), dict(weighted=True, fma=True), dict(weighted=True, fma=False),
    ],
    ids=lambda mode: "-".join(map(str, mode.values())),
)  # fmt: skip
@pytest.mark.parametrize("preset", ["tiny", "default", "paper"])
def test_every_mode(preset, mode, padding_idx):
    config = Config.preset(preset)
    for seed, dim in enumerate((1, config.lanes - 1, config.lanes + 1, 33)):
        print(f"seed {seed}")
        rng = np.random.default_rng(seed)
        check(config, [random_bags(rng, dim, padding_idx=padding_idx, **mode)], 8 * seed)


@pytest.mark.parametrize("layers", [3, 4])
@pytest.mark.parametrize("lanes", [1, 2, 16])
@pytest.mark.parametrize("fiber_lanes", [1, 8])
def test_shapes_of_the_machine(fiber_lanes, lanes, layers):
    config = Config(lanes=lanes, fiber_lanes=fiber_lanes, layers=layers, addr_width=64)
    rng = np.random.default_rng(lanes)
    check(config, [random_bags(rng, min(9, config.max_dim), mode="mean", padding_idx=0)], 24)


def test_several_tables_and_rows_longer_than_a_register():
    config = Config.preset("tiny")
    rng = np.random.default_rng(5)
    tables = [
        random_bags(rng, 2 * config.max_dim + 3, mode="mean"),
        random_bags(rng, 5, weighted=True, bags=3),
        random_bags(rng, 4, mode="max", bags=0),
        random_bags(rng, config.max_dim, mode="sum", bags=1),
    ]
    result = check(config, tables)
    assert len({t.segment for lane in result.queues.lanes for t in lane.tokens}) == 6


def test_one_token_and_only_data_for_each_entry():
    config = Config.preset("paper")
    bags = random_bags(np.random.default_rng(1), 64, bags=100)
    result = check(config, [bags])
    empty = int(np.count_nonzero(np.diff(bags.offsets) == 0))
    entries = len(bags.indices)
    assert result.queues.tokens == entries + empty + config.fiber_lanes
    assert result.queues.vectors == 4 * entries
    assert result.execute.stores == 100


@pytest.mark.parametrize(
    "changes, tables, text",
    [
        (dict(layers=2), 1, "layers must be at least 3 for bags, not 2"),
        (dict(segments=2), 3, "tables need 3 segments, but the machine has 2"),
    ],
)
def test_bags_that_do_not_fit(changes, tables, text):
    config = Config.preset("tiny").replace(**changes)
    bags = [random_bags(np.random.default_rng(0), 3)] * tables
    with pytest.raises(ValueError) as error:
        fused_bag_program(config, Memory(config), bags)
    assert str(error.value) == text


@pytest.mark.parametrize(
    "keywords, text",
    [
        (dict(mode="min"), "mode must be sum, mean or max, not 'min'"),
        (dict(mode="max", weighted=True), "mode must be sum with weights, not 'max'"),
    ],
)
def test_bad_bags(keywords, text):
    with pytest.raises(ValueError) as error:
        random_bags(np.random.default_rng(0), 3, **keywords)
    assert str(error.value) == text
