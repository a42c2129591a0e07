"""Which lines the cache holds, which are on their way, and which one has to go."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from ..config import Config
from ..layouts import index_width, read_request, tag
from . import generation
from .layouts import place, sets, verdict
from .replacement import Replacement


class Directory(wiring.Component):
    """A set-associative directory that takes a request in each cycle and never stalls.

    Each place has an entry: line, generation, the tag of the request that asked for the line, and
    a *turn*, a bit that changes whenever the place is given to a line. A second memory has the
    place's turn as of its last response: where the two differ, the line is on its way. So each
    memory is written from one side only, by requests and by responses.

    The place for a new line: one without a line, the lowest first; else that of the set's
    pseudo-LRU tree; else, if that one's line is on its way, the lowest of which the line is not.
    If all lines of the set are on their way, the new one gets no place. Requests with the
    non-temporal hint get none either, and change no tree.

    Parameters
    ----------
    config : Config

    Members
    -------
    lookup : In({valid, request})
    o : Out(verdict), two cycles later; nothing in it is set without a lookup
    done : In({valid, place, turn, good}), a line has come to its place; it is kept if ``good``.
        The verdict of the same cycle may still be ``wait`` for it, later ones are not
    generation : In, sweeping : In, entry : In, see Generation

    Latency: 2 cycles. Throughput: a lookup and a response per cycle.
    """

    lookup: data.View
    o: data.View
    done: data.View
    generation: Signal
    sweeping: Signal
    entry: Signal

    def __init__(self, config: Config):
        self._config = config
        super().__init__(
            {
                "lookup": In(data.StructLayout({"valid": 1, "request": read_request(config)})),
                "o": Out(verdict(config)),
                "done": In(
                    data.StructLayout({"valid": 1, "place": place(config), "turn": 1, "good": 1})
                ),
                "generation": In(generation.WIDTH),
                "sweeping": In(1),
                "entry": In(index_width(sets(config))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        ways, count = config.cache_ways, sets(config)
        set_bits = count.bit_length() - 1
        depth = max(2, count)
        entry_shape = data.StructLayout(
            {
                "generation": generation.WIDTH,
                "turn": 1,
                "first": tag(config),
                "key": config.line_addr_width - set_bits,
            }
        )
        status_shape = data.StructLayout({"turn": 1, "good": 1})

        # Cycle 0: read the set.
        set0 = Signal(index_width(count))
        m.d.comb += set0.eq(self.lookup.request.line[:set_bits])
        entry_writes, entries = [], []
        status_writes, statuses = [], []
        for w in range(ways):
            m.submodules[f"entries{w}"] = ram = memory.Memory(
                shape=entry_shape, depth=depth, init=[]
            )
            write = ram.write_port()
            read = ram.read_port(transparent_for=(write,))
            entry_writes.append(write)
            entries.append(read.data)
            m.submodules[f"status{w}"] = ram = memory.Memory(
                shape=status_shape, depth=depth, init=[]
            )
            status_write = ram.write_port()
            status_read = ram.read_port(transparent_for=(status_write,))
            status_writes.append(status_write)
            statuses.append(status_read.data)
            m.d.comb += [read.addr.eq(set0), status_read.addr.eq(set0)]
        m.submodules.replacement = replacement = Replacement(count, ways)
        m.d.comb += replacement.set.eq(set0)

        # Cycle 1: compare. What cycle 2 writes to this set, and a response that comes to it now,
        # is not in what was read.
        valid1, request1 = Signal(), Signal(read_request(config))
        set1 = Signal.like(set0)
        m.d.sync += [
            valid1.eq(self.lookup.valid),
            request1.eq(self.lookup.request),
            set1.eq(set0),
        ]
        valid2, request2, set2 = Signal(), Signal(read_request(config)), Signal.like(set0)
        m.d.sync += [valid2.eq(valid1), request2.eq(request1), set2.eq(set1)]
        hit, wait = Signal(ways), Signal(ways)
        busy, empty = Signal(ways), Signal(ways)  # on its way; without a line
        old_turn = Signal(ways)
        first = [Signal(tag(config), name=f"first_{w}") for w in range(ways)]

        given = Signal(ways)  # cycle 2 gives this way to its line
        same_set, same_line = Signal(), Signal()
        m.d.comb += [
            same_set.eq(set1 == set2),
            same_line.eq(request1.line == request2.line),
        ]
        current = Signal(ways)
        for w in range(ways):
            entry, status = entries[w], Signal(status_shape, name=f"status_{w}")
            m.d.comb += status.eq(statuses[w])
            here = self.done.valid & (self.done.place.set == set1) & (self.done.place.way == w)
            with m.If(here):
                m.d.comb += [status.turn.eq(self.done.turn), status.good.eq(self.done.good)]
            match = entry.key == request1.line[set_bits:]
            coming = entry.turn != status.turn
            m.d.comb += current[w].eq(entry.generation == self.generation)
            with m.If(same_set & given[w]):
                m.d.sync += [
                    hit[w].eq(0), wait[w].eq(same_line), busy[w].eq(1), empty[w].eq(0),
                    first[w].eq(request2.tag),
                ]  # fmt: skip
            with m.Else():
                m.d.sync += [
                    hit[w].eq(current[w] & match & ~coming & status.good),
                    wait[w].eq(current[w] & match & coming),
                    busy[w].eq(current[w] & coming),
                    empty[w].eq(~current[w] | (~coming & ~status.good)),
                    first[w].eq(entry.first),
                ]
            m.d.sync += old_turn[w].eq(status.turn)

        # Cycle 2: decide.
        found = Signal(range(ways))
        get, place_found, keep = Signal(), Signal(), Signal()
        new_way, way = Signal(range(ways)), Signal(range(ways))
        m.d.comb += [
            found.eq(_encoded(hit)),
            get.eq(valid2 & ~hit.any() & ~wait.any()),
        ]
        for w in reversed(range(ways)):
            with m.If(~busy[w]):
                m.d.comb += new_way.eq(w)
        with m.If(~busy.bit_select(replacement.oldest, 1)):
            m.d.comb += new_way.eq(replacement.oldest)
        for w in reversed(range(ways)):
            with m.If(empty[w]):
                m.d.comb += new_way.eq(w)
        m.d.comb += [
            place_found.eq(~busy.all()),
            keep.eq(get & place_found & ~request2.nt),
            given.eq(Mux(keep, Const(1, ways) << new_way, 0)),
            way.eq(Mux(hit.any(), found, new_way)),
            self.o.hit.eq(valid2 & hit.any()),
            self.o.wait.eq(valid2 & wait.any()),
            self.o.get.eq(get),
            self.o.line.eq(request2.line),
            self.o.tag.eq(request2.tag),
            self.o.nt.eq(request2.nt),
            self.o.first.eq(_selected(wait, first)),
            self.o.fetch.place.set.eq(set2),
            self.o.fetch.place.way.eq(way),
            self.o.fetch.keep.eq(keep),
            self.o.fetch.turn.eq(~old_turn.bit_select(way, 1)),
        ]
        for w, write in enumerate(entry_writes):
            m.d.comb += [
                write.en.eq(given[w] | self.sweeping),
                write.addr.eq(Mux(self.sweeping, self.entry, set2)),
                write.data.generation.eq(Mux(self.sweeping, 0, self.generation)),
                write.data.turn.eq(~old_turn[w]),
                write.data.first.eq(request2.tag),
                write.data.key.eq(request2.line[set_bits:]),
            ]
        for w, write in enumerate(status_writes):
            m.d.comb += [
                write.en.eq(self.done.valid & (self.done.place.way == w)),
                write.addr.eq(self.done.place.set),
                write.data.turn.eq(self.done.turn),
                write.data.good.eq(self.done.good),
            ]

        # A set without a line starts anew, so that what an earlier launch did changes nothing.
        m.d.comb += [
            replacement.fresh.eq(~current.any()),
            replacement.use.valid.eq(valid2 & ~request2.nt & (hit.any() | wait.any() | keep)),
            replacement.use.way.eq(Mux(wait.any(), _encoded(wait), way)),
        ]
        return m


def _encoded(one_hot: Signal) -> Value:
    """Number of the bit that is set; 0 if none."""
    width = max(1, (len(one_hot) - 1).bit_length())
    return Cat(
        Cat(one_hot[k] for k in range(len(one_hot)) if k >> bit & 1).any() for bit in range(width)
    )


def _selected(one_hot: Signal, values: list) -> Value:
    """The value of the bit that is set; 0 if none."""
    chosen: Value = Const(0)
    for bit, value in zip(one_hot, values, strict=True):
        chosen = chosen | Mux(bit, Value.cast(value), 0)
    return chosen
