"""Predictions against the measurements that they are made from."""

import pytest
from ember.hw.config import Config
from ember.synth import estimate as module
from ember.synth.estimate import Sample, estimate, samples
from ember.synth.figures import RESOURCES, Figures


def test_default_was_measured_and_routed():
    (default,) = [s for s in samples() if s.config == Config.preset("default")]
    assert default.figures.fmax_mhz is not None
    predicted = estimate(default.config)
    assert predicted.measured == default.figures
    for name in RESOURCES:
        assert getattr(predicted.figures, name) == pytest.approx(
            getattr(default.figures, name), rel=0.3
        )


def test_errors_are_those_of_machines_left_out(monkeypatch):
    """A measurement that fits no model shows in its own error, not only in the others'."""
    before = estimate(Config.preset("tiny")).error["lut"]
    odd = Sample(
        Config.preset("tiny").replace(lanes=16), Figures("machine", 5000, 9, 9, 9, None)
    )
    monkeypatch.setattr(module, "samples", lambda: (*samples(), odd))
    module._errors.cache_clear()
    try:
        mean, worst = estimate(Config.preset("tiny")).error["lut"]
    finally:
        module._errors.cache_clear()
    assert worst > 1 > before[1]
    assert mean > before[0]


def test_a_configuration_that_was_not_measured():
    config = Config.preset("tiny").replace(segments=4)
    predicted = estimate(config)
    assert predicted.measured is None
    assert predicted.figures.lut > 0


@pytest.mark.parametrize("name", RESOURCES)
def test_more_lanes_take_more(name):
    few, many = (
        estimate(Config.preset("default").replace(lanes=lanes)).figures for lanes in (4, 8)
    )
    assert getattr(few, name) < getattr(many, name)


def test_the_paper_machine_does_not_fit():
    from ember.synth.targets import TARGETS

    figures = estimate(Config.preset("paper")).figures
    assert "lut" in figures.excess(TARGETS["ecp5-85f"])
