"""The shape of an embedding-bag operation: all that the compiler needs to know."""

import operator
from dataclasses import dataclass

MODES = ("sum", "mean", "max")
#: Of :func:`ember.embedding`: every lookup is a bag of its own, whose row is copied.
NO_POOLING = "none"
NAN_MODES = ("torch", "propagate")
INDEX_TYPES = ("i32", "i64")


@dataclass(frozen=True)
class Bag:
    """Lookups in one table: its size, how many bags and entries, and what is done with them.

    Attributes
    ----------
    rows, dim : size of the table, rows x elements
    bags : output rows
    lookups : entries of all bags together
    mode : ``"sum"``, ``"mean"`` (the default, as in torch) or ``"max"``; ``"none"``: no pooling, as
        many bags as lookups
    index_type, offset_type : ``"i32"`` or ``"i64"``
    weighted : each entry has a weight; mode ``"sum"`` only
    padding_idx : entries with this index are skipped; -rows..rows-1, kept non-negative
    nan : what max does with NaN, ``"torch"`` or ``"propagate"``
    fma : weighted sums round once (True) or twice (False); None does what torch does
    name : of the table

    Raises
    ------
    TypeError
        A field of a wrong type.
    ValueError
        A field of a wrong value.
    """

    rows: int
    dim: int
    bags: int
    lookups: int
    mode: str = "mean"
    index_type: str = "i64"
    offset_type: str = "i64"
    weighted: bool = False
    padding_idx: int | None = None
    nan: str = "torch"
    fma: bool | None = None
    name: str = "table"

    def __post_init__(self) -> None:
        for name in ("rows", "dim", "bags", "lookups"):
            value = integer(getattr(self, name), name)
            if value < 0:
                raise ValueError(f"{name} must be at least 0, not {value}")
            object.__setattr__(self, name, value)
        choice(self.mode, "mode", (*MODES, NO_POOLING))
        choice(self.index_type, "index_type", INDEX_TYPES)
        choice(self.offset_type, "offset_type", INDEX_TYPES)
        choice(self.nan, "nan", NAN_MODES)
        boolean(self.weighted, "weighted")
        if self.fma is not None:
            boolean(self.fma, "fma")
        if not isinstance(self.name, str):
            raise TypeError(f"name must be a string, not {self.name!r}")
        if not self.name:
            raise ValueError("name must not be empty")
        if self.weighted and self.mode != "sum":
            raise ValueError(
                f"per_sample_weights must come with mode 'sum', not {self.mode!r}: "
                f"a weighted {self.mode} is not defined"
            )
        object.__setattr__(self, "padding_idx", self._wrapped_padding())
        if self.mode == NO_POOLING:
            if self.bags != self.lookups:
                raise ValueError(
                    f"bags must be as many as lookups, {self.lookups}, with mode 'none', "
                    f"not {self.bags}"
                )
            if self.padding_idx is not None:
                raise ValueError(
                    f"padding_idx must be None with mode 'none', not {self.padding_idx}: "
                    "every row is copied"
                )

    def _wrapped_padding(self) -> int | None:
        if self.padding_idx is None:
            return None
        value = integer(self.padding_idx, "padding_idx")
        if not -self.rows <= value < self.rows:
            raise ValueError(
                f"padding_idx is {value}, but table {self.name!r} has {self.rows} rows: "
                + (f"allowed {-self.rows}..{self.rows - 1}" if self.rows else "none is allowed")
            )
        return value % self.rows


def integer(value: object, argument: str) -> int:
    """``value`` as an int; bool and everything that is not exactly an integer is a TypeError."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{argument} must be an integer, not {value!r}")
    return operator.index(value)  # type: ignore[arg-type]


def boolean(value: object, argument: str) -> bool:
    """``value`` if it is a bool, else a TypeError."""
    if not isinstance(value, bool):
        raise TypeError(f"{argument} must be True or False, not {value!r}")
    return value


def choice(value: object, argument: str, allowed: tuple[str, ...]) -> str:
    """``value`` if it is one of ``allowed``, else a TypeError or ValueError."""
    names = ", ".join(map(repr, allowed))
    if not isinstance(value, str):
        raise TypeError(f"{argument} must be one of {names}, not {value!r}")
    if value not in allowed:
        raise ValueError(f"{argument} must be one of {names}, not {value!r}")
    return value
