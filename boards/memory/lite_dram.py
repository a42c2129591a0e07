"""Memory of lines in DDR3, behind LiteDRAM's controller."""

from typing import Any

from amaranth.hdl import Const, Instance, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...hw.config import Config
from ...hw.layouts import ReadPort, WritePort
from ..bus import widths
from ..bus.axi_read import AxiRead
from ..bus.axi_write import AxiWrite
from .control_bus import ControlBus

#: The core's module, see :mod:`ember.boards.fpga.dram_core`.
MODULE = "dram_core"
#: Bits of an ID of its port, and of its data: a burst of the memory.
ID_WIDTH, DATA_WIDTH = 4, 128
_INCR = 1


class LiteDram(wiring.Component):
    """LiteDRAM's core between line ports and pins.

    Requests wait until the memory is initialized, which is done over the control bus, see
    :mod:`ember.boards.host.dram`. An address beyond the memory is one inside it: nothing checks.

    Parameters
    ----------
    config : Config
        A line has 128 bits or more.
    size : int
        Bytes, a power of two.
    pins : dict
        What the core's other pins are connected to, as arguments of an Instance.

    Members
    -------
    read : In(ReadPort), write : In(WritePort), control : In(ControlBus)
    clock : Out(1), reset : Out(1), of the system, made by the core

    Latency and throughput are those of LiteDRAM; reads and writes are not ordered.

    Raises
    ------
    ValueError
        See :func:`check_lines`.
    """

    read: wiring.PureInterface
    write: wiring.PureInterface
    control: wiring.PureInterface
    clock: Signal
    reset: Signal

    def __init__(self, config: Config, size: int, pins: dict[str, Any]):
        check_lines(config)
        self._config, self._address_bits, self._pins = config, size.bit_length() - 1, pins
        super().__init__(
            {
                "read": In(ReadPort(config)),
                "write": In(WritePort(config)),
                "control": In(ControlBus()),
                "clock": Out(1),
                "reset": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.reads = reads = AxiRead(config, DATA_WIDTH, ID_WIDTH)
        m.submodules.writes = writes = AxiWrite(config, DATA_WIDTH)
        wiring.connect(m, wiring.flipped(self.read), reads.port)
        wiring.connect(m, wiring.flipped(self.write), writes.port)
        connections = {}
        for name, channel in (("ar", reads.ar), ("aw", writes.aw)):
            fields = {
                "addr": (channel.payload.line << config.line_shift)[: self._address_bits],
                "burst": Const(_INCR, 2),
                "len": Const(widths.beats(config, DATA_WIDTH) - 1, 8),
                "size": Const((DATA_WIDTH // 8).bit_length() - 1, 4),
                "id": channel.payload.id if name == "ar" else Const(0, ID_WIDTH),
            }
            connections |= {f"i_user_port_lines_{name}{key}": v for key, v in fields.items()}
        for name, channel in (("ar", reads.ar), ("aw", writes.aw), ("w", writes.w)):
            connections[f"i_user_port_lines_{name}valid"] = channel.valid
            connections[f"o_user_port_lines_{name}ready"] = channel.ready
        data, coming, answer = writes.w.payload, reads.r, writes.b
        read_response, write_response = Signal(2), Signal(2)
        bus = self.control
        m.d.comb += [
            coming.payload.error.eq(read_response[1]),
            answer.payload.error.eq(write_response[1]),
        ]
        m.submodules.core = Instance(
            MODULE,
            **connections,
            i_user_port_lines_wdata=data.data,
            i_user_port_lines_wstrb=data.strobe,
            i_user_port_lines_wlast=data.last,
            o_user_port_lines_rid=coming.payload.id,
            o_user_port_lines_rdata=coming.payload.data,
            o_user_port_lines_rresp=read_response,
            o_user_port_lines_rvalid=coming.valid,
            i_user_port_lines_rready=coming.ready,
            o_user_port_lines_bresp=write_response,
            o_user_port_lines_bvalid=answer.valid,
            i_user_port_lines_bready=answer.ready,
            i_wb_ctrl_adr=bus.address,
            i_wb_ctrl_dat_w=bus.write_data,
            o_wb_ctrl_dat_r=bus.read_data,
            i_wb_ctrl_sel=Const(0b1111, 4),
            i_wb_ctrl_cyc=bus.request,
            i_wb_ctrl_stb=bus.request,
            i_wb_ctrl_we=bus.write,
            i_wb_ctrl_cti=Const(0, 3),
            i_wb_ctrl_bte=Const(0, 2),
            o_wb_ctrl_ack=bus.done,
            o_user_clk=self.clock,
            o_user_rst=self.reset,
            **self._pins,
        )
        return m


def check_lines(config: Config) -> None:
    """Refuse machines whose lines are too short.

    Raises
    ------
    ValueError
        A line is shorter than a burst of the memory.
    """
    if 8 * config.line_bytes < DATA_WIDTH:
        raise ValueError(
            f"lanes must be at least {DATA_WIDTH // 32} with a DDR3 memory, not {config.lanes}"
        )
