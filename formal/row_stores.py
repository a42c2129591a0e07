"""Rows that the access unit stores: each has its address, and they share the store unit fairly."""

from amaranth.hdl import Mux, Signal, Value

from .bench import Bench, implies
from .fifo import QueueInside
from .narrow import narrow
from .streams import free_inputs, prove_held


def arbiter(block) -> Bench:
    """Rows stay whole and unchanged, and wait for at most one of the other source."""
    bench = Bench()
    m = bench.m
    dut = bench.add(block.ChunkArbiter(narrow()))
    inside = bench.inside(dut)
    free_inputs(bench, dut)
    prove_held(bench, dut.o, "o")
    fires = dut.o.valid & dut.o.ready
    taken = [source.valid & source.ready for source in (dut.first, dut.second)]
    bench.prove(fires == (taken[0] ^ taken[1]), "one source gives what is taken")
    bench.prove(~(taken[0] & taken[1]), "and never both")
    payloads = [Value.cast(source.payload) for source in (dut.first, dut.second)]
    given = Mux(taken[1], payloads[1], payloads[0])
    bench.prove(implies(fires, Value.cast(dut.o.payload) == given), "as it is")

    begun, whose = Signal(), Signal()
    last = dut.o.payload.chunk.last
    with m.If(fires):
        m.d.sync += [begun.eq(~last), whose.eq(taken[1])]
    bench.prove(implies(fires & begun, taken[1] == whose), "a row is not interrupted")
    bench.lemma(implies(begun, inside.kept & (inside.owner == whose)), "whose row it is is kept")

    # A source, any one, and the rows of the other one that have ended since it has had a chunk.
    who = bench.constant(1)
    waits, mine, other = Signal(), Signal(), Signal()
    rows = Signal(2)
    m.d.comb += [
        waits.eq(Mux(who, dut.second.valid, dut.first.valid)),
        mine.eq(Mux(who, taken[1], taken[0])),
        other.eq(Mux(who, taken[0], taken[1]) & last),
    ]
    with m.If(~waits | mine):
        m.d.sync += rows.eq(0)
    with m.Elif(other):
        m.d.sync += rows.eq(rows + 1)
    bench.prove(rows <= 1, "a source waits for one row of the other")
    others_turn = (inside.owner == who) ^ inside.kept
    bench.lemma(implies(others_turn, rows == 0), "with the end of a row the turn changes")
    return bench


def store_stream(block) -> Bench:
    """A row that enters has room for its address; what is offered stays."""
    bench = Bench()
    dut = bench.add(block.StoreStream(narrow(store_streams=1, execute=0)))
    inside = bench.inside(dut)
    for queue in (inside.pieces, inside.places):
        QueueInside(bench, queue)
    free_inputs(bench, dut)
    prove_held(bench, dut.o, "o")
    places = inside.places
    bench.prove(implies(places.i.valid, places.i.ready), "no address is lost at the queue")
    taken = dut.i.valid & dut.i.ready & dut.i.payload.has_data
    pushed = inside.pieces.i.valid & inside.pieces.i.ready
    bench.prove(taken == pushed, "a beat that is taken is kept")
    bench.prove(dut.idle == (inside.pieces.level == 0), "idle says that all chunks have gone")
    flying = inside.valid1 + sum(stage.valid for stage in inside.stages)
    used = inside.room + places.level + flying
    bench.lemma(used == places.depth, "each place is free, promised or in use")
    return bench
