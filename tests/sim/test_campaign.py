"""Random programs, RTL against the functional model: the part with fixed seeds."""

import numpy as np
import pytest
from ember.hw.config import Config
from ember.sim.campaign import FEW, choose, make_trial, run_campaign
from ember.sim.campaign_configs import CONFIGS, campaign_config, random_config
from ember.sim.campaign_main import machines, main
from ember.sim.compare import Mismatch, check_program, compare_queues, expect
from ember.sim.cover_report import coverage_text
from ember.sim.cover_wish import wish_for
from ember.sim.coverage import machine_coverage
from ember.sim.engine import RtlEngine
from ember.sim.latency import FixedLatency
from ember.sim.model import Report
from ember.sim.random_program import random_program
from ember.sim.random_wish import NO_WISH, Wish

PROGRAMS = 30
#: Enough for every legal bin of the preset ``tiny``.
FULL = 900


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.xdist_group(f"rtl-{n}")) for n in CONFIGS]
)
def test_random_programs(name: str, seed: int) -> None:
    """On ``tiny`` every legal bin is hit."""
    config = campaign_config(name)
    coverage, programs = machine_coverage(config), FULL if name == "tiny" else PROGRAMS
    with RtlEngine(config) as engine:
        *_, tally = run_campaign(engine, range(seed, seed + programs), coverage=coverage)
    assert tally.runs == 2 * programs
    assert tally.rows and tally.errors
    assert bool(tally.tokens) == bool(tally.vectors) == bool(config.execute)
    assert not coverage.impossible, coverage_text(coverage)
    if name == "tiny":
        assert coverage.complete, coverage_text(coverage)
    else:
        assert len(coverage.missing) < coverage.legal * 0.6


def test_the_configurations_cover_what_they_promise() -> None:
    configs = [campaign_config(name) for name in CONFIGS]

    def values(field: str) -> set[int]:
        return {getattr(config, field) for config in configs}

    assert values("lanes") >= {1, 4, 8, 16}
    assert values("dataq_depth") >= {1, 2, 64} <= values("ctrlq_depth")
    assert values("mshrs") >= {1, 8, 256}
    assert values("layers") >= {2, 3, 4}
    assert values("fiber_lanes") >= {1, 2, 4, 8}
    assert values("cache_lines") >= {0, 64}
    ways = {(config.store_streams, config.execute) for config in configs}
    assert ways == {(0, 1), (1, 1), (1, 0)}


def test_random_configurations_reach_both_ends() -> None:
    configs = [random_config(seed) for seed in range(300)]
    assert random_config(7) == random_config(7)
    ends = dict(
        lanes=(1, 16), layers=(2, 4), fiber_lanes=(1, 8), mshrs=(1, 256), dataq_depth=(1, 900),
        ctrlq_depth=(1, 900), row_chunks=(1, 256), segments=(1, 256), code_depth=(16, 256),
        row_window=(0, 100), store_streams=(0, 1), execute=(0, 1),
    )  # fmt: skip
    for field, (low, high) in ends.items():
        values = {getattr(config, field) for config in configs}
        assert min(values) == low and max(values) >= high, field
    assert {config.div_interval for config in configs} == {1, 2, 13, 26}
    chosen = machines(["tiny"], 2, 5)
    assert list(chosen) == ["tiny", "random-5", "random-6"]


@pytest.mark.xdist_group("rtl-tiny")
def test_a_campaign_goes_on_from_its_records(tmp_path, capsys) -> None:
    records = tmp_path / "records.jsonl"
    arguments = ["--config", "tiny", "--configurations", "0", "--programs", "3", "--records"]
    # Three programs hit a part of the bins, and so do four times as many: then it stops.
    assert main([*arguments, str(records)]) == 1
    first = capsys.readouterr().out.splitlines()
    assert "tiny: 12 programs, 24 runs, " in first[-2]
    assert first[-1] == "12 programs on 1 configurations: 1 configurations FAILED"
    assert main([*arguments, str(records)]) == 1
    assert capsys.readouterr().out.splitlines() == first[-2:]
    assert len(records.read_text().splitlines()) == 1


def test_few_missing_bins_have_wishes_of_their_own() -> None:
    config = Config.preset("tiny")
    coverage = machine_coverage(config)
    left = set(coverage["pushes"].legal[-FEW + 1 :])
    for group in coverage:
        for at in group.legal:
            if group.name != "pushes" or at not in left:
                group.hit(at)
    single = [wish_for(config, coverage["pushes"], at) for at in left]
    wishes = [choose(config, seed, coverage) for seed in range(100)]
    assert all(wish == NO_WISH or wish in single for wish in wishes)
    assert sum(wish == NO_WISH for wish in wishes) < 40


def test_what_is_overtaken_while_a_queue_is_full_is_very_late() -> None:
    config = Config.preset("tiny")
    pushes = machine_coverage(config)["pushes"]
    for at in pushes.legal:
        late = wish_for(config, pushes, at).latency == "late"
        assert late == (at[2:] == ("held", "overtaken")), at
    trials = [make_trial(config, seed, Wish(latency="late")) for seed in range(9)]
    latencies = {latency for trial in trials for latency in trial.latencies}
    assert len(latencies) > 2 and all(getattr(latency, "late", 0) for latency in latencies)


def test_same_seed_same_trial() -> None:
    config = Config.preset("tiny")
    wish = Wish(fault="row", layer=0, stream="MEM0/8")
    one, two = make_trial(config, 5, wish), make_trial(config, 5, wish)
    assert one.subject.program == two.subject.program
    assert (one.faults, one.latencies, one.resets) == (two.faults, two.latencies, two.resets)
    assert one.note == " wish (layer=0, stream=MEM0/8, fault=row)"


@pytest.mark.xdist_group("rtl-tiny")
class TestTheCheckItself:
    """What the campaign compares can fail: each kind of difference is found."""

    CONFIG = Config.preset("tiny")

    def subject(self):
        """A program with tokens, vectors and an output."""
        for number in range(100):
            subject = random_program(self.CONFIG, number)
            if subject.queues.vectors and subject.queues.rows and not subject.queues.errors:
                return subject
        raise LookupError("no such program in 100 seeds")

    def check(self, subject, expected=None) -> None:
        expected = expected or expect(self.CONFIG, subject)
        with RtlEngine(self.CONFIG) as engine:
            check_program(engine, subject, expected, FixedLatency(5), seed=1)

    def test_the_subject_passes(self) -> None:
        self.check(self.subject())

    def test_a_changed_vector_is_found(self) -> None:
        subject = self.subject()
        lane = next(lane for lane in subject.queues.lanes if len(lane.vectors))
        with RtlEngine(self.CONFIG) as engine:
            result = engine.run(subject.program, subject.memory, probes=True)
        lane.vectors[0, 0] ^= 1
        with pytest.raises(Mismatch, match="vectors of token .* of lane"):
            compare_queues("here", subject.queues, result)

    def test_a_missing_token_is_found(self) -> None:
        subject = self.subject()
        with RtlEngine(self.CONFIG) as engine:
            result = engine.run(subject.program, subject.memory, probes=True)
        lane = next(lane for lane in subject.queues.lanes if lane.tokens)
        lane.tokens.append(lane.tokens[-1])
        with pytest.raises(Mismatch, match="must have .* tokens, not"):
            compare_queues("here", subject.queues, result)

    def test_a_changed_output_is_found(self) -> None:
        subject = self.subject()
        expected = expect(self.CONFIG, subject)
        expected.outputs[-1][-1] ^= np.uint32(1)
        with pytest.raises(Mismatch, match="output word .* of segment"):
            self.check(subject, expected)

    def test_an_error_that_did_not_happen_is_found(self) -> None:
        subject = self.subject()
        expected = expect(self.CONFIG, subject)
        expected.queues.errors.append(Report(1, 0, 0, 0, 0, 0))
        with pytest.raises(Mismatch, match="first error must be one of .*, not None"):
            self.check(subject, expected)
