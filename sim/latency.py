"""How long the memory takes, and how it may misbehave: shared by every engine."""

from dataclasses import dataclass

from .dram import Dram

#: Longest latency that the memory models support, in cycles.
MAX_LATENCY = 1 << 20


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


@dataclass(frozen=True)
class RandomLatency:
    """Each request takes ``low`` .. ``high`` cycles, so that answers overtake each other.

    ``stall`` is the probability, in each cycle, that a port takes no request; and, drawn
    independently, that it begins no answer.

    Raises
    ------
    ValueError
        The range is empty or a bound out of range, or ``stall`` is not in 0 .. 1 (1 excluded).
    """

    low: int
    high: int
    stall: float = 0.0

    def __post_init__(self) -> None:
        if not 1 <= self.low <= self.high <= MAX_LATENCY:
            raise ValueError(
                f"latency must be a range within 1..{MAX_LATENCY} cycles, "
                f"not {self.low!r}..{self.high!r}"
            )
        if not 0 <= self.stall < 1:
            raise ValueError(f"stall must be a probability below 1, not {self.stall!r}")


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
