"""Forgetting everything that memories hold, in no time: entries carry a generation number."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..layouts import index_width

#: Bits of a generation number. The memories are swept once in ``2**8 - 1`` generations.
WIDTH = 8


class Generation(wiring.Component):
    """The number of the present generation; an entry with another one does not count.

    Number 0 is never present, and is what memories hold at first. When the numbers run out, the
    memories are swept: the owner writes generation 0 to every entry. After a reset the owner begins
    a new generation. Memories keep what they hold in a reset, so nothing here is reset either.

    Parameters
    ----------
    entries : int
        Entries of the largest memory.

    Members
    -------
    advance : In(1), begin a new generation; only while not ``sweeping``
    number : Out(WIDTH)
    sweeping : Out(1), write generation 0 to entry ``entry`` in this cycle, and use none
    entry : Out(range(entries))

    Latency: 1 cycle, and ``entries`` cycles of sweeping once in ``2**WIDTH - 1`` generations.
    """

    advance: Signal
    number: Signal
    sweeping: Signal
    entry: Signal

    def __init__(self, entries: int):
        self._entries = entries
        super().__init__(
            {
                "advance": In(1),
                "number": Out(WIDTH),
                "sweeping": Out(1),
                "entry": Out(index_width(entries)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        number = Signal(WIDTH, reset_less=True)
        sweeping = Signal(reset_less=True)
        entry = Signal.like(self.entry, reset_less=True)
        m.d.comb += [self.number.eq(number), self.sweeping.eq(sweeping), self.entry.eq(entry)]
        with m.If(self.advance):
            m.d.sync += number.eq(number + 1)
            with m.If(number.all()):
                m.d.sync += [number.eq(1), sweeping.eq(1)]
        with m.If(sweeping):
            m.d.sync += entry.eq(entry + 1)
            with m.If(entry == self._entries - 1):
                m.d.sync += [sweeping.eq(0), entry.eq(0)]
        return m
