"""Program memory: written word by word over the register bus, read a whole entry at a time."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from . import isa
from .layouts import index_width


class ProgramWrite(wiring.Signature):
    """A word for one of the program memories, broadcast to all of them.

    Members
    -------
    window : Out(4), number of the program memory, 0 for none
    entry : Out(11), word : Out(5), value : Out(32)
    """

    def __init__(self):
        super().__init__({"window": Out(4), "entry": Out(11), "word": Out(5), "value": Out(32)})


class ProgramMemory(wiring.Component):
    """Entries of one format.

    Parameters
    ----------
    window : int
        Number on the register bus, see :func:`ember.hw.isa.windows`.
    layout : isa.Format
    depth : int
        Entries.
    asynchronous : bool
        Read data in the same cycle (distributed RAM) instead of the next (block RAM).

    Members
    -------
    write : In(ProgramWrite)
    address : In(log2(depth))
    enable : In(1), sample ``address`` this cycle (synchronous reads only)
    entry : Out(struct of the format's fields)

    Latency: 1 cycle from ``address``, 0 if asynchronous. Throughput: 1 read per cycle.
    """

    write: wiring.PureInterface
    address: Signal
    enable: Signal
    entry: data.View

    def __init__(self, window: int, layout: isa.Format, depth: int, *, asynchronous: bool = False):
        self._window, self._layout, self._depth = window, layout, depth
        self._asynchronous = asynchronous
        super().__init__(
            {
                "write": In(ProgramWrite()),
                "address": In(index_width(depth)),
                "enable": In(1),
                "entry": Out(data.StructLayout({f.name: f.width for f in layout.fields})),
            }
        )

    def elaborate(self, platform):
        m = Module()
        words = self._layout.words
        m.submodules.ram = ram = memory.Memory(shape=32 * words, depth=max(2, self._depth), init=[])
        write = ram.write_port(granularity=32)
        read = ram.read_port(domain="comb" if self._asynchronous else "sync")
        m.d.comb += [
            write.addr.eq(self.write.entry),
            write.data.eq(self.write.value.replicate(words)),
            read.addr.eq(self.address),
        ]
        with m.If(self.write.window == self._window):
            m.d.comb += write.en.eq(1 << self.write.word)
        if not self._asynchronous:
            m.d.comb += read.en.eq(self.enable)
        m.d.comb += self.entry.eq(read.data)
        return m
