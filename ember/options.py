"""How a run is carried out: engine, memory, limits."""

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from . import parts
from .bag import boolean, choice, integer
from .parts import Dram

ENGINES = ("rtl", "functional", "cpu", "board", "board-sim")
#: Bits per second of a board's serial line, if nobody says otherwise.
BAUD = 1_000_000
LEVELS = ("O0", "O1", "O2", "O3")
MAX_SEED = (1 << 63) - 1
#: Longest latency, in cycles, that the memory models support; a test holds the two equal.
MAX_LATENCY = 1 << 20
#: Highest number of a cycle.
MAX_CYCLE = (1 << 48) - 1

#: How long the memory takes: cycles, a range of them, or what a DRAM's timing says.
Latency = int | tuple[int, int] | Dram

#: Called with a line of text around work that takes long.
Progress = Callable[[str], None]


@dataclass(frozen=True)
class RunOptions:
    """Options of a run; none of them changes a result bit.

    Attributes
    ----------
    engine : ``"rtl"`` (cycles and counters), ``"functional"`` (results only, no tools needed),
        ``"cpu"`` (results at the speed of this processor, needs llvmlite), ``"board"`` (an FPGA at
        ``port``) or ``"board-sim"`` (a board's top level, simulated from its pins on)
    port : serial port of the board, ``"board"`` only
    baud : bits per second of that port, what the board was built for; None is 1,000,000
    latency : of the memory in cycles; a pair is a random latency in that range, out of order; a
        :class:`Dram` takes its own time, ``"rtl"`` only
    seed : of random latencies
    max_cycles : limit of each launch, ``"rtl"`` only: the functional model has no clock
    max_seconds : limit of each launch, wall-clock, builds not included; not with ``"cpu"``, whose
        machine code ends by itself and is not watched
    wave : waveform file to write, ``.vcd`` or ``.fst``, ``"rtl"`` only; several launches write one
        file each
    wave_from, wave_to : first and last cycle in it; None is the first and the last of the run
    timeline : record what every unit does over time, ``"rtl"`` only
    trace : first and last cycle recorded in detail, for :func:`ember.write_trace`; implies
        ``timeline``
    progress : called with lines of text around long work

    Cycles count from the start of the run as its counters do, all launches in a row.

    Raises
    ------
    TypeError, ValueError
        A field of a wrong type or value.
    """

    engine: str = "rtl"
    port: str | None = None
    baud: int | None = None
    latency: Latency = 200
    seed: int = 0
    max_cycles: int = 1_000_000_000
    max_seconds: float = 3600.0
    wave: str | os.PathLike[str] | None = None
    wave_from: int | None = None
    wave_to: int | None = None
    timeline: bool = False
    trace: tuple[int, int] | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        choice(self.engine, "engine", ENGINES)
        self._check_port()
        if isinstance(self.latency, Dram):
            if self.engine != "rtl":
                raise ValueError(
                    f"latency must be in cycles with engine {self.engine!r}, which has no clock, "
                    f"not that of {self.latency.name}"
                )
        else:
            self._check_cycles(self.latency)
        if not 0 <= integer(self.seed, "seed") <= MAX_SEED:
            raise ValueError(f"seed must be 0..{MAX_SEED}, not {self.seed}")
        if integer(self.max_cycles, "max_cycles") < 1:
            raise ValueError(f"max_cycles must be at least 1, not {self.max_cycles}")
        if isinstance(self.max_seconds, bool) or not isinstance(self.max_seconds, int | float):
            raise TypeError(f"max_seconds must be a number, not {self.max_seconds!r}")
        if math.isnan(self.max_seconds) or self.max_seconds <= 0:
            raise ValueError(f"max_seconds must be above 0, not {self.max_seconds}")
        self._check_wave()
        boolean(self.timeline, "timeline")
        if self.trace is not None:
            if not isinstance(self.trace, tuple) or len(self.trace) != 2:
                raise TypeError(f"trace must be a pair of cycles, not {self.trace!r}")
            check_window("trace", *self.trace)
        if self.progress is not None and not callable(self.progress):
            raise TypeError(f"progress must be a function of a line, not {self.progress!r}")
        for name in ("wave", "timeline", "trace"):
            if getattr(self, name) not in (None, False) and self.engine != "rtl":
                raise ValueError(f"{name} must come with engine 'rtl', not {self.engine!r}")

    def _check_port(self) -> None:
        if self.baud is not None and integer(self.baud, "baud") < 1:
            raise ValueError(f"baud must be at least 1, not {self.baud}")
        if self.engine != "board":
            for name in ("port", "baud"):
                if getattr(self, name) is not None:
                    raise ValueError(f"{name} must come with engine 'board', not {self.engine!r}")
        elif self.port is None:
            raise ValueError("port must be given with engine 'board'")
        elif not isinstance(self.port, str):
            raise TypeError(f"port must be the name of a serial port, not {self.port!r}")
        elif not self.port:
            raise ValueError("port must be the name of a serial port, not ''")

    def _check_wave(self) -> None:
        if self.wave is None:
            for name in ("wave_from", "wave_to"):
                if getattr(self, name) is not None:
                    raise ValueError(f"{name} must come with wave")
            return
        if not isinstance(self.wave, str | os.PathLike):
            raise TypeError(f"wave must be the name of a file, not {self.wave!r}")
        parts.wave().check_suffix(self.wave)
        check_window("wave", *self.wave_window)

    @property
    def wave_window(self) -> tuple[int, int]:
        """First and last cycle of the waveforms."""
        first = 0 if self.wave_from is None else self.wave_from
        return first, MAX_CYCLE if self.wave_to is None else self.wave_to

    def _check_cycles(self, latency: int | tuple[int, int]) -> None:
        bounds = latency if isinstance(latency, tuple) else (latency,) * 2
        if len(bounds) != 2:
            raise ValueError(f"latency must be an integer or a pair, not {latency!r}")
        low, high = (integer(bound, "latency") for bound in bounds)
        if not 1 <= low <= high <= MAX_LATENCY:
            raise ValueError(
                f"latency must be within 1..{MAX_LATENCY} cycles, not {self.latency_text}"
            )

    def latency_model(self):
        """The memory's :class:`ember.sim.latency.Latency`."""
        if isinstance(self.latency, Dram):
            return self.latency
        models = parts.latency()
        if isinstance(self.latency, tuple):
            return models.RandomLatency(*self.latency)
        return models.FixedLatency(self.latency)

    @property
    def latency_text(self) -> str:
        """The latency as the command line writes it: ``200``, ``100..400`` or ``ddr4-2400:1``."""
        if isinstance(self.latency, Dram):
            return f"{self.latency.name}:{self.latency.channels}"
        if isinstance(self.latency, tuple):
            return "..".join(map(str, self.latency))
        return str(self.latency)


def check_window(name: str, first: object, last: object) -> None:
    """Refuse a window of cycles.

    Raises
    ------
    TypeError, ValueError
        A bound is no integer, is out of range, or the last is before the first.
    """
    for end, cycle in (("from", first), ("to", last)):
        if not 0 <= integer(cycle, f"{name}_{end}") <= MAX_CYCLE:
            raise ValueError(f"{name}_{end} must be a cycle 0..{MAX_CYCLE}, not {cycle}")
    if integer(first, name) > integer(last, name):
        raise ValueError(f"{name}_from must be at most {name}_to, {last}, not {first}")


def run_options(options: Mapping[str, object]) -> RunOptions:
    """:class:`RunOptions` from keyword arguments; an unknown one is a TypeError."""
    for name in options:
        if name not in RunOptions.__dataclass_fields__:
            allowed = ", ".join(RunOptions.__dataclass_fields__)
            raise TypeError(f"option must be one of {allowed}, not {name!r}")
    return RunOptions(**options)  # type: ignore[arg-type]
