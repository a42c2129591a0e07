"""Whose turn it is, one cycle ahead."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..layouts import index_width
from .arbiter import RoundRobin


class Turn(wiring.Component):
    """Gives lanes their turns, round robin; the lane is a register.

    The next lane is another one that has work; only if there is none, and this lane's work is not
    removed or more waits behind it, the lane keeps its turn. So the choice needs not know what is
    done with the turn.

    Parameters
    ----------
    count : int
        Lanes, at least 1.

    Members
    -------
    valid : In(count), the lane has work; it keeps it until it is removed
    more : In(count), and there is more behind it
    done : In(1), the turn ends; only while ``active``
    remove : In(1), with ``done``: the lane's work is removed
    lane : Out(range(count)), active : Out(1), it has the turn
    mine : Out(count), ``lane`` as one bit for each lane, in registers of its own

    Latency: 1 cycle. Throughput: one turn per cycle; work that comes behind nothing waits a cycle.
    """

    valid: Signal
    more: Signal
    done: Signal
    remove: Signal
    lane: Signal
    active: Signal
    mine: Signal

    def __init__(self, count: int):
        self._count = count
        super().__init__(
            {
                "valid": In(count),
                "more": In(count),
                "done": In(1),
                "remove": In(1),
                "lane": Out(index_width(count)),
                "active": Out(1),
                "mine": Out(self._count, init=1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.choose = choose = RoundRobin(self._count)
        mine, moves = self.mine, Signal()
        m.d.comb += [
            choose.requests.eq(self.valid & ~mine),
            moves.eq(~self.active | self.done),
            choose.advance.eq(moves),
        ]
        removed = self.done & self.remove
        left = (self.valid & mine).any() & (~removed | (self.more & mine).any())
        with m.If(moves):
            m.d.sync += self.active.eq(choose.any | left)
        with m.If(moves & choose.any):
            m.d.sync += [
                self.lane.eq(choose.choice),
                mine.eq(Cat(choose.choice == k for k in range(self._count))),
            ]
        return m
