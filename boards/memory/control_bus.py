"""How a memory's control registers are reached."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class ControlBus(wiring.Signature):
    """LiteDRAM's control registers, seen from whoever uses them: Wishbone, one word at a time.

    Members
    -------
    address : Out(30), in words; write_data : Out(32); write : Out(1)
    request : Out(1), until ``done``; done : In(1), and ``read_data``, In(32), is there
    """

    def __init__(self):
        super().__init__(
            {
                "address": Out(30),
                "write": Out(1),
                "write_data": Out(32),
                "request": Out(1),
                "done": In(1),
                "read_data": In(32),
            }
        )
