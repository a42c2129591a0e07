"""A queue with visible occupancy: the DataQ, the CtrlQ, and every FIFO inside the machine."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import fifo, stream, wiring
from amaranth.lib.wiring import In, Out

from .block_fifo import BlockFifo

#: From this depth on, storage is block RAM: distributed RAM grows with width x depth.
BLOCK_RAM_DEPTH = 32


class Queue(wiring.Component):
    """First-in first-out queue of any payload.

    Parameters
    ----------
    shape : ShapeLike
        Payload.
    depth : int
        Entries, at least 1.

    Members
    -------
    i : In(stream), o : Out(stream)
    level : Out(range(depth + 1))
        Entries held.
    high_water : Out(1)
        At least three quarters (rounded up) of the entries are in use.

    Latency: 1 cycle below 32 entries, 2 from there on. Throughput: one entry per cycle for a depth
    of 2 and more, one every second cycle at depth 1.
    Back-pressure: ``i.ready`` is low exactly when the queue is full.

    Raises
    ------
    ValueError
        ``depth`` is below 1.
    """

    i: stream.Interface
    o: stream.Interface
    level: Signal
    high_water: Signal

    def __init__(self, shape, depth: int):
        if not isinstance(depth, int) or depth < 1:
            raise ValueError(f"depth must be an integer of at least 1, not {depth!r}")
        self._shape, self._depth = shape, depth
        super().__init__(
            {
                "i": In(stream.Signature(shape)),
                "o": Out(stream.Signature(shape)),
                "level": Out(range(depth + 1)),
                "high_water": Out(1),
            }
        )

    @property
    def depth(self) -> int:
        """Entries."""
        return self._depth

    def elaborate(self, platform):
        m = Module()
        payload = Value.cast(self.o.payload)
        kind = BlockFifo if self._depth >= BLOCK_RAM_DEPTH else fifo.SyncFIFO
        m.submodules.fifo = q = kind(width=len(payload), depth=self._depth)
        # From a register, so that what decides whether to push starts early.
        ready = Signal(init=1)
        push, pop = self.i.valid & ready, self.o.valid & self.o.ready
        full = Mux(push, q.level == self._depth - 1, q.level == self._depth)
        m.d.sync += ready.eq(pop | ~full)
        m.d.comb += [
            q.w_data.eq(self.i.payload),
            q.w_en.eq(self.i.valid),
            self.i.ready.eq(ready),
            payload.eq(q.r_data),
            self.o.valid.eq(q.r_rdy),
            q.r_en.eq(self.o.ready),
            self.level.eq(q.level),
            self.high_water.eq(q.level >= (3 * self._depth + 3) // 4),
        ]
        return m
