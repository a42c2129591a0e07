"""The machine with AXI4 for memory and AXI4-Lite for control: ports as other people's systems
name them."""

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...hw.config import Config
from ...hw.top import Machine
from . import widths
from .axi_lite_control import ADDRESS_WIDTH, AxiLiteControl
from .axi_read import AxiRead
from .axi_write import AxiWrite

#: Bursts increment; accesses are modifiable and not cached, and a write is answered by its final
#: destination: when a run is done, everybody sees its results. Data, secure, unprivileged.
_INCR, _CACHE, _PROT = 1, 0b0010, 0b000


class AxiMachine(wiring.Component):
    """Machine, AXI4 master ``m_axi``, AXI4-Lite slave ``s_axil``, interrupt.

    Parameters
    ----------
    config : Config
    data_width, id_width : int or None
        See :class:`.axi_read.AxiRead`.

    Members
    -------
    m_axi_* : the five channels; addresses have ``addr_width`` bits
    s_axil_* : the five channels; byte addresses of 22 bits
    irq : Out(1), level: high while a run is done and the interrupt enabled

    Raises
    ------
    TypeError, ValueError
        See :mod:`.widths`.
    """

    def __init__(self, config: Config, data_width: int | None = None, id_width: int | None = None):
        self._config = config
        self._data_width = width = widths.data_width(config, data_width)
        self._id_width = ids = widths.id_width(config, id_width)
        address = {
            "id": Out(ids), "addr": Out(config.addr_width), "len": Out(8), "size": Out(3),
            "burst": Out(2), "lock": Out(1), "cache": Out(4), "prot": Out(3), "qos": Out(4),
            "valid": Out(1), "ready": In(1),
        }  # fmt: skip
        lite_address = {"addr": In(ADDRESS_WIDTH), "prot": In(3), "valid": In(1), "ready": Out(1)}
        channels = {
            "m_axi_aw": address,
            "m_axi_w": {
                "data": Out(width), "strb": Out(width // 8), "last": Out(1), "valid": Out(1),
                "ready": In(1),
            },
            "m_axi_b": {"id": In(ids), "resp": In(2), "valid": In(1), "ready": Out(1)},
            "m_axi_ar": address,
            "m_axi_r": {
                "id": In(ids), "data": In(width), "resp": In(2), "last": In(1), "valid": In(1),
                "ready": Out(1),
            },
            "s_axil_aw": lite_address,
            "s_axil_w": {"data": In(32), "strb": In(4), "valid": In(1), "ready": Out(1)},
            "s_axil_b": {"resp": Out(2), "valid": Out(1), "ready": In(1)},
            "s_axil_ar": lite_address,
            "s_axil_r": {"data": Out(32), "resp": Out(2), "valid": Out(1), "ready": In(1)},
        }  # fmt: skip
        members = {
            f"{channel}{name}": member
            for channel, names in channels.items()
            for name, member in names.items()
        }
        super().__init__({**members, "irq": Out(1)})

    def elaborate(self, platform):
        m = Module()
        config, width = self._config, self._data_width
        m.submodules.machine = machine = Machine(config)
        m.submodules.read = read = AxiRead(config, width, self._id_width)
        m.submodules.write = write = AxiWrite(config, width)
        m.submodules.control = control = AxiLiteControl()
        wiring.connect(m, machine.read, read.port)
        wiring.connect(m, machine.write, write.port)
        wiring.connect(m, control.bus, machine.bus)

        def port(name):
            return getattr(self, name)

        for prefix, block, outputs in (
            ("m_axi_", read, ("ar",)), ("m_axi_", write, ("aw", "w")), ("s_axil_", control, "br"),
        ):  # fmt: skip
            for channel in outputs:
                stream = getattr(block, channel)
                m.d.comb += [
                    port(f"{prefix}{channel}valid").eq(stream.valid),
                    stream.ready.eq(port(f"{prefix}{channel}ready")),
                ]
        for prefix, block, inputs in (
            ("m_axi_", read, "r"), ("m_axi_", write, "b"), ("s_axil_", control, ("aw", "w", "ar")),
        ):  # fmt: skip
            for channel in inputs:
                stream = getattr(block, channel)
                m.d.comb += [
                    stream.valid.eq(port(f"{prefix}{channel}valid")),
                    port(f"{prefix}{channel}ready").eq(stream.ready),
                ]
        for name, channel in (("aw", write.aw), ("ar", read.ar)):
            for field, value in (
                ("addr", channel.payload.line << config.line_shift),
                ("len", widths.beats(config, width) - 1),
                ("size", (width // 8).bit_length() - 1),
                ("burst", _INCR),
                ("cache", _CACHE),
                ("prot", _PROT),
            ):
                m.d.comb += port(f"m_axi_{name}{field}").eq(value)
        m.d.comb += [
            self.m_axi_arid.eq(read.ar.payload.id),
            self.m_axi_wdata.eq(write.w.payload.data),
            self.m_axi_wstrb.eq(write.w.payload.strobe),
            self.m_axi_wlast.eq(write.w.payload.last),
            write.b.payload.error.eq(self.m_axi_bresp[1]),
            read.r.payload.id.eq(self.m_axi_rid),
            read.r.payload.data.eq(self.m_axi_rdata),
            read.r.payload.error.eq(self.m_axi_rresp[1]),
            control.aw.payload.eq(self.s_axil_awaddr),
            control.w.payload.eq(Cat(self.s_axil_wdata, self.s_axil_wstrb)),
            self.s_axil_bresp.eq(control.b.payload),
            control.ar.payload.eq(self.s_axil_araddr),
            self.s_axil_rdata.eq(control.r.payload),
            self.irq.eq(machine.irq),
        ]
        return m
