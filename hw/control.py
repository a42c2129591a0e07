"""Control: the registers of the bus, start and done, the first error and the counters."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from . import isa
from .config import ISA_VERSION, Config
from .counters import CounterBank
from .layouts import RegisterBus, error_report, index_width
from .program_memory import ProgramWrite


def event_layout(config: Config) -> data.StructLayout:
    """What the counters count: a field per entry of :data:`ember.hw.isa.COUNTERS` but ``cycles``.

    A field is one bit for a plain counter, which adds it up; a level for a peak, of which the
    highest is kept, and for ``outstanding_sum``, which adds it up.
    """
    loads = config.mshrs.bit_length()
    levels = {
        "dataq_peak": config.dataq_depth.bit_length(),
        "ctrlq_peak": config.ctrlq_depth.bit_length(),
        "outstanding_peak": loads,
        "outstanding_sum": loads,
    }
    return data.StructLayout(
        {name: levels.get(name, 1) for name, _ in isa.COUNTERS if name != "cycles"}
    )


def error_sources(config: Config, sources: int) -> data.ArrayLayout:
    """Error reports of ``sources`` blocks, each with a valid bit."""
    entry = data.StructLayout({"valid": 1, "report": error_report(config)})
    return data.ArrayLayout(entry, sources)


class Control(wiring.Component):
    """Register file and run control.

    A start sets busy, clears done, the first error and the counters, and gives one cycle of
    ``start``. When the core then says ``done``, the counters stand, and are saved by a snapshot;
    then busy falls and done rises. Counters read as they were in the last snapshot, see
    :class:`~.counters.CounterBank`. Ignored are: a start while busy; a value of SEGMENTS outside
    1..segments (so the register always holds a legal number; 1 after reset); SEGMENTS and program
    memories while busy; entries that a program memory does not have. Addresses without a register
    read as 0.

    Parameters
    ----------
    config : Config
    sources : int
        Blocks that report errors, at least 1.

    Members
    -------
    bus : Out(RegisterBus), see there
    program : Out(ProgramWrite), one cycle after the bus write
    start : Out(1), a pulse one cycle after the bus write
    segments : Out(range(segments + 1)), segments to run, stable while busy
    done : In(1), level: low from the cycle after ``start`` until the core has finished
    running : Out(1), this cycle's events count
    busy : Out(1)
    irq : Out(1), done while enabled
    errors : In(error_sources), any number of them valid in a cycle: the lowest is taken. The first
        is kept until the next start or clear
    events : In(event_layout), counted from start to done

    Latency: a read's data follows its address by one cycle; the end of a run takes two visits to
    every counter. Throughput: one access per cycle.
    """

    def __init__(self, config: Config, sources: int = 1):
        if sources < 1:
            raise ValueError(f"sources must be at least 1, not {sources!r}")
        self._config, self._sources = config, sources
        super().__init__(
            {
                "bus": Out(RegisterBus()),
                "program": Out(ProgramWrite()),
                "start": Out(1),
                "segments": Out(index_width(config.segments + 1), init=1),
                "done": In(1),
                "running": Out(1),
                "busy": Out(1),
                "irq": Out(1),
                "errors": In(error_sources(config, sources)),
                "events": In(event_layout(config)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        running, finished, irq_enable = Signal(), Signal(), Signal()
        # Events take a register on their way to the counters, which therefore count for one more
        # cycle than the core runs. Then they are saved.
        counting, stopped, ending = Signal(), Signal(), Signal()
        starting, clearing, saving = Signal(), Signal(), Signal()
        bank = self._counters(m, starting, counting, stopped | (saving & ~ending))
        m.d.sync += [
            self.start.eq(starting),
            counting.eq(running),
            stopped.eq(counting & ~running),
        ]
        m.d.comb += [
            self.running.eq(running),
            self.busy.eq(running | counting | ending),
            self.irq.eq(irq_enable & finished),
        ]

        self._decode_writes(m, starting, clearing, irq_enable, saving)
        self._decode_program(m)
        with m.If(starting):
            m.d.sync += [running.eq(1), finished.eq(0)]
        with m.Elif(running & ~self.start & self.done):
            m.d.sync += running.eq(0)
        with m.If(counting & ~running):
            m.d.sync += ending.eq(1)
        with m.If(ending & ~stopped & ~bank.number[0]):
            m.d.sync += [ending.eq(0), finished.eq(1)]
        with m.Elif(clearing):
            m.d.sync += finished.eq(0)

        error, report = self._first_error(m, starting | clearing)
        self._decode_reads(
            m,
            {
                "ID": isa.ID_VALUE,
                "VERSION": ISA_VERSION,
                "CONFIG_HASH": int(self._config.hash, 16),
                "STATUS": self.busy | finished << 1 | error << 2,
                "SEGMENTS": self.segments,
                "IRQ_ENABLE": irq_enable,
                "SNAPSHOT": bank.number,
                "ERROR_KIND": report.kind,
                "ERROR_SEGMENT": report.segment,
                "ERROR_LAYER": report.layer,
                "ERROR_POSITION": report.position,
                "ERROR_VALUE": report.value,
            },
            bank,
        )
        return m

    def _decode_writes(self, m, starting, clearing, irq_enable, saving):
        addresses = {name: address for name, address, access, _ in isa.REGISTERS if "w" in access}
        value = self.bus.write_data
        with m.If(self.bus.write):
            with m.Switch(self.bus.address):
                with m.Case(addresses["CONTROL"]):
                    m.d.comb += [starting.eq(value[0] & ~self.busy), clearing.eq(value[1])]
                with m.Case(addresses["SEGMENTS"]):
                    legal = (value != 0) & (value <= self._config.segments)
                    with m.If(legal & ~self.busy):
                        m.d.sync += self.segments.eq(value)
                with m.Case(addresses["IRQ_ENABLE"]):
                    m.d.sync += irq_enable.eq(value[0])
                with m.Case(addresses["SNAPSHOT"]):
                    m.d.comb += saving.eq(1)

    def _decode_program(self, m):
        entry = self.bus.address[isa.ENTRY_SHIFT : isa.WINDOW_SHIFT]
        m.d.sync += [
            self.program.window.eq(0),
            self.program.entry.eq(entry),
            self.program.word.eq(self.bus.address[: isa.ENTRY_SHIFT]),
            self.program.value.eq(self.bus.write_data),
        ]
        with m.If(self.bus.write & ~self.busy):
            with m.Switch(self.bus.address[isa.WINDOW_SHIFT :]):
                for number, _, entries in isa.windows(self._config).values():
                    with m.Case(number), m.If(entry < entries):
                        m.d.sync += self.program.window.eq(number)

    def _first_error(self, m, clear):
        valid, report = Signal(), Signal(error_report(self._config))
        # A report takes a register on its way: where it comes from, it is late.
        came = Signal.like(self.errors)
        m.d.sync += came.eq(self.errors)
        with m.If(clear):
            m.d.sync += [valid.eq(0), report.eq(0)]
        with m.Elif(~valid):
            for n in reversed(range(self._sources)):
                with m.If(came[n].valid):
                    m.d.sync += [valid.eq(1), report.eq(came[n].report)]
        return valid, report

    def _counters(self, m, clear, counting, snapshot):
        layout = event_layout(self._config)
        every = {name: 1 if name == "cycles" else layout[name].shape for name, _ in isa.COUNTERS}
        peaks = [name for name in every if name.endswith("_peak")]
        m.submodules.counters = bank = CounterBank(data.StructLayout(every), peaks)
        events = Signal.like(self.events)
        m.d.sync += events.eq(self.events)
        m.d.comb += [
            bank.events.cycles.eq(1),
            *(bank.events[name].eq(events[name]) for name, _ in layout),
            bank.count.eq(counting),
            bank.clear.eq(clear),
            bank.snapshot.eq(snapshot),
        ]
        return bank

    def _decode_reads(self, m, values, bank):
        value = Signal(32)
        m.d.sync += value.eq(0)

        def case(address, word):
            with m.Case(address):
                m.d.sync += value.eq(word)

        with m.Switch(self.bus.address):
            for name, address, access, _ in isa.REGISTERS:
                if "r" not in access:
                    continue
                case(address, values[name])
                if name in _WIDE:
                    case(address + 1, values[name] >> 32)

        # Counters come out of a memory, whose address is taken at the same edge.
        bits = 1 + len(bank.index)
        if isa.COUNTER_BASE % (1 << bits):
            raise ValueError(
                f"COUNTER_BASE must be a multiple of {1 << bits}, not {isa.COUNTER_BASE}"
            )
        is_counter, is_high = Signal(), Signal()
        m.d.sync += [
            is_counter.eq(self.bus.address[bits:] == isa.COUNTER_BASE >> bits),
            is_high.eq(self.bus.address[0]),
        ]
        counter = Mux(is_high, bank.value[32:], bank.value[:32])
        m.d.comb += [
            bank.index.eq(self.bus.address[1:bits]),
            self.bus.read_data.eq(Mux(is_counter, counter, value)),
        ]


#: Registers of two words.
_WIDE = ("ERROR_POSITION", "ERROR_VALUE")
