"""A bitstream into a board, with openFPGALoader."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ..host.errors import BoardError

_TOOL = "openFPGALoader"
#: A flash memory takes half a minute.
_SECONDS = 300.0


def program(loader: Sequence[str], bitstream: str | Path, *, flash: bool = False) -> None:
    """Load ``bitstream`` into the FPGA, or into the flash memory from which it starts.

    ``loader`` are the tool's arguments for the board.

    What the tool says goes where ours goes.

    Raises
    ------
    BoardError
        openFPGALoader is not there, or failed.
    """
    tool = shutil.which(_TOOL)
    if tool is None:
        raise BoardError(
            f"{_TOOL} is missing: install it, from your system's packages or from "
            f"https://github.com/trabucayre/{_TOOL}, or load {bitstream} with another tool"
        )
    command = [tool, *loader, *(["--write-flash"] if flash else []), str(bitstream)]
    try:
        done = subprocess.run(command, check=False, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        raise BoardError(f"{_TOOL} did not finish within {_SECONDS:g} s") from None
    if done.returncode:
        raise BoardError(
            f"{_TOOL} failed with {done.returncode}: is the board plugged in, and may you use it?"
        )
