"""LineRing: lines are delivered in request order, whatever the order of the responses."""

from amaranth.hdl import Array, Mux, Signal, Value

from .bench import Bench, implies
from .fifo import QueueInside
from .followed import Followed
from .narrow import narrow
from .streams import assume_held, prove_held


def line_ring(block, slots: int) -> Bench:
    """Order, loss, doubling, reuse of slots, responses that nobody asked for."""
    config = narrow(mshrs=slots)
    bench = Bench()
    m = bench.m
    dut = bench.add(block.LineRing(config))
    ring = bench.inside(dut)
    out = QueueInside(bench, ring.out)
    bench.free(dut.spans.valid, dut.spans.payload, dut.request.ready, dut.fill, dut.o.ready)
    span = dut.spans.payload
    bench.assume((span.lines != 0) & (span.lines <= config.row_chunks + 1))
    assume_held(bench, dut.spans)
    prove_held(bench, dut.request, "request")
    prove_held(bench, dut.o, "o")

    # The requests are the spans' lines, one after the other.
    asks, delivers = Signal(), Signal()
    number = Signal.like(span.lines)
    last = number == span.lines - 1
    line = Signal(config.line_addr_width)
    m.d.comb += [
        asks.eq(dut.request.valid & dut.request.ready),
        delivers.eq(dut.o.valid & dut.o.ready),
        line.eq(span.line + number),
    ]
    with m.If(asks):
        m.d.sync += number.eq(Mux(last, 0, number + 1))
    bench.prove(implies(dut.request.valid, dut.spans.valid), "only lines of a span are requested")
    bench.prove(implies(dut.request.valid, dut.request.payload.line == line), "the next line")
    bench.prove(implies(dut.request.valid, dut.request.payload.nt == span.nt), "the span's hint")
    taken = dut.spans.valid & dut.spans.ready
    bench.prove(taken == (asks & last), "a span is taken with its last line")
    bench.lemma(ring.done == number, "lines requested of this span")
    bench.lemma(implies(number != 0, dut.spans.valid), "a span that was begun is offered")
    bench.lemma(implies(dut.spans.valid, number < span.lines), "a span has that line")

    # Responses: any slot, any cycle. Those of a slot that waits are taken, others reported.
    waiting = Array(Signal(name=f"waiting_{k}") for k in range(slots))
    fill, slot = dut.fill, dut.request.payload.slot
    answered = Signal()
    m.d.comb += answered.eq(fill.valid & waiting[fill.slot])
    with m.If(answered):
        m.d.sync += waiting[fill.slot].eq(0)
    with m.If(asks):
        m.d.sync += waiting[slot].eq(1)
    bench.prove(implies(asks, ~waiting[slot]), "no slot is requested twice at a time")
    bench.prove(dut.unknown == (fill.valid & ~waiting[fill.slot]), "an unasked response is told")
    for k in range(slots):
        bench.lemma(ring.waiting[k] == waiting[k], "slots that wait")

    # Delivery of an arbitrary line: its response comes out at its place.
    held = Signal(range(2 * slots + 16))
    m.d.sync += held.eq(held + asks - delivers)
    place = Followed(bench, asks, slot, delivers, held, 2 * slots + 8)
    filled, data, error = Signal(), Signal(32), Signal()
    with m.If(place.marks):
        m.d.sync += filled.eq(0)
    with m.Elif(place.active & ~filled & answered & (fill.slot == place.value)):
        m.d.sync += [filled.eq(1), data.eq(Value.cast(fill.data)), error.eq(fill.error)]
    right = (Value.cast(dut.o.payload.data) == data) & (dut.o.payload.error == error)
    bench.prove(implies(place.turn, filled), "no line comes out before its response")
    bench.prove(implies(place.turn, right), "the n-th line out is the n-th requested")

    # Where it is on its way: in the ring, between RAM and queue, or in the queue.
    queue = ring.out
    past_ring = Signal(range(16))
    m.d.comb += past_ring.eq(queue.level + ring.arriving)
    bench.lemma(held == ring.used + past_ring, "all lines are in the ring or behind it")
    bench.lemma(ring.used <= slots, "the ring holds no more than its slots")
    bench.lemma(ring.room + past_ring == queue.depth, "a line that is read has room in the queue")
    bench.prove(implies(queue.i.valid, queue.i.ready), "no line is lost at the output queue")
    behind = Signal(range(4 * slots))
    m.d.comb += behind.eq(ring.oldest + ring.used)
    bench.lemma(ring.next_slot == behind[: len(ring.next_slot)], "slots are used in turn")
    for k in range(slots):
        distance = Signal(len(ring.oldest), name=f"distance_{k}")
        m.d.comb += distance.eq(k - ring.oldest)
        bench.lemma(implies(ring.waiting[k], distance < ring.used), "free slots do not wait")

    in_ring, mine = Signal(), Signal(len(ring.oldest))
    m.d.comb += [
        in_ring.eq(place.active & (place.place >= past_ring)),
        mine.eq(ring.oldest + place.place - past_ring),
    ]
    ram = bench.inside(ring.ram).ram.read_port(domain="comb")
    m.d.comb += ram.addr.eq(place.value)
    word = Value.cast(ring.ram.read_data)
    entry = Signal(33)
    m.d.comb += entry.eq(data | (error << 32))
    bench.lemma(implies(in_ring, mine == place.value), "a followed line is in its slot")
    bench.lemma(implies(in_ring, waiting[place.value] == ~filled), "and waits for its response")
    bench.lemma(implies(in_ring & filled, ram.data == entry), "which is stored in its slot")
    bench.lemma(implies(place.active & ~in_ring, filled), "a line behind the ring has come")
    arrives = place.active & ~in_ring & (place.place == queue.level)
    bench.lemma(implies(arrives, word == entry), "it is read from its slot")
    queued = place.active & (place.place < queue.level)
    bench.lemma(implies(queued, out.entry(place.place) == entry), "and queued in order")
    return bench
