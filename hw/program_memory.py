"""Program memory: written word by word over the register bus, read a whole entry at a time."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from . import isa
from .block_ram import BlockRam
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
    latency : int
        Cycles from the address to the entry: 0 and 1 for distributed RAM, without and with a
        register behind it; 2 for block RAM, which is so slow that it needs one of its own.

    Members
    -------
    write : In(ProgramWrite)
    address : In(log2(depth))
    enable : In(1), sample ``address`` this cycle; always, if nobody says otherwise
    entry : Out(struct of the format's fields)

    Throughput: 1 read per cycle.
    """

    write: wiring.PureInterface
    address: Signal
    enable: Signal
    entry: data.View

    def __init__(self, window: int, layout: isa.Format, depth: int, *, latency: int):
        self._window, self._layout, self._depth = window, layout, depth
        self._latency = latency
        super().__init__(
            {
                "write": In(ProgramWrite()),
                "address": In(index_width(depth)),
                "enable": In(1, init=1),
                "entry": Out(data.StructLayout({f.name: f.width for f in layout.fields})),
            }
        )

    def elaborate(self, platform):
        m = Module()
        words = self._layout.words
        mine = self.write.window == self._window
        written = Mux(mine, (1 << self.write.word)[:words], 0)
        value = self.write.value.replicate(words)
        # Written while nothing runs, so that no word that is being written is ever looked at.
        if self._latency == 2:
            m.submodules.ram = ram = BlockRam(32 * words, self._depth, parts=words)
            m.d.comb += [
                ram.write_address.eq(self.write.entry),
                ram.write_data.eq(value),
                ram.write_enable.eq(written),
                ram.read_address.eq(self.address),
                ram.read_enable.eq(self.enable),
            ]
            m.d.sync += self.entry.eq(ram.read_data)
            return m
        m.submodules.ram = ram = memory.Memory(shape=32 * words, depth=max(2, self._depth), init=[])
        write = ram.write_port(granularity=32)
        read = ram.read_port(domain="sync" if self._latency else "comb")
        m.d.comb += [
            write.addr.eq(self.write.entry),
            write.data.eq(value),
            write.en.eq(written),
            read.addr.eq(self.address),
            self.entry.eq(read.data),
        ]
        if self._latency:
            m.d.comb += read.en.eq(self.enable)
        return m
