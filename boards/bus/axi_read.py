"""Reads over AXI4: a line is a burst."""

from amaranth.hdl import Module, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...hw.config import Config
from ...hw.layouts import ReadPort, tag
from ...hw.queues.queue import Queue
from ...hw.queues.stage import Stage
from . import widths
from .axi_layouts import read_address, read_data
from .id_table import IdTable
from .line_assembly import LineAssembly


class AxiRead(wiring.Component):
    """Turns line requests into read bursts, and beats in any legal order into lines.

    Bursts are of a line, aligned to a line, so that none crosses a multiple of 4 KiB. Each has an
    ID that no other outstanding burst has: memory and interconnect may answer in any order and
    interleave.

    Parameters
    ----------
    config : Config
    data_width : int or None
        Bits of the data bus, 32 .. a line; None is a line.
    id_width : int or None
        Bits of an ID. None: a request's tag is its ID. Fewer bits than a tag has: IDs are given
        out by a table, and there are at most ``2**id_width`` bursts outstanding.

    Members
    -------
    port : In(ReadPort)
    ar : Out(stream of read_address), r : In(stream of read_data)

    Latency: 1 cycle to ``ar``; from ``r`` to the response 1 cycle, 1 more with a table or several
    beats. Throughput: a request per cycle, a beat per cycle. No path leads from an input to an
    output in the same cycle.

    Raises
    ------
    TypeError, ValueError
        See :mod:`.widths`.
    """

    port: wiring.PureInterface
    ar: stream.Interface
    r: stream.Interface

    def __init__(self, config: Config, data_width: int | None = None, id_width: int | None = None):
        self._config = config
        self._data_width = widths.data_width(config, data_width)
        self._id_width = widths.id_width(config, id_width)
        super().__init__(
            {
                "port": In(ReadPort(config)),
                "ar": Out(stream.Signature(read_address(config, self._id_width))),
                "r": In(stream.Signature(read_data(self._data_width, self._id_width))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        request, response = self.port.request, self.port.response
        m.submodules.requests = requests = Queue(self.ar.payload.shape(), 2)
        m.submodules.beats = came = Queue(self.r.payload.shape(), 2)
        wiring.connect(m, requests.o, wiring.flipped(self.ar))
        wiring.connect(m, wiring.flipped(self.r), came.i)

        lines, may_ask = came.o, Value.cast(1)
        beats = widths.beats(config, self._data_width)
        if beats > 1:
            m.submodules.assembly = assembly = LineAssembly(beats, self._data_width, self._id_width)
            wiring.connect(m, came.o, assembly.i)
            lines, may_ask = assembly.o, assembly.ready

        table = self._id_width < tag(config).size
        if table:
            m.submodules.ids = ids = IdTable(tag(config), self._id_width)
            m.submodules.out = out = Stage(response.payload.shape())
            wiring.connect(m, out.o, wiring.flipped(response))
            may_ask = may_ask & ids.free
            to, own_id, own_tag = out.i, ids.id, ids.back_owner
            m.d.comb += [
                ids.take.eq(request.valid & request.ready),
                ids.owner.eq(request.payload.tag),
                ids.back.eq(lines.valid & lines.ready),
                ids.back_id.eq(lines.payload.id),
            ]
        else:
            to, own_id, own_tag = response, request.payload.tag, lines.payload.id
        m.d.comb += [
            requests.i.valid.eq(request.valid & may_ask),
            request.ready.eq(requests.i.ready & may_ask),
            requests.i.payload.line.eq(request.payload.line),
            requests.i.payload.id.eq(own_id),
            to.valid.eq(lines.valid),
            lines.ready.eq(to.ready),
            Value.cast(to.payload.data).eq(lines.payload.data),
            Value.cast(to.payload.tag).eq(own_tag),
            to.payload.error.eq(lines.payload.error),
        ]
        return m
