"""cocotb bench of the whole machine: random programs over the register bus, ports stalled, faults.

The top is ``Machine(config, probes=True)``. Every run is compared with the functional model, queue
contents included, and counts coverage, which goes to the file that :data:`COVERAGE_VARIABLE` names.
What is tested, and what the machine promises: docs/verification.md.
"""

import json
import os
from pathlib import Path

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge, RisingEdge

from ..hw import isa, layouts
from ..hw.layouts import ROW_STREAM, scalar_stream
from .campaign import Trial, make_trial
from .cocotb_drivers import MemoryModel, RegisterBusDriver, bench_config, bench_seed, known, start
from .cocotb_observer import MachineObserver, first_error
from .compare import activity_faults, clear, compare, reported_tag
from .coverage import machine_coverage, observe
from .latency import Faults, FixedLatency, Latency, RandomLatency
from .packing import pack
from .random_faults import no_tags
from .random_program import UNTOUCHED
from .random_wish import Wish
from .result import RunResult

#: Environment variable with the name of a JSON file for the bins hit.
COVERAGE_VARIABLE = "EMBER_BENCH_COVERAGE"

CONFIG = bench_config()
COVERAGE = machine_coverage(CONFIG)
REGISTER = {name: address for name, address, _, _ in isa.REGISTERS}
SITUATIONS = {
    "free": FixedLatency(3),
    "reordered": RandomLatency(1, 60, 0.2),
    "blocked": RandomLatency(1, 10, 0.7),
}
STREAMS = [*(f"l{n}m{k}" for n in range(CONFIG.scalar_layers) for k in (0, 1)), "row"]
_ROWS = 15
_LIMIT = 200_000  # cycles of one launch


class Bench:
    """The machine with its register bus, its monitors, and a memory for one program at a time."""

    def __init__(self, dut):
        self.dut = dut
        self.bus = RegisterBusDriver(dut)
        self.observer = MachineObserver(dut, CONFIG)
        self.memory: MemoryModel | None = None

    def attach(self, trial: Trial, latency: Latency, faults: Faults) -> MemoryModel:
        """Put the program's memory behind the ports."""
        if self.memory is not None:
            self.memory.stop()
        self.memory = MemoryModel(
            self.dut, CONFIG, trial.subject.memory, latency=latency, seed=trial.seed, faults=faults
        )
        return self.memory

    async def run(self, trial: Trial, latency: Latency, *, attach: bool = True) -> RunResult:
        """Run the program, compare with the model, and count the coverage."""
        if attach:
            self.attach(trial, latency, trial.faults)
        clear(trial.subject)
        self.observer.clear()
        counters = await self.bus.launch(trial.subject.program, CONFIG, _LIMIT)
        result = await self.observer.result(self.bus, counters)
        where = f"configuration {CONFIG.hash}, seed {trial.seed}{trial.note}, {latency}"
        compare(where, CONFIG, trial.subject, trial.expected, trial.faults, result)
        observe(
            COVERAGE, CONFIG, trial.subject.program, trial.expected.queues, trial.expected.trace,
            trial.expected.executed, result,
        )  # fmt: skip
        _save()
        return result

    async def reset(self) -> None:
        """One cycle of reset."""
        self.dut.rst.value = 1
        await RisingEdge(self.dut.clk)
        await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0

    async def begin(self, trial: Trial) -> None:
        """Load and start without waiting."""
        await self.bus.load(trial.subject.program.image(CONFIG))
        await self.bus.write(REGISTER["SEGMENTS"], len(trial.subject.program.segments))
        await self.bus.write(REGISTER["CONTROL"], 1)

    async def wait(self, cycles: int) -> None:
        """Let cycles pass."""
        for _ in range(cycles):
            await FallingEdge(self.dut.clk)

    async def finish(self) -> None:
        """Wait for the end of the run."""
        for _ in range(_LIMIT):
            if not await self.bus.read(REGISTER["STATUS"]) & 1:
                return
        raise TimeoutError(f"the run must end within {2 * _LIMIT} cycles")


async def bench(dut) -> Bench:
    """A machine after reset."""
    made = Bench(dut)
    await start(dut)
    return made


def _save() -> None:
    path = os.environ.get(COVERAGE_VARIABLE)
    if path:
        Path(path).write_text(json.dumps(COVERAGE.dump()))


def _trial(number: int, wish: Wish = Wish(), seed: int | None = None) -> Trial:  # noqa: B008
    seed = bench_seed() + number if seed is None else seed
    return make_trial(CONFIG, seed, wish, rows=_ROWS, launches=1)


def _clean(number: int = 0) -> Trial:
    """A program that reads rows, stores, and meets neither faults nor errors."""
    for n in range(number * 100, number * 100 + 100):
        trial = _trial(n)
        queues = trial.expected.queues
        stores = any((output != UNTOUCHED).any() for output in trial.expected.outputs)
        if trial.faults == Faults() and queues.rows > 3 and stores and not queues.errors:
            return trial
    raise LookupError("none of 100 programs reads rows, stores and meets no error")


@cocotb.test()
async def identity(dut) -> None:
    """What a driver asks before it loads a program."""
    b = await bench(dut)
    assert await b.bus.read(REGISTER["ID"]) == isa.ID_VALUE
    assert f"{await b.bus.read(REGISTER['CONFIG_HASH']):08x}" == CONFIG.hash
    assert await b.bus.read(REGISTER["STATUS"]) == 0


@cocotb.test()
@cocotb.parametrize(situation=list(SITUATIONS), number=list(range(3)))
async def random_programs(dut, situation: str, number: int) -> None:
    """Two launches of a program push and store what the model says, faults included."""
    b = await bench(dut)
    trial = _trial(number)
    for _ in range(2):
        await b.run(trial, SITUATIONS[situation])


@cocotb.test()
async def launches_back_to_back(dut) -> None:
    """Different programs, with errors and without, one after the other with no reset."""
    b = await bench(dut)
    for number in range(20, 26):
        latency = list(SITUATIONS.values())[number % 3]
        await b.run(_trial(number), latency)


@cocotb.test()
async def snapshots_while_running(dut) -> None:
    """They agree in themselves, grow, and change neither the results nor the cycles."""
    b = await bench(dut)
    trial = _clean()
    memory = b.attach(trial, FixedLatency(30), trial.faults)
    final = (await b.run(trial, FixedLatency(30), attach=False)).counters
    reads = len(memory.reads)
    clear(trial.subject)
    await b.bus.write(REGISTER["CONTROL"], 1)
    last = await b.bus.snapshot()
    assert 0 < last["cycles"] <= final["cycles"]
    for _ in range(_LIMIT):
        counters = await b.bus.snapshot()
        assert not list(activity_faults(CONFIG, counters))
        assert all(last[name] <= value for name, value in counters.items())
        last = counters
        if await b.bus.read(REGISTER["STATUS"]) & 2:
            break
    assert await b.bus.counters() == final
    assert len(memory.reads) == 2 * reads
    for output, wanted in zip(trial.subject.outputs, trial.expected.outputs, strict=True):
        np.testing.assert_array_equal(output, wanted)


@cocotb.test()
async def reset_in_the_middle(dut) -> None:
    """After a reset at any moment, registers have their first values and the next run is right."""
    b = await bench(dut)
    trial = _clean()
    rng = np.random.default_rng(bench_seed())
    latency = RandomLatency(5, 40, 0.2)
    whole = (await b.run(trial, latency)).cycles
    for cycles in (1, *rng.integers(2, whole, 5).tolist()):
        await b.begin(trial)
        await b.wait(cycles)
        await b.reset()
        assert await b.bus.read(REGISTER["STATUS"]) == 0
        assert await b.bus.read(REGISTER["SEGMENTS"]) == 1
        assert not known(dut.irq)
        await b.run(trial, latency)


@cocotb.test()
async def start_while_busy(dut) -> None:
    """Starts, segment numbers and program words are ignored while a program runs."""
    b = await bench(dut)
    trial = _clean()
    memory = b.attach(trial, FixedLatency(30), trial.faults)
    undisturbed = await b.run(trial, FixedLatency(30), attach=False)
    clear(trial.subject)
    image = trial.subject.program.image(CONFIG)
    await b.begin(trial)
    b.observer.clear()
    writes = 0
    # The last writes must not meet a machine that has just finished.
    while b.observer.cycles < undisturbed.cycles - 20:
        address, value = image[writes % len(image)]
        await b.bus.write(REGISTER["CONTROL"], 1)
        await b.bus.write(REGISTER["SEGMENTS"], CONFIG.segments)
        await b.bus.write(address, ~value & 0xFFFFFFFF)
        writes += 1
    assert writes > 3 and memory.reads
    await b.finish()
    assert await b.bus.read(REGISTER["SEGMENTS"]) == len(trial.subject.program.segments)
    for output, wanted in zip(trial.subject.outputs, trial.expected.outputs, strict=True):
        np.testing.assert_array_equal(output, wanted)
    assert undisturbed.tokens is not None
    assert len(b.observer.tokens) == len(undisturbed.tokens)
    await b.run(trial, FixedLatency(30))


@cocotb.test()
@cocotb.parametrize(stream=STREAMS)
async def read_error(dut, stream: str) -> None:
    """A read response with its error bit is the first error; the next run is clean."""
    b = await bench(dut)
    layer, wish = CONFIG.scalar_layers, Wish(fault=stream)
    if stream != "row":
        layer = int(stream[1])
        wish = Wish(fault=stream, layer=layer, stream=f"MEM{stream[3]}/4")
    only = {(isa.Error.READ, layer)}
    trial = next(
        trial
        for trial in (_trial(n, wish) for n in range(100))
        if {(report.kind, report.layer) for report in trial.expected.queues.errors} == only
    )
    result = await b.run(trial, FixedLatency(20))
    assert result.error is not None
    assert (result.error.kind, result.error.layer) in only
    await b.run(_clean(), FixedLatency(3))


@cocotb.test()
async def write_error(dut) -> None:
    """A failed write is reported, its line keeps what it had, and the next run is clean."""
    b = await bench(dut)
    trial = next(
        trial
        for trial in (_trial(n, Wish(fault="write")) for n in range(100))
        if trial.expected.write_fails and not trial.expected.queues.errors
    )
    result = await b.run(trial, RandomLatency(1, 30, 0.3))
    assert result.error is not None and result.error.kind == isa.Error.WRITE
    await b.run(_clean(), FixedLatency(3))


def _unused(trial: Trial) -> tuple[int, int] | None:
    """A tag that the machine can issue, but this program does not."""
    layers = range(CONFIG.scalar_layers)
    numbers = {f"l{n}m{k}": scalar_stream(n, k) for n in layers for k in (0, 1)}
    numbers["row"] = ROW_STREAM
    free = [numbers[name] for name, lines in trial.expected.trace.lines.items() if not lines]
    return (free[0], 0) if free else None


@cocotb.test()
async def unknown_tags(dut) -> None:
    """Answers with tags that were never issued change nothing but the first error."""
    b = await bench(dut)
    trials = [_trial(n) for n in range(100)]
    trial = next(
        t
        for t in trials
        if t.faults == Faults() and not t.expected.queues.errors and t.expected.queues.rows > 3
        and _unused(t)
    )  # fmt: skip
    stray = _unused(trial)
    assert stray is not None
    every = no_tags(CONFIG)
    chosen = [stray, every[0], every[-1], every[len(every) // 2]]
    for number, slot in chosen:
        memory = b.attach(trial, FixedLatency(25), Faults())
        clear(trial.subject)
        await b.begin(trial)
        # While its loads are on their way.
        while not memory.reads:
            await b.wait(1)
        memory.answer_unasked(number, slot)
        await b.finish()
        for output, wanted in zip(trial.subject.outputs, trial.expected.outputs, strict=True):
            np.testing.assert_array_equal(output, wanted)
        await _is_unknown(b, number, slot)
        await b.run(trial, FixedLatency(25))


@cocotb.test()
async def unknown_tag_while_idle(dut) -> None:
    """Before any run and after one every answer is unknown; a start forgets that it came."""
    b = await bench(dut)
    trial = _clean()
    # Slots whose answers the run has taken are no longer waiting, those of others never were.
    for moment in ("before", "after"):
        for number in (ROW_STREAM, scalar_stream(0, 0)):
            memory = b.attach(trial, FixedLatency(3), Faults())
            memory.answer_unasked(number, 0)
            await b.wait(8)
            assert not await b.bus.read(REGISTER["STATUS"]) & 3 or moment == "after"
            await _is_unknown(b, number, 0)
            await b.bus.write(REGISTER["CONTROL"], 2)
            assert not await b.bus.read(REGISTER["STATUS"]) & 4
        result = await b.run(trial, FixedLatency(3))
        assert result.error is None


async def _is_unknown(b: Bench, stream: int, slot: int) -> None:
    error = await first_error(b.bus)
    value = reported_tag(CONFIG, pack(layouts.tag(CONFIG), {"stream": stream, "slot": slot}))
    assert error is not None and error.kind == isa.Error.UNKNOWN_TAG
    assert (error.layer, error.value) == (CONFIG.scalar_layers, value)


@cocotb.test()
async def memory_that_never_answers(dut) -> None:
    """The machine waits, busy, for as long as it takes; a reset ends that."""
    b = await bench(dut)
    trial = _clean()
    memory = b.attach(trial, FixedLatency(3), Faults(silent_after=1))
    await b.begin(trial)
    await b.wait(3000)
    assert await b.bus.read(REGISTER["STATUS"]) == 1
    assert 1 < len(memory.reads) <= 1 + CONFIG.mshrs
    await b.reset()
    assert await b.bus.read(REGISTER["STATUS"]) == 0
    await b.run(trial, FixedLatency(3))
