"""The register bus as an AXI4-Lite slave."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...hw import isa
from ...hw.layouts import RegisterBus

#: Bits of a byte address: the register bus counts words.
ADDRESS_WIDTH = isa.BUS_ADDR_WIDTH + 2
OKAY, SLVERR = 0, 2


class AxiLiteControl(wiring.Component):
    """Registers and program memories for a host on AXI4-Lite.

    The lowest two address bits are ignored. A write with all four strobes is carried out; one with
    none does nothing; one with some is refused with SLVERR and does nothing, since registers have
    whole words. Reads are always answered with OKAY: what has no register is 0.

    Members
    -------
    aw, ar : In(stream of 22 bits), byte address
    w : In(stream of {data, strobe})
    b : Out(stream of 2 bits), BRESP
    r : Out(stream of 32 bits), data of an answer OKAY
    bus : In(RegisterBus)

    Latency: 2 cycles to ``b``, 3 to ``r``. Throughput: a write every second cycle, a read every
    third; writes go first, and leave every second cycle to reads. No path leads from an input to an
    output in the same cycle.
    """

    aw: stream.Interface
    w: stream.Interface
    b: stream.Interface
    ar: stream.Interface
    r: stream.Interface
    bus: wiring.PureInterface

    def __init__(self):
        super().__init__(
            {
                "aw": In(stream.Signature(ADDRESS_WIDTH)),
                "w": In(stream.Signature(data.StructLayout({"data": 32, "strobe": 4}))),
                "b": Out(stream.Signature(2)),
                "ar": In(stream.Signature(ADDRESS_WIDTH)),
                "r": Out(stream.Signature(32)),
                "bus": In(RegisterBus()),
            }
        )

    def elaborate(self, platform):
        m = Module()
        # What has come in and waits: a channel is ready while it holds nothing.
        held = {}
        for name in ("aw", "w", "ar"):
            channel = getattr(self, name)
            full, payload = Signal(name=f"{name}_full"), Signal.like(channel.payload)
            m.d.comb += channel.ready.eq(~full)
            with m.If(channel.valid & channel.ready):
                m.d.sync += [full.eq(1), payload.eq(channel.payload)]
            held[name] = full, payload
        (aw_full, aw), (w_full, w), (ar_full, ar) = held.values()

        with m.If(self.b.ready):
            m.d.sync += self.b.valid.eq(0)
        with m.If(self.r.ready):
            m.d.sync += self.r.valid.eq(0)
        writes, reads, reading = Signal(), Signal(), Signal()
        m.d.comb += [
            writes.eq(aw_full & w_full & ~self.b.valid),
            reads.eq(ar_full & ~self.r.valid & ~reading & ~writes),
            self.bus.address.eq(Mux(writes, aw, ar) >> 2),
            self.bus.write.eq(writes & w.strobe.all()),
            self.bus.write_data.eq(w.data),
        ]
        with m.If(writes):
            refused = w.strobe.any() & ~w.strobe.all()
            m.d.sync += [
                aw_full.eq(0),
                w_full.eq(0),
                self.b.valid.eq(1),
                self.b.payload.eq(Mux(refused, SLVERR, OKAY)),
            ]
        m.d.sync += reading.eq(reads)
        with m.If(reads):
            m.d.sync += ar_full.eq(0)
        with m.If(reading):
            m.d.sync += [self.r.valid.eq(1), self.r.payload.eq(self.bus.read_data)]
        return m
