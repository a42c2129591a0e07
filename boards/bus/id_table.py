"""Short IDs for the tags of loads that are outstanding."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from ...hw.queues.queue import Queue


class IdTable(wiring.Component):
    """Gives out IDs that nobody has, and knows whose they are.

    Parameters
    ----------
    shape : ShapeLike
        What an ID stands for.
    width : int
        Bits of an ID.

    Members
    -------
    free : Out(1), id : Out(width)
        There is a free ID, and which.
    take : In(1), owner : In(shape)
        It is taken in this cycle, for ``owner``; only while ``free``.
    back : In(1), back_id : In(width), back_owner : Out(shape)
        This ID is free again from now on; ``back_owner`` follows ``back_id`` in the same cycle,
        whether it comes back or not. Only IDs that are out come back.

    Latency: an ID that came back is given out again after 2 cycles at least. Throughput: one ID
    out and one back per cycle.
    """

    free: Signal
    id: Signal
    take: Signal
    owner: Signal
    back: Signal
    back_id: Signal
    back_owner: Signal

    def __init__(self, shape, width: int):
        self._shape, self._width = shape, width
        super().__init__(
            {
                "free": Out(1),
                "id": Out(width),
                "take": In(1),
                "owner": In(shape),
                "back": In(1),
                "back_id": In(width),
                "back_owner": Out(shape),
            }
        )

    def elaborate(self, platform):
        m = Module()
        count = 1 << self._width
        m.submodules.queue = queue = Queue(self._width, count)
        m.submodules.owners = owners = memory.Memory(shape=self._shape, depth=count, init=[])
        write, read = owners.write_port(), owners.read_port(domain="comb")
        # Nobody has to fill the queue first: each ID is new once.
        fresh = Signal(range(count + 1))
        any_fresh = fresh != count
        m.d.comb += [
            self.free.eq(any_fresh | queue.o.valid),
            self.id.eq(Mux(any_fresh, fresh, queue.o.payload)),
            queue.o.ready.eq(self.take & ~any_fresh),
            # Always ready: it has room for all IDs.
            queue.i.valid.eq(self.back),
            queue.i.payload.eq(self.back_id),
            write.addr.eq(self.id),
            write.data.eq(self.owner),
            write.en.eq(self.take),
            read.addr.eq(self.back_id),
            self.back_owner.eq(read.data),
        ]
        with m.If(self.take & any_fresh):
            m.d.sync += fresh.eq(fresh + 1)
        return m
