"""Waveform files: one per launch, never one over the other."""

from contextlib import contextmanager

import numpy as np
from ember.sim.result import RunResult

import ember
from ember import execute


def test_one_file_per_launch(monkeypatch, tiny):
    waves = []

    class Engine:
        def run(self, *_, wave, **__):
            waves.append(wave)
            return RunResult(1, {}, None, None, None, 0.0)

    @contextmanager
    def borrowed(*_):
        yield Engine()

    monkeypatch.setattr(execute, "borrowed", borrowed)
    lookup = dict(table=np.zeros((2, 1), np.float32), indices=[0], offsets=[0])
    for count, wave, expected in (
        (1, "x.vcd", ["x.vcd"]),
        (9, "x.vcd", ["x.0.vcd", "x.1.vcd"]),
        (9, "a.b/x", ["a.b/x.0", "a.b/x.1"]),
    ):
        waves.clear()
        ember.embedding_bags([ember.Lookup(**lookup)] * count, config=tiny, wave=wave)
        assert waves == expected
