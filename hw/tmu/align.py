"""Cuts rows out of lines: vectors from any element offset, with masked tails."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .. import isa
from ..config import Config
from ..layouts import error_report, vector
from ..queues.queue import Queue
from .item import item
from .row_layer import row, way


def beat(config: Config) -> data.StructLayout:
    """One vector (or element) of a row, or an item without data."""
    return data.StructLayout(
        {
            "item": item(config),
            "data": vector(config),
            "has_data": 1,
            "beg": 1,  # first beat of its row
            "end": 1,  # last beat of its row
            "position": range(config.max_dim + 1),  # element index of the first element
            **way(config),
        }
    )


class Align(wiring.Component):
    """Shifts pairs of lines into vectors, or picks single elements.

    One line is held back. When the next one arrives, a vector is cut from the two; what remains of
    a row in its last line leaves while the next row's first line comes in. So a row that spans k
    lines takes k cycles, whatever its offset and length.

    Parameters
    ----------
    config : Config

    Members
    -------
    rows : In(stream of row), lines : In(stream of {data, error})
    o : Out(stream of beat)
    row_read : Out(1), a row begins, for the counters
    error : Out({valid, report}), a line came with an error

    Latency: 2 cycles for a row, 1 for a line. Throughput: one line in and one beat out per cycle.
    Back-pressure: a line is taken only if the beat that it completes is: ``o.ready`` must come from
    a register.
    """

    rows: stream.Interface
    lines: stream.Interface
    o: stream.Interface
    row_read: Signal
    error: data.View

    def __init__(self, config: Config):
        self._config = config
        line = data.StructLayout({"data": vector(config), "error": 1})
        super().__init__(
            {
                "rows": In(stream.Signature(row(config))),
                "lines": In(stream.Signature(line)),
                "o": Out(stream.Signature(beat(config))),
                "row_read": Out(1),
                "error": Out(data.StructLayout({"valid": 1, "report": error_report(config)})),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        lanes = config.lanes

        # The queue lets what decides most start from registers, and not from block RAM.
        ahead = Queue(
            data.StructLayout({"row": row(config), "has_lines": 1, "single": 1}), 2
        )
        m.submodules.ahead = ahead
        m.d.comb += [
            ahead.i.valid.eq(self.rows.valid),
            ahead.i.payload.row.eq(self.rows.payload),
            ahead.i.payload.has_lines.eq(self.rows.payload.lines != 0),
            ahead.i.payload.single.eq(self.rows.payload.lines <= 1),
            self.rows.ready.eq(ahead.i.ready),
        ]

        # Feed: the next event is a line of the row at the head, or an item without lines.
        now, has_lines = ahead.o.payload.row, ahead.o.payload.has_lines
        feed_index = Signal(range(config.row_chunks + 2))
        feed_first = Signal(init=1)
        feed_final = Signal()  # the next line is the last one of its row, if not the first
        feed_valid, feed_take, feed_last = Signal(), Signal(), Signal()
        m.d.comb += [
            feed_last.eq(Mux(feed_first, ahead.o.payload.single, feed_final)),
            feed_valid.eq(ahead.o.valid & (self.lines.valid | ~has_lines)),
            self.lines.ready.eq(feed_take & has_lines),
            ahead.o.ready.eq(feed_take & feed_last),
            self.row_read.eq(feed_take & has_lines & feed_first),
            self.error.valid.eq(feed_take & has_lines & self.lines.payload.error),
            self.error.report.kind.eq(isa.Error.READ),
            self.error.report.segment.eq(now.item.segment),
            self.error.report.layer.eq(config.scalar_layers),
        ]
        with m.If(feed_take):
            m.d.sync += [
                feed_first.eq(feed_last),
                feed_final.eq(feed_index + 2 == now.lines),
                feed_index.eq(Mux(feed_last, 0, feed_index + 1)),
            ]

        # Hold: the line (or item) that came last.
        hold = Signal(row(config))
        hold_valid, hold_last, hold_data = Signal(), Signal(), Signal(vector(config))
        is_row = Signal()  # it is a line
        left = Signal(range(config.max_dim + 1))  # elements of the row not yet delivered
        more, one_left = Signal(), Signal()  # some; scalar mode: just one
        position = Signal(range(config.max_dim + 1))
        pick = Signal(range(max(2, lanes)))  # scalar mode: next element of the held line

        wants_next = Signal()  # this beat also needs the line behind the held one
        emits, leaves = Signal(), Signal()  # a beat is due; the held line is used up by it
        scalar_last = Signal()
        m.d.comb += scalar_last.eq(one_left | (pick == lanes - 1))
        with m.If(hold_valid):
            with m.If(~is_row):
                m.d.comb += [emits.eq(1), leaves.eq(1)]
            with m.Elif(hold.vector):
                m.d.comb += [
                    emits.eq(more),
                    leaves.eq(1),
                    wants_next.eq(~hold_last),
                ]
            with m.Else():
                m.d.comb += [emits.eq(1), leaves.eq(scalar_last)]

        emit, vacant = Signal(), Signal()
        m.d.comb += [
            self.o.valid.eq(emits & (feed_valid | ~wants_next)),
            emit.eq(self.o.valid & self.o.ready),
            # The held place is free for the next line if nothing is in it or it leaves now.
            vacant.eq(~hold_valid | (leaves & (emit | (~emits & (feed_valid | ~wants_next))))),
            feed_take.eq(feed_valid & vacant),
        ]
        step = Mux(hold.vector, lanes, 1)
        ends = Signal()  # the beat is the last one of its row
        m.d.comb += ends.eq(left <= step)
        with m.If(emit & is_row):
            m.d.sync += [
                left.eq(Mux(ends, 0, left - step)),
                more.eq(~ends),
                one_left.eq(left == 2),
                position.eq(position + step),
                pick.eq(pick + 1),
            ]
        with m.If(vacant):
            m.d.sync += hold_valid.eq(0)
        with m.If(feed_take):
            m.d.sync += [
                hold_valid.eq(1),
                hold.eq(now),
                is_row.eq(has_lines),
                hold_last.eq(feed_last),
                hold_data.eq(self.lines.payload.data),
                pick.eq(0),
            ]
            with m.If(feed_first):
                m.d.sync += [
                    left.eq(now.dim),
                    more.eq(now.dim != 0),
                    one_left.eq(now.dim == 1),
                    position.eq(0),
                    pick.eq(now.offset),
                ]

        # Shift. The tail is masked to +0.0, so that what lies behind a row is never seen.
        window = Cat(hold_data.as_value(), self.lines.payload.data.as_value())
        words = [window[32 * n : 32 * (n + 1)] for n in range(2 * lanes)]
        shift = Mux(hold.vector, hold.offset, pick) if lanes > 1 else Const(0, 1)
        size = 1
        while size < lanes:
            bit = shift[size.bit_length() - 1]
            words = [
                Mux(bit, words[n + size], words[n]) if n + size < len(words) else words[n]
                for n in range(len(words))
            ]
            size *= 2
        out = self.o.payload
        m.d.comb += [
            out.item.eq(hold.item),
            out.has_data.eq(is_row),
            out.beg.eq(position == 0),
            out.end.eq(ends),
            out.position.eq(position),
            *(out[name].eq(hold[name]) for name in way(config)),
        ]
        for n in range(lanes):
            inside = (hold.vector & (left > n)) if n else 1
            m.d.comb += out.data[n].eq(Mux(inside, words[n], 0))
        return m
