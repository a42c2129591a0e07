"""Boards with DDR3: LambdaConcept ECPIX-5, Lattice's ECP5 Versa, Digilent Arty A7-100.

Pins come from amaranth-boards. LiteDRAM's core has the PLL and makes the clock of everything.
"""

from typing import Any

from amaranth.hdl import ClockDomain, ClockSignal, Module, ResetSignal
from amaranth.lib import io

from ..memory.lite_dram import LiteDram
from .design import Design
from .dram_chips import CHIPS
from .top import Top

_LAMPS = {"arty-a7": 4}
_IN = io.Direction.Input

#: Pins of the core -> of the board's ``ddr3``. A board may have none for a pin: then it is wired.
_OUTPUTS = {
    "a": "a", "ba": "ba", "ras_n": "ras", "cas_n": "cas", "we_n": "we", "cs_n": "cs", "dm": "dm",
    "cke": "clk_en", "odt": "odt", "reset_n": "rst",
}  # fmt: skip


#: For Vivado: LiteX' registers that take a reset whenever it comes.
CONSTRAINTS = """\
set_false_path -quiet -to [get_pins -filter {REF_PIN_NAME == PRE} -of_objects \
[get_cells -hierarchical -filter {ars_ff1 == TRUE || ars_ff2 == TRUE}]]
"""


class Ddr3(Top):
    """Top level of a board with DDR3.

    The serial line is that of the USB socket for debugging. The reset button resets everything,
    and the memory has to be initialized again. Lamp 0 blinks, 1 shows that the link works, 2 that a
    run is done; on the ECPIX-5 they are green.

    Raises
    ------
    ValueError
        A line of the machine is too short.
    """

    def __init__(self, design: Design, board: str):
        size = CHIPS[design.board.name].bytes
        self._pins: dict[str, Any] = {}
        super().__init__(design, board, LiteDram(design.config, size, self._pins), size)

    def elaborate(self, platform: Any):  # an Amaranth platform with the board's resources
        m = Module()
        board = self._design.board
        clock, button = platform.request("clk100", dir="-"), platform.request("rst", dir="-")
        m.submodules.clk100 = clk100 = io.Buffer(_IN, clock)
        m.submodules.button = button = io.Buffer(_IN, button)
        names = {signal.name for signal in platform.lookup("ddr3", 0).ios}
        port = platform.request("ddr3", 0, dir=dict.fromkeys(names, "-"))
        self._pins |= {
            f"o_ddram_{pin}": getattr(port, name).io
            for pin, name in _OUTPUTS.items() if name in names
        }  # fmt: skip
        self._pins |= {
            "i_clk": clk100.i,
            "i_rst": button.i,
            "o_ddram_clk_p": port.clk.p,
            "io_ddram_dq": port.dq.io,
            "io_ddram_dqs_p": port.dqs.p,
        }
        if CHIPS[board.name].phy.both_of_a_pair:
            self._pins |= {"o_ddram_clk_n": port.clk.n, "io_ddram_dqs_n": port.dqs.n}
        m.domains.sync = ClockDomain()
        memory: Any = self._memory
        m.d.comb += [ClockSignal("sync").eq(memory.clock), ResetSignal("sync").eq(memory.reset)]
        self._system(m, platform, _LAMPS.get(board.name, 3))
        return m
