"""A serial port with a board's model behind it, and a line that damages what it carries."""

import random

from ..link.board_model import BoardModel


class LossyPort:
    """Port of :class:`ember.boards.host.client.Client`; time does not pass.

    ``loss`` is the probability that a request or an answer is damaged: dropped, cut, flipped, with
    garbage before it, or twice.
    """

    path = "/dev/model"

    def __init__(self, board: BoardModel, seed=0, loss: float = 0.0):
        self.board, self.loss = board, loss
        self.random = random.Random(seed)
        self.late: list[bytes] = []
        self.sent = 0
        self._waiting = b""

    def write(self, data: bytes, seconds: float) -> None:
        self.sent += 1
        self._waiting += self._damage(self.board.feed(self._damage(data)))

    def read(self, seconds: float) -> bytes:
        if not self._waiting:
            # Nothing will come, so nobody needs to wait for it.
            raise_timeout(self, seconds)
            return b""
        count = self.random.randrange(1, len(self._waiting) + 1)
        data, self._waiting = self._waiting[:count], self._waiting[count:]
        return data

    def drain(self) -> None:
        self._waiting = b""

    def _damage(self, data: bytes) -> bytes:
        rng = self.random
        if not data or rng.random() >= self.loss:
            return data
        kind = rng.randrange(6)
        if kind == 0:
            return b""
        if kind == 1:
            return data[: rng.randrange(len(data))]
        if kind == 2:
            out = bytearray(data)
            out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
            return bytes(out)
        if kind == 3:
            return rng.randbytes(rng.randrange(1, 30)) + data
        if kind == 4:
            return data + data
        at = rng.randrange(len(data))
        return data[:at] + rng.randbytes(1) + data[at:]


def raise_timeout(port: LossyPort, seconds: float) -> None:
    """Where a real port would wait, the clock of the client's module is put forward."""
    clock = getattr(port, "clock", None)
    if clock is not None:
        clock[0] += seconds
