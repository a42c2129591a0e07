"""How long the memory takes, and how it may misbehave: shared by every engine."""

from dataclasses import dataclass

from .dram import Dram

#: Longest latency that the memory models support, in cycles.
MAX_LATENCY = 1 << 20

#: How many times the longest usual latency a late request takes.
LATE = 64


@dataclass(frozen=True)
class FixedLatency:
    """A request accepted in cycle t is answered in cycle t + ``cycles``, in order.

    Requests are accepted in every cycle. Write acknowledgements take as long as reads.

    Raises
    ------
    ValueError
        ``cycles`` is out of range.
    """

    cycles: int = 200

    def __post_init__(self) -> None:
        if not 1 <= self.cycles <= MAX_LATENCY:
            raise ValueError(f"latency must be 1..{MAX_LATENCY} cycles, not {self.cycles!r}")

    @property
    def low(self) -> int:
        """Shortest latency in cycles."""
        return self.cycles

    @property
    def high(self) -> int:
        """Longest latency in cycles."""
        return self.cycles

    @property
    def stall(self) -> float:
        """Probability of back-pressure in a cycle."""
        return 0.0

    @property
    def late(self) -> float:
        """Probability that a request takes much longer."""
        return 0.0


@dataclass(frozen=True)
class RandomLatency:
    """Each request takes ``low`` .. ``high`` cycles, so that answers overtake each other.

    ``stall`` is the probability, in each cycle, that a port takes no request; and, drawn
    independently, that it begins no answer. ``late`` is the probability that a request takes
    :data:`LATE` times ``high`` cycles instead, so that very many others overtake it.

    Raises
    ------
    ValueError
        The range is empty or a bound out of range, ``stall`` or ``late`` is not in 0 .. 1
        (1 excluded), or a late request would take more than :data:`MAX_LATENCY`.
    """

    low: int
    high: int
    stall: float = 0.0
    late: float = 0.0

    def __post_init__(self) -> None:
        if not 1 <= self.low <= self.high <= MAX_LATENCY:
            raise ValueError(
                f"latency must be a range within 1..{MAX_LATENCY} cycles, "
                f"not {self.low!r}..{self.high!r}"
            )
        for name in ("stall", "late"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(
                    f"{name} must be a probability below 1, not {getattr(self, name)!r}"
                )
        if self.late and self.high > MAX_LATENCY // LATE:
            raise ValueError(
                f"latency must be at most {MAX_LATENCY // LATE} cycles where requests may be "
                f"late, not {self.high!r}"
            )


#: What decides when the memory takes a request and when it answers.
Latency = FixedLatency | RandomLatency | Dram


@dataclass(frozen=True)
class Faults:
    """Misbehaviour of the memory, for tests of what the machine does about it.

    Attributes
    ----------
    read_errors, write_errors : byte addresses; the lines that hold them answer with an error
    silent_after : number of reads that are answered; all later ones never are
    unknown_tag : (n, tag): before the answer to the nth read, from 1, comes one with this tag
    """

    read_errors: frozenset[int] = frozenset()
    write_errors: frozenset[int] = frozenset()
    silent_after: int | None = None
    unknown_tag: tuple[int, int] | None = None
