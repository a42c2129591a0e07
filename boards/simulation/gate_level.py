"""The board from its netlist: what Yosys made of the top level, in Verilator."""

import json
from pathlib import Path

from ...hw.config import Config
from ...sim.build import Progress
from ...synth import yosys
from ..fpga.flow import synthesize
from .gates import gates
from .simulator import BoardSimulator, compiled, simulated

_BLOCKS = "ecp5_blocks.v"


def simulator(config: Config, progress: Progress | None = None) -> BoardSimulator:
    """The board of :func:`.simulator.simulator`, its netlist in place of its RTL.

    The netlist is that of ``ember build ulx3s`` with a serial line of four clock cycles per bit.

    Raises
    ------
    SynthesisToolMissing, BoardsMissing, ToolMissing
        Something is not installed.
    SynthesisError
        Yosys failed.
    """
    design = simulated(config)
    directory = synthesize(design, progress=progress).directory
    module = json.loads((directory / yosys.NETLIST).read_text())["modules"]["top"]
    verilog = gates(module) + (Path(__file__).parent / _BLOCKS).read_text()
    return BoardSimulator(compiled(design, verilog, progress=progress))
