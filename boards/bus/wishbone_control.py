"""The register bus as a Wishbone B4 slave, for classic and for pipelined masters."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...hw import isa
from ...hw.layouts import RegisterBus


class WishboneControl(wiring.Component):
    """Registers and program memories for a host on Wishbone.

    One access at a time. ``stall`` is low exactly in the cycle of the answer, which is what a
    classic master waits for and what a pipelined one takes for the acceptance of its request (B4,
    5.2.1): both may be connected. A write that selects some of the bytes is refused with ``err``
    and does nothing, since registers have whole words; one that selects none does nothing. A
    request whose ``cyc`` falls before the answer gets none; its write may have been carried out.

    Members
    -------
    cyc, stb, we : In(1), adr : In(20), word address; dat_w : In(32), sel : In(4)
    ack, err, stall : Out(1), dat_r : Out(32)
    bus : In(RegisterBus)

    Latency: from ``stb`` to a write's answer 2 cycles, to a read's 3. No path leads from an input
    to an output in the same cycle.
    """

    cyc: Signal
    stb: Signal
    we: Signal
    adr: Signal
    dat_w: Signal
    sel: Signal
    ack: Signal
    err: Signal
    stall: Signal
    dat_r: Signal
    bus: wiring.PureInterface

    def __init__(self):
        super().__init__(
            {
                "cyc": In(1),
                "stb": In(1),
                "we": In(1),
                "adr": In(isa.BUS_ADDR_WIDTH),
                "dat_w": In(32),
                "sel": In(4),
                "ack": Out(1),
                "err": Out(1),
                "stall": Out(1, init=1),
                "dat_r": Out(32),
                "bus": In(RegisterBus()),
            }
        )

    def elaborate(self, platform):
        m = Module()
        we, sel = Signal(), Signal(4)
        refused = Signal()
        m.d.comb += [
            refused.eq(we & sel.any() & ~sel.all()),
            self.stall.eq(~(self.ack | self.err)),
        ]
        m.d.sync += [self.ack.eq(0), self.err.eq(0), self.bus.write.eq(0)]
        with m.FSM():
            with m.State("idle"):
                # In the cycle of an answer the request that it answers is still there.
                with m.If(self.cyc & self.stb & self.stall):
                    m.d.sync += [
                        self.bus.address.eq(self.adr),
                        self.bus.write_data.eq(self.dat_w),
                        self.bus.write.eq(self.we & self.sel.all()),
                        we.eq(self.we),
                        sel.eq(self.sel),
                    ]
                    m.next = "access"
            with m.State("access"):
                m.next = "read"
                with m.If(we | ~self.cyc):
                    m.next = "idle"
                with m.If(we & self.cyc):
                    m.d.sync += [self.ack.eq(~refused), self.err.eq(refused)]
            with m.State("read"):
                m.d.sync += [self.dat_r.eq(self.bus.read_data), self.ack.eq(self.cyc)]
                m.next = "idle"
        return m
