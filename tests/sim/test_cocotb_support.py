"""Running cocotb benches, and the same memory model in both engines."""

import json
import os
import signal
import tempfile
import threading
import time
from pathlib import Path

import pytest
from ember.hw.config import Config
from ember.sim.dram_presets import DRAM_PRESETS
from ember.sim.latency import FixedLatency

from .copier import Copier
from .test_engine import Copy

support = pytest.importorskip("ember.sim.cocotb_support", reason="cocotb is not installed")

CONFIG = Config.preset("tiny")
BENCH = Path(__file__).parent / "bench_copier.py"


def run(*tests: str, **options):
    return support.run_bench(
        Copier(CONFIG, probes=False), BENCH, config=CONFIG, seed=5, testcase=tests, **options
    )


def test_latency_is_that_of_the_native_engine():
    copy = Copy(20)
    latencies = [1, 2, 9, 60]
    cycles = {n: copy.run(FixedLatency(n)).counters["cycles"] for n in latencies}
    env = {"LATENCIES": json.dumps(latencies), "CYCLES": json.dumps(cycles)}
    assert run("fixed", env=env) == 1


def test_a_dram_is_that_of_the_native_engine():
    copy = Copy(120)
    cycles = {name: copy.run(dram).counters["cycles"] for name, dram in DRAM_PRESETS.items()}
    assert run("dram", env={"CYCLES": json.dumps(cycles)}) == 1


def test_passing():
    assert run("reordered", "hangs") == 2


def test_failing():
    with pytest.raises(support.BenchFailed) as caught:
        run("reordered", "fails")
    message = str(caught.value)
    assert message.startswith("bench_copier, seed 5: 1 of 2 tests failed: fails\n")
    assert "the impossible must be reached within 10 cycles" in message


def test_no_test():
    with pytest.raises(support.BenchFailed, match=r"^bench_copier, seed 5: "):
        run("nothing_of_this_name")


def test_time_limit():
    with pytest.raises(support.BenchFailed, match="^bench_copier, seed 5: not finished within"):
        run("never_ends", timeout_s=3)


# What Python's own `subprocess.run` says when it is interrupted.
@pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")
def test_an_interrupt_ends_the_simulator(tmp_path, monkeypatch):
    """Also from a program that is sent the signal alone, without its children."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    seen = []

    def note():
        seen.extend(int(path.read_text()) for path in tmp_path.glob("*/pid"))
        os.kill(os.getpid(), signal.SIGINT)

    interrupt = threading.Timer(5, note)
    interrupt.start()
    with pytest.raises(KeyboardInterrupt):
        run("never_ends", timeout_s=60)
    interrupt.join()
    [pid] = seen
    with pytest.raises(ProcessLookupError):
        for _ in range(100):
            os.kill(pid, 0)
            time.sleep(0.1)


def test_waves(tmp_path):
    path = tmp_path / "wave.vcd"
    run("reordered", waves=path)
    assert "read__request__valid" in path.read_text()
