"""Issue: one chunk of one instruction per cycle, as soon as everything it needs is there."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..config import Config
from ..layouts import vector
from .fp.op import FpOp
from .instruction import instruction
from .operation import emission, lane_update, operation
from .scoreboard import Scoreboard
from .stages import RESULT, register_address, target

_ONE = 0x3F800000


class Issue(wiring.Component):
    """Walks the chunks of each instruction, pops operands and holds the scalar registers.

    Parameters
    ----------
    config : Config

    Members
    -------
    i : In(stream of :func:`~.instruction.instruction`)
    vector_i : In(stream of vector), the DataQ
    start : In(1), all counters become 0
    store_ready : In(1), there is room for a chunk that is to be stored
    operation, update, emission : Out, stage 1 of the pipeline (registered)
    a_address : Out, register memory address of ``a`` (stage 0)
    stages : Out(target) array and valid : Out(RESULT + 1), see Scoreboard
    reserve : Out(1), a chunk that will be stored issues
    halt : Out(1), ``halt`` was executed
    busy, wait_data, wait_hazard, wait_store : Out(1), what the instruction at hand does;
        exactly one while there is one

    Latency: 1 cycle. Throughput: 1 chunk per cycle.
    Back-pressure: waits for ``vector_i``, ``store_ready`` and results in flight.
    """

    i: stream.Interface
    vector_i: stream.Interface
    start: Signal
    store_ready: Signal
    operation: data.View
    update: data.View
    emission: data.View
    a_address: Signal
    stages: data.View
    valid: Signal
    reserve: Signal
    halt: Signal
    busy: Signal
    wait_data: Signal
    wait_hazard: Signal
    wait_store: Signal

    def __init__(self, config: Config):
        self._config = config
        memory_depth = 2 * config.fiber_lanes * config.row_chunks
        super().__init__(
            {
                "i": In(stream.Signature(instruction(config))),
                "vector_i": In(stream.Signature(vector(config))),
                "start": In(1),
                "store_ready": In(1),
                "operation": Out(operation(config)),
                "update": Out(lane_update(config)),
                "emission": Out(emission(config)),
                "a_address": Out((memory_depth - 1).bit_length()),
                "stages": Out(data.ArrayLayout(target(config), RESULT + 1)),
                "valid": Out(RESULT + 1),
                "reserve": Out(1),
                "halt": Out(1),
                "busy": Out(1),
                "wait_data": Out(1),
                "wait_hazard": Out(1),
                "wait_store": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        i = self.i.payload
        position_bits = config.line_shift - 2
        chunk_bits = (config.row_chunks - 1).bit_length()

        scalars = Array(Signal(32, name=f"r{n}") for n in range(4))
        index = Signal(32)
        walked = Signal(chunk_bits)  # chunk of a ROW instruction
        chunk = Signal(chunk_bits)
        m.d.comb += [
            index.eq(scalars[i.at]),
            chunk.eq(Mux(i.indexed, index[position_bits:], walked)),
        ]
        first = Signal()
        last = Signal()
        m.d.comb += [first.eq(walked == 0), last.eq(walked == i.last_chunk)]

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

        m.submodules.scoreboard = scoreboard = Scoreboard(config)
        read_c = i.read_c & ~fresh
        m.d.comb += [
            scoreboard.i.lane.eq(i.lane),
            scoreboard.i.index.eq(i.dst),
            scoreboard.i.chunk.eq(chunk),
            scoreboard.i.element.eq(i.element),
            scoreboard.i.position.eq(index[:position_bits]),
            scoreboard.read_a.eq(i.read_a),
            scoreboard.a.eq(i.a),
            scoreboard.read_c.eq(read_c),
            scoreboard.c.eq(i.c),
            scoreboard.issue.eq(self.busy & i.vector),
            self.stages.eq(scoreboard.stages),
            self.valid.eq(scoreboard.valid),
            self.a_address.eq(register_address(config, i.lane, i.a, chunk)),
        ]

        pops = i.takes | i.pop
        hazard = scoreboard.hazard & i.vector
        full = i.emit & ~self.store_ready
        clear_to_issue = self.i.valid & ~hazard & ~full
        m.d.comb += [
            self.busy.eq(clear_to_issue & ~(pops & ~self.vector_i.valid)),
            self.vector_i.ready.eq(clear_to_issue & pops),
            self.i.ready.eq(self.busy & last),
            self.wait_data.eq(clear_to_issue & pops & ~self.vector_i.valid),
            self.wait_hazard.eq(self.i.valid & hazard),
            self.wait_store.eq(self.i.valid & ~hazard & full),
            self.reserve.eq(self.busy & i.emit),
            self.halt.eq(self.busy & i.halt),
        ]
        with m.If(self.busy):
            m.d.sync += walked.eq(walked + 1)
            with m.If(last):
                m.d.sync += walked.eq(0)
                for n, is_n in enumerate(lane_is):
                    with m.If(is_n):
                        m.d.sync += empty[n].eq(after_empty)
            with m.If(i.pop):
                m.d.sync += scalars[i.rd].eq(self.vector_i.payload[0])
        with m.If(self.start):
            m.d.sync += empty.eq(-1)

        # Stage 1.
        multiplier = Array([i.arg, *scalars, Const(0), Const(0), Const(0)])[i.b]
        m.d.sync += [
            self.operation.op.eq(Mux(i.maximum & fresh, FpOp.MOVA, i.op)),
            self.operation.read_a.eq(i.read_a),
            self.operation.a_bypass.eq(scoreboard.a_bypass),
            self.operation.b.eq(Mux(i.one, _ONE, multiplier)),
            self.operation.read_c.eq(read_c),
            self.operation.c.eq(i.c),
            self.operation.minus.eq(i.minus),
            self.operation.c_bypass.eq(scoreboard.c_bypass),
            self.update.lane.eq(i.lane),
            self.update.clear.eq(self.busy & first & i.clear),
            self.update.count.eq(self.busy & first & i.count),
            self.update.set.eq(self.busy & i.set),
            self.update.bump.eq(self.busy & first & i.emit & i.bump),
            self.update.factor.eq(Mux(i.emit, config.fiber_lanes, Mux(i.set_row, index, i.lane))),
            self.update.row_stride.eq(i.row_stride),
            self.update.base.eq(i.base),
            self.emission.valid.eq(self.reserve),
            self.emission.first.eq(first),
            self.emission.last.eq(last),
            self.emission.words.eq(Mux(last, i.tail, config.lanes)),
            self.emission.div.eq(i.div),
            self.emission.empty.eq(after_empty),
        ]
        for n in range(config.lanes):
            source = self.vector_i.payload[n]
            if n:
                source = Mux(i.element, self.vector_i.payload[0], source)
            m.d.sync += self.operation.data[n].eq(source)
        return m
