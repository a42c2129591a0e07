"""The DRAM of sim/dram.h in Python, clock by clock the same: for benches under cocotb.

docs/memory.md is the contract of both.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from .dram import Dram

#: Ports, in the order in which they are served.
READ, WRITE = 0, 1

_NEVER = -(1 << 40)

Token = TypeVar("Token")


@dataclass(frozen=True)
class DramCommand:
    """What a channel was told to do.

    Attributes
    ----------
    clock : of the memory
    channel : which was told
    kind : activate, precharge, read, write, precharge_all or refresh
    bank : counts through the groups; 0 where all are meant
    row : that is opened, closed or accessed; 0 where none is
    """

    clock: int
    channel: int
    kind: str
    bank: int = 0
    row: int = 0


@dataclass
class _Line(Generic[Token]):
    token: Token
    address: int
    taken: int
    sent: int = 0
    left: int = 0


@dataclass
class _Burst:
    row: int
    bank: int
    line: _Line
    kind: str = "row_hits"


@dataclass
class _Bank:
    open: bool = False
    row: int = 0
    accesses: int = 0
    activate: int = _NEVER
    precharge: int = _NEVER
    column: int = _NEVER


@dataclass
class _Group:
    activate: int = _NEVER
    column: list[int] = field(default_factory=lambda: [_NEVER, _NEVER])


class DramModel(Generic[Token]):
    """Takes and answers requests, which carry a token each, at the memory's time.

    In each cycle of the machine: :meth:`advance` first, then the others as the ports ask.

    Parameters
    ----------
    dram : what to model
    line_bytes : of the machine
    tell : called with every command
    """

    def __init__(
        self, dram: Dram, line_bytes: int, tell: Callable[[DramCommand], None] | None = None
    ):
        self._dram, self._line_bytes = dram, line_bytes
        self._tell = tell or (lambda _: None)
        self._bits = dram.address_bits()
        self._channels = [_Channel(self, dram, n) for n in range(dram.channels)]
        self._waiting: list[_Line[Token] | None] = [None, None]
        self._answered: list[deque[tuple[int, _Line[Token]]]] = [deque(), deque()]
        self._running = False
        self._phase = 0
        self.cycle = self.clock = 0
        self.counts: dict[str, int] = dict.fromkeys(
            ("reads", "read_cycles", "read_bursts", "write_bursts", "row_hits", "row_misses",
             "row_conflicts", "refreshes"), 0,
        )  # fmt: skip

    def accepts(self, port: int) -> bool:
        """Whether a request may be taken in this cycle."""
        return self._waiting[port] is None

    def take(self, port: int, line: int, token: Token) -> None:
        """Take a request for line number ``line``."""
        bursts = self._dram.bursts(self._line_bytes)
        self._waiting[port] = _Line(token, line * self._line_bytes, self.cycle, left=bursts)
        self._running = True

    def answers(self, port: int) -> bool:
        """Whether there is an answer."""
        answered = self._answered[port]
        return bool(answered) and answered[0][0] <= self.cycle

    def front(self, port: int) -> Token:
        """The token of the request that is answered."""
        return self._answered[port][0][1].token

    def pop(self, port: int) -> None:
        """The answer was taken."""
        _, line = self._answered[port].popleft()
        if port == READ:
            self.counts["reads"] += 1
            self.counts["read_cycles"] += self.cycle - line.taken

    def advance(self, cycle: int) -> None:
        """Begin cycle number ``cycle`` of the machine."""
        self.cycle = cycle
        if not self._running:
            return
        self._enqueue(READ)
        self._enqueue(WRITE)
        self._phase += self._dram.memory_mhz
        while self._phase >= self._dram.clock_mhz:
            for channel in self._channels:
                channel.step(self.clock)
            self.clock += 1
            self._phase -= self._dram.clock_mhz

    def tell(self, command: DramCommand) -> None:
        """A channel was told something."""
        self._tell(command)

    def arrived(self, port: int, line: _Line[Token]) -> None:
        """A burst of a line has ended."""
        line.left -= 1
        if not line.left:
            self._answered[port].append((self.cycle + self._dram.overhead_cycles, line))

    def _part(self, value: int, name: str) -> int:
        at, bits = self._bits[name]
        return value >> at & (1 << bits) - 1

    def _enqueue(self, port: int) -> None:
        line, dram = self._waiting[port], self._dram
        if line is None:
            return
        depth = (dram.read_queue, dram.write_queue)[port]
        while line.sent < dram.bursts(self._line_bytes):
            address = line.address + line.sent * dram.burst_bytes
            queue = self._channels[self._part(address, "channel")].queue[port]
            if len(queue) >= depth:
                return
            row, group, bank = (self._part(address, name) for name in ("row", "group", "bank"))
            if dram.hashed:
                group ^= row % dram.groups
                bank ^= row // dram.groups % dram.banks
            queue.append(_Burst(row, group * dram.banks + bank, line))
            line.sent += 1
        self._waiting[port] = None


class _Channel:
    """Queues, banks and buses of one channel."""

    def __init__(self, model: DramModel, dram: Dram, number: int):
        self._model, self._dram, self._t, self._number = model, dram, dram.timing, number
        self.queue: list[list[_Burst]] = [[], []]
        self._flight: list[deque[tuple[int, _Line]]] = [deque(), deque()]
        self._banks = [_Bank() for _ in range(dram.groups * dram.banks)]
        self._groups = [_Group() for _ in range(dram.groups)]
        self._activate, self._column = _NEVER, [_NEVER, _NEVER]
        self._last = deque([_NEVER] * 4, maxlen=4)
        self._refresh_at = self._t.refi
        self._writing, self._accesses = False, 0

    def step(self, clock: int) -> None:
        """One clock: what has ended, then at most one command, or one on each bus."""
        for port in (READ, WRITE):
            flight = self._flight[port]
            while flight and flight[0][0] <= clock:
                self._model.arrived(port, flight.popleft()[1])
        if clock >= self._refresh_at:
            self._refresh(clock)
            return
        self._turn()
        port = WRITE if self._writing else READ
        if self.queue[port] and (not self._access(clock, port) or self._dram.row_bus):
            self._row(clock, port)

    def _tell(self, clock: int, kind: str, bank: int = 0, row: int = 0) -> None:
        self._model.tell(DramCommand(clock, self._number, kind, bank, row))

    def _refresh(self, clock: int) -> None:
        opened = [bank for bank in self._banks if bank.open]
        if opened:
            if all(clock >= bank.precharge for bank in opened):
                for bank in opened:
                    self._close(clock, bank)
                self._tell(clock, "precharge_all")
        elif all(clock >= bank.activate for bank in self._banks):
            for bank in self._banks:
                bank.activate = clock + self._t.rfc
            self._refresh_at += self._t.refi
            self._model.counts["refreshes"] += 1
            self._tell(clock, "refresh")

    def _turn(self) -> None:
        """While both reads and writes wait, a turn of writes has at most as many accesses as lie
        between the two marks, and a turn of reads at least."""
        reads, writes = map(len, self.queue)
        low, high = self._dram.write_low, self._dram.write_high
        full = self._accesses >= high - low
        if not reads or not writes:
            writing = writes > 0
        elif self._writing:
            writing = writes > low and not full
        else:
            writing = writes >= high and full
        if writing != self._writing:
            self._accesses = 0
        self._writing = writing

    def _access(self, clock: int, port: int) -> bool:
        """READ or WRITE: of the bursts to open rows, the oldest that may."""
        if clock < self._column[port]:
            return False
        passed = set()  # banks of which an older burst needs another row
        for n, burst in enumerate(self.queue[port]):
            bank, group = self._banks[burst.bank], self._groups[burst.bank // self._dram.banks]
            if not bank.open or bank.row != burst.row:
                passed.add(burst.bank)
            elif bank.accesses >= self._dram.hit_cap and burst.bank in passed:
                continue
            elif clock >= bank.column and clock >= group.column[port]:
                del self.queue[port][n]
                self._begin(clock, port, burst, bank, group)
                return True
        return False

    def _begin(self, clock: int, port: int, burst: _Burst, bank: _Bank, group: _Group) -> None:
        t, counts = self._t, self._model.counts
        bank.accesses += 1
        self._accesses += 1
        self._column[port] = clock + t.ccd_s
        group.column[port] = clock + t.ccd_l
        if port == READ:
            end = clock + t.cl + t.burst
            counts["read_bursts"] += 1
            bank.precharge = max(bank.precharge, clock + t.rtp)
            self._column[WRITE] = max(self._column[WRITE], clock + t.rtw)
        else:
            end = clock + t.cwl + t.burst
            counts["write_bursts"] += 1
            bank.precharge = max(bank.precharge, end + t.wr)
            self._column[READ] = max(self._column[READ], end + t.wtr_s)
            group.column[READ] = max(group.column[READ], end + t.wtr_l)
        counts[burst.kind] += 1
        self._flight[port].append((end, burst.line))
        self._tell(clock, ("read", "write")[port], burst.bank, bank.row)

    def _row(self, clock: int, port: int) -> None:
        """ACTIVATE or PRECHARGE, for the oldest burst of each bank, the oldest that may."""
        wanted = set()  # banks whose open row is still wanted
        for burst in self.queue[port]:
            bank = self._banks[burst.bank]
            if bank.open and bank.row == burst.row and bank.accesses < self._dram.hit_cap:
                wanted.add(burst.bank)
        seen = set()
        for burst in self.queue[port]:
            if burst.bank in seen:
                continue
            seen.add(burst.bank)
            bank = self._banks[burst.bank]
            if not bank.open:
                if self._open(clock, bank, burst):
                    return
            elif bank.row != burst.row and burst.bank not in wanted and clock >= bank.precharge:
                self._close(clock, bank)
                burst.kind = "row_conflicts"
                self._tell(clock, "precharge", burst.bank, bank.row)
                return

    def _open(self, clock: int, bank: _Bank, burst: _Burst) -> bool:
        t, group = self._t, self._groups[burst.bank // self._dram.banks]
        if clock < max(bank.activate, group.activate, self._activate, self._last[0] + t.faw):
            return False
        bank.open, bank.row, bank.accesses = True, burst.row, 0
        bank.column, bank.precharge = clock + t.rcd, clock + t.ras
        bank.activate, group.activate = clock + t.rc, clock + t.rrd_l
        self._activate = clock + t.rrd_s
        self._last.append(clock)
        if burst.kind == "row_hits":
            burst.kind = "row_misses"
        self._tell(clock, "activate", burst.bank, burst.row)
        return True

    def _close(self, clock: int, bank: _Bank) -> None:
        bank.open = False
        bank.activate = max(bank.activate, clock + self._t.rp)
