"""The store unit: rows at any word address become whole lines."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..config import Config
from ..layouts import WritePort, vector
from .operation import chunk

#: Writes that may wait for their acknowledgement: more than any memory holds.
OUTSTANDING_BITS = 16


class Store(wiring.Component):
    """Shifts chunks into place and merges neighbours, so that each line is written once.

    A chunk is rotated to its position in memory; what passes the end of its line is *held* and
    merged with the next chunk. A row of n chunks that spans k lines makes k requests; rows that
    come one directly after the other and meet in a line share its request.

    Parameters
    ----------
    config : Config

    Members
    -------
    i : In(stream of :func:`~.operation.chunk`)
    write : Out(WritePort)
    line_written : Out(1), a request was taken
    error : Out(1), a response had its error bit
    idle : Out(1), everything is written and acknowledged

    Latency: 3 cycles; one more for what is held. Throughput: 1 line per cycle.
    Back-pressure: waits for ``write.request``.
    """

    i: stream.Interface
    write: wiring.PureInterface
    line_written: Signal
    error: Signal
    idle: Signal

    def __init__(self, config: Config):
        self._config = config
        super().__init__(
            {
                "i": In(stream.Signature(chunk(config))),
                "write": Out(WritePort(config)),
                "line_written": Out(1),
                "error": Out(1),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        lanes = self._config.lanes
        bits = lanes.bit_length() - 1  # of a word's number in its line

        # First register: the chunk as it comes, with its line.
        next_valid = Signal()
        next_ready = Signal()
        next_data = Signal(vector(self._config))
        next_words = Signal.like(self.i.payload.chunk.words)
        next_last = Signal()
        next_line = Signal(self._config.line_addr_width)
        offset = Signal(bits)
        row_line = Signal.like(next_line)  # the line after it, where the row's next chunk goes

        stored = self.i.payload.chunk
        line_of_chunk = Signal.like(next_line)
        m.d.comb += [
            self.i.ready.eq(~next_valid | next_ready),
            line_of_chunk.eq(Mux(stored.first, stored.address[bits:], row_line)),
        ]
        with m.If(self.i.ready):
            m.d.sync += next_valid.eq(self.i.valid)
        with m.If(self.i.ready & self.i.valid):
            m.d.sync += [
                next_data.eq(self.i.payload.data),
                next_words.eq(stored.words),
                next_last.eq(stored.last),
                next_line.eq(line_of_chunk),
                row_line.eq(line_of_chunk + 1),
            ]
            with m.If(stored.first):
                m.d.sync += offset.eq(stored.address[:bits])

        # Second register: rotated, with the words that stay in its line and those that belong to
        # the next one.
        valid = Signal()
        ready = Signal()
        words = [Signal(32, name=f"word{n}") for n in range(lanes)]
        here = Signal(lanes)
        beyond = Signal(lanes)
        line = Signal.like(next_line)
        line_after = Signal.like(next_line)
        last = Signal()
        # Lines are compared when they are loaded: the results decide who moves, and that in turn
        # reaches back to the emission queue in the same cycle.
        next_same = Signal()  # next_line == line

        span = Signal(2 * lanes)
        rotated = [next_data[n] for n in range(lanes)]
        for bit in range(bits):
            n = 1 << bit
            moved = rotated[-n:] + rotated[:-n]
            rotated = [Mux(offset[bit], y, x) for x, y in zip(rotated, moved, strict=True)]
        m.d.comb += [
            next_ready.eq(~valid | ready),
            span.eq(((1 << next_words) - 1)[:lanes] << offset),
        ]
        with m.If(self.i.ready & self.i.valid):
            # The chunk ahead of it is in one of the two registers; if in none, this does not count.
            # Its own line has two sources: all four pairs are compared, and one is chosen.
            def same(source):
                return Mux(next_valid, source == next_line, source == line)

            first_line = stored.address[bits:]
            m.d.sync += next_same.eq(Mux(stored.first, same(first_line), same(row_line)))
        with m.If(next_ready):
            m.d.sync += valid.eq(next_valid)
        with m.If(next_ready & next_valid):
            m.d.sync += [
                *(word.eq(value) for word, value in zip(words, rotated, strict=True)),
                here.eq(span[:lanes]),
                beyond.eq(span[lanes:]),
                line.eq(next_line),
                line_after.eq(row_line),
                last.eq(next_last),
            ]

        # Held words, and the request. A chunk that does not fill its line up to the end is the end
        # of a row: it is sent too, unless the next row is there and starts in the same line.
        held = Signal()
        held_words = [Signal(32, name=f"held{n}") for n in range(lanes)]
        held_mask = Signal(lanes)
        held_line = Signal.like(line)
        held_same = Signal()  # held_line == line
        held_last = Signal()

        request = self.write.request
        free = Signal()
        other = Signal()
        keep = Signal()
        send_held = Signal()
        send_line = Signal()
        m.d.comb += [
            free.eq(~request.valid | request.ready),
            other.eq(held & ~held_same),
            keep.eq(~here[-1] & next_valid & next_same),
            send_held.eq(Mux(valid, other, held & held_last)),
            send_line.eq(valid & ~other & ~keep),
            ready.eq(Mux(other, free & keep, free | keep)),
        ]
        with m.If(free):
            m.d.sync += request.valid.eq(send_held | send_line)
            with m.If(send_held):
                m.d.sync += held.eq(0)
        with m.If(free & (send_held | send_line)):
            m.d.sync += [
                request.payload.line.eq(held_line),
                request.payload.mask.eq(held_mask),
            ]
            with m.If(send_line):
                m.d.sync += [
                    request.payload.line.eq(line),
                    request.payload.mask.eq(Mux(held, held_mask, 0) | here),
                ]
            for n in range(lanes):
                word = Mux(send_line & here[n], words[n], held_words[n])
                m.d.sync += request.payload.data[n].eq(word)
        with m.If(next_ready & next_valid):
            # What is held from then on, if anything is: see below.
            held_next = Mux(keep, next_same, next_line == line_after)
            m.d.sync += held_same.eq(Mux(valid, held_next, next_line == held_line))
        with m.If(valid & ready):
            m.d.sync += held_last.eq(last)
            with m.If(keep):
                m.d.sync += [
                    held.eq(1),
                    held_line.eq(line),
                    held_mask.eq(Mux(held & ~other, held_mask, 0) | here),
                ]
            with m.Else():
                m.d.sync += [held.eq(beyond.any()), held_line.eq(line_after), held_mask.eq(beyond)]
            for n in range(lanes):
                with m.If(Mux(keep, here[n], beyond[n])):
                    m.d.sync += held_words[n].eq(words[n])

        outstanding = Signal(OUTSTANDING_BITS)
        m.d.comb += [
            self.line_written.eq(request.valid & request.ready),
            self.write.response.ready.eq(1),
            self.error.eq(self.write.response.valid & self.write.response.payload.error),
            self.idle.eq(~next_valid & ~valid & ~held & ~request.valid & (outstanding == 0)),
        ]
        m.d.sync += outstanding.eq(outstanding + self.line_written - self.write.response.valid)
        return m
