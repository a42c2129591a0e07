"""Run compiled bags on an engine."""

import time
from collections.abc import Sequence

import numpy as np

from .board import check_memory, connected
from .compiled import CompiledBags
from .cpu import array_addresses
from .diagnose import diagnose
from .launches import Step, add_counters, run_launches
from .lookup import Request
from .options import RunOptions
from .placement import Placement, place
from .result import Result


def execute(compiled: CompiledBags, requests: Sequence[Request], options: RunOptions) -> Result:
    """Place the arrays, run every launch, collect outputs, cycles and counters.

    Raises
    ------
    ValueError
        The arrays do not fit the address space, or the machine met a bad index or offset.
    RuntimeError
        A hang, a missing tool, a failed build, an error that the machine reports.
    """
    if options.engine == "cpu":
        return _cpu(compiled, requests, options)
    config = compiled.config
    placement = place(requests, config)
    programs = compiled.link(placement.addresses)
    if options.engine in ("board", "board-sim"):
        return _board(compiled, programs, placement, requests, options)
    ran = run_launches(
        programs, compiled.table_of, placement.memory, config, options,
        lambda error, name: diagnose(error, next(r for r in requests if r.name == name)),
    )  # fmt: skip
    return Result(
        outputs=placement.outputs, requests=tuple(requests), config=config, opt=compiled.opt,
        options=options, launches=len(programs), cycles=ran.cycles,
        counters=ran.counters, addresses=placement.addresses, compile_seconds=compiled.seconds,
        run_seconds=ran.seconds, dram=ran.dram, recorded=tuple(ran.recorded),
    )  # fmt: skip


def _board(
    compiled: CompiledBags, programs, placement: Placement, requests: Sequence[Request],
    options: RunOptions,
) -> Result:  # fmt: skip
    """On a board: arrays go there once, and outputs come back once, whatever the launches."""
    say = options.progress or (lambda line: None)
    cycles, seconds = 0, 0.0
    counters: dict[str, int] = {}
    say("connecting to the board")
    with connected(compiled.config, options) as board:
        session = board.session
        check_memory(requests, placement, session.identity)
        say("loading the board's memory")
        started = time.perf_counter()
        session.load(placement.memory)
        loaded = time.perf_counter()
        for number, program in enumerate(programs):
            say(f"running on the board, launch {Step(number, len(programs), cycles)}")
            outcome = session.launch(
                program, max_cycles=options.max_cycles, max_seconds=options.max_seconds
            )
            if outcome.error is not None:
                name = compiled.table_of(number, outcome.error.segment)
                raise diagnose(outcome.error, next(r for r in requests if r.name == name))
            cycles += outcome.cycles
            seconds += outcome.wall_seconds
            add_counters(counters, outcome.counters)
        ended = time.perf_counter()
        say("bringing the outputs back")
        session.store(placement.memory)
        board.check()
        facts = board.facts(loaded - started, time.perf_counter() - ended)
    return Result(
        outputs=placement.outputs, requests=tuple(requests), config=compiled.config,
        opt=compiled.opt, options=options, launches=len(programs), cycles=cycles,
        counters=counters, addresses=placement.addresses, compile_seconds=compiled.seconds,
        run_seconds=seconds, board=facts,
    )  # fmt: skip


def _cpu(compiled: CompiledBags, requests: Sequence[Request], options: RunOptions) -> Result:
    """On the host's processor: the caller's arrays are used where they are."""
    compile_seconds, seconds = compiled.seconds, 0.0
    outputs = tuple(np.empty((r.bag.bags, r.bag.dim), np.float32) for r in requests)
    addresses = array_addresses(requests, outputs)
    if compiled.active:
        if options.progress:
            options.progress("running on this processor")
        program = compiled.cpu
        compile_seconds += program.seconds
        started = time.perf_counter()
        failure = program.run(addresses)
        seconds = time.perf_counter() - started
        if failure is not None:
            name = program.table_of(failure.segment)
            raise diagnose(failure, next(r for r in requests if r.name == name))
    return Result(
        outputs=outputs, requests=tuple(requests), config=compiled.config, opt=compiled.opt,
        options=options, launches=int(bool(compiled.active)), cycles=None, counters={},
        addresses=addresses, compile_seconds=compile_seconds, run_seconds=seconds,
    )  # fmt: skip
