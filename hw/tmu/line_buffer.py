"""Lines of one scalar load stream: asked for once, shared by every element that lies in them."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..block_ram import BlockRam
from ..config import Config
from ..layouts import index_width, vector

#: Directory entries whose comparisons share a register.
_GROUP = 4


class LineBuffer(wiring.Component):
    """A small fully associative buffer with round-robin replacement.

    A lookup finds its line's slot or takes a free slot and requests the line. The caller keeps
    the slot number with its pending iteration, waits for ``filled``, reads the line, and by its
    ``release`` gives up its claim. A slot is replaced only when the last claim on it is gone, so
    data cannot disappear under a pending iteration and no response is ever refused.

    The pointer to the slot that is replaced next passes over slots that are claimed, one per
    cycle: a line that many iterations share for long must not hold up all the others. Whether its
    slot may be replaced is known from a register, up to a cycle late.

    Parameters
    ----------
    config : Config
    claims : int
        Upper bound of lookups not yet released.

    Members
    -------
    flush : In(1), forget all lines (no claim may be open)
    line : In(line address), load : In(1), it is the one to look up from the next cycle on
    lookup : In(1), look it up and claim it; only while ``ok``, and once for each ``load``
    ok : Out(1), the lookup can be done this cycle
    slot : Out(range(line_slots)), where the line is or will be
    request : Out(stream of {line, slot})
    fill : In({valid, slot, data, error}), a response
    unknown : Out(1), this cycle's fill was not asked for (and is ignored)
    check : In(range(line_slots)), filled : Out(1), that slot's data has come, a cycle ago or more,
        if it was claimed two cycles ago or more
    moves : In(1), ``check`` will be ``following`` in the next cycle, and else stays
    following : In(range(line_slots))
    data, error : Out, ``check``'s line, one cycle later
    release : In(1), with ``check``: the oldest open claim, which is on that slot, ends

    Latency: lookup 1 cycle after ``load``, request 1 cycle later; data 1 cycle after ``check``.
    Throughput: one lookup, one fill and one read per cycle.
    """

    flush: Signal
    line: Signal
    load: Signal
    lookup: Signal
    ok: Signal
    slot: Signal
    request: stream.Interface
    fill: data.View
    unknown: Signal
    check: Signal
    filled: Signal
    moves: Signal
    following: Signal
    release: Signal
    data: data.View
    error: Signal

    def __init__(self, config: Config, claims: int):
        self._config, self._claims = config, claims
        slot = index_width(config.line_slots)
        super().__init__(
            {
                "flush": In(1),
                "line": In(config.line_addr_width),
                "load": In(1),
                "lookup": In(1),
                "ok": Out(1),
                "slot": Out(slot),
                "request": Out(
                    stream.Signature(
                        data.StructLayout({"line": config.line_addr_width, "slot": slot})
                    )
                ),
                "fill": In(
                    data.StructLayout(
                        {"valid": 1, "slot": slot, "data": vector(config), "error": 1}
                    )
                ),
                "unknown": Out(1),
                "check": In(slot),
                "filled": Out(1),
                "moves": In(1),
                "following": In(slot),
                "release": In(1),
                "data": Out(vector(config)),
                "error": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        n = self._config.line_slots
        known = Signal(n)  # the directory entry is meaningful
        waiting = Signal(n)  # requested, no response yet
        claimed = Signal(n)  # some pending iteration needs it; what is waited for is claimed
        lines = [Signal(self._config.line_addr_width, name=f"line_{k}") for k in range(n)]
        # Claims are numbered. The slot's last claim decides when it is free again.
        number = range(2 * self._claims)
        last_claim = Array(Signal(number, name=f"last_claim_{k}") for k in range(n))
        next_claim, next_release = Signal(number), Signal(number)
        victim = Signal(index_width(n))

        # What a lookup changes gets into the directory a cycle later, out of the request's
        # register: it is known late. `fresh` says that it has not got there yet.
        allocate, fresh = Signal(), Signal()
        asked = self.request.payload
        m.d.sync += fresh.eq(allocate)
        with m.If(fresh):
            m.d.sync += [
                known.bit_select(asked.slot, 1).eq(1),
                waiting.bit_select(asked.slot, 1).eq(1),
            ]
            with m.Switch(asked.slot):
                for k in range(n):
                    with m.Case(k):
                        m.d.sync += lines[k].eq(asked.line)

        # The directory is compared while the line is loaded, with what is not in it yet in place of
        # old entries. Whether the line is anywhere does not wait for where, and is several
        # registers: one for each few old entries, and one for new ones.
        present = Signal(self._config.line_addr_width)
        match = Signal(n)  # slot k has the present line
        hit = Signal()
        hits_old = Signal(-(-n // _GROUP))
        hit_new = Signal()
        again, just_asked = Signal(), Signal()
        m.d.comb += [again.eq(present == self.line), just_asked.eq(asked.line == self.line)]
        there, stale, same = Signal(n), Signal(n), Signal(n)
        stays = there & ~stale
        for k in range(n):
            asks = fresh & (asked.slot == k)
            replaces = allocate & (victim == k)
            m.d.comb += [
                there[k].eq(known[k] & (lines[k] == self.line)),
                stale[k].eq(asks | replaces),
                same[k].eq(Mux(replaces, again, Mux(asks, just_asked, there[k]))),
            ]
        m.d.comb += hit.eq(hits_old.any() | hit_new)
        with m.If(self.load):
            m.d.sync += [
                present.eq(self.line),
                match.eq(same),
                hits_old.eq(Cat(stays[k : k + _GROUP].any() for k in range(0, n, _GROUP))),
                hit_new.eq((fresh & just_asked) | (allocate & again)),
            ]
        with m.If(self.flush):
            m.d.sync += [match.eq(0), hits_old.eq(0), hit_new.eq(0)]

        # At most one slot has the line, so that its number is an OR and takes no priority.
        hit_slot = Signal.like(victim)
        m.d.comb += [
            allocate.eq(self.lookup & ~hit),
            hit_slot.eq(
                Cat(
                    Cat(match[k] for k in range(n) if k >> bit & 1).any()
                    for bit in range(len(victim))
                )
            ),
        ]

        # Whether the victim may be replaced is found out a cycle ahead, for it and for the next
        # one. A slot that has the present line may be claimed until then.
        free, passes = Signal(init=1), Signal()
        replaceable = ~(claimed | match)
        following_victim = Signal.like(victim)
        m.d.comb += [passes.eq(~free | allocate), following_victim.eq(victim + 1)]
        with m.If(passes):
            m.d.sync += victim.eq(following_victim)
        m.d.sync += free.eq(
            Mux(
                passes,
                replaceable.bit_select(following_victim, 1),
                replaceable.bit_select(victim, 1),
            )
        )

        # A request leaves through a register, so that a lookup never waits for the memory port
        # combinationally.
        request_free = Signal()
        m.d.comb += [
            request_free.eq(~self.request.valid | self.request.ready),
            self.ok.eq(hit | (request_free & free)),
            self.slot.eq(hit_slot),
        ]
        with m.If(~hit):
            m.d.comb += self.slot.eq(victim)
        with m.If(self.request.ready):
            m.d.sync += self.request.valid.eq(0)

        release_last = Signal()
        m.d.comb += release_last.eq(last_claim[self.check] == next_release)
        with m.If(self.release):
            m.d.sync += next_release.eq(next_release + 1)
            with m.If(release_last):
                m.d.sync += claimed.bit_select(self.check, 1).eq(0)

        known_fill = Signal()
        m.d.comb += [
            known_fill.eq(self.fill.valid & waiting.bit_select(self.fill.slot, 1)),
            self.unknown.eq(self.fill.valid & ~waiting.bit_select(self.fill.slot, 1)),
        ]
        with m.If(known_fill):
            m.d.sync += waiting.bit_select(self.fill.slot, 1).eq(0)

        with m.If(self.lookup):
            m.d.sync += [
                last_claim[self.slot].eq(next_claim),
                next_claim.eq(next_claim + 1),
                claimed.bit_select(self.slot, 1).eq(1),
            ]
            with m.If(~hit):
                m.d.sync += [
                    self.request.valid.eq(1), asked.line.eq(present), asked.slot.eq(victim),
                ]  # fmt: skip
        with m.If(self.flush):
            m.d.sync += known.eq(0)

        # From a register: it decides whether a step fires, and with that far too much.
        def waits(slot):
            return waiting.bit_select(slot, 1) | (fresh & (asked.slot == slot))

        still = Mux(self.moves, waits(self.following), waits(self.check))
        m.d.sync += self.filled.eq(~still)
        # A line that comes is read in the next cycle or later: `filled` is that late.
        m.submodules.ram = ram = BlockRam(
            data.StructLayout({"data": vector(self._config), "error": 1}), n
        )
        m.d.comb += [
            ram.write_address.eq(self.fill.slot),
            ram.write_data.data.eq(self.fill.data),
            ram.write_data.error.eq(self.fill.error),
            ram.write_enable.eq(known_fill),
            ram.read_address.eq(self.check),
            self.data.eq(ram.read_data.data),
            self.error.eq(ram.read_data.error),
        ]
        return m
