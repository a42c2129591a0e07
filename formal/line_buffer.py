"""LineBuffer: a claimed slot keeps its line, and each line is requested once while known."""

from amaranth.hdl import Array, Mux, Signal, Value

from .bench import Bench, implies
from .narrow import narrow
from .streams import prove_held


def line_buffer(block, slots: int, claims: int) -> Bench:
    """Claims are released in order, responses come in any order, data is that of the line.

    All is said of one line, any one, whose memory contents are one word, any one.
    """
    config = narrow(line_slots=slots)
    bench = Bench()
    m = bench.m
    dut = bench.add(block.LineBuffer(config, claims))
    inside = bench.inside(dut)
    bench.free(
        dut.flush, dut.line, dut.load, dut.lookup, dut.request.ready, dut.fill, dut.moves,
        dut.following, dut.release,
    )  # fmt: skip
    with m.If(dut.moves):
        m.d.sync += dut.check.eq(dut.following)
    prove_held(bench, dut.request, "request")
    the_line = bench.constant(config.line_addr_width)
    the_word = bench.constant(33)
    is_mine = Signal()
    m.d.comb += is_mine.eq(inside.present == the_line)

    # The caller: open claims in a queue, at most `claims`; the oldest is released, once filled.
    opened = Signal(range(claims + 1))
    slot_of = [Signal(len(dut.slot), name=f"claim_slot_{k}") for k in range(claims)]
    mine_of = [Signal(name=f"claim_mine_{k}") for k in range(claims)]
    loaded = Signal()
    with m.If(dut.load):
        m.d.sync += loaded.eq(1)
    with m.Elif(dut.lookup):
        m.d.sync += loaded.eq(0)
    bench.assume(implies(dut.lookup, loaded & dut.ok & (opened != claims)))
    next_check = Mux(dut.moves, dut.following, dut.check)
    just_claimed = bench.past(inside.allocate & (dut.slot == next_check))
    ready = (opened != 0) & (dut.check == slot_of[0]) & dut.filled & ~just_claimed
    bench.assume(implies(dut.release, ready))
    bench.assume(implies(dut.flush, (opened == 0) & ~dut.lookup))
    m.d.sync += opened.eq(opened + dut.lookup - dut.release)
    left = Signal.like(opened)
    m.d.comb += left.eq(opened - dut.release)
    for k in range(claims):
        with m.If(dut.release & (k + 1 < claims)):
            following = min(k + 1, claims - 1)
            m.d.sync += [slot_of[k].eq(slot_of[following]), mine_of[k].eq(mine_of[following])]
        with m.If(dut.lookup & (left == k)):
            m.d.sync += [slot_of[k].eq(dut.slot), mine_of[k].eq(is_mine)]

    # The memory: answers what left as a request, in any order; anything else is ignored.
    asked = Array(Signal(name=f"asked_{k}") for k in range(slots))
    asked_mine = Array(Signal(name=f"asked_mine_{k}") for k in range(slots))
    request, fill = dut.request.payload, dut.fill
    leaves, answers = Signal(), Signal()
    m.d.comb += [
        leaves.eq(dut.request.valid & dut.request.ready),
        answers.eq(fill.valid & asked[fill.slot]),
    ]
    with m.If(answers):
        m.d.sync += asked[fill.slot].eq(0)
    with m.If(leaves):
        m.d.sync += [
            asked[request.slot].eq(1),
            asked_mine[request.slot].eq(request.line == the_line),
        ]
    early = fill.valid & dut.request.valid & (fill.slot == request.slot)
    bench.assume(~early)
    word = Signal(33)
    m.d.comb += word.eq(Value.cast(fill.data) | (fill.error << 32))
    bench.assume(implies(answers & asked_mine[fill.slot], word == the_word))
    bench.prove(dut.unknown == (fill.valid & ~asked[fill.slot]), "an unasked response is told")
    bench.prove(implies(leaves, ~asked[request.slot]), "no slot is requested twice at a time")

    # Data.
    reads = bench.past(dut.release & mine_of[0])
    got = Value.cast(dut.data) | (dut.error << 32)
    bench.prove(implies(reads, got == the_word), "a claim reads its own line")

    # The line is known from its first lookup until another line takes its slot.
    known, home, requested = Signal(), Signal.like(dut.slot), Signal()
    looks = dut.lookup & is_mine
    replaced = dut.lookup & ~is_mine & known & (dut.slot == home)
    claimed = sum((opened > k) & mine_of[k] for k in range(claims)) != 0
    with m.If(looks & ~known):
        m.d.sync += [known.eq(1), home.eq(dut.slot), requested.eq(0)]
    with m.If(replaced | dut.flush):
        m.d.sync += known.eq(0)
    mine_leaves = leaves & (request.line == the_line)
    with m.If(mine_leaves):
        m.d.sync += requested.eq(1)
    bench.prove(implies(replaced, ~claimed), "a claimed slot is not replaced")
    bench.prove(implies(looks & known, dut.slot == home), "a known line is found in its slot")
    bench.prove(implies(mine_leaves, known), "only a line that was looked up is requested")
    bench.prove(implies(mine_leaves, ~requested), "a line is requested once while it is known")
    bench.prove(implies(mine_leaves, request.slot == home), "for the slot where it is looked for")

    # The directory as it will be when what was asked for in the last cycle has got there.
    fresh = [inside.fresh & (request.slot == k) for k in range(slots)]
    in_use = Array(inside.known[k] | fresh[k] for k in range(slots))
    waiting = Array(inside.waiting[k] | fresh[k] for k in range(slots))
    lines = [Mux(fresh[k], request.line, inside.lines[k]) for k in range(slots)]
    bench.lemma(implies(inside.fresh, dut.request.valid), "what is fresh is still on request")
    waits_now = waiting[dut.check]
    bench.lemma(implies(dut.filled & ~just_claimed, ~waits_now), "what has come is not waited for")
    may_go = ~(inside.claimed | inside.waiting).bit_select(inside.victim, 1)
    bench.lemma(
        implies(inside.free, may_go), "what may be replaced is neither claimed nor waited for"
    )

    # Directory and claims, for the induction.
    number_mask = (1 << len(inside.next_claim)) - 1
    open_number = (inside.next_claim - inside.next_release) & number_mask
    bench.lemma(opened <= claims, "no more claims are open than may be")
    bench.lemma(open_number == opened, "claims are numbered in turn")
    for k in range(slots):
        found = in_use[k] & (lines[k] == inside.present)
        bench.lemma(implies(loaded, inside.match[k] == found), "the present line was compared")
    bench.lemma(inside.hit == inside.match.any(), "and it was found somewhere or not")
    for k in range(slots):
        for other in range(k):
            both = in_use[k] & in_use[other]
            same = lines[k] == lines[other]
            bench.lemma(~(both & same), "no line is in two slots")
    some_home = Array(in_use[k] & (lines[k] == the_line) for k in range(slots))
    bench.lemma(sum(some_home) == known, "the directory knows the line once")
    bench.lemma(implies(known, some_home[home]), "and where it is")
    unsent = dut.request.valid & (request.slot == home)
    bench.lemma(implies(known, requested != unsent), "it was requested or is about to be")
    for k in range(slots):
        waits = waiting[k]
        sends = dut.request.valid & (request.slot == k)
        bench.lemma(implies(sends, waits & in_use[k]), "a slot on request waits")
        bench.lemma(implies(sends, lines[k] == request.line), "for its line")
        bench.lemma(asked[k] == (waits & ~sends), "what waits was asked for")
        matches = asked_mine[k] == (lines[k] == the_line)
        bench.lemma(implies(asked[k], matches & in_use[k]), "the line that was asked for")
        bench.lemma(implies(waits, inside.claimed[k]), "what waits is claimed")
        last, any_claim = 0, 0
        for n in range(claims):
            here = (opened > n) & (slot_of[n] == k)
            last = Mux(here, n, last)
            any_claim = here | any_claim
        bench.lemma(inside.claimed[k] == any_claim, "claimed slots are those of open claims")
        age = (inside.last_claim[k] - inside.next_release) & number_mask
        bench.lemma(implies(any_claim, age == last), "the slot's last claim is its last")
        for n in range(claims):
            here = (opened > n) & (slot_of[n] == k)
            bench.lemma(implies(here, in_use[k]), "a claimed slot has a line")
            same = mine_of[n] == (lines[k] == the_line)
            bench.lemma(implies(here, same), "the claim's own")
    ram = bench.inside(inside.ram).ram.read_port(domain="comb")
    m.d.comb += ram.addr.eq(home)
    came = known & ~waiting[home]
    bench.lemma(implies(came, ram.data == the_word), "a line that has come is in its slot")
    return bench
