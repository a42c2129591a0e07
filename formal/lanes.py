"""Fibers, RowLayer and Turn: what is reserved for a lane's item is there until it leaves."""

from amaranth.hdl import Cat, Const, Mux, Signal, Value

from .bench import Bench, implies
from .fifo import QueueInside
from .followed import Followed
from .line import Line
from .narrow import narrow
from .streams import free_inputs


class _Places:
    """A lane's places in a memory, given out in turn; one that is followed is not given again.

    Parameters
    ----------
    pointer : place that is given out next
    depth : places of the lane
    held : how many are given out
    """

    def __init__(self, bench: Bench, pointer, depth: int, held):
        self._bench, self._pointer, self._depth, self._held = bench, pointer, depth, held
        bench.lemma(pointer < depth, "the next place is one of the lane's")

    def is_place(self, slot, ahead) -> Value:
        """``slot`` is, of the places given out, the one with ``ahead`` older ones."""
        distance, low = Signal(8), Signal(max(1, (self._depth - 1).bit_length()))
        if self._depth > 1:
            self._bench.m.d.comb += low.eq(slot)
        around = Mux(self._pointer > low, 0, self._depth)
        self._bench.m.d.comb += distance.eq(around + self._pointer - low)
        return (low < self._depth) & (distance == self._held - ahead)


def _work_stays(bench: Bench, valid, more, removed) -> Value:
    """Lanes' work stays until it is removed, and what is behind it follows at once."""
    expected = bench.past(valid & (~removed | more))
    return (expected & ~valid) == 0


def _turn_lemmas(bench: Bench, turn) -> None:
    """One lane has the turn, and while it is active, that lane has work."""
    one = Signal(len(turn.mine))
    bench.m.d.comb += one.eq(Const(1, len(turn.mine)) << turn.lane)
    bench.lemma(turn.mine == one, "one lane has the turn")
    bench.lemma(turn.lane < len(turn.mine), "which is one of them")
    bench.lemma(implies(turn.active, (turn.valid & turn.mine).any()), "a turn is active with work")


def turn(block, count: int) -> Bench:
    """A lane has its turn only while it has work, and nobody with work waits for idleness."""
    bench = Bench()
    dut = bench.add(block.Turn(count))
    free_inputs(bench, dut)
    choose = bench.inside(dut).choose
    above = bench.inside(choose).above
    for k in range(count - 1):
        bench.lemma(implies(above[k], above[k + 1]), "all above the last choice are marked")
    removed = Mux(dut.done & dut.remove, dut.mine, 0)
    bench.assume(_work_stays(bench, dut.valid, dut.more, removed))
    bench.assume(implies(dut.done, dut.active))
    _turn_lemmas(bench, dut)
    has_work = dut.valid.bit_select(dut.lane, 1)
    bench.prove(implies(dut.active, has_work), "the turn is that of a lane with work")
    stays = bench.past(dut.active & ~dut.done)
    same = dut.active & (dut.lane == bench.past(dut.lane))
    bench.prove(implies(stays, same), "and stays there until it is done")
    idle = bench.past((dut.valid & ~removed).any() & ~dut.active)
    bench.prove(implies(idle, dut.active), "work does not wait while nobody has the turn")
    return bench


def fibers(block, depth: int, lanes: int = 2) -> Bench:
    """A fiber's item and bounds are in its slot until it is taken; its queue has a place for it."""
    bench = Bench()
    m = bench.m
    config = narrow(layers=3, fiber_lanes=lanes, fiber_depth=depth)
    dut = bench.add(block.Fibers(config, 1, lanes))
    inside = bench.inside(dut)
    free_inputs(bench, dut)
    place_bits = (depth - 1).bit_length()
    valid = Cat(dut.heads[k].valid for k in range(lanes))
    more = Cat(dut.heads[k].more for k in range(lanes))
    bench.assume((dut.take & ~valid) == 0)
    bench.prove(_work_stays(bench, valid, more, dut.take), "a head stays, and the next one follows")

    stages = (
        (inside.measured_valid, inside.measured.lane, inside.measured.fiber),
        (inside.bounded_valid, inside.bounded.lane, inside.bounded.fiber),
        (inside.chosen_valid, inside.chosen.lane, inside.chosen.fiber),
        (inside.arrived1.valid, inside.arrived1.item.lane, inside.arrived1),
        (inside.arrived0.valid, inside.arrived0.item.lane, inside.arrived0),
    )
    for k, (queue, head) in enumerate(zip(inside.lanes, inside.heads, strict=True)):
        bench.prove(implies(queue.i.valid, queue.i.ready), "no fiber is lost at its queue")
        line = Line(bench)
        line.register(head.o.valid, head.o.payload)
        line.queue(queue)
        queued, held = line.count, Signal(8, name=f"held_{k}")
        places = _Places(bench, inside.places[k], depth, held)
        for valid, lane, stage in stages:
            mine = valid & (lane == k)
            right = places.is_place(stage.slot, line.count) & (stage.slot >> place_bits == k)
            bench.lemma(implies(mine, right), "the slots on their way were given out in turn")
            line.register(mine, stage)
        bench.lemma(inside.rooms[k] + line.count == depth, "each slot is free or given out")

        push, pop = inside.entering & inside.mine[k], dut.take[k]
        m.d.sync += held.eq(held + push - pop)
        bench.lemma(held == line.count, "all are in their places")
        followed = Followed(bench, push, inside.new, pop, held, depth)
        slot = Signal(dut.slot.shape(), name=f"slot_{k}")
        with m.If(followed.marks):
            m.d.sync += slot.eq(inside.slot)
        bench.lemma(implies(followed.active, places.is_place(slot, followed.place)), "its slot")
        bench.lemma(implies(followed.active, slot >> place_bits == k), "is one of its lane")
        line.lemma_followed(followed, lambda there, slot=slot: there.slot == slot)
        item_read = inside.item_ram.read_port(domain="comb")
        bounds_read = inside.bounds_ram.read_port(domain="comb")
        m.d.comb += [item_read.addr.eq(slot), bounds_read.addr.eq(slot)]
        stored = Value.cast(item_read.data) == followed.value
        bench.lemma(implies(followed.active, stored), "its item is in its slot")
        bounds = Signal(dut.bounds.shape(), name=f"bounds_{k}")
        mine = inside.measured_valid & (inside.measured.lane == k)
        with m.If(followed.active & mine & (followed.place == queued)):
            m.d.sync += bounds.eq(inside.measured.bounds)
        ready = followed.active & (followed.place < queued)
        stored = Value.cast(bounds_read.data) == Value.cast(bounds)
        bench.lemma(implies(ready, stored), "and so are its bounds, once it is queued")

        asked = followed.turn & (dut.slot == dut.heads[k].fiber.slot)
        same = Value.cast(dut.item) == followed.value
        bench.prove(implies(asked, same), "the n-th fiber taken is shown with the n-th item")
        same = Value.cast(dut.bounds) == Value.cast(bounds)
        bench.prove(implies(asked, same), "and with the bounds computed for it")
    return bench


def iterate(block, lanes: int = 2) -> Bench:
    """Only a fiber that is there is taken, and one at a time."""
    bench = Bench()
    dut = bench.add(block.Iterate(narrow(layers=3, fiber_lanes=lanes), 1, lanes))
    free_inputs(bench, dut)
    valid = Cat(dut.heads[k].valid for k in range(lanes))
    more = Cat(dut.heads[k].more for k in range(lanes))
    bench.assume(_work_stays(bench, valid, more, dut.take))
    _turn_lemmas(bench, bench.inside(dut).turn)
    bench.prove((dut.take & ~valid) == 0, "what is taken is there")
    bench.prove((dut.take & (dut.take - 1)) == 0, "one lane takes at a time")
    return bench


def row_layer(block, depth: int, lanes: int = 2) -> Bench:
    """A row leaves with what was computed for it; its lane's queue has a place for it."""
    bench = Bench()
    m = bench.m
    dut = bench.add(block.RowLayer(narrow(fiber_lanes=lanes, fiber_depth=depth)))
    inside = bench.inside(dut)
    free_inputs(bench, dut)
    _turn_lemmas(bench, inside.turn)
    turn = inside.turn
    bench.prove(implies(inside.take, (turn.valid & turn.mine).any()), "who takes a turn has a row")
    for name, queue, taken in (
        ("rows", inside.rows, inside.take),
        ("spans", inside.spans, inside.take & inside.now.with_lines),
    ):
        QueueInside(bench, queue)
        entered = queue.i.valid & queue.i.ready
        bench.prove(entered == taken, f"a row that takes a turn enters {name}, if it has any")
    place_bits = (depth - 1).bit_length()
    for k, (queue, head) in enumerate(zip(inside.lanes, inside.heads, strict=True)):
        bench.prove(implies(queue.i.valid, queue.i.ready), "no row is lost at its lane's queue")
        line = Line(bench)
        line.register(head.o.valid, head.o.payload)
        line.queue(queue)
        held = Signal(8, name=f"held_{k}")
        push, pop = queue.i.valid, head.o.valid & head.o.ready
        m.d.sync += held.eq(held + push - pop)
        bench.lemma(held == line.count, "all are in their places")
        coming = (
            (inside.valid1, inside.item1),
            (inside.valid2, inside.row2.item),
            (inside.valid3, inside.row3.item),
        )
        promised = sum(valid & (item.lane == k) for valid, item in coming)
        free = inside.rooms[k]
        bench.lemma(free + promised + held == depth, "each place is free, promised or in use")

        places = _Places(bench, inside.places[k], depth, held)
        followed = Followed(bench, push, inside.placed3, pop, held, depth)
        slot = Signal(inside.slot3.shape(), name=f"slot_{k}")
        with m.If(followed.marks):
            m.d.sync += slot.eq(inside.slot3)
        bench.lemma(implies(followed.active, places.is_place(slot, followed.place)), "its slot")
        bench.lemma(implies(followed.active, slot >> place_bits == k), "is one of its lane")
        line.lemma_followed(followed, lambda there, slot=slot: there.slot == slot)
        stored = inside.placed_ram.read_port(domain="comb")
        m.d.comb += stored.addr.eq(slot)
        same = Value.cast(stored.data) == followed.value
        bench.lemma(implies(followed.active, same), "what was computed is in its slot")
        leaves = Value.cast(inside.read.data) == followed.value
        bench.prove(implies(followed.turn, leaves), "the n-th row taken is the n-th of its lane")
    return bench
