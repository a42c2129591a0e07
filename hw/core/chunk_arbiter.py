"""Two sources of rows, one store unit."""

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..config import Config
from .operation import chunk


class ChunkArbiter(wiring.Component):
    """Lets rows of two sources through, each as a whole, in turn when both have one.

    Parameters
    ----------
    config : Config

    Members
    -------
    first, second : In(stream of :func:`~.operation.chunk`)
    o : Out(stream of :func:`~.operation.chunk`)

    Latency: 0. Throughput: 1 chunk per cycle; a row waits for at most one of the other source.
    Back-pressure: waits for ``o``, and for the rest of a row that has begun.
    """

    first: stream.Interface
    second: stream.Interface
    o: stream.Interface

    def __init__(self, config: Config):
        shape = chunk(config)
        super().__init__(
            {
                "first": In(stream.Signature(shape)),
                "second": In(stream.Signature(shape)),
                "o": Out(stream.Signature(shape)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        sources = (self.first, self.second)
        owner = Signal()  # whose row came last
        kept = Signal()  # it is not over, or what was offered of it was not taken
        turn = Signal()
        waiting = Array([source.valid for source in sources])
        m.d.comb += [
            turn.eq(Mux(kept, owner, waiting[~owner] ^ owner)),
            self.o.valid.eq(waiting[turn]),
            self.o.payload.eq(Mux(turn, self.second.payload, self.first.payload)),
            self.first.ready.eq(self.o.ready & ~turn),
            self.second.ready.eq(self.o.ready & turn),
        ]
        with m.If(self.o.valid):
            m.d.sync += [owner.eq(turn), kept.eq(~(self.o.ready & self.o.payload.chunk.last))]
        return m
