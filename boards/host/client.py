"""Requests to a board and their answers: docs/link.md from the host's side."""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..link.framing import Deframer, frame
from ..link.protocol import (
    ANSWER,
    ANSWERS,
    BOARDS,
    IDENTITY,
    MAGIC,
    MAX_BODY,
    MAX_WORDS,
    REQUEST,
    VERSION,
    Command,
    Status,
)
from .errors import BoardError

#: Times that a request is sent before the board counts as dead.
ATTEMPTS = 5
#: Longest that a WAIT keeps the line silent, in seconds of the board's clock.
_WAIT_SECONDS = 0.25


class Port(Protocol):
    """What a client needs of a serial port."""

    path: str

    def read(self, seconds: float) -> bytes: ...
    def write(self, data: bytes, seconds: float) -> None: ...
    def drain(self) -> None: ...


@dataclass(frozen=True)
class Identity:
    """What a board says of itself.

    Attributes
    ----------
    board : its name
    config_hash : of its machine
    memory_bytes : of its memory
    clock_hz : of its machine
    max_words : most words of data in a frame
    bad_frames : frames that it dropped since its reset, modulo 65,536
    """

    board: str
    config_hash: str
    memory_bytes: int
    clock_hz: int
    max_words: int
    bad_frames: int


class Refused(BoardError):
    """The board answered with a status that is not OK."""

    def __init__(self, command: Command, status: int, done: int):
        name = Status(status).name if status in set(Status) else f"status {status}"
        super().__init__(f"board refused {command.name}: {name} after {done} done")
        self.status, self.done = status, done


class Client:
    """Talks to the board at a port; each request is sent again until it is answered.

    Parameters
    ----------
    port : Port
    baud : int
        For how long a frame takes.
    patience : float, seconds
        Between the end of a request and the beginning of its answer, at most. The system and the
        USB bridge have their part in it.

    Attributes
    ----------
    retries : requests that were sent once more
    """

    def __init__(self, port: Port, baud: int, patience: float = 0.5):
        self._port, self._baud, self._patience = port, baud, patience
        self._sequence = random.randrange(256)
        self._deframer = Deframer(MAX_BODY)
        self.retries = 0

    def identify(self) -> Identity:
        """Ask the board what it is.

        Raises
        ------
        BoardError
            Nobody answers, or it is no board of ours, or one with another protocol.
        """
        # What may be left of a request that somebody else did not finish.
        self._port.write(frame(b""), self._patience)
        self._port.drain()
        words = self._request(Command.IDENTIFY)
        known = dict(zip(IDENTITY, words, strict=False))
        # Every board has a clock, and cycles are counted in it.
        if len(known) < len(IDENTITY) or known["magic"] != MAGIC or not known["clock_hz"]:
            raise BoardError(f"port {self._port.path}: what answers there is no Ember board")
        if known["version"] != VERSION:
            raise BoardError(
                f"board speaks version {known['version']} of the protocol, this driver "
                f"{VERSION}: build and program it again"
            )
        return Identity(
            board=BOARDS.get(known["board"], f"board {known['board']}"),
            config_hash=f"{known['config_hash']:08x}",
            memory_bytes=known["memory_bytes"],
            clock_hz=known["clock_hz"],
            max_words=known["max_words"],
            bad_frames=known["bad_frames"],
        )

    def write_memory(self, address: int, data: bytes) -> None:
        """Store bytes, whole words, at a byte address."""
        for at in range(0, len(data), 4 * MAX_WORDS):
            part = data[at : at + 4 * MAX_WORDS]
            self._request(Command.WRITE_MEMORY, len(part) // 4, address + at, part)

    def read_memory(self, address: int, size: int) -> bytes:
        """``size`` bytes, whole words, from a byte address."""
        out = bytearray()
        while len(out) < size:
            count = min(MAX_WORDS, (size - len(out)) // 4)
            words = self._request(Command.READ_MEMORY, count, address + len(out), expect=count)
            out += b"".join(word.to_bytes(4, "little") for word in words)
        return bytes(out)

    def fill_memory(self, address: int, count: int, word: int) -> None:
        """Store ``word`` ``count`` times, from a byte address on."""
        # As many at a time as a board writes in a fraction of its answer's time.
        for at in range(0, count, 1 << 16):
            part = min(1 << 16, count - at)
            data = part.to_bytes(4, "little") + word.to_bytes(4, "little")
            self._request(Command.FILL_MEMORY, 0, address + 4 * at, data)

    def read_registers(self, address: int, count: int) -> list[int]:
        """``count`` registers from a word address on."""
        return self._request(Command.READ_REGISTERS, count, address, expect=count)

    def write_registers(self, writes: Sequence[tuple[int, int]]) -> None:
        """(word address, value) of each, in order."""
        for at in range(0, len(writes), MAX_WORDS // 2):
            part = writes[at : at + MAX_WORDS // 2]
            data = b"".join(word.to_bytes(4, "little") for pair in part for word in pair)
            self._request(Command.WRITE_REGISTERS, len(part), 0, data)

    def wait(self, cycles: int) -> bool:
        """Wait until the machine is not busy, for ``cycles`` at most; whether it is."""
        (status,) = self._request(Command.WAIT, 0, cycles, expect=1)
        return not status & 1

    def _request(
        self,
        command: Command,
        count: int = 0,
        address: int = 0,
        data: bytes = b"",
        *,
        expect: int | None = None,
    ) -> list[int]:
        """Words of the answer.

        Raises
        ------
        Refused
            Its status is not OK (nor RUNNING, for a WAIT).
        BoardError
            There is none, however often the board is asked, or it is not what was asked for.
        """
        self._sequence = (self._sequence + 1) % 256
        request = frame(REQUEST.pack(self._sequence, command, count, address) + data)
        # Ten bits a byte, of which every one may be escaped.
        longest = 10 * (len(request) + 2 * MAX_BODY) / self._baud
        for attempt in range(ATTEMPTS):
            self.retries += attempt > 0
            self._port.write(request, longest + self._patience)
            body = self._answer(command, longest + self._patience)
            if body is not None:
                break
        else:
            raise BoardError(
                f"board at {self._port.path} does not answer {command.name}, asked {ATTEMPTS} "
                f"times: is it programmed, and is {self._baud} baud its rate?"
            )
        _, _, status, _ = ANSWER.unpack(body[: ANSWER.size])
        words = [
            int.from_bytes(body[n : n + 4], "little") for n in range(ANSWER.size, len(body), 4)
        ]
        if status != Status.OK and not (command == Command.WAIT and status == Status.RUNNING):
            raise Refused(command, status, words[0] if words else 0)
        if expect is not None and len(words) != expect:
            raise BoardError(
                f"board answered {command.name} with {len(words)} words instead of {expect}"
            )
        return words

    def _answer(self, command: Command, seconds: float) -> bytes | None:
        """Body of the answer to the last request; others, which came late, are dropped."""
        end = time.monotonic() + seconds
        head = bytes((self._sequence, command | ANSWERS))
        while (left := end - time.monotonic()) > 0:
            for body in self._deframer.feed(self._port.read(left)):
                if len(body) >= ANSWER.size and body[:2] == head and not len(body) % 4:
                    return body
        return None


def wait_cycles(clock_hz: int, patience: float) -> int:
    """Bound of a WAIT, so that its answer comes before the client asks again."""
    return max(1, int(clock_hz * min(_WAIT_SECONDS, patience / 2)))
