"""The boards that there are."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Board:
    """What building for a board starts from.

    Attributes
    ----------
    name : as on the command line, and as openFPGALoader calls it
    target : FPGA, of :data:`ember.synth.targets.TARGETS`
    clock_mhz : of the design, if nobody says otherwise
    """

    name: str
    target: str
    clock_mhz: float


BOARDS = {"ulx3s": Board("ulx3s", "ecp5-85f", 60.0)}


def board(name: str) -> Board:
    """The board of this name.

    Raises
    ------
    ValueError
        No such board.
    """
    if name not in BOARDS:
        raise ValueError(f"board must be one of {', '.join(BOARDS)}, not {name!r}")
    return BOARDS[name]
