"""VectorDivider as a pipeline that stalls: nothing is lost, doubled or out of order."""

from amaranth.hdl import Mux, Signal, Value

from .bench import Bench, implies
from .followed import Followed
from .inside import registers
from .streams import free_inputs, prove_held

#: Places from the last digit stage to the output, youngest first.
_TAIL = ("raw", "scaled", "final", "spare", "head")


class DividerInside:
    """What is in each of the divider's stages, and the lemmas about their timing.

    Members
    -------
    count : vectors inside
    """

    def __init__(self, bench: Bench, divider, interval: int):
        self._bench = bench
        found = registers(divider)
        digits = [f"digit{k}" for k in range(26 // interval)]
        self._stages = ["in", *digits, *_TAIL]
        self._found = found
        self.count = Signal(range(len(self._stages) + 1))
        bench.m.d.comb += self.count.eq(sum(found[f"{s}_valid"] for s in self._stages))
        bench.lemma(implies(found["spare_valid"], found["head_valid"]), "head before spare")
        if interval > 1:
            self._timing(digits, interval)

    def _timing(self, digits, interval):
        """A digit stage is done when the next vector comes, and not before."""
        bench, found = self._bench, self._found
        entered, wait = found["in_valid"], found["wait"]
        last = interval - 1
        bench.lemma(wait <= last, "the wait is at most an interval")
        bench.lemma(implies(entered, wait == last), "it begins when a vector enters")
        for number, stage in enumerate(digits):
            valid, count = found[f"{stage}_valid"], found[f"{stage}_count"]
            bench.lemma(implies(valid, count <= last), "a stage works for one interval")
            bench.lemma(found[f"{stage}_done"] == (valid & (count == last)), "and is done then")
            if number == 0:
                expected = Mux(count == last, Mux(entered, last, 0), last - 1 - count)
                bench.lemma(implies(valid, wait == expected), "when the next vector may come")
            else:
                before = digits[number - 1]
                both = valid & found[f"{before}_valid"]
                bench.lemma(
                    implies(both, count >= found[f"{before}_count"]), "a stage is ahead of the next"
                )

    def lemma_followed(self, followed: Followed, payload_width: int) -> None:
        """The vector being followed is in the stage that its place says."""
        older = 0
        for stage in reversed(self._stages):
            valid = self._found[f"{stage}_valid"]
            if stage in ("head", "spare"):
                meta = self._found[stage][payload_width:]
            else:
                meta = self._found[f"{stage}_meta"]
            here = followed.active & valid & (followed.place == older)
            self._bench.lemma(implies(here, meta == followed.value), f"followed through {stage}")
            older = older + valid


def divider(block, interval: int) -> Bench:
    """Order, loss and doubling by what travels along; quotients are of no interest here."""
    bench = Bench()
    dut = bench.add(block.VectorDivider(1, interval, 2))
    inside = DividerInside(bench, dut, interval)
    free_inputs(bench, dut)
    push, pop = dut.i.valid & dut.i.ready, dut.o.valid & dut.o.ready
    held = Signal(8)
    bench.m.d.sync += held.eq(held + push - pop)
    bench.prove(implies(dut.o.valid, held != 0), "nothing comes out of an empty divider")
    bench.lemma(held == inside.count, "all are in the stages")
    meta = Value.cast(dut.i.payload.meta)
    followed = Followed(bench, push, meta, pop, held, 40)
    right = dut.o.payload.meta == followed.value
    bench.prove(implies(followed.turn, right), "the n-th vector out is the n-th in")
    inside.lemma_followed(followed, 32)
    return bench


def divider_held(block, interval: int) -> Bench:
    """What is offered stays, quotients included."""
    bench = Bench()
    dut = bench.add(block.VectorDivider(1, interval, 2))
    free_inputs(bench, dut)
    prove_held(bench, dut.o, "o")
    return bench
