"""Area and clock of a configuration without synthesis: a linear model of measured machines.

A resource is a sum of terms, each the size of something that a parameter multiplies, with factors
fitted to ``measurements.json`` by least squares of the relative errors. The clock's period is a
constant and a term for each doubling of the area, fitted to those of the measurements that were
routed. ``python -m ember.synth.sweep`` measures again.

How far off a prediction may be is found by leaving each measurement out in turn, fitting to the
others and predicting it.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from ..hw.config import Config
from .figures import RESOURCES, Figures

FILE = "measurements.json"


@dataclass(frozen=True)
class Sample:
    """A measured machine: its configuration, and figures of the whole design."""

    config: Config
    figures: Figures


@dataclass(frozen=True)
class Estimate:
    """A prediction.

    Attributes
    ----------
    figures : predicted
    error : figure's name -> (mean, worst) relative error of predictions of measured machines,
        each made without the measurement that it predicts
    measured : the measured figures of this very configuration, if there are any
    samples : figure's name -> number of measurements behind it
    """

    figures: Figures
    error: dict[str, tuple[float, float]]
    measured: Figures | None
    samples: dict[str, int]


@cache
def samples() -> tuple[Sample, ...]:
    """The measurements in the tree."""
    text = Path(__file__).with_name(FILE).read_text()
    return tuple(
        Sample(Config(**entry["config"]), Figures("machine", **entry["figures"]))
        for entry in json.loads(text)["machines"]
    )


def _area_terms(config: Config) -> list[float]:
    """What the area grows with, each beside the part of the machine that it stands for."""
    lanes, scalar_layers = config.lanes, config.scalar_layers
    return [
        1.0,  # control
        lanes,  # FP lanes, shifters, line buffers
        lanes * 26 / config.div_interval,  # divider
        scalar_layers * config.addr_width,  # layers' stages
        config.fiber_lanes * scalar_layers * config.addr_width,  # fibers and rows in queues
        scalar_layers * config.line_slots * config.addr_width,  # line buffers' directories
    ]


def _terms(name: str, config: Config) -> list[float]:
    if name == "bram":
        # Lines' storage, operand queue and vector registers are as wide as a line.
        return [1.0, config.lanes, config.scalar_layers]
    if name == "dsp":
        return [1.0, config.lanes, config.scalar_layers]
    return _area_terms(config)


def _fit(terms: list[list[float]], values: list[float]) -> np.ndarray:
    """Factors for which the relative errors are least; none is negative."""
    scale = np.array([1 / max(value, 1) for value in values])
    matrix = np.array(terms) * scale[:, None]
    wanted = np.array(values) * scale
    used = list(range(matrix.shape[1]))
    while True:
        factors = np.zeros(matrix.shape[1])
        factors[used] = np.linalg.lstsq(matrix[:, used], wanted, rcond=None)[0]
        negative = [k for k in used if factors[k] < 0]
        if not negative:
            return factors
        used.remove(min(negative, key=lambda k: factors[k]))


def _area(config: Config, known: list[Sample]) -> dict[str, float]:
    area = {}
    for name in RESOURCES:
        terms = [_terms(name, sample.config) for sample in known]
        factors = _fit(terms, [getattr(sample.figures, name) for sample in known])
        area[name] = float(factors @ _terms(name, config))
    return area


def _clock(lut: float, known: list[Sample]) -> float:
    routed = [sample.figures for sample in known if sample.figures.fmax_mhz is not None]
    terms = [[1.0, np.log2(figures.lut)] for figures in routed]
    period = _fit(terms, [1000 / figures.fmax_mhz for figures in routed if figures.fmax_mhz])
    return float(1000 / (period @ [1.0, np.log2(lut)]))


def _predict(config: Config, known: list[Sample]) -> dict[str, float]:
    area = _area(config, known)
    return {**area, "fmax_mhz": _clock(area["lut"], known)}


@cache
def _errors() -> tuple[dict[str, tuple[float, float]], dict[str, int]]:
    found: dict[str, list[float]] = {}
    for sample in samples():
        others = [other for other in samples() if other is not sample]
        predicted = _predict(sample.config, others)
        for name, value in predicted.items():
            actual = getattr(sample.figures, name)
            if actual is not None:
                found.setdefault(name, []).append(abs(value - actual) / max(actual, 1))
    errors = {name: (float(np.mean(each)), max(each)) for name, each in found.items()}
    return errors, {name: len(each) for name, each in found.items()}


def estimate(config: Config) -> Estimate:
    """Predict the whole machine of ``config``."""
    predicted = _predict(config, list(samples()))
    figures = Figures(
        "machine",
        **{name: max(0, round(predicted[name])) for name in RESOURCES},
        fmax_mhz=predicted["fmax_mhz"],
    )
    errors, count = _errors()
    same = [sample.figures for sample in samples() if sample.config == config]
    return Estimate(figures, errors, same[0] if same else None, count)
