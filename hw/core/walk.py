"""From instructions to steps: the chunks of a row, one after the other."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..config import Config
from .fp.op import FpOp
from .instruction import instruction
from .issue import popping
from .step import step


class Walk(wiring.Component):
    """Counts through the chunks of each instruction and decides what ``init`` does.

    All of this is in program order and nothing of it has to be undone, so that it can be a stage
    ahead of the issue.

    Parameters
    ----------
    config : Config

    Members
    -------
    i : In(stream of :func:`~.instruction.instruction`)
    start : In(1), all counters become 0
    popping : In(:func:`~.issue.popping`), the scalar register that the step ahead writes
    o : Out(stream of :func:`~.step.step`)

    Latency: 0. Throughput: 1 step per cycle. Back-pressure: waits for ``o``.
    """

    i: stream.Interface
    start: Signal
    popping: data.View
    o: stream.Interface

    def __init__(self, config: Config):
        self._config = config
        super().__init__(
            {
                "i": In(stream.Signature(instruction(config))),
                "start": In(1),
                "popping": In(popping()),
                "o": Out(stream.Signature(step(config))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        i = self.i.payload
        o = self.o.payload
        position_bits = config.line_shift - 2
        chunk_bits = (config.row_chunks - 1).bit_length()

        walked = Signal(chunk_bits)
        first = Signal()
        last = Signal()
        moves = Signal()
        m.d.comb += [
            first.eq(walked == 0),
            last.eq(walked == i.last_chunk),
            self.o.valid.eq(self.i.valid),
            moves.eq(self.o.valid & self.o.ready),
            self.i.ready.eq(self.o.ready & last),
        ]

        # The counters themselves are updated further down the pipeline. All that is decided here
        # is whether one is 0, for which a bit per fiber lane is enough.
        empty = Signal(config.fiber_lanes, init=-1)
        before_empty = Signal()
        after_empty = Signal()
        fresh = Signal()
        lane_is = [i.lane == n for n in range(config.fiber_lanes)]
        m.d.comb += [
            before_empty.eq(i.clear | (Cat(*lane_is) & empty).any()),
            after_empty.eq(before_empty & ~i.count),
            fresh.eq(i.init & before_empty),
        ]

        with m.If(moves):
            m.d.sync += walked.eq(walked + 1)
            with m.If(last):
                m.d.sync += walked.eq(0)
                for n, is_n in enumerate(lane_is):
                    with m.If(is_n):
                        m.d.sync += empty[n].eq(after_empty)
        with m.If(self.start):
            m.d.sync += empty.eq(-1)

        # The element number. Whatever was popped before the step ahead, Fetch has seen.
        index = Signal(32)
        popped = self.popping.valid & (self.popping.rd == i.at)
        m.d.comb += index.eq(Mux(popped, self.popping.value, i.scalar))

        same = (
            "halt", "vector", "pop", "rd", "read_a", "a", "ones", "b", "arg", "c", "minus",
            "set", "set_row", "at", "base", "row_stride",
        )  # fmt: skip
        m.d.comb += [
            *(o[name].eq(i[name]) for name in same),
            o.target.lane.eq(i.lane),
            o.target.index.eq(i.dst),
            o.target.chunk.eq(Mux(i.indexed, index[position_bits:], walked)),
            o.target.element.eq(i.element),
            o.target.position.eq(index[:position_bits]),
            o.takes.eq(i.takes | i.pop),
            o.op.eq(Mux(i.compares & fresh, FpOp.MOVA, i.op)),
            o.read_c.eq(i.read_c & ~fresh),
            o.clear.eq(first & i.clear),
            o.count.eq(first & i.count),
            o.bump.eq(first & i.emit & i.bump),
            o.emission.valid.eq(i.emit),
            o.emission.first.eq(first),
            o.emission.last.eq(last),
            o.emission.words.eq(Mux(last, i.tail, config.lanes)),
            o.emission.div.eq(i.div),
            o.emission.empty.eq(after_empty),
        ]
        return m
