"""Align: the beat that is offered stays, although a line that has not come is looked at for it."""

from types import SimpleNamespace

from amaranth.hdl import Cat, Mux, Value

from .bench import Bench, implies
from .fifo import QueueInside
from .narrow import narrow
from .streams import free_inputs, prove_held


def align(block, lanes: int) -> Bench:
    """Of rows that lie in the lines that they say; they are looked at behind the queue of rows."""
    bench = Bench()
    dut = bench.add(block.Align(narrow(lanes=lanes)))
    inside = bench.inside(dut)
    QueueInside(bench, inside.ahead)
    free_inputs(bench, dut)
    front, hold = inside.ahead.o, inside.hold
    row = front.payload.row
    lies = (row.lines == 0) | (row.offset + row.dim <= row.lines * lanes)
    known = front.payload.has_lines == (row.lines != 0)
    single = front.payload.single == (row.lines <= 1)
    bench.assume(implies(front.valid, lies & known & single))
    # Nobody looks at the data of a beat that has none.
    beat = dut.o.payload
    data = Mux(beat.has_data, Value.cast(beat.data), 0)
    others = [beat[name] for name, _ in beat.shape() if name != "data"]
    seen = Cat(data, *others)
    prove_held(bench, SimpleNamespace(valid=dut.o.valid, ready=dut.o.ready, payload=seen), "o")

    # The held line and those of its row that are still to come. Of a row that is delivered element
    # by element a line may be gone before the next one comes.
    index = inside.feed_index
    is_row = inside.hold_valid & inside.is_row
    inside_row = is_row & ~inside.hold_last
    between = ~inside.hold_valid & (index != 0)
    more = front.valid & (index != 0) & (index < row.lines)
    bench.lemma(implies(~inside_row & ~between, index == 0), "a row's first line is next")
    bench.lemma(inside.feed_first == (index == 0), "the first line is known")
    final = implies(index != 0, inside.feed_final == (index + 1 == row.lines))
    bench.lemma(implies(front.valid, final), "and the last one")
    bench.lemma(implies(inside.hold_valid, inside.is_row == (hold.lines != 0)), "an item has none")
    left, begun = inside.left, is_row | between
    bench.lemma(implies(begun, inside.more == (left != 0)), "whether something is left")
    one = implies(begun & ~row.vector, inside.one_left == (left == 1))
    bench.lemma(implies(inside_row | between, one), "and whether that is one element")
    bench.lemma(implies(inside_row, more & (hold == row)), "its row is still offered")
    bench.lemma(implies(between, more & ~row.vector), "so is that of a line that is gone")
    lines = Mux(inside.hold_last, 1, hold.lines - index + 1)
    fits = hold.offset + inside.left <= lines * lanes
    bench.lemma(implies(is_row & hold.vector, fits), "what is left of a row lies in its lines")
    return bench
