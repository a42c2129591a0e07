"""LoadUnit: outstanding loads, the order of requests, and where responses go."""

from amaranth.hdl import Cat, Signal, Value

from .bench import Bench, implies
from .fifo import QueueInside
from .followed import Followed
from .narrow import narrow
from .streams import assume_held, prove_held


def load_unit(block, mshrs: int, streams: tuple[int, ...] = (0, 1, 7)) -> Bench:
    """The memory answers each load once, in any order; it may also send what nobody asked for."""
    config = narrow(mshrs=mshrs)
    bench = Bench()
    m = bench.m
    dut = bench.add(block.LoadUnit(config, streams))
    inside = bench.inside(dut)
    queue = inside.out
    entries = QueueInside(bench, queue)
    port, response = dut.read.request, dut.read.response
    bench.free(port.ready, response.valid, response.payload)
    for stream in dut.requests:
        bench.free(stream.valid, stream.payload)
        assume_held(bench, stream)
    prove_held(bench, port, "read.request")

    # Requests: the first stream that has one, in order, with its tag.
    takes = Signal(len(streams))
    m.d.comb += takes.eq(Cat(s.valid & s.ready for s in dut.requests))
    bench.prove(dut.granted == takes, "granted says whose request was taken")
    bench.prove((takes & (takes - 1)) == 0, "one request is taken at a time")
    for k in range(1, len(streams)):
        earlier = Cat(s.valid for s in dut.requests[:k]).any()
        bench.prove(implies(takes[k], ~earlier), "outer streams come first")
    shape = port.payload.shape()
    entry = Signal(shape)
    for k, (number, stream) in enumerate(zip(streams, dut.requests, strict=True)):
        with m.If(takes[k]):
            m.d.comb += [
                entry.line.eq(stream.payload.line),
                entry.nt.eq(stream.payload.nt),
                entry.tag.slot.eq(stream.payload.slot),
                entry.tag.stream.eq(number),
            ]
    leaves = Signal()
    m.d.comb += leaves.eq(port.valid & port.ready)
    queued = Signal(range(8))
    m.d.sync += queued.eq(queued + takes.any() - leaves)
    bench.lemma(queued == queue.level, "a request taken is queued")
    followed = Followed(bench, takes.any(), entry, leaves, queued, 4)
    right = Value.cast(port.payload) == followed.value
    bench.prove(implies(followed.turn, right), "the n-th request out is the n-th taken")
    stored = entries.entry(followed.place) == followed.value
    bench.lemma(implies(followed.active, stored), "a followed request is queued in order")

    # Responses: real ones are those of loads at the memory. The streams report the others.
    asked_for = bench.any()
    at_memory = Signal(range(4 * mshrs + 4))
    real = Signal()
    m.d.comb += real.eq(response.valid & asked_for)
    tag = response.payload.tag
    whose = Cat(tag.stream == number for number in streams)
    bench.assume(implies(real, (at_memory != 0) & whose.any()))
    m.d.sync += at_memory.eq(at_memory + leaves - real)
    was_real, came = bench.past(real), bench.past(response.valid)
    m.d.comb += dut.unknown.eq(came & ~was_real)
    bench.prove(at_memory <= mshrs, "no more loads are at the memory than may be")
    bench.prove(dut.outstanding <= mshrs, "no more loads are outstanding than may be")
    total = at_memory + queue.level + was_real
    bench.prove(dut.outstanding == total, "outstanding counts loads taken and not answered")
    full = dut.outstanding == mshrs
    bench.prove(implies(full, takes == 0), "nothing is taken while all loads are outstanding")
    waits = Cat(s.valid for s in dut.requests).any()
    bench.prove(implies(waits & ~full & queue.i.ready, takes != 0), "otherwise something is")
    for k, number in enumerate(streams):
        fill = dut.fills[k]
        mine = bench.past(response.valid & (tag.stream == number))
        bench.prove(fill.valid == mine, "a response goes to the stream of its tag")
        same = fill.slot == bench.past(tag.slot)
        same &= fill.error == bench.past(response.payload.error)
        same &= Value.cast(fill.data) == bench.past(response.payload.data)
        bench.prove(implies(mine, same), "unchanged")
    bench.prove(dut.error.valid == (came & ~was_real), "others are reported")
    bench.prove(response.ready, "a response never waits")
    bench.lemma(inside.came == came, "a response passes one register")
    return bench
