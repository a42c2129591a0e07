"""Recordings of the ``tiny`` machine: exact, complete, and equal to what the machine counts."""

import functools

import numpy as np
import pytest
from ember.hw.activity import Activity, units
from ember.hw.config import Config
from ember.sim.bag_program import Bags, fused_bag_program
from ember.sim.engine import RtlEngine
from ember.sim.latency import Faults, FixedLatency, RandomLatency
from ember.sim.memory import Memory
from ember.sim.random_program import random_program
from ember.sim.recording import step_counts
from ember.sim.result import Hang

# One worker builds and loads the simulator for all of these.
pytestmark = pytest.mark.xdist_group("rtl-tiny")

CONFIG = Config.preset("tiny")
ALL = (0, 1 << 60)
LATENCIES = [FixedLatency(1), FixedLatency(40), RandomLatency(1, 60, stall=0.3)]


@functools.cache
def engine() -> RtlEngine:
    return RtlEngine(CONFIG)


def bags(seed: int, bags: int = 30, dim: int = 9):
    """A program and its memory."""
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(0, 6, bags))]).astype(np.int32)
    indices = rng.integers(0, 50, int(offsets[-1]), np.int32)
    memory = Memory(CONFIG)
    table = rng.standard_normal((50, dim), np.float32)
    program, _ = fused_bag_program(CONFIG, memory, Bags(table, indices, offsets))
    return program, memory


def record(seed: int, latency, window=ALL, **options):
    program, memory = bags(seed, **options)
    return engine().run(
        program, memory, latency=latency, seed=seed, record=window, probes=True, max_cycles=100_000
    )


def by_cycle(changes: np.ndarray, stop: int) -> np.ndarray:
    """The value in each cycle."""
    lengths = np.diff([*changes[:, 0], stop])
    return np.repeat(changes[:, 1], lengths)


@pytest.mark.parametrize("latency", LATENCIES, ids=str)
def test_sums_are_the_counters(seed, latency):
    result = record(seed, latency)
    recording, counters = result.recording, result.counters
    assert recording.cycles == result.cycles == counters["cycles"]
    assert tuple(recording.units) == units(CONFIG)
    for unit, states in recording.units.items():
        total = states.sum(axis=0)
        for state in Activity:
            assert total[state.value] == counters[f"{unit}_{state.name.lower()}"], (unit, state)
        assert total.sum() == result.cycles
    assert recording.ports["read"].sum() == counters["port_busy"]
    assert recording.ports["write"].sum() == counters["lines_out"]
    assert recording.levels["outstanding"].sums.sum() == counters["outstanding_sum"]
    for level, peak in (
        ("outstanding", "outstanding_peak"), ("dataq_level", "dataq_peak"),
        ("ctrlq_level", "ctrlq_peak"),
    ):  # fmt: skip
        found = recording.levels[level]
        assert found.peaks.max() == len(found.histogram) - 1 == counters[peak]
        assert found.histogram.sum() == result.cycles
        assert found.histogram @ np.arange(len(found.histogram)) == found.sums.sum()


@pytest.mark.parametrize("latency", LATENCIES, ids=str)
def test_bins_are_sums_of_the_changes(seed, latency):
    result = record(seed, latency, bags=200)
    recording = result.recording
    assert recording.cycles > 1024, "so that bins were merged"
    assert recording.bin_cycles in {2**n for n in range(1, 12)}
    starts = np.arange(0, recording.cycles, recording.bin_cycles)
    assert len(starts) <= 1024
    for unit, states in recording.units.items():
        values = by_cycle(recording.changes[unit], recording.cycles)
        for state in Activity:
            expected = np.add.reduceat(values == state.value, starts, dtype=np.int64)
            assert states[:, state.value].tolist() == expected.tolist()
    for port, lines in recording.ports.items():
        values = by_cycle(recording.changes[port], recording.cycles)
        assert lines.tolist() == np.add.reduceat(values, starts).tolist()
    for name, level in recording.levels.items():
        values = by_cycle(recording.changes[name], recording.cycles)
        assert level.sums.tolist() == np.add.reduceat(values, starts).tolist()
        assert level.peaks.tolist() == np.maximum.reduceat(values, starts).tolist()
        assert level.histogram.tolist() == np.bincount(values).tolist()


def check_tokens(result, program):
    """Every token, in order, issues in as many cycles as its callback has steps, and no other."""
    recording = result.recording
    tokens = recording.tokens
    for name in result.tokens.dtype.names:
        assert tokens[name].tolist() == result.tokens[name].tolist(), name
    assert len(tokens) == result.counters["tokens"] + 1, "and the one that halts"
    busy = by_cycle(recording.changes["execute"], recording.cycles) == Activity.BUSY.value
    before = np.concatenate([[0], np.cumsum(busy)])
    steps = step_counts(program)
    end = 0
    for token in tokens:
        wanted = 1 if token["halt"] else steps[token["segment"]][token["pc"]]
        assert before[token["end"]] - before[token["begin"]] == wanted
        assert token["pushed"] < token["begin"] >= end
        assert busy[token["begin"]] and busy[token["end"] - 1]
        end = token["end"]
    issued = sum(before[t["end"]] - before[t["begin"]] for t in tokens)
    assert issued == result.counters["exec_busy"]


@pytest.mark.parametrize("latency", LATENCIES, ids=str)
def test_tokens(seed, latency):
    program, _ = bags(seed)
    check_tokens(record(seed, latency), program)


@pytest.mark.parametrize("number", range(12))
def test_tokens_of_random_programs(seed, number):
    subject = random_program(CONFIG, seed + number, 40)
    result = engine().run(
        subject.program, subject.memory, latency=LATENCIES[number % 3], seed=number, probes=True,
        record=ALL, max_cycles=1_000_000,
    )  # fmt: skip
    check_tokens(result, subject.program)


@pytest.mark.parametrize("window", [(0, 1), (100, 101), (37, 300), (0, 0), (300, ALL[1])])
def test_a_window_is_a_part_of_the_whole(seed, window):
    whole = record(seed, FixedLatency(20)).recording
    part = record(seed, FixedLatency(20), window).recording
    assert part.cycles == whole.cycles > 300
    for unit, states in whole.units.items():
        assert np.array_equal(part.units[unit], states)
    assert part.window == (window[0], min(window[1], whole.cycles))
    for name, changes in whole.changes.items():
        expected = by_cycle(changes, whole.cycles)[slice(*window)]
        found = part.changes[name]
        assert len(found) or not len(expected)
        if len(found):
            assert found[0, 0] == window[0]
            assert by_cycle(found, part.window[1]).tolist() == expected.tolist()
    inside = (whole.tokens["end"] > window[0]) & (whole.tokens["end"] <= window[1])
    assert part.tokens.tolist() == whole.tokens[inside].tolist()


def test_recording_changes_nothing(seed):
    program, memory = bags(seed)
    runs = [
        engine().run(program, memory, latency=RandomLatency(1, 30, 0.2), seed=seed, record=window)
        for window in (None, (0, 0), ALL, None)
    ]
    assert all(run.counters == runs[0].counters for run in runs)
    assert runs[0].recording is None and runs[3].recording is None


def test_a_hang_has_what_was_recorded(seed):
    program, memory = bags(seed)
    with pytest.raises(Hang) as caught:
        engine().run(
            program, memory, latency=FixedLatency(20), faults=Faults(silent_after=30),
            record=ALL, max_cycles=2000,
        )  # fmt: skip
    recording = caught.value.recording
    assert recording.cycles == 1999, "the start takes one"
    assert by_cycle(recording.changes["outstanding"], recording.cycles)[-1] > 0
