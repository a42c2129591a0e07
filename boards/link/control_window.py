"""A window in the register bus: the control registers of a memory, between link and machine."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...hw import isa
from ...hw.layouts import RegisterBus
from ..memory.control_bus import ControlBus
from .protocol import WINDOW, Window


class ControlWindow(wiring.Component):
    """The upper half of the register bus is its own; the lower half goes on to the machine.

    Registers are those of :class:`.protocol.Window`. One access at a time: what is asked for while
    one is carried out is not done, and STATE says so until it is written.

    Members
    -------
    link : Out(RegisterBus), machine : In(RegisterBus)
    control : Out(ControlBus)

    Latency: none to the machine.
    """

    link: wiring.PureInterface
    machine: wiring.PureInterface
    control: wiring.PureInterface

    def __init__(self):
        super().__init__(
            {"link": Out(RegisterBus()), "machine": In(RegisterBus()), "control": Out(ControlBus())}
        )

    def elaborate(self, platform):
        m = Module()
        link, machine, control = self.link, self.machine, self.control
        mine = link.address[isa.BUS_ADDR_WIDTH - 1]
        was_mine, register = Signal(), Signal(2)
        lost, word = Signal(), Signal(32)
        m.d.comb += [
            machine.address.eq(link.address),
            machine.write.eq(link.write & ~mine),
            machine.write_data.eq(link.write_data),
            link.read_data.eq(Mux(was_mine, word, machine.read_data)),
        ]
        m.d.sync += [was_mine.eq(mine), register.eq(link.address[:2])]
        came = Signal(32)
        with m.Switch(register):
            with m.Case(Window.DATA - WINDOW):
                m.d.comb += word.eq(came)
            with m.Case(Window.STATE - WINDOW):
                m.d.comb += word.eq(control.request | lost << 1)
        with m.If(control.request & control.done):
            m.d.sync += [control.request.eq(0), came.eq(control.read_data)]
        with m.If(link.write & mine):
            with m.If(link.address[:2] == Window.STATE - WINDOW):
                m.d.sync += lost.eq(0)
            with m.Elif(control.request):
                m.d.sync += lost.eq(1)
            with m.Elif(link.address[:2] == Window.ADDRESS - WINDOW):
                m.d.sync += control.address.eq(link.write_data)
            with m.Else():
                m.d.sync += [
                    control.request.eq(1),
                    control.write.eq(link.address[:2] == Window.DATA - WINDOW),
                    control.write_data.eq(link.write_data),
                ]
        return m
