"""A step: what one cycle of the pipeline does, at most one chunk of one instruction."""

from amaranth.lib import data

from ..config import Config
from .fp.op import FpOp
from .operation import emission, lane_update
from .stages import target


def step(config: Config) -> data.StructLayout:
    """A step that waits for its operands; those from scalar registers are read when it issues."""
    update = lane_update(config).members
    return data.StructLayout(
        {
            "halt": 1,
            "vector": 1,  # writes `target`
            "target": target(config),
            "pop": 1,  # into scalar register `rd`
            "rd": 2,
            "takes": 1,  # a vector from the DataQ; true for `pop` too
            "op": FpOp,
            "read_a": 1,
            "a": 1,
            "ones": 1,
            "b": 3,
            "arg": 32,
            "read_c": 1,
            "c": 1,
            "minus": 1,
            # Of the lane: once for each instruction, with its first step.
            "clear": 1,
            "count": 1,
            "set": 1,
            "bump": 1,
            "set_row": 1,  # the row number is scalar register `at`
            "at": 2,
            "base": update["base"],
            "row_stride": update["row_stride"],
            "emission": emission(config),
        }
    )
