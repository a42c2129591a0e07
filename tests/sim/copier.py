"""A stand-in for the machine: the same ports, but all it does is copy lines."""

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import Out
from ember.hw import isa, layouts
from ember.hw.config import Config
from ember.hw.control import Control
from ember.hw.program import Program, Segment
from ember.hw.program_memory import ProgramMemory


def copy_program(config: Config, *copies: tuple[int, int, int]) -> Program:
    """A program whose segments copy (source, destination, lines)."""
    empty = tuple({} for _ in range(config.scalar_layers))
    return Program(
        config.hash,
        tuple(
            Segment(empty, {"base": source, "dim": lines}, {}, {"base": destination})
            for source, destination, lines in copies
        ),
        ({},),
    )


class Copier(wiring.Component):
    """Copies, one segment after the other, ``row.dim`` lines from ``row.base`` to
    ``execute_segment.base``. Answers may come in any order; each is written as it comes.
    """

    def __init__(self, config: Config, probes: bool = True):
        self._config = config
        members = {
            "bus": Out(layouts.RegisterBus()),
            "read": Out(layouts.ReadPort(config)),
            "write": Out(layouts.WritePort(config)),
            "irq": Out(1),
        }
        if probes:
            for name in ("token", "vector"):
                payload = getattr(layouts, name)(config)
                members[f"probe_{name}"] = Out(data.StructLayout({"valid": 1, "payload": payload}))
            stream = data.StructLayout({"valid": 1, "ready": 1})
            members["probe_state"] = Out(
                data.StructLayout({"running": 1, "store": stream, "answers": stream, "left": 32})
            )
        self._probes = probes
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.control = control = Control(config, 2)
        rows, sinks = isa.windows(config)["row"], isa.windows(config)["execute_segment"]
        m.submodules.row = row = ProgramMemory(*rows, latency=0)
        m.submodules.sink = sink = ProgramMemory(*sinks, latency=0)
        wiring.connect(m, wiring.flipped(self.bus), control.bus)
        segment = Signal(range(config.segments + 1))
        for ram in (row, sink):
            m.d.comb += [
                ram.write.window.eq(control.program.window),
                ram.write.entry.eq(control.program.entry),
                ram.write.word.eq(control.program.word),
                ram.write.value.eq(control.program.value),
                ram.address.eq(segment),
            ]

        running, sent, answered, written = Signal(), Signal(32), Signal(32), Signal(32)
        slots = config.ring_slots
        used = Signal(slots)
        indices = Array(Signal(32, name=f"index{n}") for n in range(slots))
        slot = sent[: layouts.index_width(slots)]
        shift = config.line_shift

        request, answer, store = self.read.request, self.read.response, self.write.request
        m.d.comb += [
            request.valid.eq(running & (sent < row.entry.dim) & ~used.bit_select(slot, 1)),
            request.payload.line.eq((row.entry.base >> shift) + sent),
            request.payload.tag.slot.eq(slot),
            store.valid.eq(answer.valid),
            store.payload.line.eq((sink.entry.base >> shift) + indices[answer.payload.tag.slot]),
            store.payload.data.eq(answer.payload.data),
            store.payload.mask.eq((1 << config.lanes) - 1),
            answer.ready.eq(store.ready),
            self.write.response.ready.eq(1),
            self.irq.eq(control.irq),
        ]
        taken, filled = Signal(slots), Signal(slots)
        with m.If(request.valid & request.ready):
            m.d.comb += taken.eq(1 << slot)
            m.d.sync += [sent.eq(sent + 1), indices[slot].eq(sent)]
        with m.If(answer.valid & answer.ready):
            m.d.comb += filled.eq(1 << answer.payload.tag.slot)
            m.d.sync += answered.eq(answered + 1)
        m.d.sync += used.eq((used | taken) & ~filled)

        done = Signal(init=1)
        with m.If(self.write.response.valid):
            m.d.sync += written.eq(written + 1)
        with m.If(control.start):
            m.d.sync += [running.eq(1), done.eq(0), segment.eq(0)]
            m.d.sync += [sent.eq(0), answered.eq(0), written.eq(0)]
        with m.Elif(running & (written == row.entry.dim)):
            m.d.sync += [sent.eq(0), answered.eq(0), written.eq(0), segment.eq(segment + 1)]
            with m.If(segment + 1 == control.segments):
                m.d.sync += [running.eq(0), done.eq(1)]
        m.d.comb += control.done.eq(done)

        reports = [
            (answer.valid & answer.ready & answer.payload.error, isa.Error.READ),
            (self.write.response.valid & self.write.response.payload.error, isa.Error.WRITE),
        ]
        for n, (valid, kind) in enumerate(reports):
            report = control.errors[n].report
            position = indices[answer.payload.tag.slot] if kind is isa.Error.READ else written
            m.d.comb += [
                control.errors[n].valid.eq(valid),
                report.kind.eq(kind),
                report.segment.eq(segment),
                report.position.eq(position),
            ]
        m.d.comb += [
            control.events.port_busy.eq(request.valid & request.ready),
            control.events.lines_out.eq(store.valid & store.ready),
            control.events.outstanding_peak.eq(sent - answered),
            control.events.outstanding_sum.eq(sent - answered),
        ]
        if self._probes:
            fire = store.valid & store.ready
            token, vector = self.probe_token, self.probe_vector
            m.d.comb += [
                token.valid.eq(fire),
                token.payload.segment.eq(segment),
                token.payload.last.eq(answered == row.entry.dim - 1),
                token.payload.arg.eq(indices[answer.payload.tag.slot]),
                vector.valid.eq(fire),
                vector.payload.eq(store.payload.data),
                self.probe_state.running.eq(control.running),
                self.probe_state.store.valid.eq(store.valid),
                self.probe_state.store.ready.eq(store.ready),
                self.probe_state.answers.valid.eq(answer.valid),
                self.probe_state.answers.ready.eq(1),
                self.probe_state.left.eq(Mux(running, row.entry.dim - written, 0)),
            ]
        return m
