"""The host link as numbers: what hardware, driver and docs/link.md have in common.

A frame is a flag, a body in which flags and escapes are escaped, its FCS-32, and a flag: the
framing of RFC 1662, without its address and control fields. Numbers are little-endian.
"""

import enum
import struct

FLAG, ESCAPE, TOGGLE = 0x7E, 0x7D, 0x20
FCS_BYTES = 4

#: Changes whenever a byte on the line changes its meaning.
VERSION = 1
#: First word of an answer to IDENTIFY: the bytes EMBL.
MAGIC = 0x4C424D45
#: Most words of data that a frame carries.
MAX_WORDS = 512

#: sequence, command, count, address
REQUEST = struct.Struct("<BBHI")
#: sequence, command, status, 0
ANSWER = struct.Struct("<BBBB")
#: An answer's command has this bit set beside the request's.
ANSWERS = 0x80
#: Largest body of a request.
MAX_BODY = REQUEST.size + 4 * MAX_WORDS


class Command(enum.IntEnum):
    """What a request asks for."""

    IDENTIFY = 1
    READ_MEMORY = 2
    WRITE_MEMORY = 3
    FILL_MEMORY = 4
    READ_REGISTERS = 5
    WRITE_REGISTERS = 6
    WAIT = 7


class Status(enum.IntEnum):
    """How it went."""

    OK = 0
    COMMAND = 1  # no such command
    LENGTH = 2  # count is out of range, or the body has another length than it says
    RANGE = 3  # an address is out of range or no multiple of 4
    BUSY = 4  # the machine runs
    MEMORY = 5  # the memory answered with an error
    RUNNING = 6  # the bound of a WAIT is over


#: Words of an answer to IDENTIFY, in order.
IDENTITY = (
    "magic", "version", "config_hash", "memory_bytes", "clock_hz", "max_words", "board",
    "bad_frames",
)  # fmt: skip

#: Number in an answer to IDENTIFY -> board.
BOARDS = {
    1: "ulx3s", 2: "board-sim", 3: "arty-a7", 4: "ecpix-5", 5: "versa-ecp5", 6: "dram-sim",
    7: "arty-a7-ddr3",
}  # fmt: skip

#: The upper half of the register bus, on boards with DRAM.
WINDOW = 1 << 19


class Window(enum.IntEnum):
    """Registers of a board's own: access to the control registers of its memory."""

    ADDRESS = WINDOW  # write: of the control register, in words
    DATA = WINDOW + 1  # write: a word into it; read: the word that was read last
    READ = WINDOW + 2  # write: read it
    STATE = WINDOW + 3  # read: bit 0: an access is carried out; bit 1: one was lost since a write
