"""Area and clock of a configuration without synthesis.

The RTL of the machine is generated and what it is made of is counted (:mod:`.cells`). An area is a
sum of those counts, with factors fitted to ``measurements.json`` by least squares of the relative
errors, none below 0. The clock's period is a constant and a term for each doubling of the area,
fitted to the measurements that were routed. ``python -m ember.synth.sweep`` measures again.

How far off a prediction may be is found by leaving each measurement out in turn, fitting to the
others and predicting it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from amaranth.back import rtlil  # pyright: ignore[reportAttributeAccessIssue]

from ..hw.config import Config
from ..hw.top import Machine
from .cells import count
from .figures import RESOURCES, Figures
from .targets import Target

FILE = "measurements.json"

#: What each resource is a sum of. Registers and multiplexers bring look-up tables with them.
_TERMS = {
    "lut": ("mux", "sum", "equal", "gate", "shift", "small_memory"),
    "ff": ("register", "small_memory"),
    "bram": ("block",),
    "dsp": ("multiplier",),
}


@dataclass(frozen=True)
class Sample:
    """A measured machine.

    Attributes
    ----------
    config : what was built
    counts : of its RTL at that time, see :func:`.cells.count`
    figures : of the whole design; ``fmax_mhz`` is None if it was not routed
    """

    config: Config
    counts: dict[str, int]
    figures: Figures


@dataclass(frozen=True)
class Estimate:
    """A prediction.

    Attributes
    ----------
    figures : predicted
    error : figure's name -> (mean, worst) relative error of predictions of measured machines,
        each made without the measurement that it predicts
    measured : the measured figures of this very RTL, if there are any
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
        Sample(
            Config(**entry["config"]), entry["counts"], Figures("machine", **entry["figures"])
        )
        for entry in json.loads(text)["machines"]
    )


@cache
def counts(config: Config) -> dict[str, int]:
    """What the machine of ``config`` is made of, see :func:`.cells.count`."""
    return count(rtlil.convert(Machine(config), name="top", emit_src=False))


def _fit(terms: Sequence[Sequence[float]], values: Sequence[float]) -> np.ndarray:
    """Factors for which the relative errors are least; none is negative."""
    scale = np.array([1 / max(value, 1) for value in values])
    matrix = np.array(terms, float) * scale[:, None]
    wanted = np.array(values) * scale
    used = list(range(matrix.shape[1]))
    while True:
        factors = np.zeros(matrix.shape[1])
        factors[used] = np.linalg.lstsq(matrix[:, used], wanted, rcond=None)[0]
        negative = [k for k in used if factors[k] < 0]
        if not negative:
            return factors
        used.remove(min(negative, key=lambda k: factors[k]))


def _area(counted: dict[str, int], known: list[Sample]) -> dict[str, float]:
    area = {}
    for name, kinds in _TERMS.items():
        terms = [[sample.counts[kind] for kind in kinds] for sample in known]
        factors = _fit(terms, [getattr(sample.figures, name) for sample in known])
        area[name] = float(factors @ [counted[kind] for kind in kinds])
    return area


def _clock(lut: float, known: list[Sample]) -> float:
    routed = [sample.figures for sample in known if sample.figures.fmax_mhz is not None]
    terms = [[1.0, np.log2(figures.lut)] for figures in routed]
    period = _fit(terms, [1000 / figures.fmax_mhz for figures in routed if figures.fmax_mhz])
    return float(1000 / (period @ [1.0, np.log2(lut)]))


def _predict(counted: dict[str, int], known: list[Sample]) -> dict[str, float]:
    area = _area(counted, known)
    return {**area, "fmax_mhz": _clock(area["lut"], known)}


def _errors() -> tuple[dict[str, tuple[float, float]], dict[str, int]]:
    found: dict[str, list[float]] = {}
    for sample in samples():
        others = [other for other in samples() if other is not sample]
        predicted = _predict(sample.counts, others)
        for name, value in predicted.items():
            actual = getattr(sample.figures, name)
            if actual is not None:
                found.setdefault(name, []).append(abs(value - actual) / max(actual, 1))
    errors = {name: (float(np.mean(each)), max(each)) for name, each in found.items()}
    return errors, {name: len(each) for name, each in found.items()}


def estimate(config: Config, target: Target) -> Estimate:
    """Predict the whole machine of ``config``; there is no clock if it does not fit."""
    counted = counts(config)
    predicted = _predict(counted, list(samples()))
    area = Figures(
        "machine", **{name: round(predicted[name]) for name in RESOURCES}, fmax_mhz=None
    )
    figures = area if area.excess(target) else replace(area, fmax_mhz=predicted["fmax_mhz"])
    errors, number = _errors()
    same = [s.figures for s in samples() if s.config == config and s.counts == counted]
    return Estimate(figures, errors, same[0] if same else None, number)
