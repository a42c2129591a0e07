"""One memory for the machine and, between runs, for the host link."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...hw.config import Config
from ...hw.layouts import ReadPort, WritePort


class PortSwitch(wiring.Component):
    """Gives the memory's ports to the machine, or to the link while it claims them.

    They change hands only when nothing is on its way; a request waits until then. The link claims
    them between runs alone, see :class:`.executor.Executor`, so that the machine, which would wait
    for the end of a claim, never does.

    Members
    -------
    claim : In(1)
    machine_read, link_read : In(ReadPort), machine_write, link_write : In(WritePort)
    read : Out(ReadPort), write : Out(WritePort)

    Latency: none for the machine; 1 cycle from a claim to the link's first request.
    """

    claim: Signal
    machine_read: wiring.PureInterface
    machine_write: wiring.PureInterface
    link_read: wiring.PureInterface
    link_write: wiring.PureInterface
    read: wiring.PureInterface
    write: wiring.PureInterface

    def __init__(self, config: Config):
        super().__init__(
            {
                "claim": In(1),
                "machine_read": In(ReadPort(config)),
                "machine_write": In(WritePort(config)),
                "link_read": In(ReadPort(config)),
                "link_write": In(WritePort(config)),
                "read": Out(ReadPort(config)),
                "write": Out(WritePort(config)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        linked = Signal()  # the ports are the link's
        # More than any memory holds: its queues, and a slot of the machine for each read.
        on_way = Signal(16)
        changes = []
        for name in ("read", "write"):
            port = getattr(self, name)
            machine, link = getattr(self, f"machine_{name}"), getattr(self, f"link_{name}")
            # A claim that is not yet granted holds the machine's next request back, so that what
            # is on its way ends.
            held = linked | self.claim
            m.d.comb += [
                port.request.valid.eq(
                    Mux(linked, link.request.valid, machine.request.valid & ~held)
                ),
                port.request.payload.eq(Mux(linked, link.request.payload, machine.request.payload)),
                machine.request.ready.eq(port.request.ready & ~held),
                link.request.ready.eq(port.request.ready & linked),
                machine.response.valid.eq(port.response.valid & ~linked),
                link.response.valid.eq(port.response.valid & linked),
                machine.response.payload.eq(port.response.payload),
                link.response.payload.eq(port.response.payload),
                port.response.ready.eq(Mux(linked, link.response.ready, machine.response.ready)),
            ]
            for stream in (port.request, port.response):
                changes.append(stream.valid & stream.ready)
        asked_read, answered_read, asked_write, answered_write = changes
        m.d.sync += on_way.eq(on_way + asked_read + asked_write - answered_read - answered_write)
        with m.If(~self.claim):
            m.d.sync += linked.eq(0)
        with m.Elif(on_way == 0):
            m.d.sync += linked.eq(1)
        return m
