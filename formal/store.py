"""Store: chunks become lines, one each where a line is one word, and all are acknowledged."""

from amaranth.hdl import Cat, Mux, Signal

from .bench import Bench, implies
from .followed import Followed
from .line import Line
from .narrow import narrow
from .streams import free_inputs


def store(block) -> Bench:
    """On one lane no two chunks share a line: the n-th line is the n-th chunk, with its address."""
    bench = Bench()
    m = bench.m
    dut = bench.add(block.Store(narrow()))
    inside = bench.inside(dut)
    free_inputs(bench, dut)
    chunk, request = dut.i.payload.chunk, dut.write.request
    push, pop = dut.i.valid & dut.i.ready, request.valid & request.ready
    bench.assume(implies(dut.i.valid, chunk.words == 1))

    # Where a chunk goes: to its row's address, or behind the one before.
    after, line = Signal(3), Signal(3)
    m.d.comb += line.eq(Mux(chunk.first, chunk.address, after))
    with m.If(push):
        m.d.sync += after.eq(line + 1)
    bench.lemma(inside.row_line == after, "a row goes on behind its last line")

    places = Line(bench)
    places.register(request.valid, Cat(request.payload.data[0], request.payload.line))
    places.register(inside.valid, Cat(inside.words[0], inside.line))
    places.register(inside.next_valid, Cat(inside.next_data[0], inside.next_line))
    held = Signal(8)
    m.d.sync += held.eq(held + push - pop)
    bench.lemma(held == places.count, "a chunk is in one of three registers")
    bench.lemma(~inside.held, "and none is held for the next row")
    bench.lemma(implies(inside.valid, inside.here.all() & ~inside.beyond.any()), "it is a line")
    bench.lemma(implies(inside.next_valid, inside.next_words == 1), "as it came")
    bench.prove(implies(request.valid, request.payload.mask.all()), "its whole line is written")
    followed = Followed(bench, push, Cat(dut.i.payload.data[0], line), pop, held, 3)
    out = Cat(request.payload.data[0], request.payload.line)
    bench.prove(implies(followed.turn, out == followed.value), "the n-th line is the n-th chunk")
    places.lemma_followed(followed, lambda there: there == followed.value)

    written = Signal.like(inside.outstanding)
    m.d.sync += written.eq(written + pop - dut.write.response.valid)
    bench.assume(implies(dut.write.response.valid, written != 0))
    bench.assume(implies(pop, ~written.all()))
    bench.lemma(inside.outstanding == written, "acknowledgements are counted")
    idle = (held == 0) & (written == 0)
    bench.prove(dut.idle == idle, "idle says that all is written and acknowledged")
    return bench
