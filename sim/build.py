"""Verilog and a C++ harness to a shared library, with Verilator."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import tools
from .cache import cached, content_key

Progress = Callable[[str], None]

_LIBRARY = "model.so"

#: x-assign and x-initial: the RTL resets or initializes all that it reads. Few, large files: the
#: headers cost more than the functions.
_VERILATOR = (
    "--cc", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--no-timing", "--no-assert",
    "--output-split", "20000", "--output-split-cfuncs", "4000", "--prefix", "Vtop", "-Wno-fatal",
    "-Wno-lint", "-Wno-style",
)  # fmt: skip

_CXX = ("-std=c++17", "-fPIC", "-fvisibility=hidden", "-w", "-DVL_TIME_CONTEXT", "-DNDEBUG")
#: Code that runs each cycle; constructors and the like are compiled with _SLOW.
_FAST = ("-O2", "-fno-stack-protector", "-fno-semantic-interposition")
_SLOW = ("-O0",)

#: Verilator's own sources that a model needs, and those for waveforms of each format.
_RUNTIME = ("verilated.cpp", "verilated_threads.cpp")
_RUNTIME_WAVES = {None: (), "vcd": ("verilated_vcd_c.cpp",), "fst": ("verilated_fst_c.cpp",)}
_LIBRARIES = {None: (), "vcd": (), "fst": ("-llz4", "-lz")}
_PRECOMPILED = "Vtop__pch.h"


class BuildError(RuntimeError):
    """Verilator or the C++ compiler failed; the message has what it said."""


def build_library(
    verilog: str,
    harness: Mapping[str, str],
    *,
    top: str = "top",
    waves: str | None = None,
    options: tuple[str, ...] = (),
    progress: Progress | None = None,
) -> Path:
    """Compile ``verilog`` and the harness files (name -> text; ``*.cpp`` are compiled).

    The model is class ``Vtop`` of ``Vtop.h``. The result is kept in the build cache under the
    hash of all inputs, flags and tool versions. ``waves`` adds support for waveforms, ``"vcd"`` or
    ``"fst"`` (``VM_TRACE`` is 1, and ``VM_TRACE_VCD`` or ``VM_TRACE_FST``).
    ``options`` are more of Verilator's. ``progress`` gets one line before a build and one after
    it, nothing for a cached one.

    Returns
    -------
    Path of the shared library.

    Raises
    ------
    ToolMissing
        Verilator or a C++ compiler is not installed, or what FST files need.
    BuildError
        One of them failed.
    """
    compiler = tools.cxx()
    if waves == "fst":
        tools.require_fst(compiler)
    flags = (*_VERILATOR, *options, "--top-module", top)
    flags += (f"--trace-{waves}",) if waves else ()
    key = content_key(
        verilog, *(part for item in sorted(harness.items()) for part in item),
        tools.verilator_version(), tools.cxx_version(compiler), *flags, *_CXX, *_FAST, *_SLOW,
    )  # fmt: skip

    def fill(directory: Path) -> None:
        started = time.monotonic()
        if progress:
            progress(f"building simulator {key} ({len(verilog) // 1024} KiB of Verilog)")
        (directory / "top.v").write_text(verilog)
        for name, text in harness.items():
            (directory / name).write_text(text)
        root = tools.verilator_root()
        _verilate(root, directory, flags)
        _compile(compiler, root, directory, list(harness), waves)
        if progress:
            progress(f"built simulator {key} in {time.monotonic() - started:.1f} s")

    return cached(f"rtl-{key}", fill) / _LIBRARY


def _verilate(root: Path, directory: Path, flags: tuple[str, ...]) -> None:
    environment = {**os.environ, "VERILATOR_ROOT": str(root)}
    command = [str(root / "bin" / "verilator_bin"), *flags, "--Mdir", ".", "top.v"]
    _run(command, directory, environment)


def _compile(
    compiler: str, root: Path, directory: Path, harness: list[str], waves: str | None
) -> None:
    runtime = _runtime(compiler, root, waves)
    common = [*_command(compiler, root, waves), "-I."]
    # GCC takes the one of these two that was made with the same flags.
    headers = directory / f"{_PRECOMPILED}.gch"
    headers.mkdir()
    _parallel(
        [
            [*common, *level, "-x", "c++-header", _PRECOMPILED, "-o", str(headers / name)]
            for name, level in (("fast", _FAST), ("slow", _SLOW))
        ],
        directory,
    )
    # Biggest first, so that the cores finish together.
    sources = list(directory.glob("*.cpp"))
    sources.sort(key=lambda path: -path.stat().st_size)
    jobs = []
    for path in sources:
        level = _SLOW if "__Slow" in path.name else _FAST
        jobs.append([*common, *level, "-c", path.name, "-o", f"{path.stem}.o"])
    _parallel(jobs, directory)
    objects = sorted(path.name for path in directory.glob("*.o"))
    libraries = [str(path) for path in sorted(runtime.glob("*.o"))]
    linked = [*objects, *libraries, *_LIBRARIES[waves]]
    _run([compiler, "-shared", "-o", _LIBRARY, *linked, "-pthread"], directory)
    # Hundreds of megabytes; the sources stay, for whoever wants to see what was compiled.
    shutil.rmtree(headers)
    for name in objects:
        (directory / name).unlink()


def _runtime(compiler: str, root: Path, waves: str | None) -> Path:
    """Directory with the objects of Verilator's own sources, which are the same for all models."""
    include = root / "include"
    command = [*_command(compiler, root, waves), *_FAST]
    names = _RUNTIME + _RUNTIME_WAVES[waves]
    key = content_key(tools.verilator_version(), tools.cxx_version(compiler), *command[1:], *names)

    def fill(directory: Path) -> None:
        jobs = [[*command, "-c", str(include / n), "-o", f"{Path(n).stem}.o"] for n in names]
        _parallel(jobs, directory)

    return cached(f"verilated-{key}", fill)


def _command(compiler: str, root: Path, waves: str | None) -> list[str]:
    include = root / "include"
    return [
        compiler, *_CXX, f"-DVM_TRACE={int(waves is not None)}",
        f"-DVM_TRACE_VCD={int(waves == 'vcd')}", f"-DVM_TRACE_FST={int(waves == 'fst')}",
        "-DVM_TRACE_SAIF=0", "-DVM_COVERAGE=0", "-DVM_SC=0",
        f"-I{include}", f"-I{include / 'vltstd'}",
    ]  # fmt: skip


def _parallel(jobs: list[list[str]], directory: Path) -> None:
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for done in [pool.submit(_run, job, directory) for job in jobs]:
            done.result()


def _run(command: list[str], directory: Path, environment: dict[str, str] | None = None) -> None:
    result = subprocess.run(
        command, cwd=directory, env=environment, capture_output=True, text=True, check=False
    )
    if result.returncode:
        said = (result.stderr or result.stdout).strip()
        raise BuildError(f"{Path(command[0]).name} failed with {result.returncode}:\n{said}")
