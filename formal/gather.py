"""Gather and what it is made of: every step has room where it goes, and meets its own loads."""

from amaranth.hdl import Signal, Value

from .bench import Bench, implies
from .fifo import QueueInside
from .followed import Followed
from .narrow import narrow
from .streams import free_inputs, prove_held


class AddressesInside:
    """What is in each stage of LoadAddresses, and the lemmas about its room.

    Members
    -------
    count : steps between input and output
    """

    def __init__(self, bench: Bench, addresses):
        self._bench = bench
        inside = bench.inside(addresses)
        self._ahead = inside.ahead
        self._queue = QueueInside(bench, inside.ahead)
        # Oldest first.
        self._stages = [
            (inside.valid3, inside.stage3),
            (inside.valid2, inside.stage2),
            (inside.step1.valid, inside.step1),
            (inside.step0.valid, inside.step0),
        ]
        moving = sum(valid for valid, _ in self._stages)
        self.count = Signal(range(16))
        bench.m.d.comb += self.count.eq(inside.ahead.level + moving)
        bench.lemma(inside.room + self.count == inside.ahead.depth, "each place is free or in use")

    def lemma_followed(self, followed: Followed, older, check) -> None:
        """``check`` holds of the type and the segment of a step that has ``older`` in front."""
        bench = self._bench
        place = followed.place - older
        here = followed.active & (followed.place >= older)
        queued = Signal(self._ahead.o.payload.shape())
        bench.m.d.comb += Value.cast(queued).eq(self._queue.entry(place[: len(followed.place)]))
        bench.lemma(
            implies(here & (place < self._ahead.level), check(queued)), "followed through the queue"
        )
        older = older + self._ahead.level
        for valid, stage in self._stages:
            here = followed.active & valid & (followed.place == older)
            bench.lemma(implies(here, check(stage)), "followed through the stages")
            older = older + valid


def load_addresses(block) -> Bench:
    """A step that enters has a place in the queue, and the n-th out is the n-th in."""
    bench = Bench()
    dut = bench.add(block.LoadAddresses(narrow(segments=2), 0))
    inside = AddressesInside(bench, dut)
    free_inputs(bench, dut)
    prove_held(bench, dut.o, "o")
    ahead = inside.ahead
    bench.prove(implies(ahead.i.valid, ahead.i.ready), "no step is lost at the queue")

    push, pop = dut.i.valid & dut.i.ready, dut.o.valid & dut.o.ready
    held = Signal(range(32))
    bench.m.d.sync += held.eq(held + push - pop)
    bench.lemma(held == inside.count, "all are in the stages")
    followed = Followed(bench, push, _known(dut.i.payload), pop, held, 16)

    def check(there):
        return _known(there) == followed.value

    bench.prove(implies(followed.turn, check(dut.o.payload)), "the n-th step out is the n-th in")
    inside.lemma_followed(followed, 0, check)
    return bench


def _known(step) -> Value:
    """Type and segment of a step, wherever it is."""
    segment = step.item.segment if "item" in step.shape().members else step.segment
    return (Value.cast(step.type) << len(segment)) | segment


class _GatherInside:
    """The stages of a gather in front of the step's loads."""
