"""Pipelines that cannot stall: what enters has a place reserved in the queue at their end."""

from amaranth.hdl import Signal

from .bench import Bench, implies
from .divider import DividerInside
from .fifo import QueueInside
from .inside import registers
from .narrow import narrow
from .streams import free_inputs, prove_held


def marshal(block) -> Bench:
    """A beat that enters has room in the queue in front of the pushes."""
    bench = Bench()
    dut = bench.add(block.Marshal(narrow(segments=2)))
    queue = bench.inside(dut).ahead
    QueueInside(bench, queue)
    stages = registers(dut)
    free_inputs(bench, dut)
    bench.prove(implies(queue.i.valid, queue.i.ready), "no beat is lost at the queue")
    taken = stages["room"] + queue.level + stages["fetched_valid"]
    bench.lemma(taken == queue.depth, "each place is free, promised or in use")
    return bench


def emission(block, interval: int) -> Bench:
    """A chunk that issues has room in the queue; ``idle`` is low until it has left."""
    bench = Bench()
    dut = bench.add(block.Emission(narrow(div_interval=interval)))
    inside = bench.inside(dut)
    queue = inside.queue
    QueueInside(bench, queue)
    dividing = DividerInside(bench, inside.divider, interval).count
    stages = registers(dut)
    front = inside.front.o.valid

    free_inputs(bench, dut, except_for=("emission", "reserve"))
    chunk = Signal(dut.emission.shape())
    bench.free(dut.reserve, chunk)
    bench.assume(implies(dut.reserve, dut.ready))
    bench.m.d.comb += [dut.emission.eq(chunk), chunk.valid.eq(bench.past(dut.reserve))]
    prove_held(bench, dut.o, "o")
    bench.prove(implies(queue.w_en, queue.w_rdy), "no chunk is lost at the queue")

    # From issue to the queue a chunk is in one of these; the first field of each is `valid`.
    delayed = [stages[f"emission_{k}"][0] for k in range(1, block.RESULT)]
    flying = Signal(range(block.RESULT + 1))
    bench.m.d.comb += flying.eq(chunk.valid + sum(delayed))
    bench.prove(
        dut.idle == ((flying == 0) & (queue.level == 0) & ~front & (dividing == 0)),
        "idle says that nothing is on its way",
    )
    taken = inside.free + queue.level + flying + inside.left
    bench.lemma(taken == queue.depth, "each place is free, promised or in use")
    bench.lemma(dut.ready == (inside.free != 0), "ready is what the places say")
    bench.lemma(inside.dividing == dividing, "those in the divider are counted")
    bench.lemma(inside.alone == (dividing == 0), "and known to be none")
    on_their_way = flying + queue.level + front + dividing
    bench.lemma(inside.pending == on_their_way, "so are all on their way")
    return bench
