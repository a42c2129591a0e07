"""Payloads that cross block boundaries, and the memory port, in one place."""

from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from . import isa
from .config import Config


def index_width(entries: int) -> int:
    """Bits that number ``entries`` things; at least 1."""
    return max(1, (entries - 1).bit_length())


def vector(config: Config) -> data.ArrayLayout:
    """One DataQ entry or memory line: ``lanes`` 32-bit words, element 0 lowest."""
    return data.ArrayLayout(32, config.lanes)


def token(config: Config) -> data.StructLayout:
    """One CtrlQ entry."""
    return data.StructLayout(
        {
            "pc": index_width(config.code_depth),  # callback: address of its first instruction
            "lane": index_width(config.fiber_lanes),
            "segment": index_width(config.segments),
            "first": 1,  # first iteration of the loop that sets flags
            "last": 1,  # its last iteration
            "skip": 1,  # no data: a skipped or missing iteration
            "halt": 1,  # the program has ended; no other field counts
            "arg": 32,  # scalar operand
        }
    )


#: Read streams share the port; a tag's upper bits name one. The row layer is ROW_STREAM.
ROW_STREAM = 7
#: No stream has this number: what the read cache makes of the tag of a response that it did not
#: ask for.
NO_STREAM = 6


def scalar_stream(layer: int, memory: int) -> int:
    """Stream number of a scalar layer's memory stream."""
    return 2 * layer + memory


def tag(config: Config) -> data.StructLayout:
    """Read tag: which slot of which stream the response fills."""
    slots = max(config.ring_slots, config.line_slots)
    return data.StructLayout({"slot": index_width(slots), "stream": 3})


def read_request(config: Config) -> data.StructLayout:
    """A line to load. ``nt`` is the non-temporal hint."""
    return data.StructLayout({"line": config.line_addr_width, "tag": tag(config), "nt": 1})


def read_response(config: Config) -> data.StructLayout:
    """A loaded line, in any order."""
    return data.StructLayout({"data": vector(config), "tag": tag(config), "error": 1})


def write_request(config: Config) -> data.StructLayout:
    """A line to store; ``mask`` has one bit per 32-bit word."""
    return data.StructLayout(
        {"line": config.line_addr_width, "data": vector(config), "mask": config.lanes}
    )


class ReadPort(wiring.Signature):
    """Read half of the memory port, seen from the machine.

    Members
    -------
    request : Out(stream) of :func:`read_request`
    response : In(stream) of :func:`read_response`. The load unit is always ready for it; a read
        cache makes it wait while it answers those that wait for an earlier line
    """

    def __init__(self, config: Config):
        super().__init__(
            {
                "request": Out(stream.Signature(read_request(config))),
                "response": In(stream.Signature(read_response(config))),
            }
        )


class WritePort(wiring.Signature):
    """Write half of the memory port, seen from the machine.

    Members
    -------
    request : Out(stream) of :func:`write_request`
    response : In(stream) of one error bit, one per request in any order; always ready
    """

    def __init__(self, config: Config):
        super().__init__(
            {
                "request": Out(stream.Signature(write_request(config))),
                "response": In(stream.Signature(data.StructLayout({"error": 1}))),
            }
        )


class RegisterBus(wiring.Signature):
    """Host access to registers and program memories, seen from the machine.

    Members
    -------
    address : In(20), word address
    write : In(1), write ``write_data`` this cycle
    write_data : In(32)
    read_data : Out(32), the register's value one cycle after ``address``; program memories are
        write-only and read as 0
    """

    def __init__(self):
        super().__init__(
            {
                "address": In(isa.BUS_ADDR_WIDTH),
                "write": In(1),
                "write_data": In(32),
                "read_data": Out(32),
            }
        )


def error_report(config: Config) -> data.StructLayout:
    """What a block reports when it sees an error; the control block keeps the first."""
    return data.StructLayout(
        {
            "kind": 3,  # isa.Error
            "segment": index_width(config.segments),
            "layer": 2,
            "position": config.addr_width,
            "value": 64,
        }
    )
