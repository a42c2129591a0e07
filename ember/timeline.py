"""A run over time, as plain values: exact sums over bins of cycles, all launches in a row."""

from collections.abc import Sequence

import numpy as np

from .parts import Config
from .recorded import Launch, capacities

#: Bins of a run at most, unless it has more launches: each starts a new bin.
BINS = 1024

_STATES = ("starved", "busy", "blocked")


def timeline(launches: Sequence[Launch], config: Config) -> dict:
    """The course of a run, for the report.

    Returns
    -------
    dictionary of plain values:

    - ``launches``: cycles of each
    - ``bin_cycles``, ``bins``: cycles of a full bin, and of each bin
    - ``units``: unit -> ``busy``, ``blocked``, ``starved`` -> cycles in each bin
    - ``ports``: ``read``, ``write`` -> lines requested in each bin
    - ``levels``: ``dataq_level``, ``ctrlq_level``, ``outstanding`` -> ``sum`` over each bin,
      ``peak`` of each bin, ``histogram``: cycles at level 0, 1, ..; ``capacity``
    """
    parts = [launch.recording for launch in launches]
    width = max(part.bin_cycles for part in parts)
    while sum(-(-part.cycles // width) for part in parts) > max(BINS, len(parts)):
        width *= 2

    def bins(values, what=np.add) -> list[int]:
        joined = [what.reduceat(v, range(0, len(v), width // p.bin_cycles))
                  for v, p in zip(values, parts, strict=True) if len(v)]  # fmt: skip
        return np.concatenate(joined).tolist() if joined else []

    first = parts[0]
    levels = {}
    for name in first.levels:
        mine = [part.levels[name] for part in parts]
        histogram = np.zeros(max(len(level.histogram) for level in mine), np.int64)
        for level in mine:
            histogram[: len(level.histogram)] += level.histogram
        levels[name] = {
            "sum": bins([level.sums for level in mine]),
            "peak": bins([level.peaks for level in mine], np.maximum),
            "histogram": histogram.tolist(),
            "capacity": capacities(config)[name],
        }
    return {
        "launches": [part.cycles for part in parts],
        "bin_cycles": width,
        "bins": [
            min(width, part.cycles - start)
            for part in parts
            for start in range(0, part.cycles, width)
        ],
        "units": {
            unit: {
                state: bins([part.units[unit][:, n] for part in parts])
                for n, state in enumerate(_STATES)
            }
            for unit in first.units
        },
        "ports": {port: bins([part.ports[port] for part in parts]) for port in first.ports},
        "levels": levels,
    }
