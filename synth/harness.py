"""Registers on every port of a block, with one pin in and one pin out."""

from amaranth.hdl import Cat, ClockDomain, Module, Signal, Value, ValueCastable
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

#: Inputs of an ECP5 look-up table.
_FAN_IN = 4


class Harness(wiring.Component):
    """Gives a block that has more ports than the FPGA has pins an environment of registers.

    Inputs come from a shift register. Outputs are captured and then folded, a few bits into one
    register at a time, to a single bit, so that nothing of the block is unused. Every path of the
    block, from its inputs and to its outputs too, is so one between two registers, as on a board
    whose other logic registers its ports; the harness' own paths are at most one look-up table
    long.

    Registers start from what the bitstream says and have no reset, as in designs that Amaranth
    builds for this family, where the chip's own global reset does that.

    Parameters
    ----------
    block : wiring.Component
        Not yet elaborated.

    Members
    -------
    clk : In(1), clock of everything
    serial_i : In(1), serial_o : Out(1)
    """

    clk: Signal
    serial_i: Signal
    serial_o: Signal

    def __init__(self, block: wiring.Component):
        self._block = block
        super().__init__({"clk": In(1), "serial_i": In(1), "serial_o": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = domain = ClockDomain(reset_less=True)
        m.d.comb += domain.clk.eq(self.clk)  # pyright: ignore[reportAttributeAccessIssue]
        block = self._block
        m.submodules.block = block  # pyright: ignore[reportArgumentType]
        inputs, outputs = [], []
        for _, member, value in block.signature.flatten(block):
            if isinstance(value, (Value, ValueCastable)):
                (inputs if member.flow == wiring.In else outputs).append(Value.cast(value))

        to_block = Cat(inputs)
        shift = Signal(len(to_block))
        m.d.sync += shift.eq(Cat(self.serial_i, shift))
        m.d.comb += to_block.eq(shift)

        level = Signal(len(Cat(outputs)), name="captured")
        m.d.sync += level.eq(Cat(outputs))
        while len(level) > 1:
            groups = [level[n : n + _FAN_IN] for n in range(0, len(level), _FAN_IN)]
            folded = Signal(len(groups), name=f"folded{len(groups)}")
            m.d.sync += folded.eq(Cat(group.xor() for group in groups))
            level = folded
        m.d.comb += self.serial_o.eq(level)
        return m
