"""What a random program is asked to contain; the generator does as far as the program allows."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..hw.isa import ArgSel, Kind, Sel

__all__ = ["NO_WISH", "Wish"]


@dataclass(frozen=True)
class Wish:
    """All fields are optional.

    Attributes
    ----------
    layer : scalar loop that ``kind``, ``size`` (``empty``, ``one`` or ``more`` iterations),
        ``iterations`` (their number), ``flags``, ``stream`` (a name of
        :data:`ember.sim.cover_access.STREAMS`) and ``leaves_out`` (a reason of group ``skips``)
        are about
    deals : layer 0's iterations number the output rows, so that SETR may use them
    event, push : an event of :func:`ember.sim.cover_trace.event_names`, and what it pushes: an
        operand's name, ``stream`` for that of ``layer``, or ``token``
    index, vector : traversal and mode of the row layer
    tail, offset : elements of a row's last line, and place of its first one
    store_offset : place of an output row's first word in its line
    instruction : fields of :func:`ember.hw.isa.execute`'s format
    fill : ``token`` or ``vector``: the queue that is to run full
    stored : whether the access unit stores the rows, where both units can
    latency : ``long``, ``shuffled``, ``late`` or ``stalled``
    fault : name of a read stream, ``write``, or ``tag``
    reset : the machine is reset, in the middle of a run or before one
    """

    layer: int | None = None
    kind: Kind | None = None
    size: str | None = None
    iterations: int | None = None
    flags: int | None = None
    stream: str | None = None
    leaves_out: str | None = None
    deals: bool = False
    event: str | None = None
    push: str | None = None
    index: int | None = None
    vector: int | None = None
    tail: int | None = None
    offset: int | None = None
    store_offset: int | None = None
    instruction: Mapping[str, int] = field(default_factory=dict)
    fill: str | None = None
    stored: int | None = None
    latency: str | None = None
    fault: str | None = None
    reset: bool = False

    def __str__(self) -> str:
        """The fields that are set."""
        given = ((name, getattr(self, name)) for name in self.__dataclass_fields__)
        return ", ".join(
            f"{name}={value}" for name, value in given if value != getattr(NO_WISH, name)
        )

    def merged(self, other: "Wish") -> "Wish | None":
        """Both at once, or None if they want different things."""
        fields = {}
        for name in self.__dataclass_fields__:
            mine, theirs, none = (getattr(w, name) for w in (self, other, NO_WISH))
            if none not in (mine, theirs) and mine != theirs:
                return None
            fields[name] = theirs if mine == none else mine
        return Wish(**fields)

    @property
    def marker_layer(self) -> int | None:
        """The scalar layer whose marker ``event`` is."""
        return int(self.event[1]) if self.event is not None and self.event[0] == "l" else None

    @property
    def memory(self) -> int | None:
        """Memory stream that ``stream`` needs."""
        for number, names in enumerate((("MEM0", "NEXT", "ARG/MEM0"), ("MEM1", "ARG/MEM1"))):
            if self.stream is not None and self.stream.startswith(names):
                return number
        return {"value": 0, "m0": 0, "next": 0, "m1": 1}.get(self.leaves_out or "")

    @property
    def pairs(self) -> bool:
        """Memory stream 0 has to load pairs."""
        return (self.stream or "").startswith("NEXT") or self.leaves_out == "next"

    def wide(self, memory: int) -> bool | None:
        """Whether a memory stream's elements have 8 bytes; None: either."""
        if self.memory != memory or self.stream is None or "/" not in self.stream:
            return None
        return {"4": False, "8": True}.get(self.stream.rpartition("/")[2])

    @property
    def sel(self) -> Sel | None:
        """The stream to hand down in the environment."""
        if self.stream is None or self.stream.startswith("ARG"):
            return None
        name = self.stream.partition("/")[0]
        return Sel.ENV0 if name == "ENV" else Sel[name]

    @property
    def arg(self) -> ArgSel | None:
        """The source of the scalar to hand down."""
        if self.stream is None or not self.stream.startswith("ARG/"):
            return None
        return ArgSel[self.stream.removeprefix("ARG/")]


NO_WISH = Wish()
