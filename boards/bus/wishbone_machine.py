"""The machine with Wishbone for memory and control: ports as other people's systems name them."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...hw.config import Config
from ...hw.top import Machine
from .wishbone_control import WishboneControl
from .wishbone_memory import WishboneMemory


class WishboneMachine(wiring.Component):
    """Machine, pipelined Wishbone master ``wbm``, Wishbone slave ``wbs``, interrupt.

    Parameters
    ----------
    config : Config
    data_width : int or None
        See :class:`.wishbone_memory.WishboneMemory`.

    Members
    -------
    wbm_* : see :class:`.wishbone_memory.WishboneMemory`
    wbs_* : see :class:`.wishbone_control.WishboneControl`
    irq : Out(1), level: high while a run is done and the interrupt enabled

    Raises
    ------
    TypeError, ValueError
        See :mod:`.widths`.
    """

    def __init__(self, config: Config, data_width: int | None = None):
        self._config = config
        self._memory = WishboneMemory(config, data_width)
        self._control = WishboneControl()
        self._blocks = {"wbm": self._memory, "wbs": self._control}
        members = {
            f"{prefix}_{name}": member
            for prefix, block in self._blocks.items()
            for name, member in block.signature.members.items()
            if not member.is_signature
        }
        super().__init__({**members, "irq": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.machine = machine = Machine(self._config)
        m.submodules.memory = self._memory
        m.submodules.control = self._control
        wiring.connect(m, machine.read, self._memory.read)
        wiring.connect(m, machine.write, self._memory.write)
        wiring.connect(m, self._control.bus, machine.bus)
        for prefix, block in self._blocks.items():
            for name, member in block.signature.members.items():
                if member.is_signature:
                    continue
                inside, outside = getattr(block, name), getattr(self, f"{prefix}_{name}")
                if member.flow == In:
                    m.d.comb += inside.eq(outside)
                else:
                    m.d.comb += outside.eq(inside)
        m.d.comb += self.irq.eq(machine.irq)
        return m
