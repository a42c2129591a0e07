"""A program: what the compiler emits, the host loads and the machine runs."""

from dataclasses import dataclass, field

from . import isa
from .config import Config

Fields = dict[str, int]


#: Memories with one entry per segment, beside the layers', and where a segment has it.
_PER_SEGMENT = {
    "row": "row", "marshal": "marshal", "execute_segment": "execute", "store": "store",
}  # fmt: skip


@dataclass(frozen=True)
class Segment:
    """One loop nest: an entry of each per-segment memory (absent fields are 0)."""

    layers: tuple[Fields, ...]
    row: Fields
    marshal: Fields
    execute: Fields
    store: Fields = field(default_factory=dict)


@dataclass(frozen=True)
class Program:
    """Segments in launch order and the callbacks' code.

    ``config_hash`` is the hash of the configuration the program was made for: hardware with
    another hash is refused by the driver.
    """

    config_hash: str
    segments: tuple[Segment, ...]
    code: tuple[Fields, ...]

    def image(self, config: Config) -> list[tuple[int, int]]:
        """The register-bus writes, (word address, 32-bit value), that load this program.

        Raises
        ------
        ValueError
            The program was made for another configuration, does not fit it, or has a field that
            does not fit its format.
        """
        if self.config_hash != config.hash:
            raise ValueError(
                f"program must be made for configuration {config.hash}, not {self.config_hash}"
            )
        if not 1 <= len(self.segments) <= config.segments:
            raise ValueError(
                f"program must have 1..{config.segments} segments, not {len(self.segments)}"
            )
        low, high = int(not config.store_streams), config.code_depth * config.execute
        if not low <= len(self.code) <= high:
            raise ValueError(f"program must have {low}..{high} instructions, not {len(self.code)}")
        writes = []
        windows = isa.windows(config)
        for name, attribute in _PER_SEGMENT.items():
            for index, segment in enumerate(self.segments):
                if getattr(segment, attribute) and name not in windows:
                    raise ValueError(
                        f"segment {index} has an entry for {name}, which the configuration has not"
                    )
        for name, (window, layout, _) in windows.items():
            for index, values in enumerate(self._entries(name, config)):
                word = layout.encode(values)
                base = window << isa.WINDOW_SHIFT | index << isa.ENTRY_SHIFT
                writes += [
                    (base | n, word >> (32 * n) & 0xFFFFFFFF) for n in range(layout.words)
                ]
        return writes

    def _entries(self, memory: str, config: Config) -> list[Fields]:
        if memory == "code":
            return list(self.code)
        if memory.startswith("layer"):
            layer = int(memory.removeprefix("layer"))
            for index, s in enumerate(self.segments):
                if len(s.layers) != config.scalar_layers:
                    raise ValueError(
                        f"segment {index} must have {config.scalar_layers} scalar layers, "
                        f"not {len(s.layers)}"
                    )
            return [s.layers[layer] for s in self.segments]
        return [getattr(s, _PER_SEGMENT[memory]) for s in self.segments]
