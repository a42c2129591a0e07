"""RowWindow: how many rows are on their way, and that no row's end is lost."""

from amaranth.hdl import Signal

from .bench import Bench, implies
from .fifo import QueueInside
from .narrow import narrow
from .streams import free_inputs, prove_held


def row_window(block, rows: int) -> Bench:
    """A row is pushed after it was offered, once; what consumes it is left free."""
    bench = Bench()
    dut = bench.add(block.RowWindow(narrow(row_window=rows)))
    inside = bench.inside(dut)
    ends = inside.ends
    QueueInside(bench, ends)
    free_inputs(bench, dut)
    prove_held(bench, dut.o, "o")

    # A row's first offer is one that does not go on from the cycle before.
    begins = dut.o.valid & ~bench.past(dut.o.valid & ~dut.o.ready)
    coming, open_rows = Signal(range(rows + 2)), Signal(range(rows + 2))
    bench.m.d.sync += [
        coming.eq(coming + begins - dut.row_pushed),
        open_rows.eq(open_rows + begins - inside.consumed),
    ]
    bench.assume(implies(dut.row_pushed, coming != 0))
    bench.prove(open_rows <= rows, "no more rows are on their way than the window has")
    bench.prove(implies(ends.i.valid, ends.i.ready), "no row's end is lost at its queue")
    bench.lemma(inside.rows == open_rows, "rows are counted")
    bench.lemma(open_rows == coming + ends.level, "each is coming or its end is in the queue")
    offered = bench.past(dut.o.valid & ~dut.o.ready)
    bench.lemma(inside.offered == offered, "an offer that goes on is known")
    return bench
