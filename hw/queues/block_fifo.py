"""Storage of a deep queue: block RAM, and the entry at the front in the RAM's output register."""

from amaranth.hdl import Elaboratable, Module, Signal
from amaranth.lib.fifo import FIFOInterface

from ..block_ram import BlockRam


class BlockFifo(Elaboratable, FIFOInterface):
    """A FIFO as Amaranth's library has them, but with a :class:`BlockRam`.

    Parameters
    ----------
    width : int
        Bits of an entry.
    depth : int
        Entries, at least 3.

    Members
    -------
    level : Signal(range(depth + 1)), entries held; for the others see FIFOInterface

    Latency: 2 cycles. Throughput: one entry per cycle.
    """

    def __init__(self, *, width: int, depth: int):
        super().__init__(width=width, depth=depth)
        self.level = Signal(range(depth + 1))

    def elaborate(self, platform):
        m = Module()
        inner_depth = self.depth - 1
        inner_level = Signal(range(inner_depth + 1))
        produce, consume = Signal(range(inner_depth)), Signal(range(inner_depth))
        m.submodules.storage = storage = BlockRam(self.width, inner_depth)

        # An entry is read a cycle after it was written or later, and no place is written before it
        # was read: while the front is empty, there is no more than one entry behind it.
        writes, reads = Signal(), Signal()
        m.d.comb += [
            self.level.eq(inner_level + self.r_rdy),
            self.w_rdy.eq(self.level != self.depth),
            writes.eq(self.w_rdy & self.w_en),
            reads.eq((inner_level != 0) & (~self.r_rdy | self.r_en)),
            storage.write_address.eq(produce),
            storage.write_data.eq(self.w_data),
            storage.write_enable.eq(writes),
            storage.read_address.eq(consume),
            storage.read_enable.eq(reads),
            self.r_data.eq(storage.read_data),
        ]
        for moves, pointer in ((writes, produce), (reads, consume)):
            with m.If(moves):
                m.d.sync += pointer.eq(pointer + 1)
                with m.If(pointer == inner_depth - 1):
                    m.d.sync += pointer.eq(0)
        # Whether something is read is known late: that chooses, and nothing is added after it.
        with m.If(writes & ~reads):
            m.d.sync += inner_level.eq(inner_level + 1)
        with m.Elif(reads & ~writes):
            m.d.sync += inner_level.eq(inner_level - 1)
        with m.If(reads):
            m.d.sync += self.r_rdy.eq(1)
        with m.Elif(self.r_en):
            m.d.sync += self.r_rdy.eq(0)
        return m
