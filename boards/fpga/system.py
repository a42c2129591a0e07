"""Machine, host link and memory: all of a board but its pins."""

from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...hw.config import Config
from ...hw.top import Machine
from ..link.control_window import ControlWindow
from ..link.link import HostLink
from ..link.port_switch import PortSwitch


class System(wiring.Component):
    """Wiring and nothing else.

    Parameters
    ----------
    config : Config
    memory : wiring.Component
        Not yet elaborated; has ``read``, In(ReadPort), and ``write``, In(WritePort). One that has
        ``control``, In(ControlBus), too gets a window in the register bus.
    divisor : int
        Clock cycles per bit of the serial line.
    memory_bytes, clock_hz, board : int
        What the link says of the board.

    Members
    -------
    rx : In(1), tx : Out(1)
    leds : Out(3), bit 0 blinks, bit 1: the link works, bit 2: a run is done
    """

    rx: Signal
    tx: Signal
    leds: Signal

    def __init__(
        self, config: Config, memory: wiring.Component, *, divisor: int, memory_bytes: int,
        clock_hz: int, board: int,
    ):  # fmt: skip
        self._config, self._memory, self._clock_hz = config, memory, clock_hz
        self._link = HostLink(
            config, divisor, memory_bytes=memory_bytes, clock_hz=clock_hz, board=board
        )
        super().__init__({"rx": In(1, init=1), "tx": Out(1, init=1), "leds": Out(3)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.machine = machine = Machine(self._config)
        m.submodules.link = link = self._link
        m.submodules.switch = switch = PortSwitch(self._config)
        memory: Any = self._memory  # a component, and its ports are those of a memory
        m.submodules.memory = memory
        if hasattr(memory, "control"):
            m.submodules.window = window = ControlWindow()
            wiring.connect(m, link.bus, window.link)
            wiring.connect(m, window.machine, machine.bus)
            wiring.connect(m, window.control, memory.control)
        else:
            wiring.connect(m, link.bus, machine.bus)
        wiring.connect(m, machine.read, switch.machine_read)
        wiring.connect(m, machine.write, switch.machine_write)
        wiring.connect(m, link.read, switch.link_read)
        wiring.connect(m, link.write, switch.link_write)
        wiring.connect(m, switch.read, memory.read)
        wiring.connect(m, switch.write, memory.write)
        blink = Signal(self._clock_hz.bit_length())
        m.d.sync += blink.eq(blink + 1)
        m.d.comb += [
            link.rx.eq(self.rx),
            self.tx.eq(link.tx),
            switch.claim.eq(link.claim),
            self.leds.eq(Cat(blink[-1], link.active, machine.irq)),
        ]
        return m
