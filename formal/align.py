"""Align: the beat that is offered stays, although a line that has not come is looked at for it."""

from types import SimpleNamespace

from amaranth.hdl import Cat, Mux, Value

from .bench import Bench, implies
from .narrow import narrow
from .streams import free_inputs, prove_held


def align(block, lanes: int) -> Bench:
    """Of rows that lie in the lines that they say."""
    bench = Bench()
    dut = bench.add(block.Align(narrow(lanes=lanes)))
    inside = bench.inside(dut)
    free_inputs(bench, dut)
    row, hold = dut.rows.payload, inside.hold
    bench.assume(implies(row.lines != 0, row.offset + row.dim <= row.lines * lanes))
    # Nobody looks at the data of a beat that has none.
    beat = dut.o.payload
    data = Mux(beat.has_data, Value.cast(beat.data), 0)
    others = [beat[name] for name, _ in beat.shape() if name != "data"]
    seen = Cat(data, *others)
    prove_held(bench, SimpleNamespace(valid=dut.o.valid, ready=dut.o.ready, payload=seen), "o")

    # The held line and those of its row that are still to come. Of a row that is delivered element
    # by element a line may be gone before the next one comes.
    index = inside.feed_index
    is_row = inside.hold_valid & (hold.lines != 0)
    inside_row = is_row & ~inside.hold_last
    between = ~inside.hold_valid & (index != 0)
    more = dut.rows.valid & (index != 0) & (index < row.lines)
    bench.lemma(implies(~inside_row & ~between, index == 0), "a row's first line is next")
    bench.lemma(implies(inside_row, more & (hold == row)), "its row is still offered")
    bench.lemma(implies(between, more & ~row.vector), "so is that of a line that is gone")
    lines = Mux(inside.hold_last, 1, hold.lines - index + 1)
    fits = hold.offset + inside.left <= lines * lanes
    bench.lemma(implies(is_row & hold.vector, fits), "what is left of a row lies in its lines")
    return bench
