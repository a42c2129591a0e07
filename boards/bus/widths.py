"""Widths of a memory bus in front of a machine, checked in one place."""

from ...hw.config import Config
from ...hw.layouts import tag

#: Narrowest data bus: a 32-bit word is what a machine's mask can leave out.
NARROWEST = 32


def data_width(config: Config, width: int | None) -> int:
    """Bits of the data bus; None is a whole line.

    Raises
    ------
    TypeError
        ``width`` is not an integer.
    ValueError
        It is no power of two from 32 to the bits of a line.
    """
    line = 8 * config.line_bytes
    if width is None:
        return line
    if not isinstance(width, int) or isinstance(width, bool):
        raise TypeError(f"data_width must be an integer, not {width!r}")
    if not NARROWEST <= width <= line or width & (width - 1):
        allowed = f"a power of two from {NARROWEST} to {line}, the bits of a line"
        raise ValueError(f"data_width must be {allowed}, not {width!r}")
    return width


def beats(config: Config, width: int) -> int:
    """Transfers of ``width`` bits that make a line."""
    return 8 * config.line_bytes // width


def id_width(config: Config, width: int | None) -> int:
    """Bits of an AXI ID; None is a read tag, which then is the ID.

    Raises
    ------
    TypeError
        ``width`` is not an integer.
    ValueError
        It is not 1 .. the bits of a tag.
    """
    most = tag(config).size
    if width is None:
        return most
    if not isinstance(width, int) or isinstance(width, bool):
        raise TypeError(f"id_width must be an integer, not {width!r}")
    if not 1 <= width <= most:
        raise ValueError(f"id_width must be 1..{most}, the bits of a read tag, not {width!r}")
    return width
