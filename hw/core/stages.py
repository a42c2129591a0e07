"""Where things happen in the pipeline: stage k holds what was issued k cycles ago."""

from amaranth.hdl import Cat
from amaranth.lib import data

from ..config import Config
from ..layouts import index_width
from .fp.lane import ADD_STAGES, MUL_STAGES

#: ``a``, ``b`` and the operation enter the FP lanes. Stage 1 waits for the register memory.
OPERAND = 2
#: The read address of ``c`` goes to the register memory; data in the next stage, selected and
#: registered for the one after it, :data:`ADDEND`.
READ_C = MUL_STAGES
#: ``c`` enters the FP lanes.
ADDEND = OPERAND + MUL_STAGES
#: The FP lanes' result is there: written to the register memory, and to the emission queue.
RESULT = ADDEND + ADD_STAGES


def target(config: Config) -> data.StructLayout:
    """What a vector operation writes: a chunk of a register, or one element of it."""
    return data.StructLayout(
        {
            "lane": index_width(config.fiber_lanes),
            "index": 1,  # register
            "chunk": index_width(config.row_chunks),
            "element": 1,  # 1: only element `position`
            "position": index_width(config.lanes),
        }
    )


def register_address(config: Config, lane, index, chunk):
    """Address of a chunk in the register memory, ``2 * fiber_lanes * row_chunks`` deep."""
    chunk_bits = (config.row_chunks - 1).bit_length()
    lane_bits = (config.fiber_lanes - 1).bit_length()
    return Cat(chunk[:chunk_bits], index, lane[:lane_bits])
