"""Waveform files: formats, windows, and what is refused."""

import re
from pathlib import Path

import numpy as np
import pytest
from ember.hw.config import Config
from ember.sim import tools
from ember.sim.engine import RtlEngine
from ember.sim.latency import FixedLatency
from ember.sim.memory import Memory
from ember.sim.wave import Wave

from .copier import Copier, copy_program

CONFIG = Config.preset("tiny")


@pytest.fixture(scope="module")
def engine():
    with RtlEngine(CONFIG, machine=Copier) as made:
        yield made


def run(engine, wave):
    memory = Memory(CONFIG)
    program = copy_program(CONFIG, (0x1000, 0x2000, 3))
    memory.map(0x1000, np.zeros(64, np.uint32))
    memory.map(0x2000, np.zeros(64, np.uint32), writable=True)
    return engine.run(program, memory, latency=FixedLatency(10), wave=wave, max_cycles=1000)


def times(path: Path) -> list[int]:
    return [int(line[1:]) for line in path.read_text().splitlines() if re.match(r"#\d", line)]


def cycles_of(path: Path, signal: str) -> list[int]:
    """Cycles at whose start a one-bit signal rises."""
    text = path.read_text()
    [code] = set(re.findall(rf"\$var wire +1 (\S+) {signal} ", text))
    found, time = [], 0
    for line in text.partition("$enddefinitions")[2].splitlines():
        if line.startswith("#"):
            time = int(line[1:])
        elif line == f"1{code}":
            found.append(time // 10)
    return found


def test_a_cycle_is_a_microsecond(engine, tmp_path):
    path = tmp_path / "x.vcd"
    result = run(engine, path)
    assert "$timescale 100ns $end" in path.read_text()
    found = times(path)
    # Two edges a cycle, from the first that the counters count to the last and a little more.
    assert found == list(range(0, found[-1] + 1, 5))
    assert result.cycles <= (found[-1] + 5) // 10
    assert cycles_of(path, "clk") == list(range((found[-1] + 5) // 10))


def test_a_window(engine, tmp_path):
    whole, part = tmp_path / "whole.vcd", tmp_path / "part.vcd"
    result = run(engine, whole)
    assert run(engine, Wave(part, 7, 11)).counters == result.counters
    assert times(part) == list(range(70, 110, 5))
    [start] = cycles_of(whole, "running")
    assert start == 0, "the first cycle is the first that the counters count"


def test_launches_count_on(engine, tmp_path):
    path = tmp_path / "x.vcd"
    run(engine, Wave(path, 2, 4, offset=1000))
    assert times(path) == list(range(10020, 10040, 5))


def test_a_window_that_is_not_reached_leaves_no_file(engine, tmp_path):
    run(engine, Wave(tmp_path / "late.vcd", 900, 901))
    run(engine, Wave(tmp_path / "empty.vcd", 0, 0))
    assert not list(tmp_path.iterdir())


def test_fst(engine, tmp_path):
    try:
        tools.require_fst(tools.cxx())
    except tools.ToolMissing as missing:
        pytest.skip(str(missing))
    path = tmp_path / "x.FST"
    run(engine, Wave(path, 3, 8))
    data = path.read_bytes()
    # The header block: its type, its length, first and last time, all big-endian.
    assert data[0] == 0 and int.from_bytes(data[1:9], "big") == 329
    first, last = (int.from_bytes(data[n : n + 8], "big") for n in (9, 17))
    assert (first, last) == (30, 75)
    assert data[73] == 0xF9, "a time is 10 ** -7 s"


def test_fst_without_its_headers(engine, tmp_path, monkeypatch):
    monkeypatch.setattr(tools, "has_headers", lambda _, *headers: "lz4.h" not in headers)
    engine = RtlEngine(CONFIG, machine=Copier)
    with pytest.raises(tools.ToolMissing) as caught:
        run(engine, tmp_path / "x.fst")
    assert str(caught.value) == (
        "lz4.h is missing, which FST waveforms need: run `apt install liblz4-dev`, or write a .vcd"
    )


def test_refusals(engine, tmp_path):
    for path in ("x", "x.vcd.gz", "a.b/x"):
        with pytest.raises(ValueError) as caught:
            Wave(path)
        assert str(caught.value) == f"waveform file must end in .vcd or .fst, not {path!r}"
    with pytest.raises(ValueError, match=r"^window must be 0 <= start <= stop, not 3, 2$"):
        Wave("x.vcd", 3, 2)
    for path in (tmp_path / "no" / "x.vcd", tmp_path / "d.vcd"):
        if path.name == "d.vcd":
            path.mkdir()
        with pytest.raises(OSError) as error:
            run(engine, path)
        assert str(error.value) == f"waveform file {path} cannot be written"
