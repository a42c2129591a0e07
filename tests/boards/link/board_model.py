"""A board in Python: what docs/link.md says of requests and answers, without timing."""

from ember.boards.link.framing import Deframer, frame
from ember.boards.link.protocol import (
    ANSWER,
    ANSWERS,
    IDENTITY,
    MAGIC,
    MAX_BODY,
    MAX_WORDS,
    REQUEST,
    VERSION,
    Command,
    Status,
)
from ember.hw import isa

REGISTER = {name: address for name, address, _, _ in isa.REGISTERS}


def request(sequence: int, command: int, count: int = 0, address: int = 0, words=()) -> bytes:
    """Body of a request."""
    head = REQUEST.pack(sequence, command, count, address)
    return head + b"".join(word.to_bytes(4, "little") for word in words)


class BoardModel:
    """Answers bodies. ``busy``, ``registers`` and ``bad_lines`` are for tests to change."""

    def __init__(self, config_hash: str, memory_bytes: int, *, clock_hz=75_000_000, board=1):
        self.memory = bytearray(memory_bytes)
        self.registers: dict[int, int] = {}
        self.written: list[tuple[int, int]] = []
        self.busy = False
        self.bad_words: set[int] = set()  # the memory answers them with an error
        self.executed = 0
        self._identity = {
            "magic": MAGIC, "version": VERSION, "config_hash": int(config_hash, 16),
            "memory_bytes": memory_bytes, "clock_hz": clock_hz, "max_words": MAX_WORDS,
            "board": board, "bad_frames": 0,
        }  # fmt: skip
        self._deframer = Deframer(MAX_BODY)
        self._last: bytes | None = None
        self._answer = b""

    def identity(self, **changes: int) -> None:
        """What it says of itself from now on."""
        self._identity.update(changes)

    def feed(self, data: bytes) -> bytes:
        """Bytes that come back for ``data``."""
        answers = [self.answer(body) for body in self._deframer.feed(data)]
        return b"".join(frame(answer) for answer in answers if answer is not None)

    def answer(self, body: bytes) -> bytes | None:
        """Body of the answer to a request, None for silence."""
        if len(body) < REQUEST.size:
            return None
        if body != self._last:
            self._last = body
            self.executed += 1
            sequence, command, count, address = REQUEST.unpack(body[: REQUEST.size])
            self._identity["bad_frames"] = self._deframer.bad
            status, words = self._execute(command, count, address, body[REQUEST.size :])
            self._answer = ANSWER.pack(sequence, command | ANSWERS, status, 0) + b"".join(
                word.to_bytes(4, "little") for word in words
            )
        return self._answer

    def status(self) -> int:
        """Register STATUS."""
        return int(self.busy) | self.registers.get(REGISTER["STATUS"], 0)

    def wait(self, cycles: int) -> None:
        """Time passes while a WAIT waits."""

    def read_register(self, address: int) -> int:
        return self.status() if address == REGISTER["STATUS"] else self.registers.get(address, 0)

    def write_register(self, address: int, value: int) -> None:
        self.written.append((address, value))
        self.registers[address] = value

    def _execute(self, command, count, address, data):
        if command not in set(Command):
            return Status.COMMAND, [0]
        words = [int.from_bytes(data[n : n + 4], "little") for n in range(0, len(data), 4)]
        several = 1 <= count <= MAX_WORDS
        good = {
            Command.IDENTIFY: not words and not count,
            Command.WAIT: not words and not count,
            Command.READ_MEMORY: not words and several,
            Command.READ_REGISTERS: not words and several,
            Command.WRITE_MEMORY: len(words) == count and several,
            Command.WRITE_REGISTERS: len(words) == 2 * count and several,
            Command.FILL_MEMORY: len(words) == 2 and not count and words[0] != 0,
        }[command]
        if len(data) % 4 or not good:
            return Status.LENGTH, [0]
        if command == Command.IDENTIFY:
            return Status.OK, [self._identity[name] for name in IDENTITY]
        if command == Command.WAIT:
            if self.busy:
                self.wait(address)
            return (Status.RUNNING if self.busy else Status.OK), [self.status()]
        if command == Command.READ_REGISTERS:
            if address + count > 1 << isa.BUS_ADDR_WIDTH:
                return Status.RANGE, [0]
            return Status.OK, [self.read_register(address + n) for n in range(count)]
        if command == Command.WRITE_REGISTERS:
            return self._write_registers(words)
        length = words[0] if command == Command.FILL_MEMORY else count
        if address % 4 or address + 4 * length > len(self.memory):
            return Status.RANGE, [0]
        if self.busy:
            return Status.BUSY, [0]
        read = []
        for n in range(length):
            at = address + 4 * n
            if at // 4 in self.bad_words:
                return Status.MEMORY, [n]
            if command == Command.READ_MEMORY:
                read.append(int.from_bytes(self.memory[at : at + 4], "little"))
            else:
                value = words[1] if command == Command.FILL_MEMORY else words[n]
                self.memory[at : at + 4] = value.to_bytes(4, "little")
        return Status.OK, read

    def _write_registers(self, words):
        for n in range(0, len(words), 2):
            address, value = words[n : n + 2]
            if address >= 1 << isa.BUS_ADDR_WIDTH:
                return Status.RANGE, [n // 2]
            ignored = address >> isa.WINDOW_SHIFT or address == REGISTER["SEGMENTS"]
            if self.busy and (ignored or (address == REGISTER["CONTROL"] and value & 1)):
                return Status.BUSY, [n // 2]
            self.write_register(address, value)
        return Status.OK, []
