"""The DRAM model: C++ and Python agree, no timing is violated, rates are those of the analysis."""

import itertools
import random
from dataclasses import replace

import pytest
from ember.sim.dram import Dram, DramTiming
from ember.sim.dram_presets import DRAM_PRESETS

from .dram_checker import violations
from .dram_runs import Requests, native, python

IDLE = Requests()


def random_dram(rng: random.Random) -> Dram:
    """Any legal memory, small enough that all its parts meet."""
    cl, cwl, burst = rng.randint(2, 20), rng.randint(1, 16), rng.randint(1, 4)
    ccd_s, rrd_s, wtr_s = burst + rng.randint(0, 2), rng.randint(1, 6), rng.randint(1, 5)
    rp, rcd = rng.randint(1, 16), rng.randint(1, 16)
    ras = rng.randint(1, 40)
    timing = dict(
        burst=burst, cl=cl, cwl=cwl, rcd=rcd, rp=rp, ras=ras, rc=ras + rng.randint(0, 2 * rp),
        ccd_s=ccd_s, ccd_l=ccd_s + rng.randint(0, 4), rrd_s=rrd_s, rrd_l=rrd_s + rng.randint(0, 4),
        faw=rng.randint(1, 60), wr=rng.randint(1, 18), wtr_s=wtr_s,
        wtr_l=wtr_s + rng.randint(0, 6), rtp=rng.randint(1, 9),
        rtw=max(1, cl + burst - cwl) + rng.randint(0, 4), rfc=rng.randint(1, 100), refi=1 << 20,
    )  # fmt: skip
    pause = DramTiming(**timing).refresh_pause
    timing["refi"] = rng.randint(2 * pause, 8 * pause)
    parts = ["bank", "channel", "column", "group"]
    rng.shuffle(parts)
    burst_bytes = rng.choice([8, 16, 32, 64])
    interleave = burst_bytes << rng.randint(0, 3)
    write_queue = rng.randint(1, 12)
    write_high = rng.randint(1, write_queue)
    return Dram(
        name="random", memory_mhz=rng.randint(100, 2000), clock_mhz=rng.randint(100, 2000),
        channels=1 << rng.randint(0, 2), groups=1 << rng.randint(0, 2),
        banks=1 << rng.randint(0, 2), row_bytes=interleave << rng.randint(0, 3),
        burst_bytes=burst_bytes, timing=DramTiming(**timing), row_bus=rng.random() < 0.5,
        interleave_bytes=interleave, mapping=":".join(["row", *parts]), hashed=rng.random() < 0.5,
        read_queue=rng.randint(1, 12), write_queue=write_queue, write_high=write_high,
        write_low=rng.randint(0, write_high - 1), hit_cap=rng.choice([1, 2, 4, 16]),
        overhead_ns=rng.randint(0, 30),
    )  # fmt: skip


def random_requests(rng: random.Random, count: int, period: int) -> Requests:
    """Runs of neighbours and jumps, in a few rows of each bank, with pauses."""
    lines, earliest, line, cycle = [], [], 0, 0
    span, jump, pause = 1 << rng.randint(2, 14), rng.random(), rng.choice([0.0, 0.05, 0.5])
    for _ in range(count):
        line = rng.randrange(span) if rng.random() < jump else line + 1
        cycle += rng.randint(1, 60) if rng.random() < pause else 0
        lines.append(line)
        earliest.append(cycle)
    busy = [rng.random() < rng.choice([0.0, 0.4]) for _ in range(period - 1)]
    return Requests(lines, earliest, [*busy, False])


@pytest.mark.parametrize("case", range(30))
def test_both_engines_take_the_same_cycles(case, seed):
    rng = random.Random(f"{seed} {case}")
    dram, period = random_dram(rng), rng.randint(1, 20)
    line_bytes = rng.choice([4, 16, 32, 64])
    reads = random_requests(rng, rng.choice([0, 50, 300]), period)
    writes = random_requests(rng, rng.choice([1, 50, 200]), period)
    ours, theirs = (run(dram, line_bytes, reads, writes) for run in (native, python))
    assert ours == theirs
    assert ours.counts["reads"] == len(reads.lines)
    bursts = dram.bursts(line_bytes)
    assert ours.counts["read_bursts"] == bursts * len(reads.lines)
    assert ours.counts["write_bursts"] == bursts * len(writes.lines)
    kinds = sum(ours.counts[name] for name in ("row_hits", "row_misses", "row_conflicts"))
    assert kinds == bursts * (len(reads.lines) + len(writes.lines))
    assert not list(violations(dram, ours.commands, ours.counts["clocks"]))


@pytest.mark.parametrize("name", DRAM_PRESETS)
def test_both_engines_agree_on_the_presets(name, seed):
    rng = random.Random(f"{seed} {name}")
    dram = DRAM_PRESETS[name]
    reads, writes = random_requests(rng, 1500, 9), random_requests(rng, 300, 9)
    assert native(dram, 64, reads, writes) == python(dram, 64, reads, writes)


@pytest.mark.parametrize("case", range(30))
def test_no_timing_is_violated(case, seed):
    rng = random.Random(f"{seed} timing {case}")
    dram = random_dram(rng) if case % 3 else DRAM_PRESETS[rng.choice(sorted(DRAM_PRESETS))]
    reads, writes = (random_requests(rng, rng.choice([1, 5000]), 1) for _ in range(2))
    run = native(dram, 64, reads, writes)
    assert run.commands
    assert not list(violations(dram, run.commands, run.counts["clocks"]))


#: Rule -> the settings, and by how much, that break it behind the back of the validation.
MUTANTS = {
    name: (name, -1)
    for name in (
        "rcd", "rp", "ras", "rc", "ccd_s", "ccd_l", "rrd_s", "rrd_l", "faw", "wr", "wtr_s",
        "wtr_l", "rtp", "rtw", "rfc",
    )
} | {"refi": ("refi", 1000), "command bus": ("row_bus", 1), "data bus": ("rtw", -7)}  # fmt: skip


@pytest.mark.parametrize("rule", MUTANTS)
def test_the_checker_finds_mutants(rule, seed):
    rng = random.Random(f"{seed} mutants")
    base = DRAM_PRESETS["ddr4-2400"]
    # No other distance may hide the one that is changed.
    timing = replace(base.timing, rc=60 if rule == "rc" else 55, rtw=14)
    dram = replace(base, timing=timing, interleave_bytes=64, hashed=False)
    name, change = MUTANTS[rule]
    own = getattr(timing, name, getattr(dram, name, 0))
    found = set()
    # One group, few rows, many rows.
    for span, step in ((1 << 4, 4), (1 << 7, 1), (1 << 20, 1)):
        reads, writes = (
            Requests([rng.randrange(0, span, step) for _ in range(6000)]) for _ in range(2)
        )
        good = native(dram, 64, reads, writes)
        assert not list(violations(dram, good.commands, good.counts["clocks"]))
        bad = native(dram, 64, reads, writes, mutant={name: own + change})
        found |= {rule for rule, _ in violations(dram, bad.commands, bad.counts["clocks"])}
    assert rule in found


@pytest.mark.parametrize("kind", ["activate", "precharge", "precharge_all", "refresh"])
def test_the_checker_misses_a_command(kind, seed):
    rng = random.Random(f"{seed} missing")
    dram = DRAM_PRESETS["ddr4-2400"]
    run = native(dram, 64, Requests([rng.randrange(1 << 20) for _ in range(3000)]), IDLE)
    kept = list(run.commands)
    del kept[next(n for n, command in enumerate(kept) if command.kind == kind)]
    assert list(violations(dram, kept, run.counts["clocks"]))


def busy(dram: Dram, run) -> float:
    """Share of the data buses' clocks that carried data."""
    bursts = run.counts["read_bursts"] + run.counts["write_bursts"]
    return bursts * dram.timing.burst / (run.counts["clocks"] * dram.channels)


@pytest.mark.parametrize("name, channels", [("ddr4-2400", 1), ("ddr4-2400", 2), ("hbm2", 2)])
def test_streaming_reaches_the_peak(name, channels):
    dram = replace(DRAM_PRESETS[name], channels=channels)
    run = native(dram, 64, Requests(range(30_000)), IDLE)
    # All that is lost is the time of the refreshes, and what they close.
    timing = dram.timing
    assert 1 - 1.15 * timing.refresh_pause / timing.refi < busy(dram, run) < 1
    assert run.counts["row_hits"] > 0.9 * run.counts["read_bursts"]


@pytest.mark.parametrize("name", DRAM_PRESETS)
def test_rows_of_one_bank_take_a_row_cycle_each(name):
    dram = replace(DRAM_PRESETS[name], hashed=False)
    count, timing = 500, dram.timing
    lines = [n << dram.address_bits()["row"][0] >> 6 for n in range(count)]
    run = native(replace(dram, burst_bytes=64), 64, Requests(lines), IDLE)
    pauses = run.counts["refreshes"] / dram.channels * timing.refresh_pause
    assert count * timing.rc <= run.counts["clocks"] <= count * (timing.rc + 1) + pauses + 100
    assert run.counts["row_conflicts"] + run.counts["row_misses"] == count
    assert run.counts["row_hits"] == 0


@pytest.mark.parametrize("banks", [1, 2, 4])
def test_random_rows_are_limited_by_the_banks(banks, seed):
    rng = random.Random(f"{seed} banks")
    base = DRAM_PRESETS["ddr4-2400"]
    timing = replace(base.timing, rrd_s=1, rrd_l=1, faw=1)
    dram = replace(base, timing=timing, groups=1, banks=banks)
    count = 4000
    run = native(dram, 64, Requests([rng.randrange(1 << 30) for _ in range(count)]), IDLE)
    rate = count / run.counts["clocks"] / (banks / timing.rc)
    assert 0.85 < rate <= 1


def test_random_rows_are_limited_by_the_activation_window(seed):
    rng = random.Random(f"{seed} window")
    dram = DRAM_PRESETS["ddr4-2400"]
    count = 8000
    run = native(dram, 64, Requests([rng.randrange(1 << 30) for _ in range(count)]), IDLE)
    rate = count / run.counts["clocks"] / (4 / dram.timing.faw)
    assert 0.85 < rate <= 1


def test_latency_of_a_lone_read():
    dram = replace(DRAM_PRESETS["ddr4-2400"], clock_mhz=1200, overhead_ns=0)
    timing = dram.timing
    run = native(dram, 64, Requests([0, 1], [10, 500]), IDLE)
    # A cycle into the queue, a clock until the READ may follow, a cycle of answering.
    closed = 1 + timing.rcd + timing.cl + timing.burst + 1
    opened = 1 + timing.cl + timing.burst + 1
    spent = [a - b for a, b in zip(run.answered[0], run.accepted[0], strict=True)]
    assert spent == [closed, opened]
    assert run.counts["read_cycles"] == sum(spent)
    slower = native(replace(dram, overhead_ns=20), 64, Requests([0]), IDLE)
    assert slower.answered[0][0] - slower.accepted[0][0] == closed + 23  # 24 cycles, 1 before


def test_a_small_line_costs_a_burst_and_a_large_one_several():
    dram = DRAM_PRESETS["hbm2"]
    for line_bytes, bursts in ((4, 1), (16, 1), (32, 1), (64, 2)):
        run = native(dram, line_bytes, Requests(range(100)), IDLE)
        assert run.counts["read_bursts"] == 100 * bursts


def test_reads_and_writes_share_a_channel():
    # Neither starves, and neither pays for a turn at every access.
    dram = DRAM_PRESETS["ddr4-2400"]
    run = native(dram, 64, Requests(range(5000)), Requests(range(1 << 20, (1 << 20) + 5000)))
    assert 0.8 < max(run.answered[0]) / max(run.answered[1]) < 1.25
    assert busy(dram, run) > 0.6
    turns = sum(
        a.kind != b.kind
        for a, b in itertools.pairwise(c for c in run.commands if c.kind in ("read", "write"))
    )
    assert turns <= 10_000 / 12


def test_a_full_queue_holds_the_port_back():
    dram = DRAM_PRESETS["ddr4-2400"]
    run = native(dram, 64, Requests(range(1000)), IDLE)
    waits = sum(b - a > 1 for a, b in zip(run.accepted[0], run.accepted[0][1:], strict=False))
    assert waits > 500
    outstanding = max(
        sum(begin <= now < end for begin, end in zip(run.accepted[0], run.answered[0], strict=True))
        for now in range(0, run.cycles, 50)
    )
    # The queue, the register before it, what the buses carry and the way back.
    assert outstanding <= dram.read_queue + 1 + 64
