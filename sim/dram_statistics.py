"""What a DRAM did in a run, and how near it came to its peak."""

from dataclasses import dataclass, fields

from .dram import Dram


@dataclass(frozen=True)
class DramStatistics:
    """What a DRAM did from a program's start to its end.

    Attributes
    ----------
    dram : the model
    line_bytes : of the machine
    cycles : of the machine, from start to done
    reads, writes : lines that were answered
    read_cycles : cycles from taking a read to its answer, all reads together
    read_bursts, write_bursts : accesses of the channels
    row_hits : accesses that found their row open, or opened by another
    row_misses : for which a row was opened
    row_conflicts : for which another row was closed, too
    refreshes : of all banks of a channel
    """

    dram: Dram
    line_bytes: int
    cycles: int
    reads: int
    writes: int
    read_cycles: int
    read_bursts: int
    write_bursts: int
    row_hits: int
    row_misses: int
    row_conflicts: int
    refreshes: int

    def __add__(self, other: "DramStatistics") -> "DramStatistics":
        """Both launches together.

        Raises
        ------
        ValueError
            They ran on different memories.
        """
        if (self.dram, self.line_bytes) != (other.dram, other.line_bytes):
            raise ValueError(f"dram must be the same in both, not {self.dram} and {other.dram}")
        sums = {
            field.name: getattr(self, field.name) + getattr(other, field.name)
            for field in fields(self) if field.name not in ("dram", "line_bytes")
        }  # fmt: skip
        return DramStatistics(dram=self.dram, line_bytes=self.line_bytes, **sums)

    @property
    def bytes_per_cycle(self) -> float:
        """Bytes of the lines that moved, by cycles of the machine."""
        return (self.reads + self.writes) * self.line_bytes / max(self.cycles, 1)

    @property
    def bytes_per_second(self) -> float:
        """The same by seconds."""
        return self.bytes_per_cycle * self.dram.clock_mhz * 1e6

    @property
    def of_peak(self) -> float:
        """Bytes that moved, by those that the model could have moved at most."""
        return self.bytes_per_cycle / self.dram.peak_bytes_per_cycle

    @property
    def bus_busy(self) -> float:
        """Share of the data buses' time that carried data, wanted or not."""
        moved = (self.read_bursts + self.write_bursts) * self.dram.burst_bytes
        return moved / max(self.cycles, 1) / self.dram.peak_bytes_per_cycle

    @property
    def row_hit_rate(self) -> float:
        """Accesses that opened no row, by all accesses."""
        return self.row_hits / max(self.read_bursts + self.write_bursts, 1)

    @property
    def mean_read_cycles(self) -> float:
        """Cycles of the machine from taking a read to its answer."""
        return self.read_cycles / max(self.reads, 1)

    def to_dict(self) -> dict:
        """Counts and figures, for a report."""
        counts = {
            field.name: getattr(self, field.name)
            for field in fields(self) if field.name not in ("dram", "line_bytes", "cycles")
        }  # fmt: skip
        return {
            "model": self.dram.name,
            "channels": self.dram.channels,
            "clock_mhz": self.dram.clock_mhz,
            "peak_bytes_per_second": self.dram.peak_bytes_per_second,
            "bytes_per_second": self.bytes_per_second,
            "of_peak": self.of_peak,
            "bus_busy": self.bus_busy,
            "row_hit_rate": self.row_hit_rate,
            "mean_read_cycles": self.mean_read_cycles,
            **counts,
        }
