"""Block RAM without a promise for the word that is being written."""

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .layouts import index_width


class BlockRam(wiring.Component):
    """Memory with a write port and a read port.

    A word that is written and read in the same cycle reads as anything: FPGAs promise nothing
    there, and a promise of ours would cost a copy of the word, a comparison of the addresses and a
    multiplexer. Who uses it says why nobody looks at such a read; tests run the
    machine with garbage in its place (tests/hw/test_block_ram.py).

    Parameters
    ----------
    shape : ShapeLike
        Of a word.
    depth : int
        Words.
    parts : int
        Equal parts of a word that can be written alone.

    Members
    -------
    write_address : In, write_data : In(shape), write_enable : In(parts), one bit for each part
    read_address : In, read_enable : In(1), sample the address in this cycle; always, if nobody says
        otherwise
    read_data : Out(shape), one cycle later, until the next read

    Latency: 1 cycle. Throughput: one read and one write per cycle.
    """

    def __init__(self, shape, depth: int, *, parts: int = 1):
        self._shape, self._depth, self._parts = shape, depth, parts
        super().__init__(
            {
                "write_address": In(index_width(depth)),
                "write_data": In(shape),
                "write_enable": In(parts),
                "read_address": In(index_width(depth)),
                "read_enable": In(1, init=1),
                "read_data": Out(shape),
            }
        )

    def elaborate(self, platform):
        m = Module()
        width = len(Value.cast(self.write_data))
        attrs = {"ram_style": "block", "no_rw_check": True}
        m.submodules.ram = ram = Memory(
            shape=width,
            depth=max(2, self._depth),
            init=[],
            attrs=attrs,  # pyright: ignore[reportArgumentType], the stubs only know strings
        )
        write = ram.write_port(granularity=width // self._parts)
        # A register behind a port without a clock: Yosys makes one port of the two, and of what the
        # memory's attribute allows nothing is left to do. Of a port with a clock it keeps the
        # promise that Amaranth makes.
        read = ram.read_port(domain="comb")
        word = Signal(width, reset_less=True)
        m.d.comb += [
            write.addr.eq(self.write_address),
            write.data.eq(self.write_data),
            write.en.eq(self.write_enable),
            read.addr.eq(self.read_address),
            Value.cast(self.read_data).eq(word),
        ]
        with m.If(self.read_enable):
            m.d.sync += word.eq(read.data)
        return m
