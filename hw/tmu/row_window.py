"""The baseline that does not run ahead: a bound on rows requested and not yet consumed."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..config import Config
from ..queues.queue import Queue
from .row_layer import span


class RowWindow(wiring.Component):
    """Holds back the lines of a row while ``row_window`` rows are on their way.

    A row is on its way from the request of its first line until the execute pipeline has popped
    the last vector that the row pushed. A row that pushes nothing ends with its last beat in the
    marshaling stage.

    A queue keeps, for each row that is pushed, how many vectors had been pushed by then; the row
    is consumed when that many have been popped.

    Parameters
    ----------
    config : Config
        With a ``row_window`` of at least 1.

    Members
    -------
    i : In(stream of span), o : Out(stream of span), between row layer and line ring
    row_pushed : In(1), the marshaling stage lets the last beat of a row go, with its last vector
    vector_pushed, vector_popped : In(1), one leaves for the DataQ, or comes out

    Latency: 0 cycles through the gate; from a row's last vector popped to the next row's first
    request 3 cycles (1 more from ``row_window`` 32 on). Throughput: one span per cycle.
    Back-pressure: none on its inputs, there are never more than ``row_window`` rows to keep.

    Raises
    ------
    ValueError
        ``config`` has no row window.
    """

    i: stream.Interface
    o: stream.Interface
    row_pushed: Signal
    vector_pushed: Signal
    vector_popped: Signal

    def __init__(self, config: Config):
        if config.row_window < 1:
            raise ValueError(f"row_window must be at least 1, not {config.row_window!r}")
        self._config = config
        super().__init__(
            {
                "i": In(stream.Signature(span(config))),
                "o": Out(stream.Signature(span(config))),
                "row_pushed": In(1),
                "vector_pushed": In(1),
                "vector_popped": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        n = self._config.row_window

        # A span is offered until its last line is requested; its row counts from the first offer.
        rows = Signal(range(n + 1))
        offered, begins, consumed = Signal(), Signal(), Signal()
        m.d.comb += [
            begins.eq(self.i.valid & ~offered & (rows != n)),
            self.o.valid.eq(begins | (self.i.valid & offered)),
            self.o.payload.eq(self.i.payload),
            self.i.ready.eq(self.o.ready & self.o.valid),
        ]
        m.d.sync += rows.eq(rows + begins - consumed)
        with m.If(self.i.ready):
            m.d.sync += offered.eq(0)
        with m.Elif(begins):
            m.d.sync += offered.eq(1)

        # Counts are modulo a power of two above twice what they can differ by: one way the DataQ's
        # depth and the stage in front of it, and the other way the vectors popped while the rows'
        # ends wait in the queue.
        width = (self._config.dataq_depth + n + 5).bit_length() + 1
        pushed, popped = Signal(width), Signal(width)
        m.d.sync += [
            pushed.eq(pushed + self.vector_pushed),
            popped.eq(popped + self.vector_popped),
        ]
        m.submodules.ends = ends = Queue(width, n)
        ahead = Signal(width)
        m.d.comb += [
            ends.i.payload.eq(pushed + self.vector_pushed),
            ends.i.valid.eq(self.row_pushed),
            ahead.eq(ends.o.payload - popped),
            consumed.eq(ends.o.valid & ((ahead == 0) | ahead[-1])),
            ends.o.ready.eq(consumed),
        ]
        return m
