"""Gather and its front: every step has room where it goes, and meets its own loads."""

from amaranth.hdl import Signal, Value

from .bench import Bench, implies
from .fifo import QueueInside
from .followed import Followed
from .line import Line
from .narrow import narrow
from .streams import assume_held, free_inputs, prove_held


def _known(step) -> Value:
    """What of a step stays with its loads: type and segment."""
    item = step.item if "item" in step.shape().members else step
    return (Value.cast(step.type) << len(item.segment)) | item.segment


def _front(bench: Bench, addresses, line: Line):
    """Line up what is in LoadAddresses, which keeps a place for each step; returns its queue."""
    inside = bench.inside(addresses)
    before = line.count
    line.queue(inside.ahead)
    line.register(inside.valid3, inside.stage3)
    line.register(inside.valid2, inside.stage2)
    line.register(inside.step1.valid, inside.step1)
    line.register(inside.step0.valid, inside.step0)
    taken = line.count - before
    bench.lemma(inside.room + taken == inside.ahead.depth, "each place is free or promised")
    return inside.ahead


def load_addresses(block) -> Bench:
    """A step that enters has a place in the queue, and the n-th out is the n-th in."""
    bench = Bench()
    dut = bench.add(block.LoadAddresses(narrow(segments=2), 0))
    line = Line(bench)
    ahead = _front(bench, dut, line)
    free_inputs(bench, dut)
    prove_held(bench, dut.o, "o")
    bench.prove(implies(ahead.i.valid, ahead.i.ready), "no step is lost at the queue")

    push, pop = dut.i.valid & dut.i.ready, dut.o.valid & dut.o.ready
    held = Signal(8)
    bench.m.d.sync += held.eq(held + push - pop)
    bench.lemma(held == line.count, "all are in their places")
    followed = Followed(bench, push, _known(dut.i.payload), pop, held, 32)

    def right(there):
        return _known(there) == followed.value

    bench.prove(implies(followed.turn, right(dut.o.payload)), "the n-th step out is the n-th in")
    line.lemma_followed(followed, right)
    return bench


def _gather(bench: Bench, block, loads: bool):
    """The smallest one; without ``loads``, nothing is, and steps differ in two bits."""
    dut = bench.add(block.Gather(narrow(segments=2), 0, 1))
    if loads:
        free_inputs(bench, dut)
        return dut
    payload = dut.i.payload
    bench.free(dut.i.valid, Value.cast(payload.type)[0], payload.item.arg[0], dut.o.ready)
    assume_held(bench, dut.i)
    return dut


def steps(block, loads: bool = True) -> Bench:
    """A step comes out of its memory, whole, when its loads are there: none is overwritten."""
    bench = Bench()
    m = bench.m
    dut = _gather(bench, block, loads)
    inside = bench.inside(dut)
    present, second, oldest = inside.present, inside.second, inside.oldest
    line = Line(bench)
    line.register(inside.picked_valid, None)
    line.register(oldest.o.valid, oldest.o.payload)
    line.register(second.o.valid, second.o.payload)
    line.queue(inside.waiting)
    line.register(present.o.valid, present.o.payload)
    _front(bench, inside.addresses, line)

    push, pop = dut.i.valid & dut.i.ready, inside.picked_valid
    held, depth = Signal(8), inside.depth
    m.d.sync += held.eq(held + push - pop)
    bench.prove(held < depth, "fewer steps are on their way than the memory has words")
    bench.lemma(held == line.count, "all are in their places")
    width = len(inside.came)
    bench.lemma((inside.came - inside.went)[:width] == held, "the pointers say how many")
    followed = Followed(bench, push, dut.i.payload, pop, held, 63)
    step = Signal(dut.i.payload.shape())
    m.d.comb += Value.cast(step).eq(followed.value)

    def right(there):
        return _known(there) == _known(step)

    line.lemma_followed(followed, lambda there: 1 if there is None else right(there))
    fires = followed.active & inside.fire & (followed.place == inside.picked_valid)
    bench.prove(implies(fires, right(oldest.o.payload)), "the n-th loads are those of the n-th")
    whole = Value.cast(inside.evaluate.step) == followed.value
    bench.prove(implies(bench.past(followed.turn), whole), "and meet that step, as it came")
    ram = bench.inside(inside.steps).ram.read_port(domain="comb")
    m.d.comb += ram.addr.eq(inside.went + followed.place)
    bench.lemma(implies(followed.active, ram.data == followed.value), "it is stored in its place")
    return bench


def credits(block, loads: bool = True) -> Bench:
    """An item that leaves the pipeline has room in the output queue."""
    bench = Bench()
    dut = _gather(bench, block, loads)
    inside = bench.inside(dut)
    out = inside.out
    QueueInside(bench, out)
    bench.prove(implies(out.i.valid, out.i.ready), "no item is lost at the output queue")

    # Whether a step yields an item is said by the type that came with its loads, then by its own;
    # that they agree is proven in `steps`.
    evaluate = bench.inside(inside.evaluate)
    step, picked = inside.evaluate.step, bench.past(inside.head.type)
    same = Value.cast(step.type) == bench.past(picked)
    bench.assume(implies(bench.past(inside.picked_valid), same))
    prime = block.StepType.PRIME.value
    pipeline = (
        inside.picked_valid & (picked != prime),
        evaluate.valid1 & (Value.cast(step.type) != prime),
        evaluate.valid2 & (Value.cast(evaluate.now.type) != prime),
        evaluate.valid3,
        evaluate.valid4,
        evaluate.valid5,
        inside.evaluate.o_valid,
    )
    promised = inside.credit + out.level + sum(pipeline)
    bench.lemma(promised == out.depth, "each place is free, promised or in use")
    return bench
