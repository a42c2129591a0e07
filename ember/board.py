"""Runs on a board: an FPGA at a serial port, or the same board simulated."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from . import parts
from .errors import InputError
from .lookup import Request
from .options import BAUD, RunOptions
from .parts import Config
from .placement import Placement, array_name

#: Seconds that a simulated board may take for an answer: it is thousands of times slower.
_SIMULATED_PATIENCE = 300.0
_PATIENCE = 0.5


@dataclass(frozen=True)
class BoardFacts:
    """The board that a run was on.

    Attributes
    ----------
    name : of the board
    port : where it was; a simulated one's has no name that lasts
    baud : bits per second of the serial line, None where it is simulated
    clock_hz : of the machine
    memory_bytes : of the board
    load_seconds, store_seconds : arrays to the board, and outputs back
    retries : requests that were sent more than once
    """

    name: str
    port: str | None
    baud: int | None
    clock_hz: int
    memory_bytes: int
    load_seconds: float
    store_seconds: float
    retries: int

    def __str__(self) -> str:
        where = f" at {self.port}, {self.baud:,} baud" if self.port else ""
        size = (
            f"{self.memory_bytes >> 20} MiB"
            if self.memory_bytes >= 1 << 20
            else f"{self.memory_bytes >> 10} KiB"
        )
        return f"{self.name}{where}, {self.clock_hz / 1e6:g} MHz, {size}"


class Connected:
    """A session with a board, and how it was reached."""

    def __init__(self, session: Any, client: Any, port: str | None, baud: int | None, check):
        self.session, self._client = session, client
        self._port, self._baud, self.check = port, baud, check

    def facts(self, load_seconds: float, store_seconds: float) -> BoardFacts:
        """What the report says."""
        identity = self.session.identity
        return BoardFacts(
            identity.board, self._port, self._baud, identity.clock_hz, identity.memory_bytes,
            load_seconds, store_seconds, self._client.retries,
        )  # fmt: skip


@contextmanager
def connected(config: Config, options: RunOptions) -> Iterator[Connected]:
    """The board of ``options``, with a machine ``config``.

    Raises
    ------
    RuntimeError
        See :class:`ember.boards.host.session.Session`, and the port's.
    ValueError
        The system has no such baud rate.
    """
    client_module, serial_port, session_module = parts.board_host()
    if options.engine == "board-sim":
        with parts.board_simulator().simulator(config, options.progress) as board:
            port = serial_port.SerialPort(board.path, 115_200)
            try:
                client = client_module.Client(port, 115_200, _SIMULATED_PATIENCE)
                session = session_module.Session(client, config, _SIMULATED_PATIENCE)
                yield Connected(session, client, None, None, board.check)
            finally:
                port.close()
        return
    assert options.port is not None  # RunOptions has checked it
    baud = BAUD if options.baud is None else options.baud
    try:
        port = serial_port.SerialPort(options.port, baud)
    except ValueError as error:
        raise InputError(str(error)) from None
    try:
        client = client_module.Client(port, baud, _PATIENCE)
        session = session_module.Session(client, config, _PATIENCE)
        yield Connected(session, client, options.port, baud, lambda: None)
    finally:
        port.close()


def check_memory(requests: Sequence[Request], placement: Placement, identity: Any) -> None:
    """Refuse arrays that end beyond the board's memory.

    Raises
    ------
    InputError
        The message names the first of them.
    """
    for request in requests:
        arrays = {
            "table": request.table, "indices": request.indices, "offsets": request.offsets,
            "weights": request.weights,
        }  # fmt: skip
        for kind, array in arrays.items():
            address = placement.addresses.get((request.name, kind))
            if address is not None and array is not None:
                _check_end(kind, request.name, address + array.nbytes, identity)
        address = placement.addresses.get((request.name, "out"))
        if address is not None:
            size = request.bag.bags * request.bag.dim * 4
            _check_end("output", request.name, address + size, identity)


def _check_end(kind: str, name: str, end: int, identity: Any) -> None:
    if end > identity.memory_bytes:
        raise InputError(
            f"{array_name(kind, name)} ends at byte {end}, but the memory of board "
            f"{identity.board} has {identity.memory_bytes} bytes"
        )
