"""Which results are on their way: what has to wait, and which bypass a reader takes."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..config import Config
from .fp.lane import ADD_STAGES
from .stages import RESULT, target


class Scoreboard(wiring.Component):
    """Compares the operation about to issue with the targets of those in flight.

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

    Parameters
    ----------
    config : Config

    Members
    -------
    i : In(target), what the candidate writes (it reads the same chunk and elements);
        ``i.index`` counts for results only
    issue : In(1), the candidate issues in this cycle and will write
    read_a, a, read_c, c : In(1), whether and which registers it reads
    hazard : Out(1), it has to wait
    a_bypass : Out(2), c_bypass : Out(3), bit 0 for the shortest distance
    stages : Out(target) array, ``stages[k]`` was issued k cycles ago (``stages[0]`` is ``i``)
    valid : Out(RESULT + 1), bit k: there is something in ``stages[k]``

    Latency: 0. Throughput: 1 operation per cycle.
    """

    i: data.View
    issue: Signal
    read_a: Signal
    a: Signal
    read_c: Signal
    c: Signal
    hazard: Signal
    a_bypass: Signal
    c_bypass: Signal
    stages: data.View
    valid: Signal

    def __init__(self, config: Config):
        super().__init__(
            {
                "i": In(target(config)),
                "issue": In(1),
                "read_a": In(1),
                "a": In(1),
                "read_c": In(1),
                "c": In(1),
                "hazard": Out(1),
                "a_bypass": Out(2),
                "c_bypass": Out(3),
                "stages": Out(data.ArrayLayout(target(config), RESULT + 1)),
                "valid": Out(RESULT + 1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.d.comb += [self.stages[0].eq(self.i), self.valid[0].eq(self.issue)]
        same_a, same_c, disjoint = [0], [0], [0]
        for k in range(1, RESULT + 1):
            valid = Signal(name=f"valid{k}")
            stage = Signal(self.i.shape(), name=f"stage{k}")
            m.d.sync += [valid.eq(self.valid[k - 1]), stage.eq(self.stages[k - 1])]
            m.d.comb += [self.stages[k].eq(stage), self.valid[k].eq(valid)]
            same = valid & (stage.lane == self.i.lane) & (stage.chunk == self.i.chunk)
            same_a.append(same & self.read_a & (stage.index == self.a))
            same_c.append(same & self.read_c & (stage.index == self.c))
            disjoint.append(stage.element & self.i.element & (stage.position != self.i.position))
        waits = [same_a[k] & ~disjoint[k] for k in range(1, RESULT - 1)]
        waits += [same_c[k] & ~disjoint[k] for k in range(1, ADD_STAGES)]
        m.d.comb += [
            self.hazard.eq(Cat(*waits).any()),
            self.a_bypass.eq(Cat(same_a[RESULT - 1 : RESULT + 1])),
            self.c_bypass.eq(Cat(same_c[ADD_STAGES : ADD_STAGES + 3])),
        ]
        return m
