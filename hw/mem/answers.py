"""Answers of the cache: lines that have come, and lines that were there."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..config import Config
from ..layouts import NO_STREAM, read_response
from .layouts import answer


class Answers(wiring.Component):
    """Lines first, but an answer that was offered stays.

    Parameters
    ----------
    config : Config

    Members
    -------
    lines : In(stream of answer)
    hits : In(stream of read_response)
    o : Out(stream of read_response); NO_STREAM in the tag of a line that was not asked for

    Latency: 0. Throughput: one answer per cycle.
    Back-pressure: hits wait for lines. There are no more lines than misses before them.
    """

    lines: stream.Interface
    hits: stream.Interface
    o: stream.Interface

    def __init__(self, config: Config):
        super().__init__(
            {
                "lines": In(stream.Signature(answer(config))),
                "hits": In(stream.Signature(read_response(config))),
                "o": Out(stream.Signature(read_response(config))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        line, hit, o = self.lines, self.hits, self.o
        hit_offered = Signal()
        with m.If(hit.valid & (hit_offered | ~line.valid)):
            m.d.comb += [o.valid.eq(1), o.payload.eq(hit.payload), hit.ready.eq(o.ready)]
            m.d.sync += hit_offered.eq(~o.ready)
        with m.Else():
            tag, line_data = line.payload.tag, line.payload.payload
            m.d.comb += [
                o.valid.eq(line.valid),
                o.payload.data.eq(line_data.data),
                o.payload.error.eq(line_data.error),
                o.payload.tag.slot.eq(tag.slot),
                o.payload.tag.stream.eq(Mux(line_data.known, tag.stream, NO_STREAM)),
                line.ready.eq(o.ready),
            ]
        return m
