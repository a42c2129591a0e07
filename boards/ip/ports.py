"""The ports of a machine with a bus, as a list: what the documents of an export are made of."""

from collections.abc import Iterator
from dataclasses import dataclass

from amaranth.hdl import Shape, Value, ValueCastable
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In


@dataclass(frozen=True)
class Port:
    """``flow`` is ``input`` or ``output``; ``fields`` are parts of a packed port, lowest first."""

    name: str
    flow: str
    width: int
    fields: tuple[tuple[str, int, int], ...] = ()

    @property
    def range(self) -> str:
        """``[7:0] `` for a vector, nothing for a single bit."""
        return f"[{self.width - 1}:0] " if self.width > 1 else ""


def ports(component: wiring.Component) -> list[Port]:
    """All ports of ``component``, ``clk`` and ``rst`` first, in the order of its signature.

    Names are those of the Verilog: a path's parts are joined by two underscores.
    """
    found = [Port("clk", "input", 1), Port("rst", "input", 1)]
    for path, member, value in component.signature.flatten(component):
        if isinstance(value, (Value, ValueCastable)):
            flow = "input" if member.flow == In else "output"
            fields = tuple(_fields(member.shape, "", 0))
            width = Shape.cast(member.shape).width
            found.append(Port("__".join(map(str, path)), flow, width, fields))
    return found


def _fields(shape, prefix: str, offset: int) -> Iterator[tuple[str, int, int]]:
    """Leaves of a layout: (name, lowest bit, width); an array is one leaf."""
    if not isinstance(shape, data.StructLayout):
        return
    for name, field in shape:
        inner = tuple(_fields(field.shape, f"{prefix}{name}.", offset + field.offset))
        yield from inner or ((f"{prefix}{name}", offset + field.offset, field.width),)


#: Beginning of a name -> what the ports are; the first that fits counts.
GROUPS = (
    ("clk", "Clock and reset: everything happens at the rising edge; reset is synchronous, active "
     "high, for one cycle at least."),
    ("rst", ""),
    ("m_axi_", "AXI4 master to memory."),
    ("s_axil_", "AXI4-Lite slave for the host: byte addresses, registers at the map's offsets."),
    ("wbm_", "Wishbone B4 master to memory, pipelined; `adr` counts words of the data bus."),
    ("wbs_", "Wishbone B4 slave for the host, classic or pipelined; `adr` counts 32-bit words."),
    ("bus__", "Register bus: word addresses, a write in the cycle of `write`, read data one cycle "
     "after the address."),
    ("read__", "Lines that are read: requests with a tag, responses with that tag in any order. "
     "A transfer is a cycle with `valid` and `ready`."),
    ("write__", "Lines that are written, with a mask bit for each 32-bit word; a response for each "
     "in any order."),
    ("irq", "Interrupt: high while a run is done and the interrupt is enabled."),
)  # fmt: skip


def group(port: Port) -> int:
    """Which of :data:`GROUPS` a port belongs to."""
    return next(n for n, (prefix, _) in enumerate(GROUPS) if port.name.startswith(prefix))
