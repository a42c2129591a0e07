"""The rules that an AXI4 master and an AXI4-Lite slave have to keep, looked at in every cycle."""

import cocotb
from cocotb.triggers import FallingEdge
from ember.hw.config import Config

_ADDRESS = ("id", "addr", "len", "size", "burst", "lock", "cache", "prot", "qos")
#: Channels that the design drives -> their payload.
_DRIVEN = {
    "m_axi_ar": _ADDRESS,
    "m_axi_aw": _ADDRESS,
    "m_axi_w": ("data", "strb", "last"),
    "s_axil_b": ("resp",),
    "s_axil_r": ("data", "resp"),
}


class AxiRules:
    """Watches all ports of an AxiMachine; a rule that is broken fails the test.

    Attributes
    ----------
    reads, writes, beats : bursts and read beats that have been seen
    most : highest number of reads outstanding
    """

    def __init__(self, dut, config: Config):
        self._dut, self._line = dut, config.line_bytes
        self._bytes = len(dut.m_axi_rdata) // 8
        self.reads = self.writes = self.beats = self.most = 0
        self._clear()
        cocotb.start_soon(self._run())

    def _clear(self) -> None:
        self._offered = dict.fromkeys(_DRIVEN)
        self._open: dict[int, int] = {}  # ID -> beats to come
        self._write_beats = self._ended = self._answered = self._addressed = 0

    def _get(self, name: str) -> int:
        return int(getattr(self._dut, name).value)

    async def _run(self) -> None:
        while True:
            await FallingEdge(self._dut.clk)
            if self._get("rst"):
                self._clear()
                continue
            fired = {}
            for channel, names in _DRIVEN.items():
                valid = self._get(f"{channel}valid")
                payload = tuple(self._get(f"{channel}{name}") for name in names) if valid else None
                held = self._offered[channel]
                assert held in (None, payload), f"{channel} must hold {held}, not {payload}"
                taken = valid and self._get(f"{channel}ready")
                self._offered[channel] = None if taken else payload
                if taken:
                    fired[channel] = dict(zip(names, payload, strict=True))
            self._reads(fired)
            self._writes(fired)

    def _burst(self, burst: dict[str, int]) -> None:
        assert (burst["len"] + 1) << burst["size"] == self._line
        assert 1 << burst["size"] == self._bytes and burst["burst"] == 1
        first, last = burst["addr"], burst["addr"] + self._line - 1
        assert first % self._line == 0
        assert first // 4096 == last // 4096, f"{first:#x} must not cross a multiple of 4 KiB"
        assert (burst["lock"], burst["cache"], burst["prot"], burst["qos"]) == (0, 2, 0, 0)

    def _reads(self, fired: dict) -> None:
        if burst := fired.get("m_axi_ar"):
            self._burst(burst)
            assert burst["id"] not in self._open, f"ID {burst['id']} must not be outstanding"
            self._open[burst["id"]] = burst["len"] + 1
            self.reads += 1
            self.most = max(self.most, len(self._open))
        if self._get("m_axi_rvalid") and self._get("m_axi_rready"):
            number = self._get("m_axi_rid")
            self._open[number] -= 1
            self.beats += 1
            assert self._get("m_axi_rlast") == (self._open[number] == 0)
            if not self._open[number]:
                del self._open[number]

    def _writes(self, fired: dict) -> None:
        if burst := fired.get("m_axi_aw"):
            self._burst(burst)
            assert burst["id"] == 0
            self._addressed += 1
            self.writes += 1
        if beat := fired.get("m_axi_w"):
            self._write_beats += 1
            whole = self._write_beats * self._bytes == self._line
            assert beat["last"] == whole
            if whole:
                self._write_beats = 0
                self._ended += 1
        if self._get("m_axi_bvalid") and self._get("m_axi_bready"):
            self._answered += 1
            assert self._answered <= min(self._addressed, self._ended)
