"""What each token's callback pops: the DataQ, divided among the tokens, before anything runs.

Which operands an event pushes is known, and a token owns what is pushed from it to the next token
of the row (docs/machine.md, section 4). So a callback that is inlined at its event finds its
operands by their place, and no queue is needed.
"""

from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import VectorType
from xdsl.ir import SSAValue

from ..dlc import dialect as dlc
from ..dlc.resources import event_name, traversal_units


@dataclass(frozen=True)
class Beat:
    """An operand that is the row's data: vector, or in scalar mode element, ``number``.

    ``number`` is an integer or, in a loop over the beats, an LLVM value.
    """

    number: Any


@dataclass(frozen=True)
class Position:
    """An operand that is the element index of beat ``number``."""

    number: Any


@dataclass(frozen=True)
class Scalar:
    """An operand that is a value of the layer above the event's."""

    stream: SSAValue


Operand = Beat | Position | Scalar


class Events:
    """The events of one segment: their tokens and what they push.

    Attributes
    ----------
    beats : of a row
    width : elements of a beat
    """

    def __init__(self, segment: dlc.SegmentOp):
        row = traversal_units(segment)[-1]
        assert isinstance(row, dlc.RowOp)
        kind = dlc.element_of(row.data)
        self.width = kind.get_shape()[0] if isinstance(kind, VectorType) else 1
        self.dim = row.dim.value.data
        self.beats = -(-self.dim // self.width)
        self._row = row
        self._pushes: dict[str, list[SSAValue]] = {}
        self._tokens: dict[str, dlc.TokenOp] = {}
        for op in segment.access.block.ops:
            if isinstance(op, dlc.PushOp):
                self._pushes.setdefault(event_name(segment, op), []).append(op.operand)
            elif isinstance(op, dlc.TokenOp):
                self._tokens[event_name(segment, op)] = op

    def token(self, event: str) -> dlc.TokenOp | None:
        """The token of an event, if it has one."""
        return self._tokens.get(event)

    def pushed(self, event: str, beat: Any = 0) -> list[Operand]:
        """What an event pushes; ``beat`` is for ``row_ite``."""
        return [self._operand(value, beat) for value in self._pushes.get(event, ())]

    def of_row_beg(self) -> list[Operand]:
        """What the token of ``row_beg`` owns."""
        owned = self.pushed("row_beg")
        if "row_ite" not in self._tokens:
            for beat in range(self.beats):
                owned += self.pushed("row_ite", beat)
            owned += self._left_at_end()
        return owned

    def of_row_ite(self, beat: Any, last: bool) -> list[Operand]:
        """What the token of ``row_ite`` owns at a beat; ``last`` if it is the row's last."""
        return self.pushed("row_ite", beat) + (self._left_at_end() if last else [])

    def _left_at_end(self) -> list[Operand]:
        return [] if "row_end" in self._tokens else self.pushed("row_end")

    def _operand(self, value: SSAValue, beat: Any) -> Operand:
        if value is self._row.data:
            return Beat(beat)
        return Position(beat) if value is self._row.ite else Scalar(value)
