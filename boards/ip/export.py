"""All files of an export, by name."""

from collections.abc import Callable

from amaranth.lib import wiring

from ...hw.config import Config
from . import port_files, register_files, tool_files
from .peakrdl import peakrdl_files
from .ports import ports
from .registers import register_map


def export_files(
    config: Config,
    bus: str,
    component: wiring.Component,
    to_verilog: Callable[[wiring.Component, str], str],
    version: str,
) -> tuple[dict[str, bytes], bool]:
    """Name below the export's directory -> content; the same bytes each time.

    Parameters
    ----------
    config, bus, component : the machine with this bus, as :func:`..bus.buses.machine` makes it
    to_verilog : makes Verilog of a component and a module name
    version : of Ember

    Returns
    -------
    The files, and whether PeakRDL was there to make its own.
    """
    listed = ports(component)
    registers = register_map(config)
    systemrdl = register_files.systemrdl(registers)
    texts = {
        "ember.sv": to_verilog(component, port_files.TOP),
        "ember.core": tool_files.fusesoc_core(version, config.hash, bus),
        "ember.vlt": tool_files.waivers(),
        "ember_stub.v": port_files.stub(listed),
        "ember_example.v": port_files.example(listed),
        "ports.md": port_files.port_list(config, bus, listed),
        "registers.rdl": systemrdl,
        "registers.svd": register_files.svd(registers),
        "registers.json": register_files.as_json(registers),
    }
    files = {name: text.encode() for name, text in texts.items()}
    made = peakrdl_files(systemrdl)
    return {**files, **(made or {})}, made is not None
