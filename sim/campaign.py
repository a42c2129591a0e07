"""Random programs on the RTL against the functional model: queue contents, memory, errors.

Each program runs several times, with another memory behaviour each time: timing may change how
fiber lanes interleave, never what a lane sees or what is stored.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..hw.config import Config
from .engine import RtlEngine
from .latency import FixedLatency, Latency, RandomLatency
from .model import LaneQueues, execute
from .random_program import UNTOUCHED, RandomProgram, random_program
from .result import RunResult

#: Memory behaviours: fast, the usual distance, far, and reordering with back-pressure.
LATENCIES: tuple[Latency, ...] = (
    FixedLatency(1),
    FixedLatency(37),
    RandomLatency(1, 12, 0.5),
    RandomLatency(1, 400, 0.0),
    RandomLatency(20, 150, 0.3),
)

#: Machines that together reach every corner of the configuration space: vector widths, single
#: and many fiber lanes, queues of one entry, one to 256 MSHRs, two to four layers, a read cache.
CONFIGS: dict[str, dict[str, int]] = {
    "smallest": dict(
        lanes=1, layers=2, fiber_lanes=1, mshrs=1, addr_width=32, dataq_depth=1, ctrlq_depth=1,
        row_chunks=8, segments=4, code_depth=64, line_slots=2, run_ahead=2, fiber_depth=1,
        div_interval=26,
    ),
    "narrow": dict(
        lanes=1, layers=4, fiber_lanes=8, mshrs=8, addr_width=48, dataq_depth=2, ctrlq_depth=64,
        row_chunks=16, segments=8, code_depth=256, line_slots=8, run_ahead=16, fiber_depth=3,
        div_interval=13,
    ),
    "tiny": {},
    "shallow": dict(
        lanes=4, layers=3, fiber_lanes=4, mshrs=256, addr_width=40, dataq_depth=1, ctrlq_depth=2,
        row_chunks=8, segments=8, code_depth=256, line_slots=4, run_ahead=32, fiber_depth=2,
        div_interval=1,
    ),
    "cached": dict(
        lanes=4, layers=3, fiber_lanes=4, mshrs=32, addr_width=40, dataq_depth=4, ctrlq_depth=4,
        row_chunks=8, segments=8, code_depth=256, line_slots=4, run_ahead=32, fiber_depth=2,
        div_interval=2, cache_lines=64, cache_ways=4, cache_fetches=16,
    ),
    "wide": dict(
        lanes=8, layers=4, fiber_lanes=2, mshrs=8, addr_width=64, dataq_depth=64, ctrlq_depth=1,
        row_chunks=8, segments=4, code_depth=256, line_slots=16, run_ahead=64, fiber_depth=4,
        div_interval=2,
    ),
    "widest": dict(
        lanes=16, layers=3, fiber_lanes=8, mshrs=256, addr_width=48, dataq_depth=64,
        ctrlq_depth=64, row_chunks=8, segments=8, code_depth=256, line_slots=32, run_ahead=256,
        fiber_depth=8, div_interval=1,
    ),
}  # fmt: skip


def campaign_config(name: str) -> Config:
    """One of :data:`CONFIGS`."""
    return Config(**CONFIGS[name]) if CONFIGS[name] else Config.preset(name)


class Mismatch(AssertionError):
    """RTL and functional model disagree: the message names configuration, seed and place."""


@dataclass(frozen=True)
class Tally:
    """What a campaign covered."""

    runs: int = 0
    tokens: int = 0
    vectors: int = 0
    rows: int = 0
    errors: int = 0
    cycles: int = 0


def run_campaign(
    engine: RtlEngine, seeds: range, *, rows: int = 60, launches: int = 2
) -> Iterator[Tally]:
    """Compare the RTL with the model on the programs of ``seeds``; yields the tally so far.

    Raises
    ------
    Mismatch
        They disagree.
    Hang
        The machine did not finish.
    """
    runs = tokens = vectors = found_rows = errors = cycles = 0
    for seed in seeds:
        program = random_program(engine.config, seed, rows)
        for launch in range(launches):
            latency = LATENCIES[(seed + launch) % len(LATENCIES)]
            result = check_program(engine, program, latency, seed)
            cycles += result.cycles
            errors += result.error is not None
        runs += launches
        tokens += program.queues.tokens
        vectors += program.queues.vectors
        found_rows += program.queues.rows
        yield Tally(runs, tokens, vectors, found_rows, errors, cycles)


def check_program(
    engine: RtlEngine, subject: RandomProgram, latency: Latency, seed: int
) -> RunResult:
    """Run once on the RTL and compare everything that the contract fixes."""
    where = f"configuration {engine.config.hash}, seed {seed}, {latency}"
    for output in subject.outputs:
        output.fill(UNTOUCHED)
    execute(subject.program, engine.config, subject.queues, subject.memory)
    expected = [output.copy() for output in subject.outputs]
    for output in subject.outputs:
        output.fill(UNTOUCHED)
    result = engine.run(
        subject.program, subject.memory, latency=latency, seed=seed, probes=True,
        max_cycles=5_000_000, max_seconds=120,
    )  # fmt: skip
    compare_queues(where, subject.queues, result)
    for segment, (output, wanted) in enumerate(zip(subject.outputs, expected, strict=True)):
        if not np.array_equal(output, wanted):
            at = int(np.flatnonzero(output != wanted)[0])
            raise Mismatch(
                f"{where}: output word {at} of segment {segment} must be {wanted[at]:#010x}, "
                f"not {output[at]:#010x}"
            )
    possible = subject.queues.possible_first_errors()
    found = result.error
    if (found is not None) != bool(possible):
        raise Mismatch(f"{where}: first error must be one of {possible}, not {found}")
    if found is not None:
        report = (found.kind, found.segment, found.layer, found.position, found.value)
        if report not in possible:
            raise Mismatch(f"{where}: first error must be one of {possible}, not {report}")
    counted = {
        "rows": subject.queues.rows,
        "vectors": subject.queues.vectors,
        "lines_row": subject.queues.lines["lines_row"],
    }
    for name, value in counted.items():
        if result.counters[name] != value:
            raise Mismatch(f"{where}: {name} must be {value}, not {result.counters[name]}")
    return result


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


def main(arguments: list[str] | None = None) -> int:
    """``python -m ember.sim.campaign``: a long campaign, over one or all configurations."""
    parser = argparse.ArgumentParser(prog="ember.sim.campaign", description=__doc__)
    parser.add_argument("--programs", type=int, default=1000, help="random programs in each")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first")
    parser.add_argument("--config", choices=[*CONFIGS, "all"], default="all")
    options = parser.parse_args(arguments)
    names = list(CONFIGS) if options.config == "all" else [options.config]
    for name in names:
        with RtlEngine(campaign_config(name), progress=print) as engine:
            engine.build()
            seeds = range(options.seed, options.seed + options.programs)
            for tally in run_campaign(engine, seeds):
                if tally.runs % 200 == 0:
                    print(f"{name}: {tally}", flush=True)
        print(f"{name}: seeds {seeds.start}..{seeds.stop - 1} agree", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
