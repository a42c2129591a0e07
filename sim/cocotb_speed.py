"""One run under cocotb, timed: what the native engine's speed is compared with.

:func:`timed_run` is called by a process of its own choice; the cocotb test below runs inside the
simulator and gets its work from a file.
"""

import json
import os
import pickle
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import cocotb

from ..hw.config import Config
from ..hw.program import Program
from .build import Progress
from .latency import Latency
from .memory import Memory

_WORK = "EMBER_SPEED_WORK"


@dataclass(frozen=True)
class TimedRun:
    """Cycles of the machine from start to done, and seconds of wall-clock time for them."""

    cycles: int
    seconds: float


def timed_run(
    config: Config, program: Program, memory: Memory, latency: Latency, *,
    max_cycles: int = 1_000_000, progress: Progress | None = None,
) -> TimedRun:  # fmt: skip
    """Run ``program`` once under cocotb on Verilator, builds and loading not included.

    The arrays of ``memory`` are copied: outputs are not seen here.

    Raises
    ------
    BenchFailed
        The run failed.
    ToolMissing
        cocotb or Verilator is not installed.
    """
    from ..hw.top import Machine
    from .cocotb_support import run_bench

    with tempfile.TemporaryDirectory(prefix="ember-speed-") as directory:
        work, result = Path(directory) / "work", Path(directory) / "result.json"
        with work.open("wb") as file:
            pickle.dump((config, program, memory.segments(), latency, max_cycles, result), file)
        run_bench(
            Machine(config), __name__, config=config, env={_WORK: str(work)},
            timeout_s=3600.0, progress=progress,
        )  # fmt: skip
        return TimedRun(**json.loads(result.read_text()))


@dataclass(frozen=True)
class _Segments:
    """Mapped arrays, in the form that a memory model takes them."""

    arrays: list

    def segments(self) -> list:
        return self.arrays


if _WORK in os.environ:

    @cocotb.test()
    async def launch(dut) -> None:
        from .cocotb_drivers import MemoryModel, RegisterBusDriver, start

        with open(os.environ[_WORK], "rb") as file:
            config, program, segments, latency, max_cycles, result = pickle.load(file)
        MemoryModel(dut, config, _Segments(segments), latency=latency)
        bus = RegisterBusDriver(dut)
        await start(dut)
        started = time.perf_counter()
        counters = await bus.launch(program, config, max_cycles)
        seconds = time.perf_counter() - started
        result.write_text(json.dumps({"cycles": counters["cycles"], "seconds": seconds}))
