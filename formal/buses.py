"""Adapters to AXI and Wishbone: what their rules ask of a master and of a slave."""

from amaranth.hdl import Mux, Signal, Value

from .bench import Bench, implies
from .fifo import QueueInside
from .narrow import narrow
from .streams import assume_held, free_inputs, prove_held


def read_channels(block, data_width: int, id_width: int | None) -> Bench:
    """What AxiRead offers, it holds."""
    bench = Bench()
    dut = bench.add(block.AxiRead(narrow(lanes=2), data_width, id_width))
    inside = bench.inside(dut)
    for queue in (inside.requests, inside.came):
        QueueInside(bench, queue)
    free_inputs(bench, dut)
    prove_held(bench, dut.ar, "ar")
    prove_held(bench, dut.port.response, "response")
    return bench


def write_channels(block, data_width: int) -> Bench:
    """What AxiWrite offers, it holds."""
    bench = Bench()
    dut = bench.add(block.AxiWrite(narrow(lanes=2), data_width))
    inside = bench.inside(dut)
    for queue in (inside.addresses, inside.beats, inside.responses):
        QueueInside(bench, queue)
    free_inputs(bench, dut)
    for name in ("aw", "w"):
        prove_held(bench, getattr(dut, name), name)
    prove_held(bench, dut.port.response, "response")
    return bench


def line_assembly(block) -> Bench:
    """The beats of any one ID become its lines, whatever the other IDs do."""
    bench = Bench()
    m = bench.m
    dut = bench.add(block.LineAssembly(2, 2, 1))
    inside = bench.inside(dut)
    free_inputs(bench, dut)
    prove_held(bench, dut.o, "o")
    followed = bench.constant(1)
    came = dut.i.valid & dut.i.ready & (dut.i.payload.id == followed)
    # The first beat of a line that is on its way, and the line that is due at the output.
    half, first, bad = Signal(), Signal(2), Signal()
    due, line, error = Signal(), Signal(4), Signal()
    leaves = dut.o.valid & dut.o.ready
    with m.If(leaves):
        m.d.sync += due.eq(0)
    with m.If(came):
        m.d.sync += half.eq(~half)
        with m.If(half):
            m.d.sync += [
                due.eq(1), line.eq(first | dut.i.payload.data << 2),
                error.eq(bad | dut.i.payload.error),
            ]  # fmt: skip
        with m.Else():
            m.d.sync += [first.eq(dut.i.payload.data), bad.eq(dut.i.payload.error)]
    mine = dut.o.valid & (dut.o.payload.id == followed)
    bench.prove(mine == due, "a line is there when its last beat has come, and only then")
    bench.prove(implies(mine, dut.o.payload.data == line), "it is its beats")
    bench.prove(implies(mine, dut.o.payload.error == error), "with their errors")
    state = inside.states.read_port(domain="comb")
    ram = bench.inside(inside.lines).ram.read_port(domain="comb")
    m.d.comb += [state.addr.eq(followed), ram.addr.eq(followed)]
    ready = dut.ready
    bench.lemma(inside.swept <= 2, "as many places as there are IDs are swept")
    bench.lemma(implies(~ready, ~half & ~dut.o.valid), "nothing begins before")
    clean = ready | (inside.swept > followed)
    bench.lemma(implies(clean, state.data.beat == half), "progress is that of the ID")
    bench.lemma(implies(half, (state.data.error == bad) & (ram.data == first)), "and what it has")
    bench.lemma(implies(clean & ~half, ~state.data.error), "nothing is left of the line before")
    return bench


def id_table(block) -> Bench:
    """An ID that is out is not given out again, and belongs to whom it was given."""
    bench = Bench()
    m = bench.m
    dut = bench.add(block.IdTable(2, 1))
    bench.free(dut.take, dut.owner, dut.back, dut.back_id)
    followed = bench.constant(1)
    taken, back = dut.take & (dut.id == followed), dut.back & (dut.back_id == followed)
    out, owner, other_out = Signal(), Signal(2), Signal()
    with m.If(back):
        m.d.sync += out.eq(0)
    with m.If(taken):
        m.d.sync += [out.eq(1), owner.eq(dut.owner)]
    with m.If(dut.back & ~back):
        m.d.sync += other_out.eq(0)
    with m.If(dut.take & ~taken):
        m.d.sync += other_out.eq(1)
    bench.assume(implies(dut.take, dut.free))
    bench.assume(implies(dut.back, Mux(dut.back_id == followed, out, other_out)))
    bench.prove(implies(taken, ~out), "an ID that is out is not given out")
    same = Value.cast(dut.back_owner) == owner
    bench.prove(implies(out & (dut.back_id == followed), same), "an ID knows its owner")
    waited = bench.past(~out & ~taken) & bench.past(bench.past(~out & ~taken))
    waited &= bench.past(bench.past(bench.past(~out & ~taken)))
    bench.prove(implies(waited & ~out, dut.free), "an ID that is back is free")
    return bench


def lite(block) -> Bench:
    """AXI4-Lite: a write is what was sent, once, and answered once; reads likewise."""
    bench = Bench()
    m = bench.m
    dut = bench.add(block.AxiLiteControl())
    inside = bench.inside(dut)
    free_inputs(bench, dut)
    prove_held(bench, dut.b, "b")
    prove_held(bench, dut.r, "r")
    fired = {n: getattr(dut, n).valid & getattr(dut, n).ready for n in ("aw", "w", "b", "ar", "r")}
    sent, open_ = {}, {}
    for name in ("aw", "w", "ar"):
        channel = getattr(dut, name)
        sent[name] = Signal.like(channel.payload, name=f"sent_{name}")
        open_[name] = Signal(3, name=f"open_{name}")
        answer = fired["r" if name == "ar" else "b"]
        m.d.sync += open_[name].eq(open_[name] + fired[name] - answer)
        with m.If(fired[name]):
            m.d.sync += sent[name].eq(channel.payload)
        full, payload = inside.held[name]
        waits = dut.b.valid if name != "ar" else dut.r.valid | inside.reading
        bench.lemma(open_[name] == full + waits, "requests are held or answered")
        bench.lemma(
            implies(full, Value.cast(payload) == Value.cast(sent[name])), "as they were sent"
        )
    bench.lemma(~(dut.r.valid & inside.reading), "a read waits for the answer before it")
    for name, channel in (("aw", dut.b), ("w", dut.b), ("ar", dut.r)):
        bench.prove(implies(channel.valid, open_[name] != 0), "an answer has a request")
        bench.prove(open_[name] <= 2, "no request is lost")
    bus = dut.bus
    w = sent["w"]
    bench.prove(implies(bus.write, w.strobe == 15), "words are written whole")
    bench.prove(
        implies(bus.write, (bus.address == sent["aw"] >> 2) & (bus.write_data == w.data)),
        "what was sent is written",
    )
    began = bench.past(dut.b.valid & ~fired["b"])
    bench.prove(
        implies(dut.b.valid & ~began, bench.past(bus.write) | bench.past(w.strobe != 15)),
        "an answer OKAY follows a write, or selected no word",
    )
    bench.prove(
        implies(bench.past(bus.write), dut.b.valid & ~bench.past(dut.b.valid)),
        "a write is answered",
    )
    reads = dut.r.valid & ~bench.past(dut.r.valid & ~fired["r"])
    given = dut.r.payload == bench.past(bus.read_data)
    right = bench.past(bus.address == sent["ar"] >> 2)
    bench.prove(implies(reads, given & bench.past(right)), "a read is what the bus gave there")
    bench.lemma(implies(inside.reading, right), "after it was asked for that")
    return bench


def wishbone_slave(block) -> Bench:
    """Wishbone: one write for each request that is one, one answer, and only to a request."""
    bench = Bench()
    dut = bench.add(block.WishboneControl())
    bench.free(
        dut.cyc, dut.stb, dut.we, dut.adr, dut.dat_w, dut.sel, dut.bus.read_data,
    )  # fmt: skip
    answer = dut.ack | dut.err
    request = dut.cyc & dut.stb
    waits = bench.past(request & ~answer)
    offers = (dut.we, dut.adr, dut.dat_w, dut.sel)
    for value in offers:
        bench.assume(implies(waits, value == bench.past(value)))
    bench.assume(implies(waits, request))

    whole = dut.we & dut.sel.all()
    bus = dut.bus
    bench.prove(implies(answer, request), "an answer has a request")
    bench.prove(~(dut.ack & dut.err), "one answer")
    bench.prove(dut.stall == ~answer, "stall is low in the cycle of the answer")
    bench.prove(implies(answer, ~bench.past(answer)), "which is one cycle")
    bench.prove(implies(bus.write, request & whole), "a write is a request of a whole word")
    bench.prove(
        implies(bus.write, (bus.address == dut.adr) & (bus.write_data == dut.dat_w)), "and is that"
    )
    bench.prove(implies(bus.write, ~answer & ~bench.past(bus.write)), "once")
    bench.prove(implies(answer & whole, bench.past(bus.write) & dut.ack), "and then answered")
    bench.prove(implies(dut.err, dut.we & dut.sel.any() & ~whole), "err is for parts of words")
    read = dut.ack & ~dut.we
    given = bench.past(bus.read_data)
    asked = bench.past(bench.past(bus.address)) == dut.adr
    bench.prove(implies(read, (dut.dat_r == given) & asked), "a read is what the bus gave")
    return bench


def wishbone_master(block, data_width: int) -> Bench:
    """Wishbone: what is offered stays; a cycle has one direction and ends with the last answer; and
    there is room for each answer."""
    bench = Bench()
    m = bench.m
    dut = bench.add(block.WishboneMemory(narrow(lanes=2), data_width))
    answers = {}
    original = dut._answers

    def look(m, *arguments):
        result = original(m, *arguments)
        answers.update(tags=m.submodules.tags, lines=m.submodules.lines, stored=m.submodules.stored)
        return result

    dut._answers = look
    bench.inside(dut)
    # Data only pass through, which the benches look at: here they stay 0.
    free_inputs(bench, dut, except_for=("dat_r", "write"))
    write = dut.write.request
    bench.free(write.valid, write.payload.line, write.payload.mask, dut.write.response.ready)
    assume_held(bench, write)
    asked, answered = dut.stb & ~dut.stall, dut.cyc & (dut.ack | dut.err)
    open_ = Signal(5)
    m.d.sync += open_.eq(open_ + asked - answered)
    bench.assume(implies(answered, (open_ != 0) | asked))
    bench.prove(implies(dut.stb, dut.cyc), "requests are in a cycle")
    waits = bench.past(dut.stb & dut.stall)
    for value in (dut.stb, dut.we, dut.adr, dut.dat_w, dut.sel):
        bench.prove(implies(waits, value == bench.past(value)), "an offer stays")
    bench.prove(implies(open_ != 0, dut.cyc), "a cycle ends with its last answer")
    bench.prove(implies(bench.past(dut.cyc) & dut.cyc, dut.we == bench.past(dut.we)),
                "a cycle has one direction")  # fmt: skip
    for name, queue in answers.items():
        bench.prove(implies(queue.i.valid, queue.i.ready), f"{name} has room")
    tags = answers["tags"]
    bench.prove(implies(tags.o.ready, tags.o.valid), "a line has a tag")
    prove_held(bench, dut.read.response, "response")
    return bench
