"""Compile a nest, and run it on an engine."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import parts
from .diagnose import machine_error
from .errors import InputError
from .launches import Ran, run_launches
from .nest_result import NestResult, NestSource
from .options import RunOptions
from .parts import Config
from .strided import buffer_of


@dataclass(frozen=True, eq=False)
class CompiledNest:
    """A nest for its arguments and a machine.

    Attributes
    ----------
    source : the nest, and what it runs on
    config : of the machine
    opt : optimization level
    program : :class:`ember.compiler.nest.NestProgram`
    seconds : wall-clock time of the compilation, without loading the compiler
    """

    source: NestSource
    config: Config
    opt: str
    program: Any
    seconds: float


def compile_nest(source: NestSource, config: Config, opt: str) -> CompiledNest:
    """Compile.

    Raises
    ------
    ValueError
        It cannot be compiled for this machine.
    """
    nest, _, specialize, _ = parts.nest_runs()
    started = time.perf_counter()
    known = specialize.given({**source.arrays, **source.integers})
    program = nest.nest_program(config, source.module, opt, known)
    return CompiledNest(source, config, opt, program, time.perf_counter() - started)


def execute_nest(compiled: CompiledNest, options: RunOptions) -> NestResult:
    """Convert arrays of entries, place the arrays, run every launch, take what was written.

    Raises
    ------
    InputError
        The arrays do not fit the address space, or the row of an entry is out of range.
    RuntimeError
        A hang, a missing tool, a failed build, an error that the machine reports.
    """
    source = compiled.source
    arrays, converted = _converted(compiled)
    run = _cpu if options.engine == "cpu" else _machine
    launches, ran, seconds = run(compiled, arrays, options)
    return NestResult(
        arrays={name: np.array(arrays[name], order="C") for name in source.written},
        function=source.function, config=compiled.config, opt=compiled.opt, options=options,
        launches=launches, cycles=ran.cycles, counters=ran.counters,
        compile_seconds=compiled.seconds + seconds, run_seconds=ran.seconds, converted=converted,
        dram=ran.dram, recorded=tuple(ran.recorded), source=source,
    )  # fmt: skip


def _converted(
    compiled: CompiledNest,
) -> tuple[dict[str, np.ndarray], tuple[str, ...]]:
    """The arrays of a run, and what was done to those of entries."""
    arrays, lines = compiled.source.copies(), []
    for layout in compiled.program.layouts:
        try:
            arrays, csr = layout.apply(arrays)
        except ValueError as error:
            # It calls the array what its own parameter is called.
            raise InputError(str(error).replace("rows[", layout.place, 1)) from None
        lines.append(f"{layout.rows}: {csr}")
    return arrays, tuple(lines)


def _machine(
    compiled: CompiledNest, arrays: Mapping[str, np.ndarray], options: RunOptions
) -> tuple[int, Ran, float]:
    """On the RTL or the functional model: launches, what they took, seconds of linking."""
    source, config = compiled.source, compiled.config
    memory, addresses = parts.memory().Memory(config), {}
    for name, array in arrays.items():
        try:
            addresses[source.function, name] = memory.place(
                buffer_of(array), writable=name in source.written, name=f"array {name!r}"
            )
        except ValueError as error:
            raise InputError(str(error)) from None
    started = time.perf_counter()
    programs = [template.link(addresses, config) for template in compiled.program.templates]
    linked = time.perf_counter() - started
    ran = run_launches(programs, lambda *_: source.function, memory, config, options, machine_error)
    return len(programs), ran, linked


def _cpu(
    compiled: CompiledNest, arrays: Mapping[str, np.ndarray], options: RunOptions
) -> tuple[int, Ran, float]:
    """On the host's processor, as :func:`_machine`; seconds of making machine code."""
    host, module, jit = parts.llvm()
    target = host.host()
    started = time.perf_counter()
    function = jit.Function(module.lower(compiled.program.module, compiled.config, target))
    made = time.perf_counter()
    if options.progress:
        options.progress("running on this processor")
    failure = function([arrays[name].ctypes.data for _, name in function.arrays])
    seconds = time.perf_counter() - made
    if failure is not None:
        raise machine_error(failure, compiled.source.function)
    return 1, Ran(cycles=None, seconds=seconds), made - started
