"""Round-robin choice among requesters."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..layouts import index_width


class RoundRobin(wiring.Component):
    """Chooses the next requester after the one chosen last, so that none starves.

    Parameters
    ----------
    count : int
        Requesters, at least 1.

    Members
    -------
    requests : In(count)
    advance : In(1), the choice is taken this cycle
    choice : Out(range(count)), meaningful while ``any``
    any : Out(1), there is a request

    Latency: 0. Throughput: one choice per cycle; a requester waits for at most ``count - 1``
    others.
    """

    requests: Signal
    advance: Signal
    choice: Signal
    any: Signal

    def __init__(self, count: int):
        if not isinstance(count, int) or count < 1:
            raise ValueError(f"count must be an integer of at least 1, not {count!r}")
        self._count = count
        super().__init__(
            {
                "requests": In(count),
                "advance": In(1),
                "choice": Out(index_width(count)),
                "any": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        n = self._count
        # Requests above the last choice win over all requests. Keeping the set of lanes above the
        # last choice, one bit each, makes the choice two priority encoders and a multiplexer.
        above = Signal(n)
        high, low = Signal.like(self.choice), Signal.like(self.choice)
        for k in reversed(range(n)):  # the lowest is assigned last and wins
            with m.If(self.requests[k] & above[k]):
                m.d.comb += high.eq(k)
            with m.If(self.requests[k]):
                m.d.comb += low.eq(k)
        with m.If((self.requests & above).any()):
            m.d.comb += self.choice.eq(high)
        with m.Else():
            m.d.comb += self.choice.eq(low)
        m.d.comb += self.any.eq(self.requests.any())
        with m.If(self.advance & self.any):
            m.d.sync += above.eq(Cat(self.choice < k for k in range(n)))
        return m
