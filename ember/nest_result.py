"""What the run of a nest gives back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .options import RunOptions
from .parts import Config, DramStatistics
from .recorded import Launch
from .strided import copy_of


@dataclass(frozen=True, eq=False)
class NestResult:
    """The arrays that a nest has written, and what it took.

    Attributes
    ----------
    arrays : those that the function stores to, by name: new arrays without gaps
    function : its name
    config : of the machine
    opt : optimization level of the compiler
    options : of the run
    launches : starts of the machine; with engine ``"cpu"`` 1
    cycles : the machine's own count from start to done, all launches together; None with an engine
        without a clock
    counters : name of :data:`ember.hw.isa.COUNTERS` -> value, all launches (peaks: the highest);
        empty with an engine without a clock
    compile_seconds, run_seconds : wall-clock time; loading the compiler and building the
        simulator are not included
    converted : what was done to arrays of entries before the run, a line each
    dram : what the memory did, all launches together, where it is a DRAM
    recorded : every launch, if ``timeline`` or ``trace`` asked for it; else empty
    source : what ran, for :func:`ember.nest_check.compare_interpreter`
    """

    arrays: dict[str, np.ndarray]
    function: str
    config: Config
    opt: str
    options: RunOptions
    launches: int
    cycles: int | None
    counters: dict[str, int]
    compile_seconds: float
    run_seconds: float
    converted: tuple[str, ...]
    dram: DramStatistics | None
    recorded: tuple[Launch, ...]
    source: "NestSource" = field(repr=False)


@dataclass(frozen=True, eq=False)
class NestSource:
    """A nest, and what it runs on.

    Attributes
    ----------
    module : as SCF
    function : name of its only function
    signature : :class:`ember.compiler.signature.Argument` each
    arrays : by name, as they are before the run, with the strides of their types
    integers : by name
    """

    module: Any
    function: str
    signature: list[Any]
    arrays: Mapping[str, np.ndarray]
    integers: Mapping[str, int]

    @property
    def written(self) -> list[str]:
        """Names of the arrays that it stores to."""
        return [argument.name for argument in self.signature if argument.written]

    def copies(self) -> dict[str, np.ndarray]:
        """The arrays, of those that are written copies with the same strides."""
        return {
            name: copy_of(array) if name in self.written else array
            for name, array in self.arrays.items()
        }
