"""A :class:`Dram` and its counts as the C++ of sim/dram.h has them."""

import ctypes
from dataclasses import asdict, fields

from .dram import Dram, DramTiming

_SIZES = (
    "clock_mhz", "memory_mhz", "overhead", "line_bytes", "burst_bytes", "bursts", "channels",
    "groups", "banks", "channel_at", "channel_bits", "group_at", "group_bits", "bank_at",
    "bank_bits", "row_at", "hashed", "row_bus", "read_queue", "write_queue", "write_high",
    "write_low", "hit_cap",
)  # fmt: skip

COUNTS = (
    "clocks", "reads", "read_cycles", "read_bursts", "write_bursts", "row_hits", "row_misses",
    "row_conflicts", "refreshes",
)  # fmt: skip


class Settings(ctypes.Structure):
    """``DramSettings``; made by :func:`settings`."""

    _fields_ = [
        (name, ctypes.c_uint32) for name in (*_SIZES, *(field.name for field in fields(DramTiming)))
    ]


class Counts(ctypes.Structure):
    """``DramCounts``."""

    _fields_ = [(name, ctypes.c_uint64) for name in COUNTS]

    def to_dict(self) -> dict[str, int]:
        """The counts by name."""
        return {name: getattr(self, name) for name in COUNTS}


def settings(dram: Dram, line_bytes: int) -> Settings:
    """The model of a memory behind ports of ``line_bytes``."""
    at = dram.address_bits()
    own = {name: getattr(dram, name) for name in _SIZES if hasattr(dram, name)}
    own |= {
        "overhead": dram.overhead_cycles, "line_bytes": line_bytes,
        "bursts": dram.bursts(line_bytes), "row_at": at["row"][0],
    }  # fmt: skip
    for part in ("channel", "group", "bank"):
        own[f"{part}_at"], own[f"{part}_bits"] = at[part]
    return Settings(**own, **asdict(dram.timing))
