"""The native engine, on a small machine that copies lines: tests/sim/copier.py."""

import dataclasses
import functools
import re

import numpy as np
import pytest
from ember.hw import isa
from ember.hw.config import Config
from ember.sim.dram_presets import DRAM_PRESETS
from ember.sim.engine import RtlEngine
from ember.sim.latency import LATE, MAX_LATENCY, Faults, FixedLatency, RandomLatency
from ember.sim.memory import Memory
from ember.sim.result import ConfigMismatch, Hang

from .copier import Copier, copy_program

CONFIG = Config.preset("tiny")
SIZE = CONFIG.line_bytes
WORDS = CONFIG.lanes
#: Copies one line at a time: waits are then easy to count.
SHORT = FixedLatency(10)


@functools.cache
def engine() -> RtlEngine:
    return RtlEngine(CONFIG, machine=Copier)


class Copy:
    """``lines`` lines to copy, in a memory of their own."""

    def __init__(self, lines: int, segments: int = 1):
        self.memory = Memory(CONFIG)
        rng = np.random.default_rng(lines)
        self.source = rng.integers(0, 1 << 32, lines * WORDS, dtype=np.uint32)
        self.result = np.zeros_like(self.source)
        self.source_at = self.memory.place(self.source)
        self.result_at = self.memory.place(self.result, writable=True)
        step = lines // segments
        self.program = copy_program(
            CONFIG,
            *((self.source_at + n * step * SIZE, self.result_at + n * step * SIZE, step)
              for n in range(segments)),
        )  # fmt: skip

    def run(self, latency=SHORT, **options):
        self.result[:] = 0
        return engine().run(
            self.program, self.memory, latency=latency, **{"max_cycles": 100_000, **options}
        )

    @property
    def good(self) -> bool:
        return bool((self.result == self.source).all())


@pytest.mark.parametrize("lines", [1, 2, 7, 64])
@pytest.mark.parametrize("latency", [1, 2, 3, 200])
def test_copy(lines, latency):
    copy = Copy(lines)
    run = copy.run(FixedLatency(latency))
    assert copy.good
    assert run.error is None
    assert run.counters["port_busy"] == run.counters["lines_out"] == lines
    assert run.traffic.reads == run.traffic.read_answers == lines
    assert run.traffic.writes == run.traffic.write_answers == lines
    assert run.traffic.stray_reads == run.traffic.stray_writes == 0
    assert 0 < run.counters["cycles"] <= run.cycles
    assert run.tokens is None and run.vectors is None
    assert set(run.counters) == {name for name, _ in isa.COUNTERS}


def test_latency_is_from_request_to_answer():
    copy = Copy(1)
    cycles = {n: copy.run(FixedLatency(n)).counters["cycles"] for n in (1, 2, 11)}
    # A read and a write, one after the other.
    assert cycles[2] - cycles[1] == 2
    assert cycles[11] - cycles[1] == 20


def test_one_request_per_cycle():
    # Eight slots: a latency of eight keeps them all busy without a gap.
    copy = Copy(64)
    assert copy.run(FixedLatency(6)).counters["cycles"] < 64 + 24


def test_answers_overtake_each_other():
    copy = Copy(64)
    order = copy.run(FixedLatency(9), probes=True).tokens["arg"]
    assert order.tolist() == list(range(64))
    order = copy.run(RandomLatency(1, 30), probes=True).tokens["arg"]
    assert copy.good
    assert sorted(order) == list(range(64))
    assert order.tolist() != list(range(64))


def test_late_answers_are_overtaken_by_all_that_come_before_them():
    copy = Copy(64)
    at_once = copy.run(RandomLatency(2, 2), probes=True)
    assert at_once.tokens["arg"].tolist() == list(range(64))
    some = copy.run(RandomLatency(2, 2, late=0.1), probes=True)
    assert copy.good
    order = some.tokens["arg"].tolist()
    late = [n for n, line in enumerate(order) if line < max(order[:n], default=0)]
    assert 1 <= len(late) < 32 and sorted(order) == list(range(64))
    # A read and a write may be late one after the other, and no more than a few times so.
    assert 2 * LATE < some.cycles - at_once.cycles < 64 * 2 * LATE
    every = copy.run(RandomLatency(2, 2, late=0.999), probes=True)
    # Reads in groups of as many as may be outstanding, then the last write.
    assert every.cycles >= 2 * LATE * (64 // CONFIG.mshrs + 1)


@pytest.mark.parametrize("seed", range(5))
def test_back_pressure(seed):
    copy = Copy(64, segments=4)
    run = copy.run(RandomLatency(1, 40, stall=0.6), seed=seed)
    assert copy.good
    assert run.counters["outstanding_peak"] == CONFIG.mshrs


@pytest.mark.parametrize("name", DRAM_PRESETS)
def test_dram(name):
    copy, dram = Copy(300, segments=3), DRAM_PRESETS[name]
    run = copy.run(dram)
    assert copy.good
    seen = run.dram
    assert seen is not None and (seen.dram, seen.line_bytes) == (dram, SIZE)
    assert (seen.reads, seen.writes) == (300, 300)
    # A line of 16 bytes costs a burst.
    assert (seen.read_bursts, seen.write_bursts) == (300, 300)
    assert seen.row_hits + seen.row_misses + seen.row_conflicts == 600
    assert seen.bytes_per_cycle == pytest.approx(600 * SIZE / run.cycles)
    assert 0 < seen.of_peak < seen.bus_busy < 1
    assert seen.mean_read_cycles > dram.overhead_cycles
    assert seen.bus_busy / seen.of_peak == pytest.approx(dram.burst_bytes / SIZE)
    # The same again: nothing is left of the last run, and another model leaves nothing either.
    copy.run(RandomLatency(1, 30))
    assert copy.run(dram).dram == seen
    assert copy.run(FixedLatency(3)).dram is None


def test_dram_that_goes_silent():
    copy = Copy(64)
    with pytest.raises(Hang):
        copy.run(DRAM_PRESETS["hbm2"], faults=Faults(silent_after=10), max_cycles=5000)
    assert copy.run(DRAM_PRESETS["hbm2"]).error is None


def test_seed_decides():
    copy = Copy(64)
    cycles = [copy.run(RandomLatency(1, 40, 0.3), seed=seed).cycles for seed in (1, 1, 2, 3)]
    assert cycles[0] == cycles[1]
    assert len(set(cycles)) > 1


def test_probes():
    copy = Copy(6, segments=2)
    run = copy.run(probes=True)
    assert run.tokens is not None and run.vectors is not None
    assert run.tokens["segment"].tolist() == [0, 0, 0, 1, 1, 1]
    assert run.tokens["last"].tolist() == [0, 0, 1, 0, 0, 1]
    assert run.tokens["arg"].tolist() == [0, 1, 2, 0, 1, 2]
    assert run.vectors.dtype == np.uint32
    assert (run.vectors == copy.source.reshape(-1, WORDS)).all()
    assert len(copy.run(probes=True).tokens) == 6


def test_recording_changes_nothing():
    copy = Copy(16)
    assert copy.run(probes=True).counters == copy.run().counters


class Views:
    """Segments as given, not only those that Memory would make."""

    def __init__(self, *segments):
        self._segments = segments

    def segments(self):
        return self._segments


def test_segments_that_end_within_a_line():
    source = np.arange(1, 4 * SIZE + 1, dtype=np.uint8)
    target = np.zeros(4 * SIZE, np.uint8)
    memory = Views(
        # Given out of order; the first ends in the middle of a word, the second starts one
        # byte later, and the third begins and ends within one line.
        (0x1000 + SIZE + 6, SIZE, source[SIZE + 6 : 2 * SIZE + 6], False),
        (0x1000, SIZE + 5, source[: SIZE + 5], False),
        (0x1000 + 3 * SIZE + 4, 3, source[3 * SIZE + 4 : 3 * SIZE + 7], False),
        (0x2000, 4 * SIZE, target, True),
    )
    program = copy_program(CONFIG, (0x1000, 0x2000, 4))
    run = engine().run(program, memory, latency=SHORT, max_cycles=1000)
    want = np.zeros_like(source)
    for base, size, view, _ in memory.segments()[:3]:
        want[base - 0x1000 : base - 0x1000 + size] = view
    assert target.tolist() == want.tolist()
    assert run.traffic.stray_reads == 0


def test_reads_outside_are_zero():
    target = np.full(2 * SIZE, 7, np.uint8)
    memory = Views((0x2000, target.nbytes, target, True))
    program = copy_program(CONFIG, (0x1000, 0x2000, 2))
    run = engine().run(program, memory, latency=SHORT, max_cycles=1000)
    assert not target.any()
    assert run.traffic.stray_reads == 2
    assert run.error is None


def test_writes_outside_are_errors():
    copy = Copy(4)
    program = copy_program(CONFIG, (copy.source_at, 0x100000, 4))
    run = engine().run(program, copy.memory, latency=SHORT, max_cycles=1000)
    assert run.traffic.stray_writes == 4
    assert run.traffic.first_stray_write == 0x100000
    assert run.error is not None and run.error.kind is isa.Error.WRITE
    assert str(run.error) == "WRITE error in segment 0, layer 0, position 0: value 0"


def test_writes_to_what_may_only_be_read():
    copy = Copy(4)
    before = copy.source.copy()
    program = copy_program(CONFIG, (copy.result_at, copy.source_at, 4))
    run = engine().run(program, copy.memory, latency=SHORT, max_cycles=1000)
    assert run.traffic.stray_writes == 4
    assert run.traffic.first_stray_write == copy.source_at
    assert (copy.source == before).all()


def test_partly_writable_line():
    source = np.arange(SIZE, dtype=np.uint8)
    target = np.zeros(SIZE - 2, np.uint8)
    memory = Views((0x1000, SIZE, source, False), (0x2000, SIZE - 2, target, True))
    program = copy_program(CONFIG, (0x1000, 0x2000, 1))
    run = engine().run(program, memory, latency=SHORT, max_cycles=1000)
    assert target.tolist() == source[:-2].tolist()
    assert run.traffic.stray_writes == 1


def test_segment_of_another_shape():
    memory = Views((0x1000, 16, np.zeros(4, np.uint32), True))
    with pytest.raises(ValueError, match=r"^segment at 0x1000 must be 16 contiguous bytes, not"):
        engine().run(copy_program(CONFIG, (0, 0, 1)), memory)


def test_read_error():
    copy = Copy(8)
    faults = Faults(read_errors=frozenset({copy.source_at + 5 * SIZE + 3}))
    run = copy.run(faults=faults)
    assert run.error is not None
    assert (run.error.kind, run.error.position) == (isa.Error.READ, 5)
    # The next run forgets the fault and the report.
    assert copy.run().error is None
    assert copy.good


def test_write_error():
    copy = Copy(8)
    run = copy.run(faults=Faults(write_errors=frozenset({copy.result_at + 2 * SIZE})))
    assert run.error is not None and run.error.kind is isa.Error.WRITE
    assert run.traffic.stray_writes == 0
    assert not copy.result[2 * WORDS : 3 * WORDS].any()


def test_memory_that_never_answers():
    copy = Copy(20)
    with pytest.raises(Hang) as caught:
        copy.run(faults=Faults(silent_after=3), max_cycles=5000, probes=True)
    assert caught.value.message == (
        "machine did not finish within 5000 cycles: memory owes 8 of 11 reads"
    )
    dump = caught.value.dump.splitlines()
    assert "status: busy=1 done=0 error=0" in dump
    assert "memory: 11 reads, 3 answered; 3 writes, 3 acknowledged" in dump
    assert "left = 17" in dump
    assert "waiting: answers waits for its producer" in dump
    assert caught.value.state == {
        "running": 1,
        "store.valid": 0, "store.ready": 1, "answers.valid": 0, "answers.ready": 1, "left": 17,
    }  # fmt: skip
    copy.run(probes=True)
    assert copy.good


def test_time_limit():
    copy = Copy(4)
    with pytest.raises(Hang) as caught:
        copy.run(faults=Faults(silent_after=0), max_cycles=10**12, max_seconds=1e-9)
    said = re.match(
        r"machine did not finish within 1e-09 s \((\d+) cycles\): memory", caught.value.message
    )
    assert said
    # Looking at the registers takes a few more cycles.
    counted = re.search(r"\bcycles=(\d+)", caught.value.dump)
    assert counted and 0 <= int(counted[1]) - int(said[1]) <= 100
    assert int(said[1]) >= 1000


@pytest.mark.parametrize("cycles", [1, 20, 57, 111])
def test_reset_in_the_middle(cycles):
    copy = Copy(64, segments=2)
    clean = copy.run().counters
    with pytest.raises(Hang):
        copy.run(max_cycles=cycles)
    # Answers on their way at the reset must not turn up in the next run.
    assert copy.run().counters == clean
    assert copy.good


def test_launches_back_to_back():
    copies = [Copy(n, segments) for n, segments in ((64, 8), (3, 1), (16, 2))]
    first = [copy.run().counters for copy in copies]
    again = [copy.run().counters for copy in copies]
    assert first == again
    assert all(copy.good for copy in copies)


def test_explicit_reset():
    copy = Copy(8)
    before = copy.run().counters
    engine().reset()
    assert copy.run().counters == before


def test_program_of_another_configuration():
    copy = Copy(1)
    other = dataclasses.replace(copy.program, config_hash="00000000")
    with pytest.raises(ConfigMismatch) as caught:
        engine().run(other, copy.memory)
    assert str(caught.value) == (
        f"program is for configuration 00000000, but the machine is {CONFIG.hash}"
    )


def test_waveform(tmp_path):
    copy = Copy(4)
    plain = copy.run()
    path = tmp_path / "copy.vcd"
    assert copy.run(wave=path).counters == plain.counters
    text = path.read_text()
    assert "$enddefinitions" in text
    assert "read__request__valid" in text
    with pytest.raises(OSError, match=r"^waveform file /nonexistent/x.vcd cannot be written$"):
        copy.run(wave="/nonexistent/x.vcd")


def test_wide_lines():
    # Ports of more than 64 bits with fields at odd places, in the other direction than tiny's.
    config = CONFIG.replace(lanes=2, addr_width=41)
    with RtlEngine(config, machine=Copier) as wide:
        memory = Memory(config)
        source = np.arange(1, 2 * 9 + 1, dtype=np.uint32) * np.uint32(0x01020304)
        result = np.zeros_like(source)
        far = (1 << 40) + 64 * 1024
        memory.map(far, source)
        memory.map(far + 4096, result, writable=True)
        program = copy_program(config, (far, far + 4096, 9))
        run = wide.run(program, memory, latency=RandomLatency(1, 9, 0.2), max_cycles=10_000)
    assert run.error is None
    assert (source == result).all()


def test_close_is_repeatable():
    other = RtlEngine(CONFIG, machine=Copier)
    other.build()
    other.close()
    other.close()


def test_two_engines_do_not_share():
    first, second = RtlEngine(CONFIG, machine=Copier), RtlEngine(CONFIG, machine=Copier)
    one, two = Copy(8), Copy(16)
    with first, second:
        for target, copy in ((first, one), (second, two), (first, one)):
            copy.result[:] = 0
            target.run(copy.program, copy.memory, latency=SHORT, max_cycles=10_000)
            assert copy.good


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: FixedLatency(0), f"latency must be 1..{MAX_LATENCY} cycles, not 0"),
        (lambda: RandomLatency(5, 4), "must be a range within 1..1048576 cycles, not 5..4"),
        (lambda: RandomLatency(1, 2, 1.0), "stall must be a probability below 1, not 1.0"),
        (lambda: RandomLatency(1, 2, late=-0.1), "late must be a probability below 1, not -0.1"),
        (
            lambda: RandomLatency(1, 16385, late=0.1),
            "latency must be at most 16384 cycles where requests may be late, not 16385",
        ),
    ],
)
def test_latency_refuses(make, message):
    with pytest.raises(ValueError) as caught:
        make()
    assert message in str(caught.value)
