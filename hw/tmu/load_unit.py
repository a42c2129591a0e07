"""The read port: chooses among the load streams, counts what is outstanding, sorts responses."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .. import isa
from ..config import Config
from ..layouts import ROW_STREAM, ReadPort, error_report, index_width, read_request, vector
from ..queues.queue import Queue


class LoadUnit(wiring.Component):
    """Arbitrates the streams' line requests onto the read port.

    Streams of outer layers come first: they ask for few lines, are bounded by their line buffers,
    and everything below waits for them. The row layer takes all the cycles that are left.

    Parameters
    ----------
    config : Config
    streams : tuple of int
        Stream numbers (see layouts), in order of priority.

    Members
    -------
    requests : In(len(streams) x stream of {line, slot, nt})
    fills : Out(ArrayLayout of {valid, slot, data, error}), one per stream
    unknown : In(1), a stream did not ask for its fill
    read : Out(ReadPort)
    error : Out({valid, report}), a response that nobody asked for
    granted : Out(len(streams)), this stream's request was taken, for the counters
    blocked_mshr, blocked_memory : Out(1), a request waits, and for what
    outstanding : Out(range(mshrs + 1)), loads requested and not yet answered

    Latency: 1 cycle each way. Throughput: one request and one response per cycle.
    Back-pressure: requests wait while ``mshrs`` loads are outstanding or the port is not ready;
    responses never wait.
    """

    requests: list[stream.Interface]
    fills: data.View
    unknown: Signal
    read: wiring.PureInterface
    error: data.View
    granted: Signal
    blocked_mshr: Signal
    blocked_memory: Signal
    outstanding: Signal

    def __init__(self, config: Config, streams: tuple[int, ...]):
        self._config, self._streams = config, streams
        self._slot = index_width(max(config.ring_slots, config.line_slots))
        request = data.StructLayout({"line": config.line_addr_width, "slot": self._slot, "nt": 1})
        fill = data.StructLayout(
            {"valid": 1, "slot": self._slot, "data": vector(config), "error": 1}
        )
        super().__init__(
            {
                "requests": In(stream.Signature(request)).array(len(streams)),
                "fills": Out(data.ArrayLayout(fill, len(streams))),
                "unknown": In(1),
                "read": Out(ReadPort(config)),
                "error": Out(data.StructLayout({"valid": 1, "report": error_report(config)})),
                "granted": Out(len(streams)),
                "blocked_mshr": Out(1),
                "blocked_memory": Out(1),
                "outstanding": Out(range(config.mshrs + 1)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, count = self._config, len(self._streams)

        m.submodules.out = out = Queue(read_request(config), 2)
        wiring.connect(m, out.o, wiring.flipped(self.read.request))
        choice, anyone, free = Signal(index_width(count)), Signal(), Signal()
        for k in reversed(range(count)):
            with m.If(self.requests[k].valid):
                m.d.comb += [choice.eq(k), anyone.eq(1)]
        with m.Switch(choice):
            for k, number in enumerate(self._streams):
                with m.Case(k):
                    payload = self.requests[k].payload
                    m.d.comb += [
                        out.i.payload.line.eq(payload.line),
                        out.i.payload.nt.eq(payload.nt),
                        out.i.payload.tag.slot.eq(payload.slot),
                        out.i.payload.tag.stream.eq(number),
                        self.requests[k].ready.eq(free & out.i.ready),
                        self.granted[k].eq(anyone & free & out.i.ready),
                    ]
        m.d.comb += [
            free.eq(self.outstanding != config.mshrs),
            out.i.valid.eq(anyone & free),
            self.blocked_mshr.eq(anyone & ~free),
            self.blocked_memory.eq(anyone & free & ~out.i.ready),
        ]

        # Responses pass one register, then reach the slot that waits for them.
        came, response = Signal(), Signal(self.read.response.payload.shape())
        m.d.comb += self.read.response.ready.eq(1)
        m.d.sync += [came.eq(self.read.response.valid), response.eq(self.read.response.payload)]
        nobody = Signal()
        m.d.comb += nobody.eq(came)
        for k, number in enumerate(self._streams):
            mine = response.tag.stream == number
            m.d.comb += [
                self.fills[k].valid.eq(came & mine),
                self.fills[k].slot.eq(response.tag.slot),
                self.fills[k].data.eq(response.data),
                self.fills[k].error.eq(response.error),
            ]
            with m.If(mine):
                m.d.comb += nobody.eq(self.unknown)
        unknown = Signal()
        m.d.comb += unknown.eq(came & nobody)
        m.d.sync += self.outstanding.eq(
            self.outstanding + (out.i.valid & out.i.ready) - (came & ~unknown)
        )
        m.d.comb += [
            self.error.valid.eq(unknown),
            self.error.report.kind.eq(isa.Error.UNKNOWN_TAG),
            self.error.report.layer.eq(config.scalar_layers),
            self.error.report.value.eq(response.tag.as_value()),
        ]
        return m


def stream_order(config: Config) -> tuple[int, ...]:
    """The streams of a machine: scalar layers from the outermost, then the row layer."""
    return (*range(2 * config.scalar_layers), ROW_STREAM)
