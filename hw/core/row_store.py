"""What is left of the execute pipeline where nothing is computed: its store unit."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..config import Config
from ..isa import Error
from ..layouts import WritePort, error_report
from ..queues.queue import Queue
from .operation import chunk
from .store import Store


class RowStore(wiring.Component):
    """Stores the rows of the access unit, in a machine without an execute unit.

    Parameters
    ----------
    config : Config

    Members
    -------
    chunk_i : In(stream of :func:`~.operation.chunk`)
    write : Out(WritePort)
    done : Out(1), everything is written and acknowledged
    error : Out(struct of ``valid`` and ``report``), one cycle per error
    line_written : Out(1), an event for the performance counters

    Latency: 4 cycles. Throughput: 1 line per cycle. Back-pressure: waits for ``write.request``.
    """

    chunk_i: stream.Interface
    write: wiring.PureInterface
    done: Signal
    error: data.View
    line_written: Signal

    def __init__(self, config: Config):
        self._config = config
        super().__init__(
            {
                "chunk_i": In(stream.Signature(chunk(config))),
                "write": Out(WritePort(config)),
                "done": Out(1),
                "error": Out(data.StructLayout({"valid": 1, "report": error_report(config)})),
                "line_written": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        # What the write port is ready for ends here.
        m.submodules.chunks = chunks = Queue(chunk(self._config), 2)
        m.submodules.store = store = Store(self._config)
        connect(m, flipped(self.chunk_i), chunks.i)
        connect(m, chunks.o, store.i)
        connect(m, store.write, flipped(self.write))
        m.d.comb += [
            self.done.eq(~chunks.o.valid & store.idle),
            self.line_written.eq(store.line_written),
            self.error.valid.eq(store.error),
            self.error.report.kind.eq(Error.WRITE),
        ]
        return m
