"""Programs before linking.

A *template* is a program in which a field may be an :class:`Address`. Linking replaces these by
numbers; nothing else changes, so an operation is compiled once and linked for each call.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..hw.config import Config
from ..hw.program import Program, Segment
from .errors import CompileError


@dataclass(frozen=True)
class Address:
    """Where an argument will be, plus an offset.

    Parameters
    ----------
    table, role : str
        The function and its argument.
    offset : int
        Bytes.
    extent : int
        Bytes of the argument.
    size : int
        Bytes of an element; its address is a multiple of it.
    """

    table: str
    role: str
    offset: int
    extent: int
    size: int = 4

    def __str__(self) -> str:
        text = self.symbol
        if not re.fullmatch(r"[A-Za-z_][\w.-]*", text, re.ASCII):
            text = json.dumps(text)
        return f"{text}+{self.offset}" if self.offset else text

    @property
    def symbol(self) -> str:
        """The name of the argument's address."""
        return f"{self.table}.{self.role}"


Value = int | Address
TemplateFields = dict[str, Value]


@dataclass(frozen=True)
class TemplateSegment:
    """As :class:`ember.hw.program.Segment`, before linking."""

    layers: tuple[TemplateFields, ...]
    row: TemplateFields
    marshal: TemplateFields
    execute: TemplateFields
    store: TemplateFields = field(default_factory=dict)


@dataclass(frozen=True)
class Template:
    """As :class:`ember.hw.program.Program`, before linking."""

    config_hash: str
    segments: tuple[TemplateSegment, ...]
    code: tuple[dict[str, int], ...]

    def link(self, addresses: Mapping[tuple[str, str], int], config: Config) -> Program:
        """The program with every array at its byte address.

        Raises
        ------
        KeyError
            An address is missing.
        TypeError, ValueError
            An address is not an integer, not aligned, or beyond what the configuration reaches.
        """

        def link(fields: TemplateFields) -> dict[str, int]:
            return {
                name: value if isinstance(value, int) else _resolve(value, addresses, config)
                for name, value in fields.items()
            }

        segments = tuple(
            Segment(
                tuple(map(link, s.layers)), *map(link, (s.row, s.marshal, s.execute, s.store))
            )
            for s in self.segments
        )
        return Program(self.config_hash, segments, self.code)


def _resolve(value: Address, addresses: Mapping[tuple[str, str], int], config: Config) -> int:
    key = (value.table, value.role)
    if key not in addresses:
        raise KeyError(f"the address of {value.role} of table {value.table!r} is missing")
    start = addresses[key]
    what = f"address of {value.role} of table {value.table!r}"
    if isinstance(start, bool) or not hasattr(start, "__index__"):
        raise TypeError(f"{what} must be an integer, not {start!r}")
    start = int(start)
    if start < 0 or start % value.size:
        raise ValueError(f"{what} must be a multiple of {value.size}, not {start}")
    check_reach(value, start, config)
    # An offset may be below 0 (``a[i - 1]``): addresses are modulo the machine's.
    return (start + value.offset) % (1 << config.addr_width)


def check_reach(value: Address, start: int, config: Config) -> None:
    """Refuse an array at ``start`` whose end is beyond the configuration's addresses."""
    highest, limit = start + value.extent - 1, (1 << config.addr_width) - 1
    if highest > limit:
        what = "" if value.role == "table" else f"{value.role} of "
        raise CompileError(
            f"{what}table {value.table!r} needs addresses up to {highest}, but addr_width "
            f"{config.addr_width} allows {limit}"
        )
