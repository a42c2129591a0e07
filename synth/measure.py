"""Area and speed of one block, measured with Yosys and nextpnr and kept in the build cache."""

import json
from dataclasses import dataclass
from pathlib import Path

from amaranth.lib import wiring

from ..sim.cache import cached, content_key
from . import nextpnr, tools, yosys
from .figures import Figures
from .targets import Target


@dataclass(frozen=True)
class Measured:
    """Figures of a design and where they come from.

    Attributes
    ----------
    figures : of the block without its harness; ``fmax_mhz`` is None if it does not fit
    path : the slowest path, see :class:`~.nextpnr.Routed`
    """

    figures: Figures
    path: tuple[tuple[float, str], ...]


def measure(
    name: str, block: wiring.Component, target: Target, seed: int, *, routed: bool = True
) -> Measured:
    """Synthesize ``block``, not yet elaborated, and place and route it if it fits.

    Without ``routed`` the area is that of the netlist, and the clock is not known.

    Raises
    ------
    SynthesisToolMissing
        A tool is not installed.
    SynthesisError
        A tool failed.
    CacheError
        The results cannot be kept.
    """
    tools.require()
    text = yosys.source(block)
    netlist_key = content_key(text, yosys.SCRIPT, json.dumps(tools.versions()))
    netlist = cached(
        f"netlist-{netlist_key}", lambda directory: yosys.synthesize(text, directory)
    )
    figures = Figures(name, **yosys.used(netlist, yosys.BLOCK), fmax_mhz=None)
    if figures.excess(target) or not routed:
        return Measured(figures, ())

    def route(directory: Path) -> None:
        # The tools see one directory alone.
        (directory / yosys.NETLIST).hardlink_to(netlist / yosys.NETLIST)
        nextpnr.route(yosys.NETLIST, directory, target, seed)
        (directory / yosys.NETLIST).unlink()

    key = content_key(netlist_key, json.dumps(nextpnr.options(target, seed)))
    report = cached(f"routed-{key}", route) / nextpnr.REPORT
    found = nextpnr.routed(json.loads(report.read_text()))
    harness = yosys.used(netlist, yosys.HARNESS)
    used = {resource: count - harness[resource] for resource, count in found.used.items()}
    return Measured(Figures(name, **used, fmax_mhz=found.fmax_mhz), found.path)
