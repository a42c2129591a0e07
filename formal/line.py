"""Places one behind the other where something may be: registers and queues of a pipeline."""

from collections.abc import Callable

from amaranth.hdl import Signal, Value

from .bench import Bench, implies
from .fifo import QueueInside
from .followed import Followed


class Line:
    """Built from the front on, so that it is known how many are ahead of each place.

    Members
    -------
    count : how many are in the places so far
    """

    def __init__(self, bench: Bench):
        self._bench = bench
        self._places: list[tuple[Value, Value, Callable]] = []
        self.count: Value = Signal()

    def register(self, valid, content) -> None:
        """The next place is a register."""
        self._add(valid, lambda place: content)

    def queue(self, queue) -> None:
        """The next places are those of a queue."""
        inside, shape = QueueInside(self._bench, queue), queue.o.payload.shape()

        def entry(place):
            content = Signal(shape, name="entry")
            self._bench.m.d.comb += Value.cast(content).eq(inside.entry(place))
            return content

        self._add(queue.level, entry)

    def _add(self, held, look) -> None:
        self._places.append((self.count, held, look))
        count = Signal(8, name="count")
        self._bench.m.d.comb += count.eq(self.count + held)
        self.count = count

    def lemma_followed(self, followed: Followed, right: Callable) -> None:
        """``right`` holds of what is in the place of whom we follow."""
        for number, (ahead, held, look) in enumerate(self._places):
            place = Signal(len(followed.place), name="place")
            self._bench.m.d.comb += place.eq(followed.place - ahead)
            here = followed.active & (followed.place >= ahead) & (place < held)
            self._bench.lemma(
                implies(here, right(look(place))), f"what is followed is in its place, {number}"
            )
