"""The machine with a read cache: what the memory sees of it, launch after launch."""

import numpy as np
import pytest
from ember.hw import isa
from ember.hw.config import Config
from ember.sim.bag_program import Bags, fused_bag_program
from ember.sim.campaign_configs import campaign_config
from ember.sim.engine import RtlEngine
from ember.sim.golden import bitwise_equal, embedding_bag
from ember.sim.latency import Faults, FixedLatency, RandomLatency
from ember.sim.memory import Memory

CACHED = campaign_config("cached")
LATENCIES = (FixedLatency(30), RandomLatency(1, 60, 0.2))


class Lookups:
    """400 look-ups in 12 rows: few enough to stay in the cache, many enough for hits."""

    def __init__(self, config: Config, seed: int):
        rng = np.random.default_rng(seed)
        self.table = rng.standard_normal((12, 8), np.float32)
        indices = rng.integers(0, 12, 400).astype(np.int32)
        self.bags = Bags(self.table, indices, np.arange(0, 401, 10, dtype=np.int32))
        self.memory = Memory(config)
        self.program, [self.output] = fused_bag_program(config, self.memory, [self.bags])

    def check(self) -> None:
        wanted = embedding_bag(
            self.table, self.bags.indices, self.bags.offsets, "sum", include_last_offset=True
        )
        compared = bitwise_equal(self.output, wanted)
        assert compared.equal, compared.mismatch


@pytest.mark.xdist_group("rtl-cached")
@pytest.mark.parametrize("latency", LATENCIES, ids=str)
def test_the_host_changes_the_memory_between_launches(latency, seed: int) -> None:
    lookups = Lookups(CACHED, seed)
    with RtlEngine(CACHED) as engine:
        for _ in range(3):
            run = engine.run(lookups.program, lookups.memory, latency=latency, seed=seed)
            assert run.error is None
            lookups.check()
            lookups.table += 1


@pytest.mark.xdist_group("rtl-cached")
@pytest.mark.parametrize("latency", LATENCIES, ids=str)
def test_each_request_counts_once(latency, seed: int) -> None:
    lookups = Lookups(CACHED, seed)
    with RtlEngine(CACHED) as engine:
        run = engine.run(lookups.program, lookups.memory, latency=latency, seed=seed)
    counted = run.counters
    kinds = {name: counted[f"cache_{name}"] for name in ("hits", "merged", "misses", "bypassed")}
    assert sum(kinds.values()) == counted["port_busy"]
    assert counted["lines_memory"] == kinds["misses"] + kinds["bypassed"] == run.traffic.reads
    # Without the hint nothing passes by here but lines of a set whose lines all are coming.
    rows = 12 * 8 // CACHED.lanes
    assert counted["lines_row"] == 400 * 8 // CACHED.lanes
    assert kinds["hits"] + kinds["merged"] >= counted["lines_row"] - rows - kinds["bypassed"]


@pytest.mark.xdist_group("rtl-cached")
def test_a_launch_does_not_depend_on_earlier_ones(seed: int) -> None:
    first, other = Lookups(CACHED, seed), Lookups(CACHED, seed + 1)
    with RtlEngine(CACHED) as engine:
        runs = [
            engine.run(lookups.program, lookups.memory, latency=FixedLatency(30)).counters
            for lookups in (first, other, first)
        ]
    assert runs[0] == runs[2] != runs[1]


@pytest.mark.xdist_group("rtl-cached")
def test_an_error_reaches_all_who_wait_and_is_not_kept(seed: int) -> None:
    lookups = Lookups(CACHED, seed)
    [segment] = lookups.program.segments
    with RtlEngine(CACHED) as engine:
        run = engine.run(
            lookups.program, lookups.memory, latency=FixedLatency(30),
            faults=Faults(read_errors=frozenset([segment.row["base"]])),
        )  # fmt: skip
        assert run.error is not None and run.error.kind == isa.Error.READ
        engine.run(lookups.program, lookups.memory, latency=FixedLatency(30))
        lookups.check()


@pytest.mark.xdist_group("rtl-tiny")
def test_without_a_cache_every_request_goes_to_the_memory(seed: int) -> None:
    config = Config.preset("tiny")
    lookups = Lookups(config, seed)
    with RtlEngine(config) as engine:
        run = engine.run(lookups.program, lookups.memory, latency=FixedLatency(30))
    assert run.counters["lines_memory"] == run.counters["port_busy"] == run.traffic.reads
    assert not any(value for name, value in run.counters.items() if name.startswith("cache_"))
