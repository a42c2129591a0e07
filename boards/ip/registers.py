"""The register map as other people's tools want it: byte addresses, 32-bit registers, bits.

Everything comes from :mod:`ember.hw.isa`, but for names of single bits, which it has in prose.
"""

import enum
import re
from dataclasses import dataclass

from ...hw import isa
from ...hw.config import ISA_VERSION, Config

_WORD = 4  # bytes

#: Bits of registers, by the number that isa.REGISTERS has in its text.
_BITS = {
    "CONTROL": ("start", "clear"),
    "STATUS": ("busy", "done", "error"),
    "IRQ_ENABLE": ("done",),
}
_BIT = re.compile(r"bit (\d+): ([^;]*)")
#: Registers of two words.
_WIDE = ("ERROR_POSITION", "ERROR_VALUE")


@dataclass(frozen=True)
class Field:
    """Bits ``low`` .. ``low + width - 1`` of a register; ``values`` if they have names."""

    name: str
    low: int
    width: int
    doc: str
    values: type[enum.IntEnum] | None = None


@dataclass(frozen=True)
class Register:
    """32 bits at a byte address; ``access`` is ``r``, ``w`` or ``rw``."""

    name: str
    address: int
    access: str
    reset: int
    doc: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class ProgramWindow:
    """A program memory: ``entries`` times ``stride`` bytes, of which ``words`` words are used.

    It is write-only.
    """

    name: str
    address: int
    entries: int
    words: int
    doc: str

    @property
    def stride(self) -> int:
        """Bytes from one entry to the next."""
        return _WORD << isa.ENTRY_SHIFT


@dataclass(frozen=True)
class RegisterMap:
    """Everything that a host can reach, in the order of addresses; ``size`` in bytes."""

    config: Config
    registers: tuple[Register, ...]
    windows: tuple[ProgramWindow, ...]
    size: int


def register_map(config: Config) -> RegisterMap:
    """The map of a machine."""
    registers = []
    for name, address, access, doc in isa.REGISTERS:
        if name in _WIDE:
            for part, suffix in enumerate(("LO", "HI")):
                what = f"{doc.removesuffix(', low word first')}: {('low', 'high')[part]} word"
                registers.append(_register(config, f"{name}_{suffix}", address + part, "r", what))
        else:
            registers.append(_register(config, name, address, access, doc))
    for number, (name, doc) in enumerate(isa.COUNTERS):
        for part, suffix in enumerate(("LO", "HI")):
            address = isa.COUNTER_BASE + 2 * number + part
            what = f"{doc}: {('low', 'high')[part]} word"
            registers.append(_register(config, f"{name.upper()}_{suffix}", address, "r", what))
    windows = tuple(
        ProgramWindow(
            name.upper(), _WORD * number << isa.WINDOW_SHIFT, entries, layout.words,
            f"program memory of {entries} entries of {layout.words} words, one every "
            f"{_WORD << isa.ENTRY_SHIFT} bytes; see docs/isa.md",
        )
        for name, (number, layout, entries) in isa.windows(config).items()
    )  # fmt: skip
    return RegisterMap(config, tuple(registers), windows, _WORD << isa.BUS_ADDR_WIDTH)


def _register(config: Config, name: str, address: int, access: str, doc: str) -> Register:
    resets = {
        "ID": isa.ID_VALUE,
        "VERSION": ISA_VERSION,
        "CONFIG_HASH": int(config.hash, 16),
        "SEGMENTS": 1,
    }
    fields = [Field("value", 0, 32, doc)]
    if name in _BITS:
        bits = {int(number): what.strip() for number, what in _BIT.findall(doc)}
        fields = [Field(bit, n, 1, bits.pop(n)) for n, bit in enumerate(_BITS[name])]
        if bits:
            raise ValueError(f"{name} must have names for its bits {', '.join(map(str, bits))}")
    elif name == "ERROR_KIND":
        fields = [Field("value", 0, 3, doc, isa.Error)]
    return Register(name, _WORD * address, access, resets.get(name, 0), doc, tuple(fields))
