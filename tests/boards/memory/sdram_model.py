"""An SDR SDRAM as its data sheet describes it: contents, and an assertion for every rule."""

import random

from ember.boards.memory.sdram_pins import SdramCommand
from ember.boards.memory.sdram_timing import SdramTiming

BANKS = 4


class SdramModel:
    """Call :meth:`clock` once for each rising edge, with what is on the pins.

    Times are compared in ns, as the data sheet gives them, not in the controller's cycles.

    Attributes
    ----------
    words : (bank, row, column) -> 16-bit word; what was never written is random
    counts : command name -> number
    """

    def __init__(self, timing: SdramTiming, hz: int, seed=0):
        self._t, self._period = timing, 1e9 / hz
        self._random = random.Random(f"sdram {seed}")
        self.words: dict[tuple[int, int, int], int] = {}
        self.counts = {command.name: 0 for command in SdramCommand}
        self._now = -1
        self._row: list[int | None] = [None] * BANKS
        self._active = [-1e9] * BANKS
        self._precharged = [-1e9] * BANKS
        self._read_at = [-1e9] * BANKS  # cycle of the last READ
        self._last_in = [-1e9] * BANKS  # cycle of the last word of a WRITE
        self._refreshed = self._mode_at = -1e9
        self._burst = 0
        self._ready = False
        self._reads: dict[int, tuple[int, int, int]] = {}  # cycle -> word that is driven then
        self._writing: list[tuple[int, int, int]] = []  # words that come, this cycle's first
        self._last_access: tuple[str, int] | None = None
        self._dqm_before = 0
        self._since_refresh = 0.0

    def clock(self, cke, cs, ras, cas, we, a, ba, dqm, dq_o, dq_oe) -> int:
        """What is on the data pins at the end of the cycle."""
        self._now += 1
        now = self._now
        command = SdramCommand(ras | cas << 1 | we << 2) if cs and cke else SdramCommand.NOP
        self.counts[command.name] += 1
        if command != SdramCommand.NOP:
            getattr(self, f"_{command.name.lower()}")(ba, a)
        driven = self._reads.pop(now, None)
        if self._writing:
            assert dq_oe, f"cycle {now}: no data for a WRITE"
            place = self._writing.pop(0)
            old, keep = self._word(place), 0x00FF * (dqm & 1) | 0xFF00 * (dqm >> 1)
            self.words[place] = (old & keep) | (dq_o & ~keep & 0xFFFF)
            self._last_in[place[0]] = now
        else:
            assert not dq_oe, f"cycle {now}: data that nobody takes"
        if driven is not None:
            assert not dq_oe, f"cycle {now}: both drive the data pins"
        # A mask takes two edges to switch a read's data off.
        masked, self._dqm_before = self._dqm_before, dqm
        if driven is None:
            return self._random.getrandbits(16)
        garbage = self._random.getrandbits(16)
        off = 0x00FF * (masked & 1) | 0xFF00 * (masked >> 1)
        return (self._word(driven) & ~off) | (garbage & off)

    def finish(self) -> None:
        """At the end of a run: enough refreshes."""
        if self._ready:
            due = (self._now - self._mode_at) * self._period / self._t.refresh_ns
            done = self.counts["REFRESH"] - 8
            assert done >= due - 2, f"{done} refreshes, {due:.1f} were due"

    def _word(self, place) -> int:
        if place not in self.words:
            self.words[place] = self._random.getrandbits(16)
        return self.words[place]

    def _at_least(self, what: str, since: float, ns: float) -> None:
        passed = (self._now - since) * self._period
        assert passed >= ns - 1e-3 * self._period, (
            f"cycle {self._now}: {what} after {passed:.1f} ns, not {ns}"
        )

    def _activate(self, ba, a):
        assert self._ready, "ACTIVATE before the initialization"
        assert self._row[ba] is None, f"cycle {self._now}: ACTIVATE of an open bank"
        self._at_least("ACTIVATE after PRECHARGE", self._precharged[ba], self._t.t_rp)
        self._at_least("ACTIVATE after ACTIVATE", self._active[ba], self._t.t_rc)
        for other in range(BANKS):
            self._at_least("ACTIVATE of two banks", self._active[other], self._t.t_rrd)
        self._at_least("ACTIVATE after REFRESH", self._refreshed, self._t.t_rfc)
        assert self._now - self._mode_at >= self._t.t_mrd, "ACTIVATE after MODE"
        self._row[ba], self._active[ba] = a, self._now

    def _access(self, kind, ba, a):
        row = self._row[ba]
        assert row is not None, f"cycle {self._now}: {kind} of a closed bank"
        assert not a >> 10, f"cycle {self._now}: {kind} with a precharge"
        assert a % self._burst == 0, f"cycle {self._now}: {kind} wraps around"
        self._at_least(f"{kind} after ACTIVATE", self._active[ba], self._t.t_rcd)
        if self._last_access:
            last, cycle = self._last_access
            turn = self._t.cas_latency if (last, kind) == ("READ", "WRITE") else 0
            assert self._now - cycle >= self._burst + turn, f"cycle {self._now}: {kind} cuts {last}"
        self._last_access = kind, self._now
        return [(ba, row, a + n) for n in range(self._burst)]

    def _read(self, ba, a):
        places = self._access("READ", ba, a)
        self._read_at[ba] = self._now
        for n, place in enumerate(places):
            self._reads[self._now + self._t.cas_latency - 1 + n] = place

    def _write(self, ba, a):
        self._writing = self._access("WRITE", ba, a)

    def _precharge(self, ba, a):
        if not self.counts["REFRESH"]:
            self._at_least("first command", 0, self._t.power_up_ns)
        for bank in range(BANKS) if a >> 10 & 1 else (ba,):
            if self._row[bank] is not None:
                self._at_least("PRECHARGE after ACTIVATE", self._active[bank], self._t.t_ras)
                assert self._now - self._read_at[bank] >= self._burst, "PRECHARGE cuts a READ"
                assert not any(place[0] == bank for place in self._writing), "PRECHARGE cuts"
                self._at_least("PRECHARGE after data", self._last_in[bank], self._t.t_wr)
                self._precharged[bank] = self._now
            self._row[bank] = None

    def _refresh(self, ba, a):
        assert self._row == [None] * BANKS, f"cycle {self._now}: REFRESH of open banks"
        self._at_least("REFRESH after PRECHARGE", max(self._precharged), self._t.t_rp)
        self._at_least("REFRESH after REFRESH", self._refreshed, self._t.t_rfc)
        self._refreshed = self._now

    def _mode(self, ba, a):
        assert self.counts["PRECHARGE"] and self.counts["REFRESH"] >= 8 and not self._ready
        self._at_least("MODE after REFRESH", self._refreshed, self._t.t_rfc)
        self._burst = 1 << (a & 7)
        assert a >> 3 & 1 == 0 and a >> 4 & 7 == self._t.cas_latency and a >> 7 == 0 and ba == 0
        self._mode_at, self._ready = self._now, True
