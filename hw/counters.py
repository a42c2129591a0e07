"""Many counters for the price of one adder, and snapshots in which all are of the same cycle."""

from collections.abc import Collection

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

#: Stored bits of a counter. 2**48 cycles are a month at 100 MHz.
COUNTER_WIDTH = 48

#: Bits of a snapshot's number.
NUMBER_WIDTH = 16

#: Cycles from the visit of a counter to the write of its new value.
_STAGES = 3


class CounterBank(wiring.Component):
    """A counter is a few bits of flip-flops that count in every cycle; the rest is in memory.

    Time is divided into *rounds* of as many cycles as there are counters. When a round begins, all
    flip-flops are copied at once and begin at 0 again. In the course of the round a scanner adds
    the copies, one per cycle, to the values in memory. In a round for a snapshot it writes the new
    values into a second memory too: these are all values of the cycle in which the round began.
    So there is one adder, and no counter has to stop. The flip-flops suffice for one round.

    Parameters
    ----------
    events : StructLayout
        Counters by name, 4 at least, with what is added to each per cycle.
    peaks : collection of str
        Those that keep the highest value rather than the sum.

    Members
    -------
    events : In(events)
    count : In(1), this cycle's events count
    clear : In(1), everything becomes 0, in the snapshot too; this cycle's events do not count
    snapshot : In(1), take a snapshot that has the events of all earlier cycles
    number : Out(16), of the last snapshot; grows by one when one is asked for and by one when it
        is complete, so that it is odd while one is due. Clear and reset ask for one
    index : In, counter to read; value : Out(48), its value in the last snapshot

    Latency: from ``index`` to ``value`` 1 cycle; from ``snapshot`` to an even ``number`` at most
    2 n + 4 cycles for n counters, n + 4 after a clear. Throughput: every event of every cycle.
    Of requests that come while a snapshot is due all are answered by one more at the most.

    Raises
    ------
    ValueError
        There are fewer than 4 counters, or a peak is not one of them.
    """

    events: data.View
    count: Signal
    clear: Signal
    snapshot: Signal
    number: Signal
    index: Signal
    value: Signal

    def __init__(self, events: data.StructLayout, peaks: Collection[str] = ()):
        names = tuple(str(name) for name, _ in events)
        # A value must be in memory when its turn comes again.
        if len(names) <= _STAGES:
            raise ValueError(f"events must name at least {_STAGES + 1} counters, not {len(names)}")
        for name in peaks:
            if name not in names:
                raise ValueError(f"peaks must be names of events, not {name!r}")
        self._layout, self._names, self._peaks = events, names, frozenset(peaks)
        super().__init__(
            {
                "events": In(events),
                "count": In(1),
                "clear": In(1),
                "snapshot": In(1),
                # The one that a reset asks for is number 0.
                "number": Out(NUMBER_WIDTH, init=(1 << NUMBER_WIDTH) - 1),
                "index": In((len(names) - 1).bit_length()),
                "value": Out(COUNTER_WIDTH),
            }
        )

    def elaborate(self, platform):
        m = Module()
        n = len(self._names)
        scan, fresh = Signal(range(n)), Signal(init=1)
        wanted, saving = Signal(), Signal(init=1)
        turn = Signal()  # the last cycle of a round
        m.d.comb += turn.eq(scan == n - 1)
        m.d.sync += [scan.eq(scan + 1), wanted.eq(wanted | self.snapshot)]
        with m.If(turn):
            m.d.sync += [scan.eq(0), fresh.eq(0), saving.eq(wanted | self.snapshot), wanted.eq(0)]
        with m.If(self.clear):
            m.d.sync += [scan.eq(0), fresh.eq(1), saving.eq(1), wanted.eq(0)]

        copies = [self._low(m, name, turn) for name in self._names]
        complete = self._scanner(m, scan, fresh, saving, turn, copies)

        # A snapshot that is complete is not the last if another has been asked for meanwhile, or
        # everything was cleared.
        asked, due = self.snapshot | self.clear, wanted | saving
        with m.If(Mux(self.number[0], complete & ~asked & ~due, asked)):
            m.d.sync += self.number.eq(self.number + 1)
        return m

    def _low(self, m, name, turn):
        """The flip-flops of a counter; returns their copy."""
        event = self.events[name]
        largest = (1 << len(event)) - 1
        peak = name in self._peaks
        low = Signal(range(largest * (1 if peak else len(self._names)) + 1), name=f"{name}_low")
        copy = Signal.like(low, name=f"{name}_copy")
        # The copy takes this cycle's event too, so that the flip-flops begin a round at 0: that is
        # their reset and costs no logic.
        following = Signal.like(low, name=f"{name}_next")
        if peak:
            m.d.comb += following.eq(Mux(self.count & (event > low), event, low))
        else:
            m.d.comb += following.eq(low + Mux(self.count, event, 0))
        m.d.sync += low.eq(following)
        with m.If(turn):
            m.d.sync += copy.eq(following)
        with m.If(self.clear | (turn if not peak else 0)):
            m.d.sync += low.eq(0)
        return copy

    def _scanner(self, m, scan, fresh, saving, turn, copies):
        """Adds the copies to the values in memory; returns when a snapshot's last is written."""
        depth = 1 << len(self.index)
        m.submodules.values = values = memory.Memory(shape=COUNTER_WIDTH, depth=depth, init=[])
        m.submodules.saved = saved = memory.Memory(shape=COUNTER_WIDTH, depth=depth, init=[])
        write, read = values.write_port(), values.read_port()
        save, load = saved.write_port(), saved.read_port()

        # Values that are 0 or, of a peak, not to be added to are not taken from memory.
        is_peak = Signal()
        with m.Switch(scan):
            for k, name in enumerate(self._names):
                if name in self._peaks:
                    with m.Case(k):
                        m.d.comb += is_peak.eq(1)
        visit = data.StructLayout({"index": len(self.index), "save": 1, "last": 1})
        stages = [Signal(visit, name=f"visit{k}") for k in range(_STAGES + 1)]
        m.d.comb += [
            stages[0].index.eq(scan),
            stages[0].save.eq(saving),
            stages[0].last.eq(saving & turn),
            read.addr.eq(scan),
        ]
        for before, after in zip(stages, stages[1:], strict=False):
            m.d.sync += after.eq(before)

        width = max(len(copy) for copy in copies)
        copy1, zero1, none1 = Signal(width), Signal(), Signal()
        copy2, value2 = Signal(width), Signal(COUNTER_WIDTH)
        sum3 = Signal(COUNTER_WIDTH)
        m.d.sync += [
            copy1.eq(_choose(copies, scan)),
            zero1.eq(fresh),
            none1.eq(fresh | is_peak),
            copy2.eq(Mux(zero1, 0, copy1)),
            value2.eq(Mux(none1, 0, read.data)),
            sum3.eq(value2 + copy2),
        ]
        done = stages[-1]
        m.d.comb += [
            write.addr.eq(done.index),
            write.data.eq(sum3),
            write.en.eq(1),
            save.addr.eq(done.index),
            save.data.eq(sum3),
            save.en.eq(done.save),
            load.addr.eq(self.index),
            self.value.eq(load.data),
        ]
        return done.last


def _choose(values, index):
    """``values[index]`` as a tree of two-way multiplexers, which take the least area."""
    for bit in index:
        pairs = [values[k : k + 2] for k in range(0, len(values), 2)]
        values = [Mux(bit, *reversed(pair)) if len(pair) == 2 else pair[0] for pair in pairs]
    return values[0]
