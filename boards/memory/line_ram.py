"""Memory of lines in block RAM."""

from amaranth.hdl import Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from ...hw.block_ram import BlockRam
from ...hw.config import Config
from ...hw.layouts import ReadPort, WritePort, index_width, vector


class LineRam(wiring.Component):
    """Lines 0 .. ``lines`` - 1; reads and writes of others are answered with an error.

    A line that is written in the cycle in which it is read reads as anything. A run does not do
    that: what it writes are outputs, which it does not read.

    Parameters
    ----------
    config : Config
    lines : int
        At least 2.

    Members
    -------
    read : In(ReadPort), write : In(WritePort)

    Latency: 1 cycle from request to response. Throughput: a read and a write per cycle. Answers
    come in order. A port takes its next request while its last answer is taken, or when there is
    none; so a path leads from ``response.ready`` to ``request.ready``.

    Raises
    ------
    ValueError
        ``lines`` is out of range.
    """

    read: wiring.PureInterface
    write: wiring.PureInterface

    def __init__(self, config: Config, lines: int):
        most = 1 << config.line_addr_width
        if not isinstance(lines, int) or not 2 <= lines <= most:
            raise ValueError(f"lines must be an integer 2..{most}, not {lines!r}")
        self._config, self._lines = config, lines
        super().__init__({"read": In(ReadPort(config)), "write": In(WritePort(config))})

    def elaborate(self, platform):
        m = Module()
        lanes = self._config.lanes
        m.submodules.ram = ram = BlockRam(vector(self._config), self._lines, parts=lanes)
        for port in (self.read, self.write):
            request, response = port.request, port.response
            m.d.comb += request.ready.eq(~response.valid | response.ready)
            with m.If(request.ready):
                m.d.sync += [
                    response.valid.eq(request.valid),
                    response.payload.error.eq(request.payload.line >= self._lines),
                ]
        read, write = self.read, self.write
        with m.If(read.request.ready):
            m.d.sync += read.response.payload.tag.eq(read.request.payload.tag)
        taken = write.request.valid & write.request.ready
        inside = write.request.payload.line < self._lines
        width = index_width(self._lines)
        m.d.comb += [
            ram.read_address.eq(read.request.payload.line[:width]),
            ram.read_enable.eq(read.request.ready),
            Value.cast(read.response.payload.data).eq(Value.cast(ram.read_data)),
            ram.write_address.eq(write.request.payload.line[:width]),
            ram.write_data.eq(write.request.payload.data),
            ram.write_enable.eq(write.request.payload.mask & (taken & inside).replicate(lanes)),
        ]
        return m
