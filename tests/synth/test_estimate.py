"""Predictions against the measurements that they are made from."""

import pytest
from ember.hw.config import Config
from ember.synth import estimate as module
from ember.synth.estimate import Sample, counts, samples
from ember.synth.figures import RESOURCES, Figures
from ember.synth.targets import TARGETS


def estimate(config):
    return module.estimate(config, TARGETS["ecp5-85f"])


def test_default_was_measured_and_routed():
    (default,) = [s for s in samples() if s.config == Config.preset("default")]
    assert default.figures.fmax_mhz is not None
    predicted = estimate(default.config)
    for name in RESOURCES:
        assert getattr(predicted.figures, name) == pytest.approx(
            getattr(default.figures, name), rel=0.2
        )


def test_measured_figures_are_shown_while_the_rtl_is_that_of_the_measurement(monkeypatch):
    config = Config.preset("tiny")
    figures = Figures("machine", 1000, 900, 8, 7, 60.0)
    same = Sample(config, counts(config), figures)
    other = Sample(config, same.counts | {"mux": same.counts["mux"] - 1}, figures)
    rest = tuple(s for s in samples() if s.config != config)
    monkeypatch.setattr(module, "samples", lambda: (*rest, same))
    assert estimate(config).measured == figures
    monkeypatch.setattr(module, "samples", lambda: (*rest, other))
    assert estimate(config).measured is None


def test_errors_are_those_of_machines_left_out(monkeypatch):
    """A measurement that fits no model shows in its own error, not only in the others'."""
    tiny, known = Config.preset("tiny"), samples()
    before = estimate(tiny).error["lut"]
    counted = known[0].counts
    odd = Sample(tiny.replace(lanes=16), counted, Figures("machine", 5000, 9, 9, 9, None))
    monkeypatch.setattr(module, "samples", lambda: (*known, odd))
    mean, worst = estimate(tiny).error["lut"]
    assert worst > 1 > before[1]
    assert mean > before[0]


@pytest.mark.parametrize("name", RESOURCES)
def test_more_lanes_take_more(name):
    few, many = (
        estimate(Config.preset("tiny").replace(lanes=lanes)).figures for lanes in (4, 16)
    )
    assert getattr(few, name) < getattr(many, name)


def test_the_paper_machine_does_not_fit():
    figures = estimate(Config.preset("paper")).figures
    assert "lut" in figures.excess(TARGETS["ecp5-85f"])
    assert figures.fmax_mhz is None
