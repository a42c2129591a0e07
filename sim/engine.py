"""The native RTL engine: the generated Verilog, compiled, with memory and clock in C++."""

import ctypes
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from amaranth.lib import wiring

from ..hw import isa, layouts
from ..hw.config import Config
from ..hw.program import Program
from . import dram_native
from .build import Progress, build_library
from .dram import Dram
from .dram_statistics import DramStatistics
from .hang import describe
from .latency import LATE, Faults, FixedLatency, Latency
from .recording import Recorder, unpack_tokens
from .result import ConfigMismatch, ErrorReport, Hang, Observed, RunResult, Traffic
from .rtl import StateField, component_rtl, machine_rtl
from .wave import Wave

#: Cycles between two looks at the clock; short enough for Ctrl-C to feel immediate.
_SLICE = 20_000

_SOURCES = (
    "harness.cpp", "delay_line.h", "dram.h", "fields.h", "memory_timing.h", "observer.h",
    "recorder.h", "segments.h", "waves.h",
)  # fmt: skip

_NEVER = (1 << 64) - 1

REGISTER = {name: address for name, address, _, _ in isa.REGISTERS}


class HostMemory(Protocol):
    """What an engine needs of a memory."""

    def segments(self) -> Sequence[tuple[int, int, np.ndarray, bool]]:
        """(base, size in bytes, bytes as a 1-D uint8 view, writable) of each segment."""
        ...


#: Makes the top component of a configuration, with probes.
MachineFactory = Callable[[Config], wiring.Component]


class RtlEngine:
    """Runs programs on the RTL of one configuration.

    A simulator is built (or found in the cache) when it is first needed; one each without
    waveforms and with those of each format. It has the machine's probes, so that a hang can always
    be explained. Launches follow each other on the same instance without a reset, except after a
    hang. Not for use by several threads at once; several engines are independent.

    Parameters
    ----------
    config : Config
    progress : function of a line of text, called around builds
    machine : makes the top component; the default is :class:`ember.hw.top.Machine`

    Raises
    ------
    ToolMissing
        Verilator or a C++ compiler is not installed (when a simulator must be built).
    """

    def __init__(
        self,
        config: Config,
        *,
        progress: Progress | None = None,
        machine: MachineFactory | None = None,
    ):
        self.config = config
        self._progress = progress
        self._factory = machine
        self._instances: dict[str | None, _Instance] = {}

    def build(self, *, waves: str | None = None) -> None:
        """Build a simulator, with waveforms of a format or without, before a run needs it."""
        self._instance(waves)

    def reset(self) -> None:
        """Reset the machine; requests on their way are forgotten."""
        for instance in self._instances.values():
            instance.reset()

    def close(self) -> None:
        """Free the simulators."""
        for instance in self._instances.values():
            instance.close()
        self._instances.clear()

    def __enter__(self) -> "RtlEngine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(
        self,
        program: Program,
        memory: HostMemory,
        *,
        latency: Latency | None = None,
        seed: int = 0,
        max_cycles: int = 1_000_000_000,
        max_seconds: float = 3600.0,
        probes: bool = False,
        wave: Wave | str | os.PathLike | None = None,
        record: tuple[int, int] | None = None,
        faults: Faults | None = None,
    ) -> RunResult:
        """Load ``program``, start the machine and wait for the end.

        Parameters
        ----------
        program : Program
        memory : its arrays are read and written in place
        latency : of the memory, a :class:`Dram` too; the default is ``FixedLatency(200)``
        seed : of random latency and back-pressure
        max_cycles, max_seconds : limits, cycles from start and wall-clock time
        probes : also return everything that entered the two queues
        wave : waveform file to write, of all cycles or of a window
        record : record what every unit does, and every change and token from one cycle to before
            another; (0, 0) is the course of time alone
        faults : misbehaviour of the memory

        Raises
        ------
        ConfigMismatch
            The program was made for another configuration.
        ValueError
            The program does not fit the configuration, or a waveform's suffix is unknown.
        Hang
            A limit was reached.
        OSError
            The waveform file cannot be written.
        ToolMissing
            A simulator must be built, and Verilator, a C++ compiler, or what FST needs is missing.
        """
        if wave is not None and not isinstance(wave, Wave):
            wave = Wave(wave)
        if wave is not None:
            wave.check_writable()
        instance = self._instance(None if wave is None else wave.format)
        found = f"{instance.read(REGISTER['CONFIG_HASH']):08x}"
        if found != program.config_hash:
            raise ConfigMismatch(
                f"program is for configuration {program.config_hash}, but the machine is {found}"
            )
        image = program.image(self.config)
        instance.configure(memory, latency or FixedLatency(), seed, probes, faults or Faults())
        instance.load(image, len(program.segments))
        recorder = None if record is None else instance.record(program, record)
        return instance.launch(max_cycles, max_seconds, probes, wave, recorder)

    def _instance(self, waves: str | None) -> "_Instance":
        if waves not in self._instances:
            if self._factory is None:
                rtl = machine_rtl(self.config, progress=self._progress)
            else:
                rtl = component_rtl(self._factory(self.config))
            files = {"ports.h": rtl.header}
            for name in _SOURCES:
                files[name] = (Path(__file__).parent / name).read_text()
            library = build_library(rtl.verilog, files, waves=waves, progress=self._progress)
            self._instances[waves] = _Instance(self.config, library, rtl.state)
        return self._instances[waves]


class _Settings(ctypes.Structure):
    _fields_ = [
        ("low", ctypes.c_uint32),
        ("high", ctypes.c_uint32),
        ("stall", ctypes.c_uint32),
        ("late", ctypes.c_uint32),
        ("late_latency", ctypes.c_uint32),
        ("record", ctypes.c_uint32),
        ("seed", ctypes.c_uint64),
        ("silent_after", ctypes.c_uint64),
        ("stray_at", ctypes.c_uint64),
        ("stray_tag", ctypes.c_uint64),
    ]


class _Observed(ctypes.Structure):
    _fields_ = [("answers", ctypes.c_uint64 * 64), ("writes", ctypes.c_uint64 * 8)]


class _Traffic(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_uint64)
        for name in (
            "cycles", "reads", "read_answers", "writes", "write_answers", "stray_reads",
            "stray_writes", "first_stray_write",
        )
    ]  # fmt: skip


class _Instance:
    """One simulator: a machine with its clock and memory."""

    def __init__(self, config: Config, library: Path, state: list[StateField]):
        self._handle = None
        self._config = config
        self._state = state
        self._lib = _load(library)
        self._handle = self._lib.ember_new()
        self._memory: list[np.ndarray] = []
        self._dirty = False
        self._dram: Dram | None = None

    def close(self) -> None:
        if self._handle:
            self._lib.ember_delete(self._handle)
            self._handle = None

    def __del__(self) -> None:
        self.close()

    def reset(self) -> None:
        self._lib.ember_reset(self._handle, 2)
        self._dirty = False

    def read(self, address: int) -> int:
        return self._lib.ember_read(self._handle, address)

    def read64(self, address: int) -> int:
        return self.read(address) | self.read(address + 1) << 32

    def write(self, address: int, value: int) -> None:
        self._lib.ember_write(self._handle, address, value)

    def record(self, program: Program, window: tuple[int, int]) -> Recorder:
        return Recorder(self._lib, self._handle, self._state, program, self._config, window)

    def configure(
        self, memory: HostMemory, latency: Latency, seed: int, record: bool, faults: Faults
    ) -> None:
        if self._dirty:
            self.reset()
        silent = _NEVER if faults.silent_after is None else faults.silent_after
        self._dram = latency if isinstance(latency, Dram) else None
        timing = FixedLatency(1) if isinstance(latency, Dram) else latency
        stall, late = (round(chance * (1 << 32)) for chance in (timing.stall, timing.late))
        settings = _Settings(
            timing.low, timing.high, stall, late, LATE * timing.high if late else 0, record,
            seed & (_NEVER >> 1), silent, *(faults.unknown_tag or (0, 0)),
        )  # fmt: skip
        self._lib.ember_configure(self._handle, ctypes.byref(settings))
        if self._dram:
            model = dram_native.settings(self._dram, self._config.line_bytes)
            self._lib.ember_configure_dram(self._handle, ctypes.byref(model))
        self._memory = []
        for base, size, array, writable in memory.segments():
            if array.dtype != np.uint8 or array.nbytes != size or not array.flags.c_contiguous:
                raise ValueError(
                    f"segment at 0x{base:x} must be {size} contiguous bytes, not "
                    f"{array.nbytes} of {array.dtype}"
                )
            # The simulator keeps the address, so the array must stay.
            self._memory.append(array)
            self._lib.ember_segment(self._handle, base, size, array.ctypes.data, writable)
        for address in faults.read_errors:
            self._lib.ember_fault(self._handle, address, 0)
        for address in faults.write_errors:
            self._lib.ember_fault(self._handle, address, 1)

    def load(self, image: list[tuple[int, int]], segments: int) -> None:
        pairs = np.array(image, dtype=np.uint32).reshape(-1)
        self._lib.ember_write_all(self._handle, pairs.ctypes.data, len(image))
        self.write(REGISTER["CONTROL"], 2)
        self.write(REGISTER["IRQ_ENABLE"], 1)
        self.write(REGISTER["SEGMENTS"], segments)

    def launch(
        self,
        max_cycles: int,
        max_seconds: float,
        probes: bool,
        wave: Wave | None,
        recorder: Recorder | None,
    ) -> RunResult:
        self._dirty = True
        self.write(REGISTER["CONTROL"], 1)
        self._lib.ember_begin(self._handle)
        if wave is not None:
            path = os.fsencode(wave.path)
            self._lib.ember_wave(self._handle, path, wave.start, wave.stop, wave.offset)
        started = time.monotonic()
        try:
            limit = self._wait(max_cycles, max_seconds)
        finally:
            written = self._lib.ember_wave_close(self._handle)
        wall = time.monotonic() - started
        # Before anything is read from the machine, which takes cycles.
        recording = None if recorder is None else recorder.finish()
        if limit is not None:
            hang = self._hang(limit)
            hang.recording = recording
            raise hang
        if wave is not None and not written:
            raise wave.error()
        self._dirty = False
        # Before the registers are read, which takes cycles too.
        dram, traffic = self._dram_counts(), self._seen()
        counters = self.counters()
        return RunResult(
            cycles=counters["cycles"],
            counters=counters,
            error=self.error(),
            tokens=self._tokens() if probes else None,
            vectors=self._vectors() if probes else None,
            wall_seconds=wall,
            traffic=traffic,
            dram=self._dram_statistics(dram, traffic, counters["cycles"]),
            observed=self._observed() if probes else None,
            recording=recording,
        )

    def _wait(self, max_cycles: int, max_seconds: float) -> str | None:
        """Run until the machine is done; the limit, if one was reached before."""
        started = time.monotonic()
        first = self.traffic().cycles
        while True:
            left = max_cycles - (self.traffic().cycles - first)
            if self._lib.ember_run(self._handle, max(0, min(left, _SLICE))):
                return None
            if left <= _SLICE:
                return f"within {max_cycles} cycles"
            if time.monotonic() - started > max_seconds:
                spent = self.traffic().cycles - first
                return f"within {max_seconds:g} s ({spent} cycles)"

    def counters(self) -> dict[str, int]:
        """The counters of the last snapshot."""
        return {
            name: self.read64(isa.COUNTER_BASE + 2 * n)
            for n, (name, _) in enumerate(isa.COUNTERS)
        }

    def snapshot(self) -> dict[str, int]:
        """The counters as they are now, all of the same cycle."""
        self.write(REGISTER["SNAPSHOT"], 1)
        # A read takes two cycles, so that this waits for longer than any snapshot takes.
        for _ in range(2 * len(isa.COUNTERS)):
            number = self.read(REGISTER["SNAPSHOT"])
            if number & 1:
                continue
            counters = self.counters()
            if self.read(REGISTER["SNAPSHOT"]) == number:
                return counters
        raise RuntimeError(f"counters had no snapshot within {4 * len(isa.COUNTERS)} cycles")

    def error(self) -> ErrorReport | None:
        if not self.read(REGISTER["STATUS"]) & 4:
            return None
        return ErrorReport(
            kind=isa.Error(self.read(REGISTER["ERROR_KIND"])),
            segment=self.read(REGISTER["ERROR_SEGMENT"]),
            layer=self.read(REGISTER["ERROR_LAYER"]),
            position=self.read64(REGISTER["ERROR_POSITION"]),
            value=self.read64(REGISTER["ERROR_VALUE"]),
        )

    def traffic(self) -> _Traffic:
        out = _Traffic()
        self._lib.ember_traffic(self._handle, ctypes.byref(out))
        return out

    def _seen(self) -> Traffic:
        t = self.traffic()
        return Traffic(
            reads=t.reads,
            read_answers=t.read_answers,
            writes=t.writes,
            write_answers=t.write_answers,
            stray_reads=t.stray_reads,
            stray_writes=t.stray_writes,
            first_stray_write=t.first_stray_write if t.stray_writes else None,
        )

    def _dram_counts(self) -> dram_native.Counts:
        counts = dram_native.Counts()
        self._lib.ember_dram_counts(self._handle, ctypes.byref(counts))
        return counts

    def _dram_statistics(
        self, counts: dram_native.Counts, traffic: Traffic, cycles: int
    ) -> DramStatistics | None:
        if self._dram is None:
            return None
        seen = counts.to_dict()
        del seen["clocks"]  # the memory's clock goes on after the machine is done
        return DramStatistics(
            dram=self._dram, line_bytes=self._config.line_bytes, cycles=cycles,
            writes=traffic.write_answers, **seen,
        )  # fmt: skip

    def _hang(self, limit: str) -> Hang:
        state = self._probe_state()
        status, counters, traffic = self.read(REGISTER["STATUS"]), self.snapshot(), self._seen()
        return describe(limit, status, state, counters, traffic)

    def _probe_state(self) -> dict[str, int]:
        if not self._state:
            return {}
        words = (ctypes.c_uint32 * (max(f.offset + f.width for f in self._state) // 32 + 1))()
        count = self._lib.ember_state(self._handle, words)
        packed = sum(word << 32 * n for n, word in enumerate(words[:count]))
        return {f.name: packed >> f.offset & ((1 << f.width) - 1) for f in self._state}

    def _recorded(self, function: Callable, width: int) -> np.ndarray:
        pointer = ctypes.POINTER(ctypes.c_uint32)()
        count = function(self._handle, ctypes.byref(pointer))
        words = (width + 31) // 32
        if not count:
            return np.zeros((0, words), np.uint32)
        return np.ctypeslib.as_array(pointer, (count,)).reshape(-1, words).copy()

    def _observed(self) -> Observed:
        out = _Observed()
        self._lib.ember_observed(self._handle, ctypes.byref(out))
        return Observed(
            self._states(self._lib.ember_token_states),
            self._states(self._lib.ember_vector_states),
            np.array(out.answers, np.uint64).reshape(8, 8),
            np.array(out.writes, np.uint64),
        )

    def _states(self, function: Callable) -> np.ndarray:
        pointer = ctypes.POINTER(ctypes.c_uint8)()
        count = function(self._handle, ctypes.byref(pointer))
        if not count:
            return np.zeros(0, np.uint8)
        return np.ctypeslib.as_array(pointer, (count,)).copy()

    def _vectors(self) -> np.ndarray:
        return self._recorded(self._lib.ember_vectors, layouts.vector(self._config).size)

    def _tokens(self) -> np.ndarray:
        size = layouts.token(self._config).size
        return unpack_tokens(self._config, self._recorded(self._lib.ember_tokens, size))


def _load(library: Path) -> ctypes.CDLL:
    lib = ctypes.CDLL(str(library))
    handle, u32, u64 = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64
    pointer, integer = ctypes.c_void_p, ctypes.c_int
    for name, result, *arguments in (
        ("new", handle),
        ("delete", None, handle),
        ("reset", None, handle, integer),
        ("configure", None, handle, pointer),
        ("configure_dram", None, handle, pointer),
        ("dram_counts", None, handle, pointer),
        ("segment", None, handle, u64, u64, pointer, integer),
        ("fault", None, handle, u64, integer),
        ("write", None, handle, u32, u32),
        ("write_all", None, handle, pointer, u64),
        ("read", u32, handle, u32),
        ("run", integer, handle, u64),
        ("traffic", None, handle, pointer),
        ("state", integer, handle, pointer),
        ("tokens", u64, handle, pointer),
        ("vectors", u64, handle, pointer),
        ("observed", None, handle, pointer),
        ("token_states", u64, handle, pointer),
        ("vector_states", u64, handle, pointer),
        ("begin", None, handle),
        ("wave", None, handle, ctypes.c_char_p, u64, u64, u64),
        ("wave_close", integer, handle),
        ("record", None, handle, pointer, pointer, pointer, u32),
        ("record_stop", None, handle, pointer, pointer),
        ("recorded", u64, handle, integer, u32, pointer),
    ):
        function = getattr(lib, f"ember_{name}")
        function.restype, function.argtypes = result, arguments
    return lib
