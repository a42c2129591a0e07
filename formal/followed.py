"""One transfer, any one, followed from one end to the other."""

from amaranth.hdl import Signal, Value

from .bench import Bench, implies


class Followed:
    """Marks one arbitrary entry that goes in, counts those ahead of it, and waits for its turn.

    If the entry that comes out at its turn is the one that was marked, for any choice of the
    mark, then the n-th entry out is the n-th in: nothing is lost, doubled or out of order. Two
    tagged values say no more, and need the same counters.

    Members
    -------
    active : an entry is being followed
    place : entries ahead of it
    value : what was marked
    """

    def __init__(self, bench: Bench, push, value, pop, held, capacity: int):
        m = bench.m
        value = Value.cast(value)
        self.active, self.place = Signal(), Signal(range(capacity + 1))
        self.value = Signal(len(value))
        self.marks = Signal()
        self.turn = Signal()
        m.d.comb += [
            self.marks.eq(push & ~self.active & bench.any()),
            self.turn.eq(self.active & pop & (self.place == 0)),
        ]
        with m.If(self.marks):
            m.d.sync += [self.active.eq(1), self.place.eq(held - pop), self.value.eq(value)]
        with m.Elif(self.turn):
            m.d.sync += self.active.eq(0)
        with m.Elif(self.active & pop):
            m.d.sync += self.place.eq(self.place - 1)
        bench.lemma(implies(self.active, self.place < held), "a followed entry is inside")
