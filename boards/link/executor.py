"""Carries out the requests of the host link."""

from amaranth.hdl import Array, Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...hw import isa
from ...hw.config import Config
from ...hw.layouts import ReadPort, RegisterBus, WritePort, index_width
from .protocol import (
    ANSWERS,
    IDENTITY,
    MAGIC,
    MAX_BODY,
    MAX_WORDS,
    REQUEST,
    VERSION,
    Command,
    Status,
)

_REGISTERS = {name: address for name, address, _, _ in isa.REGISTERS}
#: Bits of a word number in a buffer.
BUFFER_BITS = index_width(MAX_BODY // 4)


class Executor(wiring.Component):
    """Reads a request from one buffer, does what it asks for, writes an answer to another one.

    A request with the sequence number and the checksum of the last one is that one again: its
    answer, which is still there, is sent again and nothing is done. See docs/link.md for requests,
    answers and the order of checks. Nothing happens before all checks have passed, except that a
    WRITE_REGISTERS does what comes before the pair that is refused.

    Parameters
    ----------
    config : Config
    memory_bytes : int
        Size of the memory, a multiple of 4 below 2**32.
    clock_hz : int
        What IDENTIFY says of the clock.
    board : int
        What it says of the board, see :data:`.protocol.BOARDS`.

    Members
    -------
    received : In(1), length : In(range(MAX_BODY + 1)), fcs : In(32), bad : In(16)
        See :class:`.frames.FrameReceiver`
    hold : Out(1), the request's buffer is in use
    request_address : Out(BUFFER_BITS), word; request_word : In(32), one cycle later
    answer_address : Out(BUFFER_BITS), word; answer_word : Out(32); answer_write : Out(1)
    send : Out(1), answer_length : Out(range(MAX_BODY + 1)), sending : In(1)
        See :class:`.frames.FrameTransmitter`
    bus : In(RegisterBus), the machine's
    claim : Out(1), around all that it does with the memory
    read : Out(ReadPort), write : Out(WritePort), one line at a time, for each word
    """

    def __init__(self, config: Config, *, memory_bytes: int, clock_hz: int, board: int):
        self._config, self._memory_bytes = config, memory_bytes
        self._clock_hz, self._board = clock_hz, board
        super().__init__(
            {
                "received": In(1),
                "length": In(range(MAX_BODY + 1)),
                "fcs": In(32),
                "bad": In(16),
                "hold": Out(1),
                "request_address": Out(BUFFER_BITS),
                "request_word": In(32),
                "answer_address": Out(BUFFER_BITS),
                "answer_word": Out(32),
                "answer_write": Out(1),
                "send": Out(1),
                "answer_length": Out(range(MAX_BODY + 1)),
                "sending": In(1),
                "bus": In(RegisterBus()),
                "claim": Out(1),
                "read": Out(ReadPort(config)),
                "write": Out(WritePort(config)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        length, fcs = Signal.like(self.length), Signal(32)
        sequence, command = Signal(8), Signal(8)
        count, address = Signal(16), Signal(32)
        last_sequence, last_fcs, have_last = Signal(8), Signal(32), Signal()
        status = Signal(8)
        # Word of the request that is looked at, and words of the answer behind its header.
        at, said = Signal(BUFFER_BITS), Signal(BUFFER_BITS)
        left = Signal(32)  # words or pairs still to do
        value = Signal(32)
        header = REQUEST.size // 4

        m.d.comb += [
            self.hold.eq(1),
            self.request_address.eq(at),
            self.answer_address.eq(said + 1),
            self.answer_word.eq(value),
            self.answer_length.eq((said << 2) + 4),
        ]
        # All of the bus passes a register on our side, or a path would lead from the counters'
        # memory through what is decided here to what the machine does with a write. So a word is
        # there three cycles after its address.
        bus_address, bus_write, bus_word = Signal(isa.BUS_ADDR_WIDTH), Signal(), Signal(32)
        m.d.comb += bus_address.eq(_REGISTERS["STATUS"])
        m.d.sync += [
            self.bus.address.eq(bus_address),
            self.bus.write.eq(bus_write),
            self.bus.write_data.eq(value),
            bus_word.eq(self.bus.read_data),
        ]

        def say(word):
            """Append a word to the answer."""
            m.d.comb += [self.answer_word.eq(word), self.answer_write.eq(1)]
            m.d.sync += said.eq(said + 1)

        def refuse(why):
            m.d.sync += status.eq(why)
            m.next = "REFUSED"

        line = address[config.line_shift :]
        lane = address[2 : config.line_shift]
        m.d.comb += [
            self.read.request.payload.line.eq(line),
            self.write.request.payload.line.eq(line),
            Value.cast(self.write.request.payload.data).eq(value.replicate(config.lanes)),
            self.write.request.payload.mask.eq(Const(1) << lane),
            self.read.response.ready.eq(1),
            self.write.response.ready.eq(1),
        ]
        words = Signal(range(MAX_WORDS + 1))  # of the request, behind its header
        m.d.comb += words.eq((length >> 2) - header)
        done = Signal(32)  # words or pairs done
        known_command, whole, in_memory = Signal(), Signal(), Signal()
        whole_words = ~length[:2].any()
        several = (count != 0) & (count <= MAX_WORDS)

        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += self.hold.eq(0)
                m.d.sync += [at.eq(0), length.eq(self.length), fcs.eq(self.fcs)]
                with m.If(self.received & (self.length >= REQUEST.size)):
                    m.next = "HEAD"

            with m.State("HEAD"):  # the first word's address is there
                m.d.sync += at.eq(1)
                m.next = "SEQUENCE"

            with m.State("SEQUENCE"):
                m.d.sync += [
                    Cat(sequence, command, count).eq(self.request_word),
                    at.eq(2),
                ]
                m.next = "ADDRESS"

            with m.State("ADDRESS"):
                m.d.sync += [address.eq(self.request_word), done.eq(0)]
                with m.If(have_last & (sequence == last_sequence) & (fcs == last_fcs)):
                    m.next = "SEND"
                with m.Else():
                    m.d.sync += [
                        have_last.eq(1), last_sequence.eq(sequence), last_fcs.eq(fcs),
                        said.eq(0), status.eq(Status.OK), left.eq(count),
                        value.eq(self.request_word),
                    ]  # fmt: skip
                    m.next = "CHECK"

            with m.State("CHECK"):
                m.d.sync += [known_command.eq(1), whole.eq(0)]
                with m.Switch(command):
                    for name in (Command.IDENTIFY, Command.WAIT):
                        with m.Case(name):
                            m.d.sync += whole.eq(whole_words & (words == 0) & (count == 0))
                    for name in (Command.READ_MEMORY, Command.READ_REGISTERS):
                        with m.Case(name):
                            m.d.sync += whole.eq(whole_words & (words == 0) & several)
                    with m.Case(Command.WRITE_MEMORY):
                        m.d.sync += whole.eq(whole_words & (words == count) & several)
                    with m.Case(Command.WRITE_REGISTERS):
                        m.d.sync += whole.eq(whole_words & (words == count << 1) & several)
                    with m.Case(Command.FILL_MEMORY):
                        m.d.sync += [
                            whole.eq(
                                whole_words & (words == 2) & (count == 0) & self.request_word.any()
                            ),
                            left.eq(self.request_word),
                            at.eq(header + 1),
                        ]
                    with m.Default():
                        m.d.sync += known_command.eq(0)
                m.next = "LIMIT"

            with m.State("LIMIT"):
                end = address[2:] + left
                m.d.sync += in_memory.eq(~address[:2].any() & (end <= self._memory_bytes // 4))
                with m.If(~known_command):
                    refuse(Status.COMMAND)
                with m.Elif(~whole):
                    refuse(Status.LENGTH)
                with m.Else():
                    m.next = "BEGIN"

            with m.State("BEGIN"):
                busy = bus_word[0]
                with m.Switch(command):
                    with m.Case(Command.IDENTIFY):
                        m.next = "IDENTIFY"
                    with m.Case(Command.WAIT):
                        m.next = "WAITING"
                    with m.Case(Command.READ_REGISTERS):
                        m.next = "REGISTER"
                        with m.If(address + left > 1 << isa.BUS_ADDR_WIDTH):
                            refuse(Status.RANGE)
                    with m.Case(Command.WRITE_REGISTERS):
                        m.next = "PAIR"
                    with m.Default():
                        with m.If(~in_memory):
                            refuse(Status.RANGE)
                        with m.Elif(busy):
                            refuse(Status.BUSY)
                        with m.Elif(command == Command.READ_MEMORY):
                            m.next = "READ"
                        with m.Else():
                            m.next = "TAKE"

            with m.State("IDENTIFY"):
                known = {
                    "magic": MAGIC, "version": VERSION, "config_hash": int(config.hash, 16),
                    "memory_bytes": self._memory_bytes, "clock_hz": self._clock_hz,
                    "max_words": MAX_WORDS, "board": self._board, "bad_frames": self.bad,
                }  # fmt: skip
                say(Array(known[name] for name in IDENTITY)[said[: index_width(len(IDENTITY))]])
                with m.If(said == len(IDENTITY) - 1):
                    m.next = "HEADER"

            # Memory: the word is taken from the request (or stays), written, answered.
            with m.State("TAKE"):  # its address is there
                m.d.sync += at.eq(at + 1)
                m.next = "TAKEN"
            with m.State("TAKEN"):
                m.d.sync += value.eq(self.request_word)
                m.next = "WRITE"
            with m.State("WRITE"):
                m.d.comb += [self.claim.eq(1), self.write.request.valid.eq(1)]
                with m.If(self.write.request.ready):
                    m.next = "WRITTEN"
            with m.State("WRITTEN"):
                m.d.comb += self.claim.eq(1)
                with m.If(self.write.response.valid):
                    with m.If(self.write.response.payload.error):
                        refuse(Status.MEMORY)
                    with m.Else():
                        m.d.sync += [address.eq(address + 4), left.eq(left - 1), done.eq(done + 1)]
                        with m.If(left == 1):
                            m.next = "HEADER"
                        with m.Elif(command == Command.FILL_MEMORY):
                            m.next = "WRITE"
                        with m.Else():
                            m.next = "TAKE"

            with m.State("READ"):
                m.d.comb += [self.claim.eq(1), self.read.request.valid.eq(1)]
                with m.If(self.read.request.ready):
                    m.next = "LOADED"
            with m.State("LOADED"):
                m.d.comb += self.claim.eq(1)
                with m.If(self.read.response.valid):
                    with m.If(self.read.response.payload.error):
                        m.d.sync += said.eq(0)
                        refuse(Status.MEMORY)
                    with m.Else():
                        loaded = self.read.response.payload.data
                        say(loaded[lane] if config.lanes > 1 else loaded[0])
                        m.d.sync += [address.eq(address + 4), left.eq(left - 1), done.eq(done + 1)]
                        m.next = "READ"
                        with m.If(left == 1):
                            m.next = "HEADER"

            with m.State("REGISTER"):
                m.d.comb += bus_address.eq(address)
                m.next = "REGISTER_ASKED"
            with m.State("REGISTER_ASKED"):
                m.next = "REGISTER_READ"
            with m.State("REGISTER_READ"):
                m.next = "REGISTERED"
            with m.State("REGISTERED"):
                say(bus_word)
                m.d.sync += [address.eq(address + 1), left.eq(left - 1)]
                m.next = "REGISTER"
                with m.If(left == 1):
                    m.next = "HEADER"

            # Registers: address and value of each pair. While they come, the status is read: it is
            # asked for in PAIR, a cycle after the last pair was written, and there in PAIR_WRITE.
            with m.State("PAIR"):
                m.d.sync += at.eq(at + 1)
                m.next = "PAIR_ADDRESS"
            with m.State("PAIR_ADDRESS"):
                m.d.sync += [address.eq(self.request_word), at.eq(at + 1)]
                m.next = "PAIR_VALUE"
            with m.State("PAIR_VALUE"):
                m.d.sync += value.eq(self.request_word)
                m.next = "PAIR_WRITE"
            with m.State("PAIR_WRITE"):
                program = address[isa.WINDOW_SHIFT :].any()
                starts = (address == _REGISTERS["CONTROL"]) & value[0]
                ignored = program | starts | (address == _REGISTERS["SEGMENTS"])
                with m.If(address[isa.BUS_ADDR_WIDTH :].any()):
                    refuse(Status.RANGE)
                with m.Elif(bus_word[0] & ignored):
                    refuse(Status.BUSY)
                with m.Else():
                    m.d.comb += [bus_address.eq(address), bus_write.eq(1)]
                    m.d.sync += [left.eq(left - 1), done.eq(done + 1)]
                    m.next = "PAIR"
                    with m.If(left == 1):
                        m.next = "HEADER"

            # `address` counts the cycles that are left.
            with m.State("WAITING"):
                with m.If(~bus_word[0]):
                    say(bus_word)
                    m.next = "HEADER"
                with m.Elif(address == 0):
                    say(bus_word)
                    m.d.sync += status.eq(Status.RUNNING)
                    m.next = "HEADER"
                with m.Else():
                    m.d.sync += address.eq(address - 1)

            with m.State("REFUSED"):
                say(done)
                m.next = "HEADER"
            with m.State("HEADER"):
                m.d.comb += [
                    self.answer_address.eq(0),
                    self.answer_word.eq(Cat(sequence, command | ANSWERS, status)),
                    self.answer_write.eq(1),
                ]
                m.next = "SEND"
            with m.State("SEND"):
                m.d.comb += self.send.eq(1)
                m.next = "SENDING"
            with m.State("SENDING"):
                with m.If(~self.sending):
                    m.next = "IDLE"
        return m
