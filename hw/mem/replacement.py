"""Which way of a set has to go: tree pseudo-LRU."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from ..layouts import index_width


class Replacement(wiring.Component):
    """A tree of ``ways - 1`` bits for each set, read and changed by a pipeline of three stages.

    The root's bit says which half of the ways has not been used for longer, the bits below which
    half of that half, and so on. A use turns the bits above it away from it.

    Parameters
    ----------
    sets, ways : int
        Powers of two.

    Members
    -------
    set : In, the set whose turn it is: stage 0
    fresh : In(1), forget what the tree was: stage 1 of the same set
    oldest : Out(range(ways)): stage 2
    use : In({valid, way}), a use in the same set: stage 2

    Latency: 2 cycles. Throughput: one set per cycle; a use is seen by the next set in line.
    """

    set: Signal
    fresh: Signal
    oldest: Signal
    use: data.View

    def __init__(self, sets: int, ways: int):
        self._sets, self._ways = sets, ways
        super().__init__(
            {
                "set": In(index_width(sets)),
                "fresh": In(1),
                "oldest": Out(range(ways)),
                "use": In(data.StructLayout({"valid": 1, "way": range(ways)})),
            }
        )

    def elaborate(self, platform):
        m = Module()
        if self._ways == 1:
            return m
        bits = self._ways - 1
        m.submodules.trees = trees = memory.Memory(
            shape=bits, depth=max(2, self._sets), init=[]
        )
        write = trees.write_port()
        read = trees.read_port(transparent_for=(write,))
        set1, set2 = Signal.like(self.set), Signal.like(self.set)
        tree, after = Signal(bits), Signal(bits)
        m.d.sync += [set1.eq(self.set), set2.eq(set1)]
        m.d.comb += [
            read.addr.eq(self.set),
            self.oldest.eq(victim(tree, self._ways)),
            after.eq(touched(tree, self.use.way, self._ways)),
            write.en.eq(self.use.valid),
            write.addr.eq(set2),
            write.data.eq(after),
        ]
        with m.If(self.use.valid & (set1 == set2)):
            m.d.sync += tree.eq(after)
        with m.Else():
            m.d.sync += tree.eq(Mux(self.fresh, 0, read.data))
        return m


def victim(bits: Value, ways: int) -> Value:
    """The way that the tree points at, ``log2(ways)`` bits.

    ``bits`` are the tree's nodes, the root first, then level by level. A node is 0 if the way to
    replace is in its lower half.
    """

    def below(node: int, count: int) -> Value:
        if count == 1:
            return Const(0, 0)
        low, high = below(2 * node + 1, count // 2), below(2 * node + 2, count // 2)
        return Cat(Mux(bits[node], high, low)[: len(low)], bits[node])

    return below(0, ways)


def touched(bits: Value, way: Value, ways: int) -> Value:
    """The tree after a use of ``way``: the nodes above it point away from it."""
    levels = ways.bit_length() - 1
    nodes = []
    for level in range(levels):
        direction = way[levels - 1 - level]
        for n in range(1 << level):
            on_path = way[levels - level : levels] == n if level else Const(1)
            nodes.append(Mux(on_path, ~direction, bits[len(nodes)]))
    return Cat(nodes)
