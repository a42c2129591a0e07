"""What flows from layer to layer: iterations and markers, in program order within a lane."""

from amaranth.lib import data, enum

from ..config import Config
from ..layouts import index_width

#: Integers that an iteration hands to the loop below.
ENV_SLOTS = 3


class ItemType(enum.Enum, shape=2):
    """Kind of an item."""

    ITEM = 0  # one iteration of the layer above: a fiber for this layer
    MARK = 1  # beg or end of a loop further up
    STOP = 2  # the program has ended


def item(config: Config) -> data.StructLayout:
    """One item; docs/machine.md section 1."""
    return data.StructLayout(
        {
            "type": ItemType,
            "lane": index_width(config.fiber_lanes),
            "segment": index_width(config.segments),
            "mark_layer": 2,
            "mark_end": 1,
            "first": 1,
            "last": 1,
            "skip": 1,
            "env": data.ArrayLayout(config.addr_width, ENV_SLOTS),
            "arg": 32,
        }
    )
