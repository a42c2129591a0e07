"""Issue: one step per cycle, as soon as everything it needs is there."""

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..config import Config
from ..layouts import vector
from .fp.layout import ONE
from .instruction import multiplier
from .operation import emission, lane_update, operation
from .scoreboard import Scoreboard
from .stages import RESULT, register_address, target
from .step import step


def popping() -> data.StructLayout:
    """A scalar register that is about to be written."""
    return data.StructLayout({"valid": 1, "rd": 2, "value": 32})


class Issue(wiring.Component):
    """Holds a step until it can issue, pops its operands and keeps the scalar registers.

    Parameters
    ----------
    config : Config

    Members
    -------
    i : In(stream of :func:`~.step.step`)
    at : In(2), scalar : Out(32), a scalar register as it will be in the next cycle
    popping : Out(:func:`popping`), the present step and what it writes, if it is a POP
    vector_i : In(stream of vector), the DataQ
    store_ready : In(1), there is room for a chunk that is to be stored
    operation, update, emission : Out, stage 1 of the pipeline (registered)
    a_address : Out, register memory address of ``a`` (stage 0)
    stages : Out(target) array and valid : Out(RESULT + 1), see Scoreboard
    reserve : Out(1), a chunk that will be stored issues
    halt : Out(1), ``halt`` was executed
    busy, wait_token, wait_data, wait_hazard, wait_store : Out(1), exactly one of them

    Latency: 2 cycles. Throughput: 1 step per cycle.
    Back-pressure: waits for ``vector_i``, ``store_ready`` and results in flight.
    """

    i: stream.Interface
    vector_i: stream.Interface
    at: Signal
    scalar: Signal
    popping: data.View
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
    wait_token: Signal
    wait_data: Signal
    wait_hazard: Signal
    wait_store: Signal

    def __init__(self, config: Config):
        self._config = config
        memory_depth = 2 * config.fiber_lanes * config.row_chunks
        super().__init__(
            {
                "i": In(stream.Signature(step(config))),
                "vector_i": In(stream.Signature(vector(config))),
                "at": In(2),
                "scalar": Out(32),
                "popping": Out(popping()),
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
                "wait_token": Out(1),
                "wait_data": Out(1),
                "wait_hazard": Out(1),
                "wait_store": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config

        present = Signal(step(config))
        valid = Signal()
        ready = Signal()
        m.d.comb += [ready.eq(~valid | self.busy), self.i.ready.eq(ready)]
        with m.If(ready):
            m.d.sync += [valid.eq(self.i.valid), present.eq(self.i.payload)]

        coming = self.i.payload
        m.submodules.scoreboard = scoreboard = Scoreboard(config)
        m.d.comb += [
            scoreboard.i.eq(coming.target),
            scoreboard.read_a.eq(coming.read_a),
            scoreboard.a.eq(coming.a),
            scoreboard.read_c.eq(coming.read_c),
            scoreboard.c.eq(coming.c),
            scoreboard.coming.eq(self.i.valid),
            scoreboard.load.eq(ready),
            scoreboard.there.eq(valid),
            scoreboard.writes.eq(valid & present.vector),
            scoreboard.issue.eq(self.busy & present.vector),
            self.stages.eq(scoreboard.stages),
            self.valid.eq(scoreboard.valid),
            self.a_address.eq(
                register_address(config, present.target.lane, present.a, present.target.chunk)
            ),
        ]

        waiting = valid & ~scoreboard.clear
        full = scoreboard.clear & present.emission.valid & ~self.store_ready
        could = scoreboard.clear & (~present.emission.valid | self.store_ready)
        m.d.comb += [
            self.busy.eq(could & (~present.takes | self.vector_i.valid)),
            self.vector_i.ready.eq(could & present.takes),
            self.wait_token.eq(~valid),
            self.wait_data.eq(could & present.takes & ~self.vector_i.valid),
            self.wait_hazard.eq(waiting),
            self.wait_store.eq(full),
            self.reserve.eq(self.busy & present.emission.valid),
            self.halt.eq(self.busy & present.halt),
        ]

        # A scalar register is written in each cycle in which its POP waits. Only the last of them
        # counts: nobody reads it before, as whoever could is behind the POP.
        scalars = [Signal(32, name=f"r{n}") for n in range(4)]
        for n, scalar in enumerate(scalars):
            with m.If(valid & present.pop & (present.rd == n)):
                m.d.sync += scalar.eq(self.vector_i.payload[0])
        now = self.popping
        m.d.comb += [
            now.valid.eq(valid & present.pop),
            now.rd.eq(present.rd),
            now.value.eq(self.vector_i.payload[0]),
            self.scalar.eq(
                Mux(now.valid & (now.rd == self.at), now.value, Array(scalars)[self.at])
            ),
        ]

        # Stage 1.
        row = Mux(present.set_row, Array(scalars)[present.at], present.target.lane)
        m.d.sync += [
            self.operation.op.eq(present.op),
            self.operation.read_a.eq(present.read_a),
            self.operation.a_bypass.eq(scoreboard.a_bypass),
            self.operation.b.eq(multiplier(present.b, present.arg, scalars)),
            self.operation.read_c.eq(present.read_c),
            self.operation.c.eq(present.c),
            self.operation.minus.eq(present.minus),
            self.operation.c_bypass.eq(scoreboard.c_bypass),
            self.update.lane.eq(present.target.lane),
            self.update.clear.eq(self.busy & present.clear),
            self.update.count.eq(self.busy & present.count),
            self.update.set.eq(self.busy & present.set),
            self.update.bump.eq(self.busy & present.bump),
            self.update.factor.eq(Mux(present.set, row, config.fiber_lanes)),
            self.update.row_stride.eq(present.row_stride),
            self.update.base.eq(present.base),
            self.emission.eq(present.emission),
            self.emission.valid.eq(self.reserve),
        ]
        for n in range(config.lanes):
            source = self.vector_i.payload[n]
            if n:
                source = Mux(present.target.element, self.vector_i.payload[0], source)
            m.d.sync += self.operation.data[n].eq(Mux(present.ones, ONE, source))
        return m
