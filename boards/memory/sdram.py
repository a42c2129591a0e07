"""Memory of lines in an SDR SDRAM."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ...hw.config import Config
from ...hw.layouts import ReadPort, WritePort, tag
from ...hw.queues.queue import Queue
from .sdram_pins import SdramCommand, SdramPins
from .sdram_timing import SdramTiming

#: Lines of one direction after which the other one has its turn, if it waits.
RUN = 16
#: Lines whose answers may be on their way or wait to be taken, of each direction.
ANSWERS = 8
#: Registers in the pins' cells: one out, one in.
_PIN_REGISTERS = 2
#: Refreshes of the initialization; the slowest chips want 8.
_FIRST_REFRESHES = 8
#: Address bit that makes a PRECHARGE one of all banks.
_ALL_BANKS = 1 << 10


class Sdram(wiring.Component):
    """Controller of an SDR SDRAM with 16 data pins.

    A line is one burst of 8 words or several, lowest address first; lines below 16 bytes are
    shorter bursts. Each bank keeps its row open. Lines are accessed in the order in which they
    were taken; while the words of one pass, the row of the next one is opened. Rows, then banks,
    then columns make an address, so that neighbouring rows are in different banks. Lines beyond the
    chip are answered with an error, which takes the time of an access and changes nothing.

    Parameters
    ----------
    config : Config
    hz : int
        Clock.
    timing : SdramTiming

    Members
    -------
    read : In(ReadPort), write : In(WritePort)
    pins : Out(SdramPins)
    ready : Out(1), initialized: requests wait until then

    Latency: a read of an open row takes 6 cycles and one for each of its words. Throughput: a word
    per cycle, in open rows and where the next line is in another bank. Answers come in order.

    Raises
    ------
    ValueError
        The clock is too fast.
    """

    read: wiring.PureInterface
    write: wiring.PureInterface
    pins: wiring.PureInterface
    ready: Signal

    def __init__(self, config: Config, hz: int, timing: SdramTiming | None = None):
        self._config = config
        self._timing = timing or SdramTiming()
        self._clocks = self._timing.clocks(hz)
        self._words = 2 * config.lanes
        self._burst = min(8, self._words)
        super().__init__(
            {
                "read": In(ReadPort(config)),
                "write": In(WritePort(config)),
                "pins": Out(SdramPins()),
                "ready": Out(1),
            }
        )

    @property
    def bytes(self) -> int:
        """Size of the memory."""
        return self._timing.bytes

    def elaborate(self, platform):
        m = Module()
        t, timing, burst = self._clocks, self._timing, self._burst
        bursts = self._words // burst
        pins = self.pins

        # The line that is worked on.
        head = _Head(self._config, timing, self._words)
        m.submodules.head = head
        part = Signal(range(bursts))  # its burst that is next
        row_is = Array(Signal(timing.row_bits, name=f"row{n}") for n in range(4))
        banks = [_Bank(n) for n in range(4)]
        is_open = Array(bank.open for bank in banks)
        may_access = Array(bank.until_access == 0 for bank in banks)
        may_precharge = Array(bank.until_precharge == 0 for bank in banks)
        may_activate = Array(bank.until_activate == 0 for bank in banks)

        until_read, until_write = Signal(range(burst + t.cas)), Signal(range(burst + t.cas))
        until_row = Signal(range(max(t.rrd, t.rfc, t.mrd) + 1))  # an ACTIVATE or REFRESH
        counters = [until_read, until_write, until_row]
        for bank in banks:
            counters += [bank.until_access, bank.until_precharge, bank.until_activate]
        for counter in counters:
            with m.If(counter != 0):
                m.d.sync += counter.eq(counter - 1)

        # Whether it is time for a refresh; more than one may be due.
        interval, due = Signal(range(t.refresh)), Signal(3)
        refreshing = Signal()
        m.d.sync += interval.eq(Mux(interval == t.refresh - 1, 0, interval + 1))
        tick = self.ready & (interval == t.refresh - 1)
        m.d.sync += due.eq(due + (tick & (due != 7)) - refreshing)

        command, bank, address = Signal(3), Signal(2), Signal(13)
        reading, writing = Signal(), Signal()
        m.d.sync += [
            Cat(pins.ras, pins.cas, pins.we).eq(command),
            pins.ba.eq(bank),
            pins.a.eq(address),
            pins.cs.eq(1),
            pins.cke.eq(1),
        ]

        wait = Signal(range(max(t.power_up, t.rfc, t.rp) + 1), init=t.power_up)
        first = Signal(range(_FIRST_REFRESHES + 1), init=_FIRST_REFRESHES)
        with m.FSM():
            with m.State("POWER_UP"):
                m.d.sync += wait.eq(wait - 1)
                with m.If(wait == 0):
                    m.d.comb += [command.eq(SdramCommand.PRECHARGE), address.eq(_ALL_BANKS)]
                    m.d.sync += wait.eq(t.rp - 1)
                    m.next = "FIRST_REFRESHES"
            with m.State("FIRST_REFRESHES"):
                with m.If(wait != 0):
                    m.d.sync += wait.eq(wait - 1)
                with m.Elif(first != 0):
                    m.d.comb += command.eq(SdramCommand.REFRESH)
                    m.d.sync += [first.eq(first - 1), wait.eq(t.rfc - 1)]
                with m.Else():
                    # Sequential bursts of this length, also for writes.
                    mode = (burst.bit_length() - 1) | t.cas << 4
                    m.d.comb += [command.eq(SdramCommand.MODE), address.eq(mode)]
                    m.d.sync += until_row.eq(t.mrd - 1)
                    m.next = "RUN"
            with m.State("RUN"):
                m.d.comb += [self.ready.eq(1), bank.eq(head.bank)]
                with m.If((due != 0) & (part == 0)):
                    m.next = "CLOSE"
                with m.Elif(head.valid):
                    hit = is_open[head.bank] & (row_is[head.bank] == head.row)
                    free = Mux(head.is_write, until_write, until_read) == 0
                    with m.If(hit):
                        with m.If(may_access[head.bank] & free):
                            m.d.comb += [
                                command.eq(
                                    Mux(head.is_write, SdramCommand.WRITE, SdramCommand.READ)
                                ),
                                address.eq(head.column + part * burst),
                                reading.eq(~head.is_write),
                                writing.eq(head.is_write),
                                head.done.eq(part == bursts - 1),
                            ]
                            m.d.sync += part.eq(Mux(head.done, 0, part + 1))
                    with m.Elif(is_open[head.bank]):
                        with m.If(may_precharge[head.bank]):
                            m.d.comb += command.eq(SdramCommand.PRECHARGE)
                    with m.Elif(may_activate[head.bank] & (until_row == 0)):
                        m.d.comb += [command.eq(SdramCommand.ACTIVATE), address.eq(head.row)]
                        m.d.sync += [row_is[head.bank].eq(head.row), until_row.eq(t.rrd - 1)]
            with m.State("CLOSE"):
                m.d.comb += self.ready.eq(1)
                with m.If(Cat(b.until_precharge for b in banks) == 0):
                    m.d.comb += [command.eq(SdramCommand.PRECHARGE), address.eq(_ALL_BANKS)]
                    m.next = "REFRESH"
            with m.State("REFRESH"):
                m.d.comb += self.ready.eq(1)
                idle = Cat(b.until_activate for b in banks) == 0
                with m.If(idle & (until_row == 0)):
                    m.d.comb += [command.eq(SdramCommand.REFRESH), refreshing.eq(1)]
                    m.d.sync += until_row.eq(t.rfc - 1)
                    m.next = "RUN"

        with m.If(reading):
            m.d.sync += [until_read.eq(burst - 1), until_write.eq(burst + t.cas - 1)]
        with m.If(writing):
            m.d.sync += [until_read.eq(burst - 1), until_write.eq(burst - 1)]
        for b in banks:
            b.follow(m, command, bank, address, t, burst)

        self._write_data(m, head, part, writing)
        self._read_data(m, head, reading)
        for stream, mine in ((self.read, head.read), (self.write, head.write)):
            wiring.connect(m, wiring.flipped(stream.request), mine)
        m.submodules.written = written = Queue(data.StructLayout({"error": 1}), ANSWERS)
        wiring.connect(m, written.o, wiring.flipped(self.write.response))
        m.d.comb += [
            written.i.valid.eq(head.done & head.is_write),
            written.i.payload.error.eq(head.error),
            head.answered_read.eq(self.read.response.valid & self.read.response.ready),
            head.answered_write.eq(self.write.response.valid & self.write.response.ready),
        ]
        return m

    def _write_data(self, m, head, part, writing):
        """Words and masks, from the cycle of the command on."""
        pins, burst = self.pins, self._burst
        words, masks = Signal.like(head.data), Signal(2 * self._config.lanes)
        left = Signal(range(burst))
        first_words = Mux(part == 0, head.data, words)
        first_masks = Mux(part == 0, head.off, masks)
        now_words = Mux(writing, first_words, words)
        now_masks = Mux(writing, first_masks, masks)
        with m.If(writing | (left != 0)):
            m.d.sync += [
                pins.dq_o.eq(now_words[:16]),
                pins.dqm.eq(now_masks[0].replicate(2)),
                pins.dq_oe.eq(1),
                words.eq(now_words >> 16),
                masks.eq(now_masks >> 1),
                left.eq(Mux(writing, burst - 1, left - 1)),
            ]
        with m.Else():
            m.d.sync += [pins.dq_oe.eq(0), pins.dqm.eq(Mux(self.ready, 0, 3))]

    def _read_data(self, m, head, reading):
        """Words that come in, to lines."""
        burst, words = self._burst, self._words
        m.submodules.tags = tags = Queue(
            data.StructLayout({"tag": tag(self._config), "error": 1}), ANSWERS
        )
        response = self.read.response
        m.submodules.lines = lines = Queue(response.payload.shape(), ANSWERS)
        wiring.connect(m, lines.o, wiring.flipped(response))
        # Bit 0 is set in cycles in which a word is in the register behind the pins.
        delay = _PIN_REGISTERS + self._clocks.cas - 1
        coming = Signal(delay + burst)
        m.d.sync += coming.eq((coming >> 1) | (reading.replicate(burst) << delay))
        line, count, complete = Signal(16 * words), Signal(range(words)), Signal()
        m.d.sync += complete.eq(coming[0] & (count == words - 1))
        with m.If(coming[0]):
            m.d.sync += [
                line.eq(Cat(line[16:], self.pins.dq_i)),
                count.eq(Mux(count == words - 1, 0, count + 1)),
            ]
        m.d.comb += [
            tags.i.valid.eq(head.done & ~head.is_write),
            tags.i.payload.tag.eq(head.tag),
            tags.i.payload.error.eq(head.error),
            tags.o.ready.eq(complete),
            lines.i.valid.eq(complete),
            Value.cast(lines.i.payload.data).eq(line),
            lines.i.payload.tag.eq(tags.o.payload.tag),
            lines.i.payload.error.eq(tags.o.payload.error),
        ]


class _Bank:
    """What is known of a bank: whether a row is open, and cycles until each command may come."""

    def __init__(self, number: int):
        self._number = number
        self.open = Signal(name=f"open{number}")
        self.until_access = Signal(4, name=f"until_access{number}")
        self.until_precharge = Signal(5, name=f"until_precharge{number}")
        self.until_activate = Signal(4, name=f"until_activate{number}")

    def follow(self, m, command, bank, address, t, burst) -> None:
        """Take notice of the command of this cycle."""

        def at_least(counter, cycles):
            return counter.eq(Mux(counter > cycles, counter - 1, cycles - 1))

        mine = bank == self._number
        with m.Switch(command):
            with m.Case(SdramCommand.ACTIVATE):
                with m.If(mine):
                    m.d.sync += [
                        self.open.eq(1), self.until_access.eq(t.rcd - 1),
                        self.until_precharge.eq(t.ras - 1),
                    ]  # fmt: skip
            with m.Case(SdramCommand.PRECHARGE):
                with m.If(mine | ((address & _ALL_BANKS) != 0)):
                    m.d.sync += [self.open.eq(0), self.until_activate.eq(t.rp - 1)]
            with m.Case(SdramCommand.READ):
                with m.If(mine):
                    m.d.sync += at_least(self.until_precharge, burst)
            with m.Case(SdramCommand.WRITE):
                with m.If(mine):
                    m.d.sync += at_least(self.until_precharge, burst - 1 + t.wr)


class _Head(wiring.Component):
    """Takes one line after the other: whose turn it is, and where it is in the chip.

    Members
    -------
    read, write : In(stream), the requests
    answered_read, answered_write : In(1), a response is taken
    valid : Out(1), there is a line; done : In(1), and it is the last cycle for it
    is_write, bank, row, column, tag, error, data : Out, of the line
    off : Out, for each 16-bit word whether it is not to be written
    """

    def __init__(self, config: Config, timing: SdramTiming, words: int):
        self._config, self._timing, self._words = config, timing, words
        super().__init__(
            {
                "read": In(ReadPort(config).members["request"].signature),
                "write": In(WritePort(config).members["request"].signature),
                "answered_read": In(1),
                "answered_write": In(1),
                "valid": Out(1),
                "done": In(1),
                "is_write": Out(1),
                "bank": Out(timing.bank_bits),
                "row": Out(timing.row_bits),
                "column": Out(timing.column_bits),
                "tag": Out(tag(config)),
                "error": Out(1),
                "data": Out(8 * config.line_bytes),
                "off": Out(2 * config.lanes),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, timing = self._config, self._timing
        reads, writes = Signal(range(ANSWERS + 1)), Signal(range(ANSWERS + 1))
        run = Signal(range(RUN + 1))
        can_read, can_write, to_write = Signal(), Signal(), Signal()
        other = Mux(self.is_write, can_read, can_write)
        same = Mux(self.is_write, can_write, can_read)
        free = ~self.valid | self.done
        m.d.comb += [
            can_read.eq(self.read.valid & (reads != ANSWERS)),
            can_write.eq(self.write.valid & (writes != ANSWERS)),
            # The direction stays while there is something and its turn is not over.
            to_write.eq(self.is_write ^ (other & (~same | (run == RUN)))),
            self.read.ready.eq(free & can_read & ~to_write),
            self.write.ready.eq(free & can_write & to_write),
        ]
        took_read = self.read.valid & self.read.ready
        took_write = self.write.valid & self.write.ready
        m.d.sync += [
            reads.eq(reads + took_read - self.answered_read),
            writes.eq(writes + took_write - self.answered_write),
        ]
        request = Mux(to_write, self.write.payload.line, self.read.payload.line)
        column_bits = timing.column_bits - (self._words.bit_length() - 1)
        parts = [column_bits, timing.bank_bits, timing.row_bits]
        ends = [sum(parts[: n + 1]) for n in range(3)]
        beyond = request[ends[2] :].any()
        with m.If(took_read | took_write):
            m.d.sync += [
                self.valid.eq(1),
                self.is_write.eq(to_write),
                run.eq(Mux(to_write != self.is_write, 1, run + (run != RUN))),
                self.column.eq(request[: ends[0]] << timing.column_bits - column_bits),
                self.bank.eq(request[ends[0] : ends[1]]),
                self.row.eq(request[ends[1] : ends[2]]),
                self.error.eq(beyond),
                self.tag.eq(self.read.payload.tag),
                self.data.eq(Value.cast(self.write.payload.data)),
                self.off.eq(
                    Cat(
                        (~self.write.payload.mask[n // 2] | beyond) for n in range(2 * config.lanes)
                    )
                ),
            ]
        with m.Elif(self.done):
            m.d.sync += self.valid.eq(0)
        return m
