"""A register in a stream."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out


class Stage(wiring.Component):
    """Holds one payload, so that what follows starts from registers.

    Parameters
    ----------
    shape : ShapeLike
        Payload.

    Members
    -------
    i : In(stream), o : Out(stream)

    Latency: 1 cycle. Throughput: one payload per cycle.
    Back-pressure: ``i.ready`` follows ``o.ready`` in the same cycle; a Queue of 2 entries is what
    cuts that path.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(self, shape):
        super().__init__({"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape))})

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.i.ready.eq(~self.o.valid | self.o.ready)
        # A payload that is not valid is taken too: nobody looks at it, and `i.valid`, which may be
        # late, enables nothing.
        with m.If(self.i.ready):
            m.d.sync += [self.o.valid.eq(self.i.valid), self.o.payload.eq(self.i.payload)]
        return m
