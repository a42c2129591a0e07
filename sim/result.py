"""What a run on an engine gives back, and how it can fail."""

from dataclasses import dataclass, field

import numpy as np

from ..hw import isa
from .dram_statistics import DramStatistics
from .recording import Recording


@dataclass(frozen=True)
class ErrorReport:
    """The first error of a run, from the machine's registers."""

    kind: isa.Error
    segment: int
    layer: int
    position: int
    value: int

    def __str__(self) -> str:
        return (
            f"{self.kind.name} error in segment {self.segment}, layer {self.layer}, "
            f"position {self.position}: value {self.value}"
        )


@dataclass(frozen=True)
class Traffic:
    """What the memory saw.

    Attributes
    ----------
    reads, writes : line requests taken
    read_answers, write_answers : answers that the machine took
    stray_reads : reads of lines that are wholly outside every segment (answered with 0)
    stray_writes : writes to bytes outside every writable segment (answered with an error)
    first_stray_write : line's byte address of the first of them, if any
    """

    reads: int = 0
    read_answers: int = 0
    writes: int = 0
    write_answers: int = 0
    stray_reads: int = 0
    stray_writes: int = 0
    first_stray_write: int | None = None


@dataclass(frozen=True)
class Observed:
    """What a run exercised, from the machine's ports and probes.

    Attributes
    ----------
    token_states, vector_states : uint8, one for each push: 0 into an empty queue, 1 into a partly
        filled one, 2 after it waited for a full one; + 4 while an answer to a later read request
        has overtaken one that is still due
    answers : (8, 8) reads answered, by stream and by overtaken + 2 * non-temporal + 4 * error
    writes : (8,) lines written, by whole line + 2 * waited for the memory + 4 * error
    """

    token_states: np.ndarray
    vector_states: np.ndarray
    answers: np.ndarray
    writes: np.ndarray


@dataclass(frozen=True)
class RunResult:
    """A finished run.

    Attributes
    ----------
    cycles : from start to done, by the machine's own counter
    counters : name of :data:`ember.hw.isa.COUNTERS` -> value
    error : the first error, or None
    tokens : structured array with the fields of :func:`ember.hw.layouts.token`, in push order;
        None unless probed
    vectors : (n, lanes) uint32, in push order; None unless probed
    wall_seconds : of the simulation, builds not included
    traffic : what the memory saw
    dram : what it did, where it is a DRAM
    observed : what the run exercised; None unless probed
    recording : what every unit did; None unless recorded
    """

    cycles: int
    counters: dict[str, int]
    error: ErrorReport | None
    tokens: np.ndarray | None = field(repr=False)
    vectors: np.ndarray | None = field(repr=False)
    wall_seconds: float
    traffic: Traffic = field(default_factory=Traffic)
    dram: DramStatistics | None = None
    observed: Observed | None = field(default=None, repr=False)
    recording: Recording | None = field(default=None, repr=False)


class Hang(RuntimeError):
    """The machine did not finish within a limit.

    Attributes
    ----------
    message : one line
    state : dictionary of levels, by name
    dump : several lines for a person
    recording : what every unit did until then; None unless recorded
    recorded : for whoever runs several launches: what was recorded of all of them
    """

    def __init__(self, message: str, state: dict[str, int], dump: str):
        super().__init__(f"{message}\n{dump}")
        self.message, self.state, self.dump = message, state, dump
        self.recording: Recording | None = None
        self.recorded: tuple = ()


class ConfigMismatch(RuntimeError):
    """The program was made for another configuration than the machine has."""
