"""What crosses from DLC's access region to its execute region."""

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Token:
    """What starts a callback."""

    callback: str
    first: bool = False
    last: bool = False
    #: Only the flags count: the iteration was left out, or the loop had none.
    skip: bool = False
    #: The scalar that rides along.
    arg: np.float32 | None = None


@dataclass
class Work:
    """A token, and the operands that are pushed for it."""

    token: Token
    #: Each as bits; a scalar is the first element, and the only one that means something.
    operands: list[np.ndarray] = field(default_factory=list)


class OrphanError(ValueError):
    """An operand that no token's callback can pop."""


class Queues:
    """The two queues, for each fiber lane in order.

    Between two items of a lane another lane's may come, so that an operand belongs to a token of
    its own item.
    """

    def __init__(self, lanes: int):
        self.lanes: list[list[Work]] = [[] for _ in range(lanes)]
        self._open = False

    def begin(self) -> None:
        """Another item of the row layer starts, or a marker."""
        self._open = False

    def token(self, lane: int, token: Token) -> None:
        """Append to the CtrlQ."""
        self.lanes[lane].append(Work(token))
        self._open = True

    def operand(self, lane: int, bits: np.ndarray) -> None:
        """Append to the DataQ.

        Raises
        ------
        OrphanError
            The item has not pushed a token yet.
        """
        if not self._open:
            raise OrphanError("an operand is pushed before the token whose callback pops it")
        self.lanes[lane][-1].operands.append(bits)

    @property
    def tokens(self) -> int:
        """Tokens of all lanes."""
        return sum(len(works) for works in self.lanes)

    @property
    def operands(self) -> int:
        """Operands of all lanes."""
        return sum(len(work.operands) for works in self.lanes for work in works)
