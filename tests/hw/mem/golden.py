"""A read cache as a few dictionaries: what becomes of each request, in the order of acceptance.

A request and a response of the memory that are taken in the same cycle: the request comes first.
"""

from dataclasses import dataclass, field


@dataclass
class Place:
    """A line's place: empty, its line on its way (``first`` asked for it), or there."""

    line: int | None = None
    first: int | None = None
    data: object = None

    @property
    def busy(self) -> bool:
        return self.first is not None


@dataclass
class Set:
    places: list[Place]
    tree: dict[tuple[int, int], int] = field(default_factory=dict)

    def use(self, way: int) -> None:
        """Every node above ``way``, named by the ways below it, points to its other half."""
        low, count = 0, len(self.places)
        while count > 1:
            count //= 2
            upper = way >= low + count
            self.tree[low, 2 * count] = not upper
            low += count * upper

    def oldest(self) -> int:
        low, count = 0, len(self.places)
        while count > 1:
            low += (count // 2) * self.tree.get((low, count), 0)
            count //= 2
        return low

    def choose(self) -> int | None:
        free = [w for w, place in enumerate(self.places) if not place.busy]
        empty = [w for w in free if self.places[w].line is None]
        if empty:
            return empty[0]
        oldest = self.oldest()
        return oldest if oldest in free else min(free, default=None)


class GoldenCache:
    """``fetches`` and ``answers`` grow as requests and responses are given.

    Attributes
    ----------
    fetches : (line, tag, nt) in the order in which they go to the memory
    answers : by tag, what must be answered as soon as known
    counts : hits, merged, missed, bypassed
    """

    def __init__(self, lines: int, ways: int):
        self._lines, self._ways = lines, ways
        self.fetches: list[tuple[int, int, int]] = []
        self.answers: dict[int, tuple[object, int]] = {}
        self.counts = dict(hit=0, merged=0, missed=0, bypassed=0)
        self._waiting: dict[int, list[int]] = {}
        self._kept: dict[int, Place] = {}
        self.flush()

    def flush(self) -> None:
        """Forget all lines; nothing is on its way."""
        assert not self._waiting
        count = self._lines // self._ways
        self._sets = [Set([Place() for _ in range(self._ways)]) for _ in range(count)]

    def request(self, line: int, tag: int, nt: int) -> None:
        here = self._sets[line % len(self._sets)]
        for way, place in enumerate(here.places):
            if place.line == line:
                if not nt:
                    here.use(way)
                if place.busy:
                    self.counts["merged"] += 1
                    self._waiting[place.first].append(tag)
                else:
                    self.counts["hit"] += 1
                    self.answers[tag] = (place.data, 0)
                return
        self.fetches.append((line, tag, nt))
        self._waiting[tag] = [tag]
        way = None if nt else here.choose()
        self.counts["bypassed" if way is None else "missed"] += 1
        if way is not None:
            here.use(way)
            here.places[way] = self._kept[tag] = Place(line, first=tag)

    def awaits(self, tag: int) -> bool:
        """Whether a line with that tag is on its way."""
        return tag in self._waiting

    def respond(self, tag: int, data: object, error: int) -> None:
        for waiter in self._waiting.pop(tag):
            self.answers[waiter] = (data, error)
        place = self._kept.pop(tag, None)
        if place is not None:
            place.first, place.data = None, data
            if error:
                place.line = None
