"""A banked DRAM: its shape, its timing and its controller."""

import math
from dataclasses import dataclass, fields

#: Fastest clock, of the memory or the machine.
MAX_MHZ = 100_000

#: Most clocks that a timing parameter may have.
_MAX_CLOCKS = 1 << 20

#: What an address is cut into, below the row.
_PARTS = ("bank", "channel", "column", "group")


def _log2(value: int) -> int:
    return value.bit_length() - 1


def _whole(name: str, value: object, low: int, high: int, unit: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an integer, not {value!r}")
    if not low <= value <= high:
        allowed = f"{low}..{high} {unit}".rstrip()
        raise ValueError(f"{name} must be {allowed}, not {value}")


def _at_least(name: str, value: int, other: str, bound: int) -> None:
    if value < bound:
        raise ValueError(f"{name} must be at least {other}, {bound}, not {value}")


@dataclass(frozen=True)
class DramTiming:
    """Least distances between commands, in clocks of the memory.

    Attributes
    ----------
    burst : data bus, taken by one access
    cl, cwl : READ, WRITE to its first data
    rcd : ACTIVATE to READ or WRITE
    rp : PRECHARGE to ACTIVATE or REFRESH
    ras, rc : ACTIVATE to PRECHARGE, to the next ACTIVATE of the bank
    ccd_s, ccd_l : READ to READ and WRITE to WRITE: other bank group, same bank group
    rrd_s, rrd_l : ACTIVATE to ACTIVATE of another bank: other bank group, same bank group
    faw : window in which at most four ACTIVATEs of a channel begin
    wr : end of the written data to PRECHARGE
    wtr_s, wtr_l : end of the written data to READ: other bank group, same bank group
    rtp : READ to PRECHARGE
    rtw : READ to WRITE
    refi, rfc : mean distance of REFRESHes of all banks, and how long each takes

    Raises
    ------
    ValueError
        A value is out of range, or two of them contradict each other.
    """

    burst: int
    cl: int
    cwl: int
    rcd: int
    rp: int
    ras: int
    rc: int
    ccd_s: int
    ccd_l: int
    rrd_s: int
    rrd_l: int
    faw: int
    wr: int
    wtr_s: int
    wtr_l: int
    rtp: int
    rtw: int
    refi: int
    rfc: int

    def __post_init__(self) -> None:
        for field in fields(self):
            _whole(field.name, getattr(self, field.name), 1, _MAX_CLOCKS, "clocks")
        for low, high in (
            ("burst", "ccd_s"), ("ccd_s", "ccd_l"), ("rrd_s", "rrd_l"), ("wtr_s", "wtr_l"),
            ("ras", "rc"),
        ):  # fmt: skip
            _at_least(high, getattr(self, high), low, getattr(self, low))
        # The bus must be free of what is read when the first written data comes.
        _at_least("rtw", self.rtw, "cl + burst - cwl", self.cl + self.burst - self.cwl)
        if self.refi < 2 * self.refresh_pause:
            raise ValueError(
                f"refi must be at least twice the {self.refresh_pause} clocks for which a refresh "
                f"may keep a channel, not {self.refi}"
            )

    @property
    def refresh_delay(self) -> int:
        """Clocks, at most, from when a refresh is due until it begins: rows are closed before."""
        closing = max(self.ras, self.rtp, self.cwl + self.burst + self.wr)
        return max(self.rc, closing + self.rp)

    @property
    def refresh_pause(self) -> int:
        """Clocks, at most, for which a channel that must refresh takes no access."""
        return self.refresh_delay + self.rfc


@dataclass(frozen=True)
class Dram:
    """Channels of a banked DRAM behind one controller each; docs/memory.md has the model.

    Attributes
    ----------
    name : what reports call it
    memory_mhz : clock of the memory; the data rate of a DDR memory is twice that
    channels, groups, banks : channels; bank groups of a channel; banks of a group
    row_bytes, burst_bytes : bytes of a channel's row, and of one access
    timing : in clocks of the memory
    row_bus : ACTIVATE and PRECHARGE have a command bus of their own, beside READ and WRITE
    interleave_bytes : neighbouring bytes that stay in a row
    mapping : order of the address's parts above those, the most significant first: a permutation
        of bank, channel, column and group with ``row`` in front
    hashed : bank and group are those of the address, exclusive or the lowest bits of the row
    read_queue, write_queue : bursts that wait in a channel
    write_high, write_low : writes waiting when a channel turns to writes, and back to reads
    hit_cap : accesses to an open row after which an older one to another row goes first
    overhead_ns : of controller, PHY and interconnect, there and back together
    clock_mhz : clock of the machine

    Raises
    ------
    TypeError, ValueError
        A field of a wrong type or value.
    """

    name: str
    memory_mhz: int
    channels: int
    groups: int
    banks: int
    row_bytes: int
    burst_bytes: int
    timing: DramTiming
    row_bus: bool = False
    interleave_bytes: int = 256
    mapping: str = "row:bank:column:group:channel"
    hashed: bool = True
    read_queue: int = 32
    write_queue: int = 32
    write_high: int = 24
    write_low: int = 8
    hit_cap: int = 16
    overhead_ns: int = 20
    clock_mhz: int = 1000

    def __post_init__(self) -> None:
        for name, low, high, unit in (
            ("memory_mhz", 1, MAX_MHZ, "MHz"), ("clock_mhz", 1, MAX_MHZ, "MHz"),
            ("channels", 1, 256, ""), ("groups", 1, 64, ""), ("banks", 1, 64, ""),
            ("row_bytes", 1, 1 << 20, "bytes"), ("burst_bytes", 4, 1024, "bytes"),
            ("interleave_bytes", 1, 1 << 20, "bytes"), ("read_queue", 1, 1024, "bursts"),
            ("write_queue", 1, 1024, "bursts"), ("write_high", 1, 1024, "bursts"),
            ("write_low", 0, 1024, "bursts"), ("hit_cap", 1, 1 << 20, "accesses"),
            ("overhead_ns", 0, 10_000, "ns"),
        ):  # fmt: skip
            _whole(name, getattr(self, name), low, high, unit)
        for name in (
            "channels", "groups", "banks", "row_bytes", "burst_bytes", "interleave_bytes",
        ):  # fmt: skip
            value = getattr(self, name)
            if value & value - 1:
                raise ValueError(f"{name} must be a power of two, not {value}")
        if self.groups * self.banks > 64:
            raise ValueError(f"groups x banks must be at most 64, not {self.groups} x {self.banks}")
        for low, high in (
            ("burst_bytes", "interleave_bytes"), ("interleave_bytes", "row_bytes"),
            ("write_high", "write_queue"),
        ):  # fmt: skip
            _at_least(high, getattr(self, high), low, getattr(self, low))
        if self.write_low >= self.write_high:
            raise ValueError(
                f"write_low must be below write_high, {self.write_high}, not {self.write_low}"
            )
        parts = self.mapping.split(":")
        if parts[0] != "row" or tuple(sorted(parts[1:])) != _PARTS:
            raise ValueError(
                f"mapping must be row, then {', '.join(_PARTS)} in any order, with : between "
                f"them, not {self.mapping!r}"
            )
        if not isinstance(self.timing, DramTiming):
            raise TypeError(f"timing must be a DramTiming, not {type(self.timing).__name__}")

    @property
    def peak_bytes_per_second(self) -> float:
        """What the data buses of all channels can move."""
        rate = self.channels * self.burst_bytes * self.memory_mhz * 1e6
        return rate / self.timing.burst

    @property
    def peak_bytes_per_cycle(self) -> float:
        """The same by cycles of the machine."""
        return self.peak_bytes_per_second / (self.clock_mhz * 1e6)

    @property
    def overhead_cycles(self) -> int:
        """``overhead_ns`` in cycles of the machine, rounded up; at least 1."""
        return max(1, math.ceil(self.overhead_ns * self.clock_mhz / 1000))

    def bursts(self, line_bytes: int) -> int:
        """Accesses for a line of the machine: a smaller one costs a whole burst."""
        return max(1, line_bytes // self.burst_bytes)

    def address_bits(self) -> dict[str, tuple[int, int]]:
        """(lowest bit, bits) of channel, bank, group and row in a byte's address.

        A row has all bits from its lowest on. Columns make no difference to the timing.
        """
        widths = {
            "column": _log2(self.row_bytes) - _log2(self.interleave_bytes),
            "channel": _log2(self.channels),
            "group": _log2(self.groups),
            "bank": _log2(self.banks),
        }
        at, bits = _log2(self.interleave_bytes), {}
        for part in reversed(self.mapping.split(":")[1:]):
            bits[part] = (at, widths[part])
            at += widths[part]
        del bits["column"]
        bits["row"] = (at, 64 - at)
        return bits

    def __str__(self) -> str:
        plural = "" if self.channels == 1 else "s"
        return f"{self.name}, {self.channels} channel{plural}, machine at {self.clock_mhz} MHz"
