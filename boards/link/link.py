"""The host link: serial line in and out, the machine's registers, the memory's ports."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...hw.block_ram import BlockRam
from ...hw.config import Config
from ...hw.layouts import ReadPort, RegisterBus, WritePort
from .executor import Executor
from .frames import FrameReceiver, FrameTransmitter
from .protocol import FCS_BYTES, MAX_BODY
from .uart import UartReceiver, UartTransmitter


def _inner_side(config: Config) -> dict:
    """The members towards machine and memory: the same, whatever the bytes come over."""
    return {
        "bus": In(RegisterBus()),
        "claim": Out(1),
        "read": Out(ReadPort(config)),
        "write": Out(WritePort(config)),
        "active": Out(1),
    }


class ByteLink(wiring.Component):
    """The host link behind a line of bytes.

    Parameters
    ----------
    config, memory_bytes, clock_hz, board
        See :class:`.executor.Executor`.

    Members
    -------
    valid, data, error : In, bytes that come in, see :class:`.uart.UartReceiver`
    o : Out(stream of 8 bits)
    bus : In(RegisterBus), the machine's
    claim : Out(1), read : Out(ReadPort), write : Out(WritePort)
        For :class:`.port_switch.PortSwitch`
    active : Out(1), a request is carried out or answered
    """

    o: stream.Interface
    claim: Signal
    active: Signal
    bus: wiring.PureInterface
    read: wiring.PureInterface
    write: wiring.PureInterface

    def __init__(self, config: Config, *, memory_bytes: int, clock_hz: int, board: int):
        self._executor = Executor(config, memory_bytes=memory_bytes, clock_hz=clock_hz, board=board)
        super().__init__(
            {
                "valid": In(1),
                "data": In(8),
                "error": In(1),
                "o": Out(stream.Signature(8)),
                **_inner_side(config),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.executor = executor = self._executor
        m.submodules.unframe = unframe = FrameReceiver(MAX_BODY)
        m.submodules.frame = frame = FrameTransmitter(MAX_BODY)
        words = (MAX_BODY + FCS_BYTES + 3) // 4
        # One side writes while the other one does not read: a request is held while it is carried
        # out, and an answer is complete when it is sent.
        m.submodules.request = request = BlockRam(32, words, parts=4)
        m.submodules.answer = answer = BlockRam(32, words)

        wiring.connect(m, frame.o, wiring.flipped(self.o))
        wiring.connect(m, executor.bus, wiring.flipped(self.bus))
        wiring.connect(m, executor.read, wiring.flipped(self.read))
        wiring.connect(m, executor.write, wiring.flipped(self.write))
        m.d.comb += [
            self.claim.eq(executor.claim),
            self.active.eq(executor.hold),
            unframe.valid.eq(self.valid),
            unframe.data.eq(self.data),
            unframe.error.eq(self.error),
            unframe.hold.eq(executor.hold),
            request.write_address.eq(unframe.address >> 2),
            request.write_data.eq(unframe.byte.replicate(4)),
            request.write_enable.eq(unframe.write << unframe.address[:2]),
            request.read_address.eq(executor.request_address),
            executor.request_word.eq(request.read_data),
            executor.received.eq(unframe.received),
            executor.length.eq(unframe.length),
            executor.fcs.eq(unframe.fcs),
            executor.bad.eq(unframe.bad),
            answer.write_address.eq(executor.answer_address),
            answer.write_data.eq(executor.answer_word),
            answer.write_enable.eq(executor.answer_write),
            answer.read_address.eq(frame.address),
            frame.word.eq(answer.read_data),
            frame.start.eq(executor.send),
            frame.length.eq(executor.answer_length),
            executor.sending.eq(frame.busy),
        ]
        return m


class HostLink(wiring.Component):
    """The host link behind a serial line: docs/link.md.

    Parameters
    ----------
    config, memory_bytes, clock_hz, board
        See :class:`.executor.Executor`.
    divisor : int
        Clock cycles per bit, at least 4.

    Members
    -------
    rx : In(1), asynchronous; tx : Out(1)
    bus, claim, read, write, active
        See :class:`ByteLink`.

    Raises
    ------
    TypeError, ValueError
        See :func:`.uart.check_divisor`.
    """

    rx: Signal
    tx: Signal
    claim: Signal
    active: Signal
    bus: wiring.PureInterface
    read: wiring.PureInterface
    write: wiring.PureInterface

    def __init__(
        self, config: Config, divisor: int, *, memory_bytes: int, clock_hz: int, board: int
    ):
        self._receiver, self._transmitter = UartReceiver(divisor), UartTransmitter(divisor)
        self._bytes = ByteLink(config, memory_bytes=memory_bytes, clock_hz=clock_hz, board=board)
        super().__init__(
            {
                "rx": In(1, init=1),
                "tx": Out(1, init=1),
                **_inner_side(config),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.receiver = receiver = self._receiver
        m.submodules.transmitter = transmitter = self._transmitter
        m.submodules.bytes = link = self._bytes
        wiring.connect(m, link.o, transmitter.i)
        for name in ("bus", "read", "write"):
            wiring.connect(m, getattr(link, name), wiring.flipped(getattr(self, name)))
        m.d.comb += [
            receiver.line.eq(self.rx),
            self.tx.eq(transmitter.line),
            link.valid.eq(receiver.valid),
            link.data.eq(receiver.data),
            link.error.eq(receiver.error),
            self.claim.eq(link.claim),
            self.active.eq(link.active),
        ]
        return m
