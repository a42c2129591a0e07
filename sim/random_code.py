"""Random legal callbacks: each pops exactly the vectors that its token's events push."""

from dataclasses import dataclass

import numpy as np

from ..hw.config import Config
from ..hw.isa import Count, Emit, Op, Span, SrcA, SrcB, SrcC
from ..hw.program import Fields
from .random_nest import Value
from .random_wish import NO_WISH, Wish

#: With one fiber lane, any number up to this may select an output row.
OUTPUT_ROWS = 100


@dataclass(frozen=True)
class Situation:
    """What a callback can rely on.

    Attributes
    ----------
    vectors : list of Value
        Element 0 of each vector to pop, in order.
    may_skip : bool
        The token may come without its vectors: only whole-row operations then pop nothing.
    ready : bool
        Both vector registers hold a row, and the address is that of a row of the lane.
    """

    vectors: list[Value]
    may_skip: bool
    ready: bool
    #: The token is the one whose vectors fill the DataQ: it has to wait before it pops them.
    waits: bool = False


class Code:
    """The callback memory while a program is made; equal callbacks share their place."""

    def __init__(self, rng: np.random.Generator, config: Config, wish: Wish = NO_WISH):
        self.instructions: list[Fields] = []
        self._rng = rng
        self._config = config
        self._wish = wish
        # Callbacks that take long, so that a queue fills. Every one needs its share of the memory.
        self._idle = min(12, config.code_depth // 4) if wish.fill else 0

    @property
    def room(self) -> int:
        """Instructions left."""
        return self._config.code_depth - len(self.instructions)

    def add(self, callback: list[Fields]) -> int | None:
        """Address of the callback, or None if it does not fit."""
        for pc in range(len(self.instructions) - len(callback) + 1):
            if self.instructions[pc : pc + len(callback)] == callback:
                return pc
        if len(callback) > self.room:
            return None
        self.instructions += callback
        return len(self.instructions) - len(callback)

    def random(
        self, situation: Situation, dim: int, start: list[Fields] | None = None
    ) -> int | None:
        """Address of a random callback that begins with ``start``, or None if none fits.

        As long as there is a shorter one, it leaves half of the room to those that follow.
        """
        idle: list[Fields] = []
        if self._idle and not start:
            # What moves a row to where it is takes as many cycles as the row has vectors.
            still: Fields = dict(op=Op.NOP)
            if situation.waits or (situation.ready and self._rng.random() < 0.7):
                still = dict(op=Op.MOV, dst=1, c=SrcC.V1)
            least = self._idle // 2 if situation.waits else 1
            idle = [still] * int(self._rng.integers(least, self._idle + 1))
        for extra, pause in ((3, idle), (2, idle), (1, idle), (0, idle), (0, [])):
            builder = _Callback(self._rng, self._config, situation, dim, self._wish)
            callback = builder.make([*(start or []), *pause], extra)
            if callback is None:
                return None
            last = extra == 0 and not pause
            pc = self.add(callback) if last or len(callback) <= self.room // 2 else None
            if pc is not None:
                return pc
        return None


class _Callback:
    """Builds one callback for rows of ``dim`` elements."""

    def __init__(
        self,
        rng: np.random.Generator,
        config: Config,
        situation: Situation,
        dim: int,
        wish: Wish,
    ):
        self.rng = rng
        self.wish = wish.instruction
        self.fiber_lanes = config.fiber_lanes
        self.situation = situation
        self.dim = dim
        self.chunks = -(-dim // config.lanes)
        self.scalars: dict[int, Value] = {}
        self.written = {0, 1} if situation.ready else set()
        self.placed = situation.ready
        self.code: list[Fields] = []

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    def pick(self, choices: list) -> int:
        return choices[int(self.rng.integers(len(choices)))]

    def make(self, start: list[Fields], extras: int) -> list[Fields] | None:
        """The instructions, or None if the vectors cannot be popped in a few of them."""
        vectors = self.situation.vectors
        whole, single = divmod(len(vectors), self.chunks)
        if self.chunks == 1 and not self.situation.may_skip:
            single = int(self.rng.integers(0, len(vectors) + 1))
            whole = len(vectors) - single
        if whole + single > 6 or (self.situation.may_skip and single):
            return None
        self.code += start
        if not self.wish:
            extras = int(self.rng.integers(0, extras + 1))
        steps = ["whole"] * whole + ["single"] * single + ["extra"] * extras
        at = 0
        for step in self.rng.permutation(steps):
            if step == "whole":
                self.operate(pops=True)
                at += self.chunks
            elif step == "single":
                self.pop_one(vectors[at])
                at += 1
            else:
                self.extra()
        if not self.code:
            self.code.append(dict(op=Op.NOP, count=self.count()))
        self.code[-1] = self.code[-1] | dict(ret=1)
        return self.code

    # --------------------------------------------------------------------------------------

    def pop_one(self, value: Value) -> None:
        """Pop a vector into a scalar register, or straight into a part of the row."""
        if self.elements() and self.chance(0.6):
            self.operate(pops=True, part=True)
        else:
            register = int(self.rng.integers(4))
            if self.wish and self.chance(0.7):
                # Where the wished instruction looks for it.
                named = [self.wish[n] for n in ("rd", "at") if n in self.wish]
                if "b" in self.wish and self.wish["b"] != SrcB.ARG:
                    named.append(self.wish["b"] - SrcB.R0)
                register = self.pick(named) if named else register
            self.code.append(dict(op=Op.POP, rd=register, count=self.count()))
            self.scalars[register] = value

    def extra(self) -> None:
        """An instruction that pops nothing."""
        choice = self.rng.random()
        if self.wish.get("op") in (Op.NOP, Op.SETA, Op.SETR) and self.chance(0.7):
            choice = {Op.NOP: 0.0, Op.SETA: 0.2, Op.SETR: 0.4}[Op(self.wish["op"])]
        rows = [r for r, value in self.scalars.items() if self.names_own_row(value)]
        if choice < 0.15:
            self.code.append(dict(op=Op.NOP, count=self.count()))
        elif choice < 0.3:
            self.code.append(dict(op=Op.SETA, count=self.count()))
            self.placed = True
        elif choice < 0.5 and rows:
            at = self.prefer("at", rows)
            self.code.append(dict(op=Op.SETR, at=at, count=self.count()))
            self.placed = True
        else:
            part = 0.9 if self.wish.get("span", Span.ROW) != Span.ROW else 0.4
            self.operate(pops=False, part=bool(self.elements()) and self.chance(part))

    def prefer(self, name: str, choices: list) -> int:
        """What was wished for, if it is among the choices."""
        if self.wish.get(name) in choices and self.chance(0.8):
            return self.wish[name]
        return self.pick(choices)

    def operate(self, pops: bool, part: bool = False) -> None:
        """A vector operation, on the whole row or on the part that a scalar register selects."""
        rng = self.rng
        fields: Fields = dict(dst=int(rng.integers(2)), count=self.count())
        addends = [SrcC.ZERO, *(SrcC.V0 + r for r in sorted(self.written))]
        init = 0.9 if self.wish.get("init") else 0.4
        fields |= dict(c=self.prefer("c", addends), init=int(self.chance(init)))
        ops = [
            Op.ADD, Op.ADD, Op.SUB, Op.RSUB, Op.MUL, Op.FMA, Op.FMA, Op.NEG,
            Op.MAX, Op.MAXN, Op.MIN, Op.MAXIMUM, Op.MINIMUM,
        ]  # fmt: skip
        if pops:
            fields |= dict(op=self.prefer("op", ops), a=SrcA.DATAQ)
        elif self.chance(0.2 if self.wish.get("op") == Op.MOV else 0.7):
            sources = [SrcA.ONE, *(SrcA.V0 + register for register in sorted(self.written))]
            fields |= dict(op=self.prefer("op", ops), a=self.prefer("a", sources))
        else:
            # a is not used: whatever it names must not be popped.
            fields |= dict(op=Op.MOV, a=int(rng.integers(len(SrcA))))
        multipliers = [SrcB.ARG, SrcB.LITERAL, *(SrcB.R0 + r for r in self.scalars)]
        if fields["op"] in (Op.MUL, Op.FMA) or self.chance(0.2):
            fields["b"] = self.prefer("b", multipliers)
        if part:
            span = self.prefer("span", [Span.CHUNK, Span.ELEMENT])
            fields |= dict(span=span, at=self.pick(self.elements()))
        else:
            self.written.add(fields["dst"])
            if self.placed and self.chance(0.8 if "emit" in self.wish else 0.4):
                fields |= dict(
                    emit=self.prefer("emit", [Emit.LAST, Emit.LAST, Emit.ALWAYS]),
                    div=self.prefer("div", [0, 1]),
                    bump=self.prefer("bump", [0, 1, 1]),
                )
        self.code.append(fields)

    def count(self) -> int:
        """Most instructions leave the counter alone, so that it sometimes grows."""
        if "count" in self.wish and self.chance(0.5):
            return self.wish["count"]
        return int(self.rng.choice(len(Count), p=[0.5, 0.05, 0.2, 0.25]))

    def elements(self) -> list[int]:
        """Scalar registers that hold the number of an element of the row."""
        if self.situation.may_skip:
            return []
        return [
            r for r, value in self.scalars.items()
            if value.bound is not None and value.bound < self.dim
        ]  # fmt: skip

    def names_own_row(self, value: Value) -> bool:
        """No other lane may write the output row with this number."""
        few = value.bound is not None and value.bound <= OUTPUT_ROWS
        return value.deals or (few and self.fiber_lanes == 1)
