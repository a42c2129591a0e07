"""Waiters: every list is answered whole, in order, and nothing else is."""

from amaranth.hdl import Array, Mux, Signal, Value

from .bench import Bench, implies
from .streams import assume_held, prove_held


class _Lists:
    """What has been created and pushed, as plain arrays: the lists that are not yet at ``i``."""

    def __init__(self, tags: int, width: int):
        self.exists = Array(Signal(name=f"exists_{p}") for p in range(tags))
        self.length = Array(Signal(range(tags + 1), name=f"length_{p}") for p in range(tags))
        self.members = Array(
            Array(Signal(width, name=f"member_{p}_{k}") for k in range(tags)) for p in range(tags)
        )


def waiters(block, width: int) -> Bench:
    """Tags of ``width`` bits. A tag is in use from create or push to its answer."""
    bench = Bench()
    m, tags = bench.m, 1 << width
    dut = bench.add(block.Waiters(width, 1))
    inside = bench.inside(dut)
    create, push, i, o = dut.create, dut.push, dut.i, dut.o
    bench.free(create, push, i.valid, i.payload, o.ready)
    lists = _Lists(tags, width)
    in_use = Array(Signal(name=f"in_use_{t}") for t in range(tags))
    taken, answered = Signal(), Signal()
    m.d.comb += [taken.eq(i.valid & i.ready), answered.eq(o.valid & o.ready)]

    # The promises of the neighbour.
    assume_held(bench, i)
    bench.assume(~(create.valid & push.valid))
    bench.assume(implies(create.valid, ~in_use[create.tag]))
    bench.assume(implies(push.valid, ~in_use[push.tag] & lists.exists[push.first]))
    called = i.valid & ~i.payload.alone
    bench.assume(implies(called, lists.exists[i.payload.tag]))
    bench.assume(~(push.valid & called & (push.first == i.payload.tag)))

    # The list that is being answered, and how far it is.
    walking, alone = Signal(), Signal()
    number, length = Signal(range(tags)), Signal(range(tags + 1))
    walked = Array(Signal(width, name=f"walked_{k}") for k in range(tags))
    payload = Signal()
    last = Signal()
    m.d.comb += last.eq(number == length - 1)
    with m.If(answered):
        m.d.sync += [walking.eq(~last), number.eq(number + 1)]
        with m.If(~alone):
            m.d.sync += in_use[o.payload.tag].eq(0)
    with m.If(create.valid):
        m.d.sync += [
            lists.exists[create.tag].eq(1),
            lists.length[create.tag].eq(1),
            lists.members[create.tag][0].eq(create.tag),
            in_use[create.tag].eq(1),
        ]
    with m.If(push.valid):
        at = lists.length[push.first]
        m.d.sync += [
            lists.length[push.first].eq(at + 1),
            lists.members[push.first][at[:width]].eq(push.tag),
            in_use[push.tag].eq(1),
        ]
    name = i.payload.tag
    with m.If(taken):
        m.d.sync += [
            walking.eq(1),
            alone.eq(i.payload.alone),
            number.eq(0),
            length.eq(Mux(i.payload.alone, 1, lists.length[name])),
            payload.eq(i.payload.payload),
        ]
        for k in range(tags):
            m.d.sync += walked[k].eq(Mux(i.payload.alone, name, lists.members[name][k]))
        with m.If(~i.payload.alone):
            m.d.sync += lists.exists[name].eq(0)

    prove_held(bench, o, "o")
    bench.prove(o.valid == walking, "answers come while a list is open, without a gap")
    right = (o.payload.tag == walked[number]) & (o.payload.payload == payload)
    bench.prove(implies(walking, right), "the n-th answer is the n-th that waits")
    bench.prove(i.ready == (~walking | (answered & last)), "a list follows the last answer")

    # The memories hold these lists, once what is on its way to them has been written.
    def stored(ram, write, entry):
        port = ram.read_port(domain="comb")
        m.d.comb += port.addr.eq(entry)
        return Mux(write.en & (write.addr == entry), write.data, port.data)

    tail = [stored(inside.tails, inside.tail_write, t) for t in range(tags)]
    link = [stored(inside.links, inside.link_write, t) for t in range(tags)]
    members = []  # (it is in a list, which tag)
    for p in range(tags):
        exists, size = lists.exists[p], lists.length[p]
        bench.lemma(implies(exists, (size >= 1) & (size <= tags)), "a list has a length")
        bench.lemma(implies(exists, lists.members[p][0] == p), "a list is named by its first")
        end = lists.members[p][(size - 1)[:width]]
        bench.lemma(implies(exists, tail[p] == end), "the last of a list is stored under its name")
        for k in range(tags):
            member = lists.members[p][k]
            inner = exists & (k < size)
            members.append((inner, member))
            if k + 1 < tags:
                following = lists.members[p][k + 1]
                linked = Array(link)[member] == following
                bench.lemma(implies(exists & (k + 1 < size), linked), "members are linked")
    for k in range(tags):
        open_member = walking & ~alone & (k >= number) & (k < length)
        members.append((open_member, walked[k]))
        if k + 1 < tags:
            linked = Array(link)[walked[k]] == walked[k + 1]
            inner = open_member & (k + 1 < length)
            bench.lemma(implies(inner & (k > number), linked), "what is answered later is linked")
            fetched = inner & (k == number)
            follows = Value.cast(inside.link.data) == walked[k + 1]
            bench.lemma(implies(fetched, follows), "the next one has been read")
    bench.lemma(implies(walking, (number < length) & (length <= tags)), "there is one to answer")
    bench.lemma(implies(alone & walking, length == 1), "alone is alone")
    bench.lemma(inside.alone == alone, "alone or not")
    ends = Value.cast(inside.tail.data) == walked[(length - 1)[:width]]
    bench.lemma(implies(walking & ~alone, ends), "the end of the list has been read")

    for t in range(tags):
        holders = sum(inner & (tag == t) for inner, tag in members)
        bench.lemma(holders == in_use[t], "a tag in use is in one place")
    return bench
