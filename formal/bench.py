"""A netlist around a block: free inputs, assumptions and assertions."""

from amaranth.back import rtlil
from amaranth.hdl import Assert, Assume, ClockDomain, Module, Signal, Value
from amaranth.hdl._ast import AnyConst, AnySeq

from .inside import look_inside


class Bench:
    """Collects a block and what is to be proven of it.

    There is no reset input: a run starts from the reset state. Assertions are checked in every
    cycle. ``prove`` states what a user of the block sees; ``lemma`` a relation of its registers
    that makes the induction close. Both have to hold.
    """

    def __init__(self):
        self.m = Module()
        self._domain = ClockDomain("sync", reset_less=True)
        self.m.domains.sync = self._domain
        self._with_lemmas = Signal()

    def add(self, block):
        """Put ``block`` into the netlist."""
        self.m.submodules.dut = block
        return block

    def inside(self, block):
        """The local signals of ``block``; see :func:`~.inside.look_inside`."""
        return look_inside(block)

    def free(self, *inputs) -> None:
        """Let the solver choose ``inputs`` anew in each cycle."""
        for port in inputs:
            port = Value.cast(port)
            if len(port):
                self.m.d.comb += port.eq(AnySeq(len(port)))

    def any(self, width: int = 1) -> Signal:
        """A value that the solver chooses anew in each cycle."""
        signal = Signal(width)
        self.free(signal)
        return signal

    def constant(self, width: int) -> Signal:
        """A value that the solver chooses once."""
        signal = Signal(width)
        self.m.d.comb += signal.eq(AnyConst(width))
        return signal

    def past(self, value, init: int = 0) -> Signal:
        """``value`` in the cycle before."""
        value = Value.cast(value)
        signal = Signal(value.shape(), init=init)
        self.m.d.sync += signal.eq(value)
        return signal

    def assume(self, condition) -> None:
        """A promise of the environment."""
        self.m.d.comb += Assume(condition, src_loc_at=1)

    def prove(self, condition, message: str) -> None:
        """A promise of the block."""
        self.m.d.comb += Assert(condition, message, src_loc_at=1)

    def lemma(self, condition, message: str) -> None:
        """A relation among the block's registers."""
        condition = Value.cast(condition).any() | ~self._with_lemmas
        self.m.d.comb += Assert(condition, "lemma: " + message, src_loc_at=1)

    def rtlil(self, *, lemmas: bool = True) -> str:
        """The netlist as text; for mutants without lemmas, so that what a user sees must fail."""
        self.m.d.comb += self._with_lemmas.eq(lemmas)
        # A clock that is no port is undriven, and registers without a clock are constants: every
        # proof would hold.
        return rtlil.convert(self.m, name="top", ports=[self._domain.clk])


def implies(condition, consequence) -> Value:
    """``consequence``, where ``condition`` holds."""
    return ~Value.cast(condition).any() | Value.cast(consequence).any()
