"""ReadCache: which responses are awaited, and room for whatever becomes of a request."""

from amaranth.hdl import Mux, Signal, Value
from ember.hw.layouts import NO_STREAM

from .bench import Bench, implies
from .fifo import QueueInside
from .narrow import narrow
from .streams import assume_held, prove_held


def fetches(block) -> Bench:
    """A response is known if, and only if, its tag was issued and has had none since."""
    bench = Bench()
    m = bench.m
    dut = bench.add(block.Fetches(narrow(cache_lines=4, cache_ways=2)))
    inside = bench.inside(dut)
    issue, arrive = dut.issue, dut.arrive
    bench.free(issue, arrive)
    number = bench.constant(len(dut.generation))
    bench.assume(number != 0)
    m.d.comb += dut.generation.eq(number)

    # Any one tag is followed; what happens to the others is free.
    followed = bench.constant(len(Value.cast(issue.tag)))
    issued = issue.valid & (Value.cast(issue.tag) == followed)
    arrived = arrive.valid & (Value.cast(arrive.tag) == followed)
    waiting, kept = Signal(), Signal(len(Value.cast(issue.fetch)))
    bench.assume(implies(issued, ~waiting))
    with m.If(arrived):
        m.d.sync += waiting.eq(0)
    with m.If(issued):
        m.d.sync += [waiting.eq(1), kept.eq(issue.fetch)]
    known, fetch = bench.past(arrived & waiting), bench.past(kept)
    bench.prove(implies(bench.past(arrived), dut.o.known == known), "known is what waits")
    bench.prove(implies(known, Value.cast(dut.o.fetch) == fetch), "with what was issued")
    bench.prove(implies(dut.o.known, bench.past(arrive.valid)), "nothing is known without response")

    asked = inside.asked_ram.read_port(domain="comb")
    came = inside.came_ram.read_port(domain="comb")
    m.d.comb += [asked.addr.eq(followed), came.addr.eq(followed)]
    entry, bit = Signal(asked.data.shape()), Signal()
    m.d.comb += [
        entry.eq(_written(inside.asked_write, followed, asked.data)),
        bit.eq(_written(inside.came_write, followed, came.data)),
    ]
    awaited = (entry.generation == number) & (entry.asked != bit)
    bench.lemma(awaited == waiting, "awaited is what waits")
    same = Value.cast(entry.fetch) == kept
    bench.lemma(implies(waiting, same), "and what to do with it is stored")
    mine = inside.issued.valid & (Value.cast(inside.issued.tag) == followed)
    bench.lemma(implies(mine, inside.last.data == came.data), "the bit was read")
    return bench


def _written(write, address, stored) -> Value:
    """An entry of a memory after this cycle."""
    now = write.en & (Value.cast(write.addr) == address)
    return Mux(now, Value.cast(write.data), Value.cast(stored))


def credits(block) -> Bench:
    """No hit, miss or line is lost at its queue, and no more is fetched than may be."""
    config = narrow(cache_lines=2, cache_ways=2, cache_fetches=1)
    bench = Bench()
    dut = bench.add(block.ReadCache(config))
    inside = bench.inside(dut)
    directory = bench.inside(inside.directory)
    port, memory = dut.port, dut.memory
    bench.free(
        port.request.valid, port.request.payload, port.response.ready, memory.request.ready,
        memory.response.valid, memory.response.payload, dut.flush,
    )  # fmt: skip
    assume_held(bench, port.request)
    assume_held(bench, memory.response)
    # Its own promise is proven in `fetches`; here a known response takes one off the count.
    at_memory = Signal(range(8))
    sent = memory.request.valid & memory.request.ready
    bench.m.d.sync += at_memory.eq(at_memory + sent - inside.fetches.o.known)
    bench.assume(implies(inside.fetches.o.known, at_memory != 0))
    bench.lemma(inside.on_their_way == at_memory, "lines on their way are counted")

    for queue in (inside.hits, inside.misses, inside.lines):
        QueueInside(bench, queue)
        bench.prove(implies(queue.i.valid, queue.i.ready), "nothing is lost at a queue")
    undecided = Signal(range(4))
    bench.m.d.comb += undecided.eq(directory.valid1 + directory.valid2)
    depth = inside.hits.depth
    bench.lemma(
        inside.hit_room + undecided + inside.found + inside.hits.level == depth, "room for hits"
    )
    bench.lemma(inside.miss_room + undecided + inside.misses.level == depth, "room for misses")
    arriving = inside.came1 + inside.came2
    bench.lemma(inside.line_room + arriving + inside.lines.level == depth, "room for lines")
    bench.prove(at_memory <= config.cache_fetches, "no more is on its way than may be")
    prove_held(bench, memory.request, "memory.request")
    return bench


def answers(block) -> Bench:
    """Each answer is one of a line or a hit, unchanged, and what is offered stays."""
    bench = Bench()
    dut = bench.add(block.Answers(narrow(cache_lines=2, cache_ways=2)))
    inside = bench.inside(dut)
    lines, hits, o = dut.lines, dut.hits, dut.o
    bench.free(lines.valid, lines.payload, hits.valid, hits.payload, o.ready)
    assume_held(bench, lines)
    assume_held(bench, hits)
    prove_held(bench, o, "o")
    line_leaves, hit_leaves = lines.valid & lines.ready, hits.valid & hits.ready
    bench.prove((o.valid & o.ready) == (line_leaves | hit_leaves), "an answer is one of them")
    bench.prove(~(line_leaves & hit_leaves), "and not both")
    bench.prove(implies(hit_leaves, Value.cast(o.payload) == Value.cast(hits.payload)), "a hit")
    line = lines.payload
    same = Value.cast(o.payload.data) == Value.cast(line.payload.data)
    same &= (o.payload.error == line.payload.error) & (o.payload.tag.slot == line.tag.slot)
    stream = Mux(line.payload.known, line.tag.stream, NO_STREAM)
    bench.prove(implies(line_leaves, same & (o.payload.tag.stream == stream)), "a line")
    bench.prove(implies(lines.valid | hits.valid, o.valid), "what there is, is offered")
    bench.lemma(implies(inside.hit_offered, hits.valid), "a hit that was offered is there")
    return bench
