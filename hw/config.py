"""The machine's parameters: one frozen dataclass, its presets, and every cross-check."""

import dataclasses
import hashlib
import json
import tomllib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

#: Changes whenever the microcode or the register map changes; part of the configuration hash.
ISA_VERSION = 3


def _param(default: int, low: int, high: int, unit: str, doc: str, *, power_of_two: bool = False):
    meta = {"low": low, "high": high, "unit": unit, "doc": doc, "power_of_two": power_of_two}
    return field(default=default, metadata=meta)


#: Fields that came after hashes were in use, with the value of machines that were made before:
#: such a machine keeps its hash, and its programs and bitstreams stay valid.
_LATER = {"store_streams": 0, "execute": 1}


@dataclass(frozen=True)
class Config:
    """Parameters of one machine. Every field is an integer; see :meth:`fields` for the ranges.

    Raises
    ------
    TypeError
        A field is not an integer.
    ValueError
        A field is out of range, or two fields disagree (the message names both numbers).
    """

    lanes: int = _param(8, 1, 16, "FP32 elements", "SIMD lanes of a vector", power_of_two=True)
    layers: int = _param(3, 2, 4, "layers", "nesting levels of the access unit, the row included")
    fiber_lanes: int = _param(
        4, 1, 8, "lanes", "outermost iterations (bags) walked at once", power_of_two=True
    )
    mshrs: int = _param(64, 1, 256, "lines", "loads that may be outstanding", power_of_two=True)
    addr_width: int = _param(40, 32, 64, "bits", "byte address and index arithmetic width")
    dataq_depth: int = _param(32, 1, 1024, "vectors", "operand queue depth")
    ctrlq_depth: int = _param(32, 1, 1024, "tokens", "token queue depth")
    row_chunks: int = _param(
        32, 1, 256, "vectors", "longest row a vector register holds", power_of_two=True
    )
    segments: int = _param(32, 1, 256, "segments", "loop nests per launch", power_of_two=True)
    code_depth: int = _param(64, 16, 256, "instructions", "callback memory", power_of_two=True)
    line_slots: int = _param(
        16, 2, 64, "lines", "line buffer of each scalar load stream", power_of_two=True
    )
    run_ahead: int = _param(
        64, 2, 512, "iterations", "iterations of a layer whose loads may be pending",
        power_of_two=True,
    )
    fiber_depth: int = _param(4, 1, 16, "fibers", "fibers queued in front of each fiber lane")
    div_interval: int = _param(13, 1, 26, "cycles", "cycles between two vector divisions")
    row_window: int = _param(
        0, 0, 256, "rows",
        "rows requested and not yet consumed, a baseline for measurements: 0 no bound, 1 coupled",
    )
    cache_lines: int = _param(
        0, 0, 65536, "lines", "read cache in front of the memory: 0 none", power_of_two=True
    )
    cache_ways: int = _param(
        4, 1, 8, "lines", "lines of a set of the read cache", power_of_two=True
    )
    cache_fetches: int = _param(
        256, 1, 256, "lines", "lines on their way from memory to the read cache, at most"
    )
    store_streams: int = _param(
        0, 0, 1, "", "1: the access unit can store the rows that it reads"
    )
    execute: int = _param(
        1, 0, 1, "", "0: no execute unit and no queues, all rows are stored by the access unit"
    )

    def __post_init__(self) -> None:
        for f in dataclasses.fields(self):
            value, meta = getattr(self, f.name), f.metadata
            if not isinstance(value, int) or isinstance(value, bool):
                raise TypeError(f"{f.name} must be an integer, not {value!r}")
            if not meta["low"] <= value <= meta["high"]:
                unit = f" {meta['unit']}" if meta["unit"] else ""
                raise ValueError(
                    f"{f.name} must be {meta['low']}..{meta['high']}{unit}, not {value!r}"
                )
            if meta["power_of_two"] and value & (value - 1):
                raise ValueError(f"{f.name} must be a power of two, not {value!r}")
        if self.div_interval not in DIV_INTERVALS:
            allowed = ", ".join(map(str, DIV_INTERVALS))
            raise ValueError(f"div_interval must be one of {allowed}, not {self.div_interval!r}")

        if 0 < self.cache_lines < self.cache_ways:
            raise ValueError(
                f"cache_lines must be 0 or at least cache_ways, {self.cache_ways}, "
                f"not {self.cache_lines}"
            )
        if not self.execute and not self.store_streams:
            raise ValueError("store_streams must be 1 where execute is 0, not 0")
        if self.store_streams and self.row_window:
            raise ValueError(
                f"row_window must be 0 where store_streams is 1, not {self.row_window}"
            )

    # Derived values -----------------------------------------------------------------------

    @property
    def line_bytes(self) -> int:
        """Bytes of a memory line and of a DataQ vector."""
        return self.lanes * 4

    @property
    def line_shift(self) -> int:
        """log2 of :attr:`line_bytes`."""
        return self.line_bytes.bit_length() - 1

    @property
    def line_addr_width(self) -> int:
        """Bits of a line address."""
        return self.addr_width - self.line_shift

    @property
    def scalar_layers(self) -> int:
        """Layers above the row layer."""
        return self.layers - 1

    @property
    def max_dim(self) -> int:
        """Longest row, in elements, that one segment can handle."""
        return self.row_chunks * self.lanes

    @property
    def ring_slots(self) -> int:
        """Lines of the row layer's in-order ring. One slot could never be refilled in time."""
        return max(2, self.mshrs)

    @cached_property
    def hash(self) -> str:
        """Eight hex digits that identify this machine and its microcode encoding."""
        fields = {k: v for k, v in self.to_dict().items() if _LATER.get(k) != v}
        text = json.dumps({"isa": ISA_VERSION, **fields}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def to_dict(self) -> dict[str, int]:
        """The fields as a plain dictionary, in declaration order."""
        return dataclasses.asdict(self)

    # Construction -------------------------------------------------------------------------

    @classmethod
    def preset(cls, name: str) -> "Config":
        """One of the named presets.

        Raises
        ------
        ValueError
            No such preset.
        """
        if name not in PRESETS:
            raise ValueError(f"preset must be one of {', '.join(PRESETS)}, not {name!r}")
        return cls(**PRESETS[name])

    @classmethod
    def load(cls, path: str | Path, base: "Config | None" = None) -> "Config":
        """Read a TOML file of ``key = value`` lines over ``base``.

        Raises
        ------
        ValueError
            The file is not TOML, has an unknown key, or a value out of range.
        OSError
            The file cannot be read.
        """
        if not isinstance(path, str | Path):
            raise TypeError(f"path must be the name of a file, not {path!r}")
        try:
            table = tomllib.loads(Path(path).read_text())
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ValueError(f"{path} must be a TOML file: {error}") from None
        return (base or cls()).replace(**table)

    def replace(self, **changes: object) -> "Config":
        """A copy with some fields changed; unknown names are a ValueError."""
        names = [f.name for f in dataclasses.fields(self)]
        for key in changes:
            if key not in names:
                allowed = ", ".join(names)
                raise ValueError(f"configuration key must be one of {allowed}, not {key!r}")
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def override(self, setting: str) -> "Config":
        """A copy with one ``key=value`` setting applied, as the CLI's ``--set`` gives it."""
        if not isinstance(setting, str):
            raise TypeError(f"setting must be a string key=value, not {setting!r}")
        key, equals, text = setting.partition("=")
        if not equals:
            raise ValueError(f"setting must be key=value, not {setting!r}")
        try:
            value = int(text.strip(), 0)
        except ValueError:
            raise ValueError(f"{key.strip()} must be an integer, not {text.strip()!r}") from None
        return self.replace(**{key.strip(): value})


#: Initiation intervals the divider can be built with (see hw/core/fp/divide.py).
DIV_INTERVALS = (1, 2, 13, 26)

PRESETS: dict[str, dict[str, int]] = {
    # Fast tests: every queue and window is small, so that every full and empty case occurs.
    "tiny": dict(
        lanes=4, layers=3, fiber_lanes=2, mshrs=8, addr_width=32, dataq_depth=2, ctrlq_depth=2,
        row_chunks=16, segments=8, code_depth=32, line_slots=4, run_ahead=8, fiber_depth=2,
        div_interval=13,
    ),
    # Fits an ECP5-85F.
    "default": dict(),
    # The published machines' size: 64 B per cycle, 256 outstanding loads, four layers.
    "paper": dict(
        lanes=16, layers=4, fiber_lanes=8, mshrs=256, addr_width=48, dataq_depth=64,
        ctrlq_depth=64, row_chunks=64, segments=64, code_depth=64, line_slots=32, run_ahead=256,
        fiber_depth=16, div_interval=2,
    ),
}  # fmt: skip
