"""A board for tests: the machine with LiteDRAM and LiteDRAM's own model of a DDR3 memory."""

from typing import Any

from amaranth.hdl import ClockDomain, ClockSignal, Elaboratable, Module, ResetSignal
from amaranth.lib import io
from amaranth_boards.ulx3s import ULX3S_85F_Platform
from ember.boards.fpga.pads import serial_line
from ember.boards.fpga.system import System
from ember.boards.memory.lite_dram import LiteDram
from ember.boards.simulation.simulator import CLOCK_HZ, DIVISOR

BOARD = 6  # dram-sim
BYTES = 128 << 20


class DramBoard(Elaboratable):
    """Oscillator and serial line are those of the ULX3S, so that its harness drives them."""

    def __init__(self, config):
        self._config = config

    def elaborate(self, platform: Any):
        m = Module()
        clk25, button = platform.request("clk25", dir="-"), platform.request("button_fire", dir="-")
        m.submodules.clk25 = clk25 = io.Buffer(io.Direction.Input, clk25)
        m.submodules.button = io.Buffer(io.Direction.Input, button)
        memory = LiteDram(self._config, BYTES, {"i_clk": clk25.i, "i_sim_trace": 0})
        m.domains.sync = ClockDomain()
        m.d.comb += [ClockSignal("sync").eq(memory.clock), ResetSignal("sync").eq(memory.reset)]
        m.submodules.system = system = System(
            self._config, memory, divisor=DIVISOR, memory_bytes=BYTES, clock_hz=CLOCK_HZ,
            board=BOARD,
        )  # fmt: skip
        serial_line(m, platform, system)
        return m


def rtlil(config) -> str:
    """The board as RTLIL, without LiteDRAM's core."""

    class Platform(ULX3S_85F_Platform):
        @property
        def file_templates(self):
            return {"{{name}}.il": "{{emit_rtlil()}}\n"}

        @property
        def command_templates(self):
            return []

    return Platform().build(DramBoard(config), do_build=False, emit_src=False).files["top.il"]
