"""Queue: DataQ, CtrlQ, and every FIFO inside the machine; and the storage of the deep ones."""

from amaranth.hdl import Signal

from .bench import Bench, implies
from .fifo import QueueInside
from .followed import Followed
from .streams import prove_held


def queue(block, depth: int) -> Bench:
    """Order, loss, doubling, level, high-water mark, ready, and what is offered stays."""
    bench = Bench()
    dut = bench.add(block.Queue(2, depth))
    inside = QueueInside(bench, dut)
    bench.free(dut.i.valid, dut.i.payload, dut.o.ready)
    push, pop = dut.i.valid & dut.i.ready, dut.o.valid & dut.o.ready

    held = Signal(range(2 * depth + 2))
    bench.m.d.sync += held.eq(held + push - pop)
    bench.prove(held <= depth, "no more goes in than fits")
    bench.prove(dut.level == held, "level is what went in and did not come out")
    bench.prove(dut.high_water == (4 * held >= 3 * depth), "high water from three quarters on")
    bench.prove(dut.i.ready == (held != depth), "ready is low exactly when full")
    bench.prove(implies(dut.o.valid, held != 0), "nothing comes out of an empty queue")
    late = bench.past((held != 0) & ~dut.o.valid)
    bench.prove(implies(late, dut.o.valid), "an entry is offered after a cycle at most")
    prove_held(bench, dut.o, "o")

    followed = Followed(bench, push, dut.i.payload, pop, held, 2 * depth)
    right = dut.o.payload == followed.value
    bench.prove(implies(followed.turn, right), "the n-th entry out is the n-th in")
    stored = inside.entry(followed.place) == followed.value
    bench.lemma(implies(followed.active, stored), "a followed entry is where it belongs")
    return bench


def block_fifo(block, depth: int) -> Bench:
    """The same of the storage of a deep queue, whose mutants are in a module of their own."""
    bench = Bench()
    dut = bench.add(block.BlockFifo(width=2, depth=depth))
    inside = QueueInside(bench, dut)
    bench.free(dut.w_en, dut.w_data, dut.r_en)
    push, pop = dut.w_en & dut.w_rdy, dut.r_en & dut.r_rdy

    held = Signal(range(2 * depth + 2))
    bench.m.d.sync += held.eq(held + push - pop)
    bench.prove(dut.level == held, "level is what went in and did not come out")
    bench.prove(dut.w_rdy == (held != depth), "an entry is taken unless it is full")
    bench.prove(implies(dut.r_rdy, held != 0), "nothing comes out of an empty FIFO")
    late = bench.past((held != 0) & ~dut.r_rdy)
    bench.prove(implies(late, dut.r_rdy), "an entry is offered after a cycle at most")
    waits = bench.past(dut.r_rdy & ~dut.r_en)
    same = dut.r_rdy & (dut.r_data == bench.past(dut.r_data))
    bench.prove(implies(waits, same), "what is offered stays")

    followed = Followed(bench, push, dut.w_data, pop, held, 2 * depth)
    bench.prove(implies(followed.turn, dut.r_data == followed.value), "in order, unchanged")
    stored = inside.entry(followed.place) == followed.value
    bench.lemma(implies(followed.active, stored), "a followed entry is where it belongs")
    return bench
