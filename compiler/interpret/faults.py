"""What the access unit reports instead of going on, as in docs/machine.md, section 7."""

from typing import NamedTuple

from ...hw.isa import Error


class Fault(NamedTuple):
    """A value that is out of range, or a range that ends before it starts."""

    kind: Error
    #: Loops around the one that it happened in.
    layer: int
    #: Of the loop: its iteration, or (``BOUNDS``) its start.
    position: int
    #: What was loaded, or (``BOUNDS``) the stop.
    value: int
