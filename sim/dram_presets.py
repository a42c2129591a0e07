"""The DRAMs that have a name, and where their numbers are from."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from .dram import Dram, DramTiming

# One rank of eight x8 chips of 8 Gb at 2400 MT/s, 16-16-16. JEDEC JESD79-4 as in Micron's
# data sheet "8Gb: x4, x8, x16 DDR4 SDRAM", speed grade -083E (MT40A1G8): tCK 0.833 ns, tRCD,
# tRP and tAA 13.32 ns, tRAS 32 ns, tWR 15 ns, tRTP max(4 CK, 7.5 ns), tCCD_L max(4 CK, 5 ns),
# tRRD_S and tRRD_L of a 1 KB page 3.3 and 4.9 ns, tFAW 21 ns, tWTR_S 2.5 ns, tWTR_L 7.5 ns,
# tRFC 350 ns, tREFI 7.8 us; CWL 12. rtw = cl + burst + 2 - cwl. The same clocks are in
# DRAMsim3 (configs/DDR4_8Gb_x8_2400.ini) and Ramulator 2 (DDR4_2400R).
_DDR4_2400 = Dram(
    name="ddr4-2400", memory_mhz=1200, channels=1, groups=4, banks=4, row_bytes=8192,
    burst_bytes=64,
    timing=DramTiming(
        burst=4, cl=16, cwl=12, rcd=16, rp=16, ras=39, rc=55, ccd_s=4, ccd_l=6, rrd_s=4,
        rrd_l=6, faw=26, wr=18, wtr_s=3, wtr_l=9, rtp=9, rtw=10, refi=9360, rfc=420,
    ),
)  # fmt: skip

# One stack at 2 Gb/s a pin: eight channels of JEDEC JESD235A, each of two pseudo channels with
# a 64-bit bus, bursts of four, rows of 1 KB and 16 banks. JEDEC leaves most timing to the
# vendors; these are the numbers of gem5's HBM_2000_4H_1x64 (src/mem/DRAMInterface.py).
_HBM2 = Dram(
    name="hbm2", memory_mhz=1000, channels=16, groups=4, banks=4, row_bytes=1024,
    burst_bytes=32, row_bus=True,
    timing=DramTiming(
        burst=2, cl=18, cwl=7, rcd=12, rp=14, ras=28, rc=42, ccd_s=2, ccd_l=3, rrd_s=4,
        rrd_l=6, faw=16, wr=14, wtr_s=4, wtr_l=9, rtp=5, rtw=18, refi=3900, rfc=220,
    ),
)  # fmt: skip

#: The memories by name.
DRAM_PRESETS: Mapping[str, Dram] = MappingProxyType({d.name: d for d in (_DDR4_2400, _HBM2)})


def dram_preset(name: str, **changes) -> Dram:
    """One of :data:`DRAM_PRESETS`, with changes.

    Raises
    ------
    TypeError, ValueError
        There is no such memory; a change is wrong.
    """
    if name not in DRAM_PRESETS:
        raise ValueError(f"memory must be one of {', '.join(DRAM_PRESETS)}, not {name!r}")
    return replace(DRAM_PRESETS[name], **changes)
