"""The entries inside a Queue, and the lemmas about its pointers."""

from amaranth.hdl import Mux, Signal, Value
from amaranth.lib import fifo

from .bench import Bench, implies
from .inside import look_inside


class QueueInside:
    """A look at each entry of a queue, whichever of the two kinds of storage it has.

    The storage is read through a port of its own, which changes nothing for the others.

    Parameters
    ----------
    bench : Bench
    queue : Queue, or the FIFO that it is made of, of Amaranth's library or a BlockFifo
        Not elaborated yet.
    """

    def __init__(self, bench: Bench, queue):
        self._bench = bench
        kind = queue if isinstance(queue, fifo.FIFOInterface) else look_inside(queue).q
        self._kind = kind
        inside = look_inside(kind)
        # By what it has: a mutant's FIFO is of a class of its own.
        self._buffered = hasattr(inside, "inner_depth")
        self._storage = look_inside(inside.storage).ram if self._buffered else inside.storage
        self._produce, self._consume = inside.produce, inside.consume
        if self._buffered:
            self._depth, self._stored = inside.inner_depth, inside.inner_level
            self._front = kind.r_rdy
        else:
            self._depth, self._stored, self._front = kind.depth, kind.level, 0
        if kind is not queue:
            bench.lemma(queue.i.ready == (queue.level != queue.depth), "ready is what level says")
        self._lemmas()

    def _lemmas(self):
        bench, produce, consume = self._bench, self._produce, self._consume
        room = self._depth - self._stored
        bench.lemma(produce < self._depth, "the write pointer is in range")
        bench.lemma(consume < self._depth, "the read pointer is in range")
        bench.lemma(self._stored <= self._depth, "no more is stored than fits")
        ahead = Mux(produce >= consume, produce - consume, self._depth + produce - consume)
        bench.lemma(
            (ahead == self._stored) | ((ahead == 0) & (room == 0)), "level is between the pointers"
        )
        if self._buffered:
            # What is in front has priority: the storage fills only behind it.
            bench.lemma(implies(~self._front, self._stored <= 1), "the front is filled first")

    def entry(self, place) -> Value:
        """The entry that has ``place`` others in front of it; ``place`` is below the level."""
        m = self._bench.m
        port = self._storage.read_port(domain="comb")
        behind = Signal(range(2 * self._depth + 2))
        m.d.comb += behind.eq(self._consume + place - self._front)
        m.d.comb += port.addr.eq(Mux(behind >= self._depth, behind - self._depth, behind))
        if not self._buffered:
            return port.data
        return Mux(self._front & (place == 0), self._kind.r_data, port.data)
