"""Token dispatch: from tokens to the instructions of their callbacks."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from .. import isa
from ..config import Config
from ..layouts import token
from ..program_memory import ProgramMemory, ProgramWrite
from .instruction import decode, instruction


class Fetch(wiring.Component):
    """Walks each token's callback and decodes its instructions.

    Two registers in a row: the token with its program counter, and the decoded instruction. Both
    memories are read asynchronously in between, so that ``ret`` is known in time for the next
    token to follow without a bubble. Nothing is taken after a ``halt`` until the next ``start``.

    Parameters
    ----------
    config : Config

    Members
    -------
    token_i : In(stream of token)
    program : In(ProgramWrite)
    start : In(1), accept tokens from the next cycle on
    at : Out(2), scalar : In(32), scalar register for the next instruction
    o : Out(stream of :func:`~.instruction.instruction`)

    Latency: 2 cycles. Throughput: 1 instruction per cycle, across tokens.
    Back-pressure: waits for ``o``.
    """

    token_i: stream.Interface
    program: wiring.PureInterface
    start: Signal
    at: Signal
    scalar: Signal
    o: stream.Interface

    def __init__(self, config: Config):
        self._config = config
        super().__init__(
            {
                "token_i": In(stream.Signature(token(config))),
                "program": In(ProgramWrite()),
                "start": In(1),
                "at": Out(2),
                "scalar": In(32),
                "o": Out(stream.Signature(instruction(config))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        windows = isa.windows(self._config)
        m.submodules.code = code = ProgramMemory(*windows["code"], latency=0)
        m.submodules.segment = segment = ProgramMemory(*windows["execute_segment"], latency=0)
        connect(m, flipped(self.program), code.write)
        connect(m, flipped(self.program), segment.write)

        current = Signal(self.token_i.payload.shape())
        full = Signal()
        stopped = Signal(init=1)
        m.d.comb += [
            code.address.eq(current.pc),
            segment.address.eq(current.segment),
            self.at.eq(code.entry.at),
        ]

        # What there is no token for is fetched too, and not valid: so less has to be known before a
        # register may be loaded.
        advance = ~self.o.valid | self.o.ready
        final = code.entry.ret | current.halt
        takes = ~full | (advance & final)
        m.d.comb += self.token_i.ready.eq(~stopped & takes)

        with m.If(advance):
            m.d.sync += [
                self.o.valid.eq(full),
                decode(self.o.payload, code.entry, segment.entry, current),
                self.o.payload.scalar.eq(self.scalar),
                current.pc.eq(current.pc + 1),
            ]
        with m.If(takes):
            m.d.sync += [full.eq(self.token_i.valid & ~stopped), current.eq(self.token_i.payload)]
        with m.If(self.token_i.valid & self.token_i.ready):
            m.d.sync += stopped.eq(self.token_i.payload.halt)
        with m.If(self.start):
            m.d.sync += stopped.eq(0)
        return m
