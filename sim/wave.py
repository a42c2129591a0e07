"""Waveform files: their formats, and which cycles go into them."""

import os
from dataclasses import dataclass
from pathlib import Path

#: Suffixes of the files: the formats that a simulator can be built for.
FORMATS = ("vcd", "fst")

#: No last cycle.
END = (1 << 64) - 1


@dataclass(frozen=True)
class Wave:
    """A waveform file of a launch.

    A cycle is 1 us. A file is made in the first cycle of the window, so a launch that ends before
    it leaves none.

    Attributes
    ----------
    path : file, whose suffix is the format: ``.vcd`` or ``.fst``
    start, stop : window, in cycles of the launch: the first, and the one after the last
    offset : added to the cycles to make the file's times, for several launches one after the other

    Raises
    ------
    ValueError
        Another suffix, or a window that ends before it starts.
    """

    path: str | os.PathLike[str]
    start: int = 0
    stop: int = END
    offset: int = 0

    def __post_init__(self) -> None:
        check_suffix(self.path)
        if not 0 <= self.start <= self.stop:
            raise ValueError(f"window must be 0 <= start <= stop, not {self.start}, {self.stop}")

    @property
    def format(self) -> str:
        """``"vcd"`` or ``"fst"``."""
        return Path(self.path).suffix[1:].lower()

    def check_writable(self) -> None:
        """Refuse, before a long run, a file that surely cannot be written; creates nothing.

        Raises
        ------
        OSError
            It cannot.
        """
        path = Path(self.path)
        place = path if path.exists() else path.resolve().parent
        if path.is_dir() or not place.exists() or not os.access(place, os.W_OK):
            raise self.error()

    def error(self) -> OSError:
        """That the file cannot be written."""
        return OSError(f"waveform file {os.fspath(self.path)} cannot be written")


def check_suffix(path: str | os.PathLike[str]) -> None:
    """Refuse a file whose suffix is no format.

    Raises
    ------
    ValueError
    """
    suffix = Path(path).suffix
    if suffix[1:].lower() not in FORMATS:
        allowed = " or ".join(f".{name}" for name in FORMATS)
        raise ValueError(f"waveform file must end in {allowed}, not {os.fspath(path)!r}")
