"""UART, 8 data bits, no parity, 1 stop bit; least significant bit first."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import In, Out

#: With fewer clock cycles a bit has no middle.
MIN_DIVISOR = 4
#: Of a counter of 20 bits.
MAX_DIVISOR = (1 << 20) - 1


def check_divisor(divisor: int) -> int:
    """``divisor``, if a UART can have it.

    Raises
    ------
    TypeError, ValueError
    """
    if not isinstance(divisor, int) or isinstance(divisor, bool):
        raise TypeError(f"divisor must be an integer, not {divisor!r}")
    if not MIN_DIVISOR <= divisor <= MAX_DIVISOR:
        raise ValueError(
            f"divisor must be {MIN_DIVISOR}..{MAX_DIVISOR} clock cycles per bit, not {divisor}"
        )
    return divisor


class UartReceiver(wiring.Component):
    """Bytes from a serial line.

    A bit is looked at in its middle. A start bit that is over by then is noise and forgotten. After
    a stop bit that is low the line must be high once before another byte begins.

    Parameters
    ----------
    divisor : int
        Clock cycles per bit, at least 4.

    Members
    -------
    line : In(1), asynchronous, high when idle
    valid : Out(1), for one cycle for each byte; there is no back-pressure
    data : Out(8)
    error : Out(1), with ``valid``: the stop bit was low

    Latency: from the middle of the stop bit 3 cycles. Throughput: bytes without a pause between
    them; the sender's clock may be off by 4 % where the divisor is large, less with few cycles.

    Raises
    ------
    TypeError, ValueError
        See :func:`check_divisor`.
    """

    line: Signal
    valid: Signal
    data: Signal
    error: Signal

    def __init__(self, divisor: int):
        self._divisor = check_divisor(divisor)
        super().__init__({"line": In(1, init=1), "valid": Out(1), "data": Out(8), "error": Out(1)})

    def elaborate(self, platform):
        m = Module()
        divisor = self._divisor
        line = Signal(init=1)
        m.submodules.synchronizer = FFSynchronizer(self.line, line, init=1)
        timer, bit = Signal(range(divisor)), Signal(range(10))
        receiving, armed = Signal(), Signal()
        m.d.sync += self.valid.eq(0)
        with m.If(~receiving):
            with m.If(line):
                m.d.sync += armed.eq(1)
            with m.Elif(armed):
                m.d.sync += [receiving.eq(1), timer.eq(divisor // 2 - 1), bit.eq(0)]
        with m.Elif(timer != 0):
            m.d.sync += timer.eq(timer - 1)
        with m.Else():
            m.d.sync += [timer.eq(divisor - 1), bit.eq(bit + 1)]
            with m.If(bit == 0):
                m.d.sync += receiving.eq(~line)
            with m.Elif(bit == 9):
                m.d.sync += [
                    receiving.eq(0), armed.eq(line), self.valid.eq(1), self.error.eq(~line)
                ]  # fmt: skip
            with m.Else():
                m.d.sync += self.data.eq(Cat(self.data[1:], line))
        return m


class UartTransmitter(wiring.Component):
    """Bytes to a serial line.

    Parameters
    ----------
    divisor : int
        Clock cycles per bit, at least 4.

    Members
    -------
    i : In(stream of 8 bits)
    line : Out(1), from a register, high when idle

    Latency: 1 cycle to the start bit. Throughput: a byte in 10 bits and one cycle.

    Raises
    ------
    TypeError, ValueError
        See :func:`check_divisor`.
    """

    i: stream.Interface
    line: Signal

    def __init__(self, divisor: int):
        self._divisor = check_divisor(divisor)
        super().__init__({"i": In(stream.Signature(8)), "line": Out(1, init=1)})

    def elaborate(self, platform):
        m = Module()
        timer, left = Signal(range(self._divisor)), Signal(range(11))
        bits = Signal(9, init=~0)
        m.d.comb += self.i.ready.eq(left == 0)
        with m.If(self.i.ready):
            with m.If(self.i.valid):
                m.d.sync += [
                    self.line.eq(0), bits.eq(Cat(self.i.payload, 1)), left.eq(10),
                    timer.eq(self._divisor - 1),
                ]  # fmt: skip
        with m.Elif(timer != 0):
            m.d.sync += timer.eq(timer - 1)
        with m.Else():
            m.d.sync += [
                self.line.eq(bits[0]), bits.eq(Cat(bits[1:], 1)), left.eq(left - 1),
                timer.eq(self._divisor - 1),
            ]  # fmt: skip
        return m
