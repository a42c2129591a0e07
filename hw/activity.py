"""What each unit of the machine does in a cycle: busy, blocked or starved."""

from amaranth.hdl import Cat, Value
from amaranth.lib import data, enum

from .config import Config
from .isa import units


class Activity(enum.Enum, shape=2):
    """Exactly one of them holds for a unit in a cycle."""

    STARVED = 0  # it has nothing to hand on; before start and after the end too
    BUSY = 1  # it hands something on
    BLOCKED = 2  # it has something that its consumer, or a resource, does not take


#: Unit -> when it is busy, and when, if not busy, it is blocked. Otherwise it is starved.
STATES = {
    "layer": (
        "an item goes to the layer below",
        "an item is not taken by the layer below, or a load request by the load unit",
    ),
    "row": (
        "a beat (a row's vector, or an item without data) goes to the marshaling stage",
        "a beat is not taken by the marshaling stage, a line request not by the load unit, or a "
        "line waits for a slot of the ring",
    ),
    "loads": (
        "a request is granted",
        "a request waits: all MSHRs are in use, or the memory is not ready",
    ),
    "dataq": ("a vector enters or leaves", "a vector at the front is not taken"),
    "ctrlq": ("a token enters or leaves", "a token at the front is not taken"),
    "execute": (
        "an operation issues",
        "the operation waits for an earlier result of its row or for the store unit",
    ),
    "store": ("a line is written", "a line is not taken by the memory"),
}


def access_units(config: Config) -> tuple[str, ...]:
    """Units of the access unit, in pipeline order."""
    every = units(config)
    return every[: every.index("loads") + 1]


def activity(names: tuple[str, ...]) -> data.StructLayout:
    """The states of some units, by name."""
    return data.StructLayout({name: Activity for name in names})


def activity_of(busy: Value, blocked: Value) -> Value:
    """The :class:`Activity` of a unit that is busy, or else blocked, or else starved."""
    return Cat(busy, blocked & ~busy)
