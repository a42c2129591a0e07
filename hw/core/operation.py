"""What the issue stage sends down the pipeline each cycle."""

from amaranth.lib import data

from .. import isa
from ..config import Config
from ..layouts import index_width, vector
from .fp.op import FpOp


def operation(config: Config) -> data.StructLayout:
    """One chunk's work in the FP lanes."""
    return data.StructLayout(
        {
            "op": FpOp,
            "data": vector(config),  # from the DataQ
            "read_a": 1,  # `a` is a register, read when this was issued
            "a_bypass": 2,  # see Scoreboard
            "b": 32,
            "read_c": 1,
            "c": 1,  # register
            "minus": 1,  # `c` is -0.0 (and not read)
            "c_bypass": 3,
        }
    )


def lane_update(config: Config) -> data.StructLayout:
    """What an instruction does to its fiber lane's address and entry counter."""
    return data.StructLayout(
        {
            "lane": index_width(config.fiber_lanes),
            "clear": 1,
            "count": 1,
            "set": 1,  # address = base + factor * row_stride
            "bump": 1,  # address = address + factor * row_stride
            "factor": 32,
            "row_stride": 32,
            "base": config.addr_width,
        }
    )


def emission(config: Config) -> data.StructLayout:
    """How a chunk is stored."""
    (tail,) = [f.width for f in isa.execute_segment(config).fields if f.name == "tail"]
    return data.StructLayout(
        {
            "valid": 1,
            "first": 1,  # of its row
            "last": 1,
            "words": tail,  # valid elements, 1..lanes
            "div": 1,  # the program asks for a division by the counter
            "empty": 1,  # but the counter is 0
        }
    )


def stored_chunk(config: Config) -> data.StructLayout:
    """How a chunk on its way to the store unit is stored."""
    tail = emission(config).members["words"]
    return data.StructLayout(
        {
            "first": 1,  # of its row
            "last": 1,
            "words": tail,
            "address": config.addr_width - 2,  # of the row, in words; counts with `first` only
        }
    )


def chunk(config: Config) -> data.StructLayout:
    """A chunk on its way to the store unit."""
    return data.StructLayout({"data": vector(config), "chunk": stored_chunk(config)})
