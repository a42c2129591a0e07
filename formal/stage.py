"""Stage: the register in a stream."""

from amaranth.hdl import Signal

from .bench import Bench, implies
from .followed import Followed
from .streams import prove_held


def stage(block) -> Bench:
    """Order, loss, doubling, when it takes, and what is offered stays."""
    bench = Bench()
    dut = bench.add(block.Stage(2))
    bench.free(dut.i.valid, dut.i.payload, dut.o.ready)
    push, pop = dut.i.valid & dut.i.ready, dut.o.valid & dut.o.ready

    held = Signal(2)
    bench.m.d.sync += held.eq(held + push - pop)
    bench.prove(dut.o.valid == held, "one is offered exactly while one is held")
    bench.prove(dut.i.ready == ((held == 0) | dut.o.ready), "ready unless what is held stays")
    prove_held(bench, dut.o, "o")

    followed = Followed(bench, push, dut.i.payload, pop, held, 1)
    right = dut.o.payload == followed.value
    bench.prove(implies(followed.turn, right), "the n-th payload out is the n-th in")
    bench.lemma(implies(followed.active, right), "a followed payload is the one that is held")
    return bench
