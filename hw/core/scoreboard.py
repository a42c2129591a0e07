"""Which results are on their way: what has to wait, and which bypass a reader takes."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..config import Config
from .fp.lane import ADD_STAGES
from .stages import RESULT, target


class Scoreboard(wiring.Component):
    """Compares a step with the targets of those in flight, one cycle before it may issue.

    A result issued k cycles ago reaches a reader as follows; at a shorter distance the reader
    waits, at a longer one it finds the result in the register memory.

    ======================= ============================================================
    k                       way
    ======================= ============================================================
    ADD_STAGES              ``c``: the result bus itself
    ADD_STAGES + 1, + 2     ``c``: a register that takes the bus, or the bus a cycle ago
    RESULT - 1, RESULT      ``a``: a register that takes the bus, or the bus a cycle ago
    ======================= ============================================================

    Operations on different elements of a chunk do not wait for each other. Bypasses are therefore
    only told by chunk; which elements to take is up to the masks that go with the result.

    The comparisons are registered with the step, and grow older with it while it waits: whether
    a step can issue must not take a comparison in the same cycle.

    Parameters
    ----------
    config : Config

    Members
    -------
    i : In(target), what the next step writes (it reads the same chunk and elements)
    read_a, a, read_c, c : In(1), whether and which registers it reads
    coming : In(1), there is a next step
    load : In(1), it takes the place of the present one, which issues or is none
    there : In(1), there is a present step
    writes : In(1), the present step is there and writes its target
    issue : In(1), ``writes``, and it issues in this cycle
    clear : Out(1), there is a present step, and it need not wait
    a_bypass : Out(2), c_bypass : Out(3), its bypasses, bit 0 for the shortest distance
    stages : Out(target) array, ``stages[k]`` was issued k cycles ago (``stages[0]``: the present)
    valid : Out(RESULT + 1), bit k: there is something in ``stages[k]``

    Latency: 1 cycle. Throughput: 1 step per cycle.
    """

    i: data.View
    read_a: Signal
    a: Signal
    read_c: Signal
    c: Signal
    coming: Signal
    load: Signal
    there: Signal
    writes: Signal
    issue: Signal
    clear: Signal
    a_bypass: Signal
    c_bypass: Signal
    stages: data.View
    valid: Signal

    def __init__(self, config: Config):
        super().__init__(
            {
                "i": In(target(config)),
                "read_a": In(1),
                "a": In(1),
                "read_c": In(1),
                "c": In(1),
                "coming": In(1),
                "load": In(1),
                "there": In(1),
                "writes": In(1),
                "issue": In(1),
                "clear": Out(1),
                "a_bypass": Out(2),
                "c_bypass": Out(3),
                "stages": Out(data.ArrayLayout(target(config), RESULT + 1)),
                "valid": Out(RESULT + 1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        present = Signal(self.i.shape())
        with m.If(self.load):
            m.d.sync += present.eq(self.i)
        m.d.comb += [self.stages[0].eq(present), self.valid[0].eq(self.issue)]
        for k in range(1, RESULT + 1):
            valid = Signal(name=f"valid{k}")
            stage = Signal(self.i.shape(), name=f"stage{k}")
            m.d.sync += [valid.eq(self.valid[k - 1]), stage.eq(self.stages[k - 1])]
            m.d.comb += [self.stages[k].eq(stage), self.valid[k].eq(valid)]

        # Bit k - 1: what will be k cycles ahead of the step when it is the present one.
        match_a = Signal(RESULT)
        match_c = Signal(ADD_STAGES + 2)
        waits_a = Signal(RESULT - 2)
        waits_c = Signal(ADD_STAGES - 1)
        new_a, new_c, disjoint = [], [], []
        for k in range(RESULT):
            stage = self.stages[k]
            valid = self.valid[k] if k else self.writes
            same = valid & (stage.lane == self.i.lane) & (stage.chunk == self.i.chunk)
            new_a.append(same & self.read_a & (stage.index == self.a))
            new_c.append(same & self.read_c & (stage.index == self.c))
            disjoint.append(stage.element & self.i.element & (stage.position != self.i.position))

        apart = Cat(*disjoint)
        new_a, new_c = Cat(*new_a), Cat(*new_c)
        new_waits_a = (new_a & ~apart)[: len(waits_a)]
        new_waits_c = (new_c & ~apart)[: len(waits_c)]

        def older(bits):
            """The present step's comparisons, a cycle later."""
            return (bits << 1)[: len(bits)]

        # Whether the step may issue is found out for either step, and then chosen: `load` is late.
        new_clear = self.coming & ~new_waits_a.any() & ~new_waits_c.any()
        old_clear = self.there & ~older(waits_a).any() & ~older(waits_c).any()
        m.d.sync += [
            match_a.eq(Mux(self.load, new_a, older(match_a))),
            match_c.eq(Mux(self.load, new_c[: len(match_c)], older(match_c))),
            waits_a.eq(Mux(self.load, new_waits_a, older(waits_a))),
            waits_c.eq(Mux(self.load, new_waits_c, older(waits_c))),
            self.clear.eq(Mux(self.load, new_clear, old_clear)),
        ]
        m.d.comb += [
            self.a_bypass.eq(match_a[RESULT - 2 :]),
            self.c_bypass.eq(match_c[ADD_STAGES - 1 :]),
        ]
        return m
