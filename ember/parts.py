"""The other packages, as this one sees them: plain descriptions at once, the rest when used.

Installed, the directories hw/, compiler/, sim/, synth/ and boards/ are packages inside ``ember``;
type checkers see them beside it. That is why each import is written twice, and why all of them are
here.

The functions import what is slow to import (Amaranth, xDSL), so that ``import ember``,
``ember --help`` and every message about bad input come at once.
"""

from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING

from .errors import RunError

if TYPE_CHECKING:
    from ..compiler.layout import Csr, coo_to_csr
    from ..hw import isa
    from ..hw.config import PRESETS, Config
    from ..hw.occupancy import bin_levels
    from ..sim.dram import MAX_MHZ, Dram, DramTiming
    from ..sim.dram_presets import DRAM_PRESETS, dram_preset
    from ..sim.dram_statistics import DramStatistics
else:
    from .compiler.layout import Csr, coo_to_csr
    from .hw import isa
    from .hw.config import PRESETS, Config
    from .hw.occupancy import bin_levels
    from .sim.dram import MAX_MHZ, Dram, DramTiming
    from .sim.dram_presets import DRAM_PRESETS, dram_preset
    from .sim.dram_statistics import DramStatistics

__all__ = [
    "DRAM_PRESETS", "MAX_MHZ", "PRESETS", "Config", "Csr", "Dram", "DramStatistics", "DramTiming",
    "bin_levels", "coo_to_csr", "dram_preset", "isa",
]  # fmt: skip


def compiler():
    """Modules ``(spec, pipeline)`` of the compiler."""
    if TYPE_CHECKING:
        from ..compiler import pipeline, spec
    else:
        from .compiler import pipeline, spec
    return spec, pipeline


def nests():
    """Modules ``(nest, errors)`` of the compiler, for loop nests as text."""
    if TYPE_CHECKING:
        from ..compiler import errors, nest
    else:
        from .compiler import errors, nest
    return nest, errors


def nest_runs():
    """Modules ``(nest, signature, specialize, interpret)`` of the compiler."""
    if TYPE_CHECKING:
        from ..compiler import nest, signature
        from ..compiler.frontend import specialize
        from ..compiler.interpret import interpret
    else:
        from .compiler import nest, signature
        from .compiler.frontend import specialize
        from .compiler.interpret import interpret
    return nest, signature, specialize, interpret


def llvm():
    """Modules ``(host, module, jit)`` of the back end for the host's processor.

    Raises
    ------
    RunError
        llvmlite is missing.
    """
    try:
        if TYPE_CHECKING:
            from ..compiler.llvm import host, jit, module
        else:
            from .compiler.llvm import host, jit, module
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "llvmlite":
            raise
        raise RunError(
            "engine 'cpu' and stage 'llvm' need llvmlite: pip install llvmlite==0.50.0"
        ) from None
    return host, module, jit


def memory():
    """Module ``ember.sim.memory``."""
    if TYPE_CHECKING:
        from ..sim import memory
    else:
        from .sim import memory
    return memory


def latency():
    """Module ``ember.sim.latency``."""
    if TYPE_CHECKING:
        from ..sim import latency
    else:
        from .sim import latency
    return latency


def model():
    """Module ``ember.sim.model``, the functional model."""
    if TYPE_CHECKING:
        from ..sim import model
    else:
        from .sim import model
    return model


def result():
    """Module ``ember.sim.result``, what an engine gives back."""
    if TYPE_CHECKING:
        from ..sim import result
    else:
        from .sim import result
    return result


def engine():
    """Module ``ember.sim.engine``, the RTL engine."""
    if TYPE_CHECKING:
        from ..sim import engine
    else:
        from .sim import engine
    return engine


def wave():
    """Module ``ember.sim.wave``, what waveform files there are."""
    if TYPE_CHECKING:
        from ..sim import wave
    else:
        from .sim import wave
    return wave


def golden():
    """Module ``ember.sim.golden``, the reference."""
    if TYPE_CHECKING:
        from ..sim import golden
    else:
        from .sim import golden
    return golden


def fp32():
    """Module ``ember.sim.fp32``, the reference's arithmetic."""
    if TYPE_CHECKING:
        from ..sim import fp32
    else:
        from .sim import fp32
    return fp32


def asm():
    """Module ``ember.compiler.asm``, the assembler."""
    if TYPE_CHECKING:
        from ..compiler import asm
    else:
        from .compiler import asm
    return asm


def failures() -> tuple[type[Exception], ...]:
    """Exceptions with which a run fails without the caller's fault."""
    if TYPE_CHECKING:
        from ..boards.fpga.errors import BoardsMissing
        from ..boards.host.errors import BoardError
        from ..sim.build import BuildError
        from ..sim.cache import CacheError
        from ..sim.result import ConfigMismatch, Hang
        from ..sim.tools import ToolMissing
        from ..synth.tools import SynthesisError, SynthesisToolMissing
    else:
        from .boards.fpga.errors import BoardsMissing
        from .boards.host.errors import BoardError
        from .sim.build import BuildError
        from .sim.cache import CacheError
        from .sim.result import ConfigMismatch, Hang
        from .sim.tools import ToolMissing
        from .synth.tools import SynthesisError, SynthesisToolMissing
    return (
        BoardError, BoardsMissing, BuildError, CacheError, ConfigMismatch, Hang, SynthesisError,
        SynthesisToolMissing, ToolMissing,
    )  # fmt: skip


def tools():
    """Module ``ember.sim.tools``, which finds external programs."""
    if TYPE_CHECKING:
        from ..sim import tools
    else:
        from .sim import tools
    return tools


def cache():
    """Module ``ember.sim.cache``, which keeps builds."""
    if TYPE_CHECKING:
        from ..sim import cache
    else:
        from .sim import cache
    return cache


def machine(config: "Config"):
    """The machine's top component for ``config``."""
    if TYPE_CHECKING:
        from ..hw.top import Machine
    else:
        from .hw.top import Machine
    return Machine(config)


def verilog(config: "Config", name: str) -> str:
    """Verilog text of the machine for ``config``, with ``name`` as its top module."""
    return to_verilog(machine(config), name)


def _with_cocotb(load: Callable[[], ModuleType]) -> ModuleType | None:
    """What ``load`` imports, or None where cocotb is not installed."""
    try:
        return load()
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("cocotb", "cocotb_tools"):
            raise
        return None


def cocotb_speed():
    """Module ``ember.sim.cocotb_speed``, or None where cocotb is not installed."""

    def load():
        if TYPE_CHECKING:
            from ..sim import cocotb_speed
        else:
            from .sim import cocotb_speed
        return cocotb_speed

    return _with_cocotb(load)


def verify():
    """Module ``ember.sim.verify``, or None where cocotb is not installed."""

    def load():
        if TYPE_CHECKING:
            from ..sim import verify
        else:
            from .sim import verify
        return verify

    return _with_cocotb(load)


def synthesis():
    """Modules ``(targets, blocks, measure, tools)`` of ``ember.synth``."""
    if TYPE_CHECKING:
        from ..synth import blocks, measure, targets, tools
    else:
        from .synth import blocks, measure, targets, tools
    return targets, blocks, measure, tools


def estimate():
    """Module ``ember.synth.estimate``, which predicts what synthesis would say."""
    if TYPE_CHECKING:
        from ..synth import estimate
    else:
        from .synth import estimate
    return estimate


def boards():
    """Modules ``bus.buses`` and ``ip.export`` of ``ember.boards``."""
    if TYPE_CHECKING:
        from ..boards.bus import buses
        from ..boards.ip import export
    else:
        from .boards.bus import buses
        from .boards.ip import export
    return buses, export


def board_names():
    """Module ``ember.boards.fpga.boards``."""
    if TYPE_CHECKING:
        from ..boards.fpga import boards
    else:
        from .boards.fpga import boards
    return boards


def board_build():
    """Modules ``(design, flow)`` of ``ember.boards.fpga``."""
    if TYPE_CHECKING:
        from ..boards.fpga import design, flow
    else:
        from .boards.fpga import design, flow
    return design, flow


def board_program():
    """Module ``ember.boards.fpga.program``."""
    if TYPE_CHECKING:
        from ..boards.fpga import program
    else:
        from .boards.fpga import program
    return program


def board_host():
    """Modules ``(client, serial_port, session)`` of ``ember.boards.host``."""
    if TYPE_CHECKING:
        from ..boards.host import client, serial_port, session
    else:
        from .boards.host import client, serial_port, session
    return client, serial_port, session


def board_simulator():
    """Module ``ember.boards.simulation.simulator``."""
    if TYPE_CHECKING:
        from ..boards.simulation import simulator
    else:
        from .boards.simulation import simulator
    return simulator


def to_verilog(component, name: str) -> str:
    """Verilog text of a component that has not been elaborated, as module ``name``."""
    if TYPE_CHECKING:
        from ..sim.verilog import to_verilog
    else:
        from .sim.verilog import to_verilog
    return to_verilog(component, name)
