"""The vector registers and the FP lanes that read and write them."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..block_ram import BlockRam
from ..config import Config
from ..layouts import vector
from .fp.lane import FpLane
from .operation import operation
from .stages import ADDEND, OPERAND, READ_C, RESULT, register_address, target


class VectorUnit(wiring.Component):
    """Fetches operands, with bypasses, runs the FP lanes and writes the results back.

    ``a`` and ``c`` have a read port each. Both are read so late that the result bus can still be
    selected instead, see Scoreboard: an accumulation needs no more than the adder's own latency
    from one row to the next.

    Parameters
    ----------
    config : Config

    Members
    -------
    operation : In(operation), in stage 1
    a_address : In, register memory address of ``a``, in stage 0
    stages : In(target) array, valid : In(RESULT + 1), see Scoreboard
    result : Out(vector), in stage RESULT

    Latency: RESULT cycles from stage 0. Throughput: 1 chunk per cycle.
    Back-pressure: none, the pipeline never stalls.
    """

    operation: data.View
    a_address: Signal
    stages: data.View
    valid: Signal
    result: data.View

    def __init__(self, config: Config):
        self._config = config
        self._depth = 2 * config.fiber_lanes * config.row_chunks
        super().__init__(
            {
                "operation": In(operation(config)),
                "a_address": In((self._depth - 1).bit_length()),
                "stages": In(data.ArrayLayout(target(config), RESULT + 1)),
                "valid": In(RESULT + 1),
                "result": Out(vector(config)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        lanes = config.lanes
        # The same registers twice, for a read port each. What is read while it is written comes
        # from the result bus instead.
        m.submodules.ram_a = ram_a = BlockRam(vector(config), self._depth, parts=lanes)
        m.submodules.ram_c = ram_c = BlockRam(vector(config), self._depth, parts=lanes)

        # The result, and the result of one cycle ago, each with a mask of the elements that count.
        before = self.stages[RESULT - 1]
        elements = Mux(before.element, (1 << before.position)[:lanes], (1 << lanes) - 1)
        mask = Signal(lanes)
        next_mask = Signal(lanes)
        m.d.comb += next_mask.eq(Mux(self.valid[RESULT - 1], elements, 0))
        m.d.sync += mask.eq(next_mask)
        old_mask = Signal(lanes)
        old_result = Signal(vector(config))
        m.d.sync += [old_mask.eq(mask), old_result.eq(self.result)]
        done = self.stages[RESULT]
        for ram in (ram_a, ram_c):
            m.d.comb += [
                ram.write_address.eq(register_address(config, done.lane, done.index, done.chunk)),
                ram.write_data.eq(self.result),
                ram.write_enable.eq(mask),
            ]

        # Control of `c` travels with the operation until it is used.
        control = {1: self.operation}
        shape = data.StructLayout({"read_c": 1, "c": 1, "minus": 1, "c_bypass": 3})
        for k in range(2, ADDEND):
            stage = Signal(shape, name=f"addend{k}")
            m.d.sync += [stage[f].eq(control[k - 1][f]) for f in shape.members]
            control[k] = stage

        fetch = self.stages[READ_C]
        m.d.comb += [
            ram_a.read_address.eq(self.a_address),
            ram_c.read_address.eq(
                register_address(config, fetch.lane, control[READ_C].c, fetch.chunk)
            ),
        ]

        op, b = Signal(self.operation.op.shape()), Signal(32)
        m.d.sync += [op.eq(self.operation.op), b.eq(self.operation.b)]
        assert OPERAND == 2 and ADDEND == READ_C + 2

        def bypass(select, n, near, far, otherwise):
            near_is, far_is = select[0] & near[0][n], select[1] & far[0][n]
            return Mux(near_is, near[1][n], Mux(far_is, far[1][n], otherwise))

        bus, old_bus = (mask, self.result), (old_mask, old_result)
        late = control[ADDEND - 1]
        # One bit for each lane, so that it can be next to the lane.
        take_bus = Signal(lanes)
        m.d.sync += take_bus.eq(Mux(late.c_bypass[0], next_mask, 0))
        for n in range(lanes):
            m.submodules[f"lane{n}"] = lane = FpLane()

            a = Signal(32, name=f"a{n}")
            register = bypass(self.operation.a_bypass, n, bus, old_bus, ram_a.read_data[n])
            m.d.sync += a.eq(Mux(self.operation.read_a, register, self.operation.data[n]))

            c = Signal(32, name=f"c{n}")
            with m.If(late.read_c):
                m.d.sync += c.eq(bypass(late.c_bypass[1:], n, bus, old_bus, ram_c.read_data[n]))
            with m.Else():
                m.d.sync += c.eq(Cat(Const(0, 31), late.minus))

            m.d.comb += [
                lane.op.eq(op),
                lane.a.eq(a),
                lane.b.eq(b),
                lane.c.eq(c),
                lane.again.eq(take_bus[n]),
                self.result[n].eq(lane.o),
            ]
        return m
