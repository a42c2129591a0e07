"""ReadCache: which responses are awaited, and room for whatever becomes of a request."""

from amaranth.hdl import Array, Mux, Signal, Value

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

    tags = 1 << len(Value.cast(issue.tag))
    issued = Value.cast(issue.tag)
    arrived = Value.cast(arrive.tag)
    waiting = Array(Signal(name=f"waiting_{t}") for t in range(tags))
    kept = Array(Signal(len(Value.cast(issue.fetch)), name=f"fetch_{t}") for t in range(tags))
    bench.assume(implies(issue.valid, ~waiting[issued]))
    known, fetch = Signal(), Signal(len(Value.cast(issue.fetch)))
    m.d.sync += [known.eq(arrive.valid & waiting[arrived]), fetch.eq(kept[arrived])]
    with m.If(arrive.valid):
        m.d.sync += waiting[arrived].eq(0)
    with m.If(issue.valid):
        m.d.sync += [waiting[issued].eq(1), kept[issued].eq(issue.fetch)]
    bench.prove(dut.o.known == known, "known is what waits")
    bench.prove(implies(known, Value.cast(dut.o.fetch) == fetch), "with what was issued")

    asked, came = inside.asked_ram, inside.came_ram
    for t in range(tags):
        asked_port, came_port = asked.read_port(domain="comb"), came.read_port(domain="comb")
        m.d.comb += [asked_port.addr.eq(t), came_port.addr.eq(t)]
        entry = Signal(asked_port.data.shape(), name=f"entry_{t}")
        write = inside.asked_write
        m.d.comb += entry.eq(
            Mux(write.en & (Value.cast(write.addr) == t), Value.cast(write.data), asked_port.data)
        )
        bit = Mux(
            inside.came_write.en & (Value.cast(inside.came_write.addr) == t),
            inside.came_write.data,
            came_port.data,
        )
        awaited = (entry.generation == number) & (entry.asked != bit)
        bench.lemma(awaited == waiting[t], "awaited is what waits")
        same = Value.cast(entry.fetch) == kept[t]
        bench.lemma(implies(waiting[t], same), "and what to do with it is stored")
        mine = inside.issued.valid & (Value.cast(inside.issued.tag) == t)
        bench.lemma(implies(mine, inside.last.data == came_port.data), "the bit was read")
    return bench


def credits(block) -> Bench:
    """No hit, miss or line is lost at its queue, and what is offered stays."""
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
    at_memory = inside.on_their_way
    bench.assume(implies(inside.fetches.o.known, at_memory != 0))

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
    offered = implies(inside.hit_offered, inside.hits.o.valid)
    bench.lemma(offered, "a hit that was offered is there")
    prove_held(bench, port.response, "port.response")
    prove_held(bench, memory.request, "memory.request")
    return bench
