"""What every kind of ``ember run`` does with its options and its outputs."""

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from . import parts
from .cli_errors import reading_input
from .cli_memory import chosen_memories
from .files import check_apart, check_writable, json_text, written
from .options import RunOptions
from .parts import Config
from .progress import Progress
from .recorded import Launch
from .trace import CYCLES as TRACE_CYCLES
from .trace import cut_text, write_trace


def check_outputs(outputs: Mapping[str, str | None], inputs: Iterable[str]) -> None:
    """Refuse files that cannot be written, or are one file; see :func:`ember.files.check_apart`."""
    check_apart(outputs, inputs)
    for path in outputs.values():
        if path is not None and path != "-":
            check_writable(path)


def engine_options(options: argparse.Namespace, progress: Progress) -> RunOptions:
    """The options of :func:`ember.cli_arguments.add_run` and of the memory."""
    [latency] = chosen_memories(options)
    rtl = options.engine == "rtl"
    return RunOptions(
        engine=options.engine, port=getattr(options, "port", None),
        baud=getattr(options, "baud", None), latency=latency, seed=options.seed,
        max_cycles=options.max_cycles, max_seconds=options.max_seconds,
        wave=getattr(options, "wave", None), wave_from=getattr(options, "wave_from", None),
        wave_to=getattr(options, "wave_to", None), timeline=rtl and "json" in options,
        trace=_trace_window(options), progress=progress,
    )  # fmt: skip


def _trace_window(options: argparse.Namespace) -> tuple[int, int] | None:
    if "trace" not in options:
        for name in ("trace_from", "trace_to"):
            if name in options:
                raise ValueError(f"{name} must come with trace")
        return None
    first = getattr(options, "trace_from", 0)
    return first, getattr(options, "trace_to", first + TRACE_CYCLES - 1)


@contextmanager
def traced_if_it_hangs(path: str | None, config: Config) -> Iterator[None]:
    """A machine that hangs leaves its trace, which is when one is needed most."""
    try:
        yield
    except parts.result().Hang as hang:
        if path is not None and hang.recorded:
            with reading_input():
                _save_trace(path, hang.recorded, config, None)
        raise


def save_reports(
    trace_file: str | None,
    json_file: str | None,
    launches: Sequence[Launch],
    config: Config,
    report: dict,
) -> None:
    """Write the trace and the JSON, those that were asked for."""
    if trace_file is not None:
        _save_trace(trace_file, launches, config, report)
    if json_file is not None:
        with written(json_file) as out:
            out.append(json_text(report))


def _save_trace(path: str, launches: Sequence[Launch], config: Config, report: dict | None) -> None:
    """Write the trace of what was recorded, if anything; say what is not in it."""
    if not launches:
        _note(f"trace {path} not written: nothing ran")
        return
    write_trace(path, launches, config, report)
    if cut := cut_text(launches):
        _note(f"trace {path}: {cut} (--trace-from and --trace-to choose)")


def note_missing_waves(options: RunOptions, cycles: int | None) -> None:
    """Say why there are no waveforms, if the run ended before they begin."""
    if options.wave is None:
        return
    first, _ = options.wave_window
    if first >= (cycles or 0):
        _note(
            f"waveform file {options.wave} not written: the run took {cycles:,} cycles, "
            f"but wave_from is {first:,}"
        )


def _note(line: str) -> None:
    print(f"ember: {line}", file=sys.stderr)
