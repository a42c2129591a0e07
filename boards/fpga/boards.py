"""The boards that there are."""

from dataclasses import dataclass

from ...synth.targets import Target
from .targets import ECP5_85F, ECP5UM5G_85F, ECP5UM_45F, XC7A100T


@dataclass(frozen=True)
class Board:
    """What building for a board starts from.

    Attributes
    ----------
    name : as on the command line, and as its link says
    loader : openFPGALoader's arguments for it
    target : FPGA
    oscillator_hz : of the clock that the board has
    clock_mhz : of the design, if nobody says otherwise
    memories : where its lines may be; the first, if nobody says otherwise
    block_ram_bytes : size of a memory in block RAM, which leaves enough for a machine, if that is
        one of the memories
    makes : what a build ends with: ``"bitstream"``, or ``"project"`` for the vendor's tools
    """

    name: str
    loader: tuple[str, ...]
    target: Target
    oscillator_hz: int
    clock_mhz: float
    memories: tuple[str, ...]
    block_ram_bytes: int
    makes: str = "bitstream"


_ALL = (
    Board(
        "ulx3s", ("--board", "ulx3s"), ECP5_85F, 25_000_000, 60.0, ("sdram", "block-ram"),
        128 << 10,
    ),
    Board(
        "ecpix-5", ("--board", "ecpix5"), ECP5UM5G_85F, 100_000_000, 60.0, ("ddr3",), 0,
    ),
    Board("versa-ecp5", ("--cable", "ft2232"), ECP5UM_45F, 100_000_000, 60.0, ("ddr3",), 0),
    Board(
        "arty-a7", ("--board", "arty_a7_100t"), XC7A100T, 100_000_000, 60.0,
        ("block-ram", "ddr3"), 256 << 10, makes="project",
    ),
)  # fmt: skip
BOARDS = {board.name: board for board in _ALL}


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
