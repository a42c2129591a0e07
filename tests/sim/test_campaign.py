"""Random programs, RTL against the functional model: the part with fixed seeds."""

import pytest
from ember.hw.config import Config
from ember.sim.campaign import (
    CONFIGS,
    Mismatch,
    campaign_config,
    check_program,
    compare_queues,
    run_campaign,
)
from ember.sim.engine import RtlEngine
from ember.sim.latency import FixedLatency
from ember.sim.random_program import random_program

PROGRAMS = 40


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.xdist_group(f"rtl-{n}")) for n in CONFIGS]
)
def test_random_programs(name: str, seed: int) -> None:
    with RtlEngine(campaign_config(name)) as engine:
        *_, tally = run_campaign(engine, range(seed, seed + PROGRAMS))
    assert tally.runs == 2 * PROGRAMS
    assert tally.tokens and tally.vectors and tally.rows and tally.errors


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

    def check(self, subject) -> None:
        with RtlEngine(self.CONFIG) as engine:
            check_program(engine, subject, FixedLatency(5), seed=1)

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
        with RtlEngine(self.CONFIG) as engine:
            honest = engine.run

            def run(*arguments, **options):
                result = honest(*arguments, **options)
                subject.outputs[-1][-1] ^= 1
                return result

            engine.run = run  # type: ignore[method-assign]
            with pytest.raises(Mismatch, match="output word .* of segment"):
                check_program(engine, subject, FixedLatency(5), seed=1)

    def test_an_error_that_did_not_happen_is_found(self) -> None:
        subject = self.subject()
        from ember.sim.model import Report

        subject.queues.errors.append(Report(1, 0, 0, 0, 0, 0))
        with pytest.raises(Mismatch, match="first error must be one of .*, not None"):
            self.check(subject)
