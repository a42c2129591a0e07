"""One program on the RTL against the functional model: queues, memory, errors, counters."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..hw import isa
from ..hw.config import Config
from ..hw.layouts import tag
from ..hw.occupancy import BINS
from .cover_bins import Coverage
from .cover_trace import Executed, Trace, trace_access, trace_execute
from .coverage import observe
from .engine import RtlEngine
from .latency import Faults, Latency
from .model_queues import LaneQueues
from .packing import pack, unpack
from .random_faults import NO_STREAM
from .random_program import UNTOUCHED, RandomProgram
from .result import RunResult

#: Limits of one launch. A random program takes some thousand cycles.
MAX_CYCLES, MAX_SECONDS = 5_000_000, 120.0


class Mismatch(AssertionError):
    """RTL and functional model disagree: the message names configuration, seed and place."""


@dataclass
class Expected:
    """What the contract says of a program under given faults of the memory.

    Attributes
    ----------
    outputs : list of ndarray
        The output area of each segment after the run.
    lines_out : int
        Lines that the stored rows touch, each row counted apart.
    write_fails : bool
        A line that is stored answers with an error.
    """

    queues: LaneQueues
    trace: Trace
    executed: Executed
    outputs: list[np.ndarray]
    lines_out: int
    write_fails: bool


def expect(config: Config, subject: RandomProgram, faults: Faults = Faults()) -> Expected:  # noqa: B008
    """Run the functional model. A line whose write fails keeps what it had."""
    lines = frozenset(address // config.line_bytes for address in faults.read_errors)
    queues, trace = subject.queues, subject.trace
    if lines:
        queues, trace = trace_access(subject.program, config, subject.memory, lines)
    clear(subject)
    executed, lines_out = trace_execute(subject.program, config, queues, subject.memory)
    outputs = [output.copy() for output in subject.outputs]
    failing = {address // config.line_bytes for address in faults.write_errors}
    fails = False
    for segment, output in zip(subject.program.segments, outputs, strict=True):
        first = (segment.store or segment.execute)["base"] // 4
        lost = np.isin((first + np.arange(len(output))) // config.lanes, list(failing))
        fails = fails or bool((output[lost] != UNTOUCHED).any())
        output[lost] = UNTOUCHED
    clear(subject)
    return Expected(queues, trace, executed, outputs, lines_out, fails)


def clear(subject: RandomProgram) -> None:
    """Fill the output areas, so that a stray or missing store shows."""
    for output in subject.outputs:
        output.fill(UNTOUCHED)


def check_program(
    engine: RtlEngine,
    subject: RandomProgram,
    expected: Expected,
    latency: Latency,
    seed: int,
    *,
    faults: Faults = Faults(),  # noqa: B008
    note: str = "",
    coverage: Coverage | None = None,
) -> RunResult:
    """Run once on the RTL and compare everything that the contract fixes.

    Raises
    ------
    Mismatch
        They disagree; ``note`` is part of the message.
    Hang
        The machine did not finish.
    """
    where = f"configuration {engine.config.hash}, seed {seed}{note}, {latency}"
    clear(subject)
    result = engine.run(
        subject.program, subject.memory, latency=latency, seed=seed, probes=True,
        max_cycles=MAX_CYCLES, max_seconds=MAX_SECONDS, faults=faults,
    )  # fmt: skip
    compare(where, engine.config, subject, expected, faults, result)
    if coverage is not None:
        observe(
            coverage, engine.config, subject.program, expected.queues, expected.trace,
            expected.executed, result,
        )  # fmt: skip
    return result


def compare(
    where: str,
    config: Config,
    subject: RandomProgram,
    expected: Expected,
    faults: Faults,
    result: RunResult,
) -> None:
    """Compare a finished, probed run with what was expected."""
    compare_queues(where, expected.queues, result)
    for segment, (output, wanted) in enumerate(
        zip(subject.outputs, expected.outputs, strict=True)
    ):
        if not np.array_equal(output, wanted):
            at = int(np.flatnonzero(output != wanted)[0])
            raise Mismatch(
                f"{where}: output word {at} of segment {segment} must be {wanted[at]:#010x}, "
                f"not {output[at]:#010x}"
            )
    _compare_error(where, config, expected, faults, result)
    counted = {
        "tokens": expected.queues.tokens,
        "rows": expected.queues.rows,
        "vectors": expected.queues.vectors,
        "lines_row": expected.queues.lines["lines_row"],
    }
    for name, value in counted.items():
        if result.counters[name] != value:
            raise Mismatch(f"{where}: {name} must be {value}, not {result.counters[name]}")
    for broken in activity_faults(config, result.counters):
        raise Mismatch(f"{where}: {broken}")
    # Rows that follow each other in memory may share a write.
    if result.counters["lines_out"] > expected.lines_out:
        raise Mismatch(
            f"{where}: lines_out must be at most {expected.lines_out}, "
            f"not {result.counters['lines_out']}"
        )


def activity_faults(config: Config, counters: dict[str, int]) -> Iterator[str]:
    """Rules that the counters break: every unit is in one state in each cycle, every queue in one
    class, and what two counters say in their own ways is the same.
    """
    sums: dict[str, tuple[list[str], str]] = {}
    for unit in isa.units(config):
        states = [f"{unit}_{state}" for state in ("busy", "blocked", "starved")]
        sums[f"states of {unit}"] = states, "cycles"
    sums |= {
        "port_busy": (["port_busy"], "loads_busy"),
        "port_mshr and port_memory": (["port_mshr", "port_memory"], "loads_blocked"),
        "lines_out": (["lines_out"], "store_busy"),
    }
    if config.execute:
        for queue in ("dataq", "ctrlq"):
            sums[f"classes of {queue}"] = [f"{queue}_bin{k}" for k in range(BINS)], "cycles"
        sums |= {
            "exec_busy": (["exec_busy"], "execute_busy"),
            "exec_hazard and exec_store": (["exec_hazard", "exec_store"], "execute_blocked"),
            "exec_token and exec_data": (["exec_token", "exec_data"], "execute_starved"),
        }
    for what, (parts, whole) in sums.items():
        found = sum(counters[name] for name in parts)
        if found != counters[whole]:
            yield f"{what} must be {whole}, {counters[whole]}, not {found}"


def reported_tag(config: Config, stray: int) -> int:
    """The tag that UNKNOWN_TAG shows for ``stray``: a read cache passes it on with stream 6, as the
    tag itself may be that of a request which it is about to answer.
    """
    if not config.cache_lines:
        return stray
    layout = tag(config)
    return pack(layout, unpack(layout, stray) | {"stream": NO_STREAM})


def _compare_error(
    where: str, config: Config, expected: Expected, faults: Faults, result: RunResult
) -> None:
    possible = expected.queues.possible_first_errors()
    if expected.write_fails:
        possible.add((isa.Error.WRITE, 0, 0, 0, 0))
    if faults.unknown_tag is not None:
        at, stray = faults.unknown_tag
        if at <= result.traffic.reads:
            value = reported_tag(config, stray)
            possible.add((isa.Error.UNKNOWN_TAG, 0, config.scalar_layers, 0, value))
    found = result.error
    report = None
    if found is not None:
        report = (found.kind, found.segment, found.layer, found.position, found.value)
    if (report is None) == bool(possible) or (report is not None and report not in possible):
        wanted = f"one of {sorted(possible)}" if possible else "none"
        raise Mismatch(f"{where}: first error must be {wanted}, not {report}")


def compare_queues(where: str, queues: LaneQueues, result: RunResult) -> None:
    """Compare what entered the queues, lane by lane, with the model's sequences.

    The DataQ carries no lane number: its vectors belong to the token that is due to pop them.
    """
    assert result.tokens is not None and result.vectors is not None
    position = [0] * len(queues.lanes)
    taken = [0] * len(queues.lanes)
    vector = 0
    names = ("pc", "lane", "segment", "first", "last", "skip", "arg")
    tokens = result.tokens
    for index in range(len(tokens)):
        if tokens["halt"][index]:
            if index != len(tokens) - 1:
                raise Mismatch(f"{where}: token {index} is a halt, but {len(tokens)} were pushed")
            continue
        found = tuple(int(tokens[name][index]) for name in names)
        lane = found[1]
        if position[lane] == len(queues.lanes[lane].tokens):
            raise Mismatch(f"{where}: lane {lane} has a token too many: {found}")
        wanted = queues.lanes[lane].tokens[position[lane]]
        if found != tuple(wanted[: len(names)]):
            raise Mismatch(
                f"{where}: token {position[lane]} of lane {lane} must be {wanted}, not {found}"
            )
        group = queues.lanes[lane].vectors[taken[lane] : taken[lane] + wanted.vectors]
        came = result.vectors[vector : vector + wanted.vectors]
        if not np.array_equal(group, came):
            raise Mismatch(
                f"{where}: vectors of token {position[lane]} of lane {lane} must be\n{group}\n"
                f"not\n{came}"
            )
        position[lane] += 1
        taken[lane] += wanted.vectors
        vector += wanted.vectors
    for lane, queue in enumerate(queues.lanes):
        if position[lane] != len(queue.tokens):
            raise Mismatch(
                f"{where}: lane {lane} must have {len(queue.tokens)} tokens, not {position[lane]}"
            )
    if vector != len(result.vectors):
        raise Mismatch(f"{where}: {vector} vectors must be pushed, not {len(result.vectors)}")
