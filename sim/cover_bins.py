"""A group of coverage bins: the product of some axes, less what a machine cannot do."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

#: A value of each axis: strings and integers.
Bin = tuple[Any, ...]
#: Why a bin cannot be reached, or None if it can.
Rule = Callable[[Bin], str | None]


@dataclass
class Group:
    """Bins of one question, and how often each was hit.

    Attributes
    ----------
    name, meaning : for the report
    axes : name of each axis and its values; the bins are their product
    rules : each excludes bins that no program can hit, and says why
    waived : each takes bins out that a program might hit, but that are not asked for
    hits : bin -> how often
    """

    name: str
    meaning: str
    axes: Mapping[str, tuple[Any, ...]]
    rules: tuple[Rule, ...] = ()
    waived: tuple[Rule, ...] = ()
    hits: dict[Bin, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.excluded: dict[Bin, str] = {}
        self.optional: dict[Bin, str] = {}
        legal = []
        for at in product(*self.axes.values()):
            if reason := _first(self.rules, at):
                self.excluded[at] = reason
            elif reason := _first(self.waived, at):
                self.optional[at] = reason
            else:
                legal.append(at)
        self.legal: tuple[Bin, ...] = tuple(legal)
        self._known = frozenset([*legal, *self.excluded, *self.optional])

    def hit(self, at: Bin, times: int = 1) -> None:
        """Count a bin.

        Raises
        ------
        KeyError
            The axes have no such bin.
        """
        if at not in self._known:
            raise KeyError(f"{self.name} has no bin {self.text(at)}")
        self.hits[at] = self.hits.get(at, 0) + times

    @property
    def missing(self) -> list[Bin]:
        """Legal bins that were never hit."""
        return [at for at in self.legal if at not in self.hits]

    @property
    def impossible(self) -> list[Bin]:
        """Excluded bins that were hit: the rule is wrong, or the machine."""
        return [at for at in self.hits if at in self.excluded]

    def text(self, at: Bin) -> str:
        """A bin as ``axis=value`` pairs."""
        return " ".join(f"{axis}={value}" for axis, value in zip(self.axes, at, strict=True))

    @property
    def reached(self) -> int:
        """Legal bins that were hit."""
        return len(self.legal) - len(self.missing)


def _first(rules: tuple[Rule, ...], at: Bin) -> str | None:
    return next((why for rule in rules if (why := rule(at))), None)


class Coverage:
    """Groups by name, for one configuration."""

    def __init__(self, groups: Iterable[Group]):
        self.groups = {group.name: group for group in groups}

    def __getitem__(self, name: str) -> Group:
        return self.groups[name]

    def __iter__(self) -> Iterator[Group]:
        return iter(self.groups.values())

    @property
    def legal(self) -> int:
        """Bins that can be hit."""
        return sum(len(group.legal) for group in self)

    @property
    def missing(self) -> list[tuple[Group, Bin]]:
        """Legal bins that were never hit."""
        return [(group, at) for group in self for at in group.missing]

    @property
    def impossible(self) -> list[tuple[Group, Bin]]:
        """Excluded bins that were hit."""
        return [(group, at) for group in self for at in group.impossible]

    @property
    def complete(self) -> bool:
        """Every legal bin was hit, and no other."""
        return not self.missing and not self.impossible

    def dump(self) -> dict[str, list]:
        """The hits, for JSON and :meth:`merge`."""
        return {group.name: [[*at, n] for at, n in group.hits.items()] for group in self}

    def merge(self, dumped: Mapping[str, list]) -> None:
        """Add the hits of another run of the same configuration."""
        for name, hits in dumped.items():
            for *at, times in hits:
                self[name].hit(tuple(at), times)
