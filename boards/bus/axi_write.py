"""Writes over AXI4: a line is a burst, what is not to be written has no strobe."""

from amaranth.hdl import Module, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...hw.config import Config
from ...hw.layouts import WritePort
from ...hw.queues.queue import Queue
from . import widths
from .axi_layouts import write_address, write_data, write_response
from .line_beats import LineBeats


class AxiWrite(wiring.Component):
    """Turns line writes into write bursts.

    All have ID 0: writes to the same word take effect in order. Neither channel waits for the
    other one, nor for a response.

    Parameters
    ----------
    config : Config
    data_width : int or None
        Bits of the data bus, 32 .. a line; None is a line.

    Members
    -------
    port : In(WritePort)
    aw : Out(stream of write_address), w : Out(stream of write_data)
    b : In(stream of write_response)

    Latency: 1 cycle to ``aw``, 2 to ``w``, 1 from ``b``. Throughput: a beat per cycle. No path
    leads from an input to an output in the same cycle.

    Raises
    ------
    TypeError, ValueError
        See :func:`.widths.data_width`.
    """

    port: wiring.PureInterface
    aw: stream.Interface
    w: stream.Interface
    b: stream.Interface

    def __init__(self, config: Config, data_width: int | None = None):
        self._config = config
        self._data_width = widths.data_width(config, data_width)
        super().__init__(
            {
                "port": In(WritePort(config)),
                "aw": Out(stream.Signature(write_address(config))),
                "w": Out(stream.Signature(write_data(self._data_width))),
                "b": In(stream.Signature(write_response())),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.addresses = addresses = Queue(self.aw.payload.shape(), 2)
        m.submodules.cut = cut = LineBeats(self._config, self._data_width)
        m.submodules.beats = beats = Queue(self.w.payload.shape(), 2)
        m.submodules.responses = responses = Queue(self.b.payload.shape(), 2)
        wiring.connect(m, addresses.o, wiring.flipped(self.aw))
        wiring.connect(m, cut.o, beats.i)
        wiring.connect(m, beats.o, wiring.flipped(self.w))
        wiring.connect(m, wiring.flipped(self.b), responses.i)
        wiring.connect(m, responses.o, wiring.flipped(self.port.response))

        request = self.port.request
        m.d.comb += [
            request.ready.eq(addresses.i.ready & cut.i.ready),
            addresses.i.valid.eq(request.valid & cut.i.ready),
            addresses.i.payload.line.eq(request.payload.line),
            cut.i.valid.eq(request.valid & addresses.i.ready),
            Value.cast(cut.i.payload).eq(request.payload),
        ]
        return m
