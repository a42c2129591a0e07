"""RoundRobin: a legal choice, and nobody starves."""

from amaranth.hdl import Const, Mux, Signal

from .bench import Bench, implies


def round_robin(block, count: int) -> Bench:
    """A requester is chosen whenever there is one; a steady one after count - 1 others."""
    bench = Bench()
    m = bench.m
    dut = bench.add(block.RoundRobin(count))
    bench.free(dut.requests, dut.advance)

    one_hot = Signal(count)
    m.d.comb += one_hot.eq(Const(1, count) << dut.choice)
    bench.prove(dut.any == dut.requests.any(), "any says that somebody requests")
    bench.prove(implies(dut.any, (one_hot & dut.requests).any()), "the choice has a request")
    bench.prove(implies(dut.any, dut.choice < count), "the choice is a requester")

    # A requester, any one, and how many others were served since it began to request.
    who = bench.constant(max(1, (count - 1).bit_length()))
    bench.assume(who < count)
    mine = Signal()
    served = dut.advance & dut.any
    others = Signal(range(2 * count + 1))
    m.d.comb += mine.eq(dut.requests.bit_select(who, 1))
    with m.If(~mine | (served & (dut.choice == who))):
        m.d.sync += others.eq(0)
    with m.Elif(served):
        m.d.sync += others.eq(others + 1)
    bench.prove(others <= count - 1, "a steady requester is served after count - 1 others")

    # The register is 1 for all above the last choice; the next turn is the lowest of them.
    above = bench.inside(dut).above
    for k in range(count - 1):
        bench.lemma(implies(above[k], above[k + 1]), "all above the last choice are marked")
    turn, distance = Signal(range(count + 1)), Signal(range(count + 1))
    m.d.comb += turn.eq(count - sum(above[k] for k in range(count)))
    start = Mux(turn == count, 0, turn)
    m.d.comb += distance.eq(Mux(who >= start, who - start, who + count - start))
    bench.lemma(others + distance <= count - 1, "each turn of another brings it nearer")
    return bench
