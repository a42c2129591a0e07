"""Waveform files and traces of a run of several launches: cycles count on, files do not collide."""

from contextlib import contextmanager

import numpy as np
import pytest
from ember.sim.result import RunResult

import ember
from ember import launches

LOOKUP = dict(table=np.zeros((2, 1), np.float32), indices=[0], offsets=[0])


@pytest.fixture
def calls(monkeypatch):
    """Keyword arguments of each launch; a launch takes 100 cycles."""
    seen = []

    class Engine:
        def run(self, *_, **options):
            seen.append(options)
            return RunResult(100, {}, None, None, None, 0.0)

    @contextmanager
    def borrowed(*_):
        yield Engine()

    monkeypatch.setattr(launches, "borrowed", borrowed)
    return seen


def run(tiny, count, **options):
    # tiny has 8 segments, so that 9 lookups are 2 launches.
    ember.embedding_bags([ember.Lookup(**LOOKUP)] * count, config=tiny, **options)


def test_one_file_per_launch(calls, tiny):
    for count, expected in ((1, ["a.b/x.vcd"]), (9, ["a.b/x.0.vcd", "a.b/x.1.vcd"])):
        calls.clear()
        run(tiny, count, wave="a.b/x.vcd")
        assert [str(call["wave"].path) for call in calls] == expected


@pytest.mark.parametrize(
    ("first", "last", "windows"),
    [
        (0, 99, [(0, 100), (0, 0)]),
        (100, 100, [(100, 101), (0, 1)]),
        (250, 260, [(250, 261), (150, 161), (50, 61)]),
    ],
)
def test_cycles_count_over_all_launches(calls, tiny, first, last, windows):
    run(tiny, 8 * len(windows), wave="x.fst", wave_from=first, wave_to=last, trace=(first, last))
    waves = [call["wave"] for call in calls]
    assert [(wave.start, wave.stop) for wave in waves] == windows
    assert [wave.offset for wave in waves] == [100 * n for n in range(len(windows))]
    assert [call["record"] for call in calls] == windows


def test_without_a_window_all_cycles(calls, tiny):
    run(tiny, 9, wave="x.vcd", timeline=True)
    assert all(call["wave"].start == 0 and call["wave"].stop > 1 << 47 for call in calls)
    assert [call["record"] for call in calls] == [(0, 0), (0, 0)]
    calls.clear()
    run(tiny, 1)
    assert calls[0]["wave"] is None and calls[0]["record"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(wave="x.lxt"), "waveform file must end in .vcd or .fst, not 'x.lxt'"),
        (dict(wave=3), "wave must be the name of a file, not 3"),
        (dict(wave_from=3), "wave_from must come with wave"),
        (dict(wave_to=3), "wave_to must come with wave"),
        (dict(wave="x.vcd", wave_from=4, wave_to=3), "wave_from must be at most wave_to, 3, not 4"),
        (
            dict(wave="x.vcd", wave_from=-1),
            "wave_from must be a cycle 0..281474976710655, not -1",
        ),
        (dict(wave="x.vcd", wave_to="9"), "wave_to must be an integer, not '9'"),
        (dict(trace=5), "trace must be a pair of cycles, not 5"),
        (dict(trace=(5, 4)), "trace_from must be at most trace_to, 4, not 5"),
        (
            dict(trace=(0, 1 << 48)),
            "trace_to must be a cycle 0..281474976710655, not 281474976710656",
        ),
        (dict(timeline=1), "timeline must be True or False, not 1"),
        (dict(wave="x.vcd", engine="functional"), "wave must come with engine 'rtl', not "
                                                  "'functional'"),
        (dict(trace=(0, 1), engine="functional"), "trace must come with engine 'rtl', not "
                                                  "'functional'"),
        (dict(timeline=True, engine="functional"), "timeline must come with engine 'rtl', not "
                                                   "'functional'"),
    ],
)  # fmt: skip
def test_refusals(options, message):
    with pytest.raises((TypeError, ValueError)) as caught:
        ember.RunOptions(**options)
    assert str(caught.value) == message
