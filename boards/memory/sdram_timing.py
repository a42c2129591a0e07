"""What an SDR SDRAM asks of its controller."""

from dataclasses import dataclass
from math import ceil


@dataclass(frozen=True)
class SdramTiming:
    """Times of a chip; as the data sheets call them.

    The defaults are the slowest of the 16-bit chips that ULX3S boards have: ISSI IS42S16160G-7,
    Micron MT48LC16M16A2-75, Alliance AS4C32M16SB-7 (of which half is used) and Winbond W9825G6KH-6,
    with a little on top, so that one controller drives them all.

    Attributes
    ----------
    t_rcd, t_rp, t_ras, t_rc, t_rfc, t_rrd, t_wr : ns
    t_mrd : clock cycles
    refresh_ns : between two refreshes on the average: 64 ms for 8,192 rows
    power_up_ns : before the first command
    cas_latency : clock cycles
    max_hz : clock with that CAS latency
    row_bits, column_bits, bank_bits : geometry, of 16-bit words
    """

    t_rcd: float = 21.0
    t_rp: float = 22.0
    t_ras: float = 45.0
    t_rc: float = 67.0
    t_rfc: float = 70.0
    t_rrd: float = 15.0
    t_wr: float = 20.0
    t_mrd: int = 2
    refresh_ns: float = 64e6 / 8192
    power_up_ns: float = 200_000.0
    cas_latency: int = 2
    max_hz: int = 100_000_000
    row_bits: int = 13
    column_bits: int = 9
    bank_bits: int = 2

    @property
    def bytes(self) -> int:
        """Size of the chip."""
        return 2 << self.row_bits + self.column_bits + self.bank_bits

    def clocks(self, hz: int) -> "SdramClocks":
        """The times in whole cycles of a clock.

        Raises
        ------
        ValueError
            The clock is too fast for the CAS latency.
        """
        if not 0 < hz <= self.max_hz:
            raise ValueError(
                f"clock must be at most {self.max_hz / 1e6:g} MHz with a CAS latency of "
                f"{self.cas_latency}, not {hz / 1e6:g}"
            )

        def up(ns: float) -> int:
            # A thousandth of a cycle is rounding of the arithmetic, not of the chip.
            return max(1, ceil(ns * hz / 1e9 - 1e-3))

        rp, rc = up(self.t_rp), up(self.t_rc)
        return SdramClocks(
            rcd=up(self.t_rcd),
            rp=rp,
            # A row that is open this long also keeps t_rc, after a precharge.
            ras=max(up(self.t_ras), rc - rp),
            rfc=up(self.t_rfc),
            rrd=up(self.t_rrd),
            wr=up(self.t_wr),
            mrd=self.t_mrd,
            refresh=int(self.refresh_ns * hz / 1e9),
            power_up=up(self.power_up_ns),
            cas=self.cas_latency,
        )


@dataclass(frozen=True)
class SdramClocks:
    """The same in clock cycles."""

    rcd: int
    rp: int
    ras: int
    rfc: int
    rrd: int
    wr: int
    mrd: int
    refresh: int
    power_up: int
    cas: int
