"""Back of a scalar layer: loads of each step, then checks, integer operation and the new item."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .. import isa
from ..config import Config
from ..layouts import error_report, index_width
from ..program_memory import ProgramMemory, ProgramWrite
from ..queues.queue import Queue
from ..queues.stage import Stage
from .item import ENV_SLOTS, item
from .iterate import StepType, step
from .line_buffer import LineBuffer

#: Memory streams of a scalar layer.
STREAMS = 2
#: Steps that may be between the input and the lookup.
_IN_DEPTH = 8
#: Items that may be between the pending queue and the output.
_OUT_DEPTH = 16
#: Bits of a DSP block's operands on the FPGAs of interest.
_DSP_WIDTH = 18


def _at(ite, env, select):
    """The element index that a memory stream's ``at`` field chooses."""
    return Mux(
        select == isa.Sel.ENV0,
        env[0],
        Mux(select == isa.Sel.ENV1, env[1], Mux(select == isa.Sel.ENV2, env[2], ite)),
    )


class Gather(wiring.Component):
    """Loads what each step needs and computes the items for the layer below.

    Steps wait in order in a queue of ``run_ahead`` entries while their lines are on the way, so
    that many loads are in flight; the line buffers keep their slots.

    Parameters
    ----------
    config : Config
    layer : int
        Number of the scalar layer.
    contexts : int
        Lanes with state of their own (the first element of a pair).

    Members
    -------
    flush : In(1), start of a run
    program : In(ProgramWrite)
    i : In(stream of step), o : Out(stream of item)
    requests : Out(2 streams of {line, slot, nt}), one per memory stream
    fills : In(ArrayLayout of {valid, slot, data, error}), responses of each memory stream
    unknown : Out(1), a response was not asked for
    error : Out({valid, report}), a failed check or load

    Latency: 16 cycles plus the load's. Throughput: one step per cycle.
    Back-pressure: a step is accepted while the pending queue and the line buffers have room.
    """

    flush: Signal
    program: wiring.PureInterface
    i: stream.Interface
    o: stream.Interface
    requests: list[stream.Interface]
    fills: data.View
    unknown: Signal
    error: data.View

    def __init__(self, config: Config, layer: int, contexts: int):
        self._config, self._layer, self._contexts = config, layer, contexts
        slot = index_width(config.line_slots)
        request = data.StructLayout({"line": config.line_addr_width, "slot": slot, "nt": 1})
        fill = data.StructLayout(
            {"valid": 1, "slot": slot, "data": data.ArrayLayout(32, config.lanes), "error": 1}
        )
        super().__init__(
            {
                "flush": In(1),
                "program": In(ProgramWrite()),
                "i": In(stream.Signature(step(config))),
                "o": Out(stream.Signature(item(config))),
                "requests": Out(stream.Signature(request)).array(STREAMS),
                "fills": In(data.ArrayLayout(fill, STREAMS)),
                "unknown": Out(1),
                "error": Out(data.StructLayout({"valid": 1, "report": error_report(config)})),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        a = config.addr_width
        window, layout, depth = isa.windows(config)[f"layer{self._layer}"]
        m.submodules.load_entry = load_memory = ProgramMemory(window, layout, depth)
        m.submodules.use_entry = use_memory = ProgramMemory(window, layout, depth)
        entry, use = load_memory.entry, use_memory.entry
        wiring.connect(m, wiring.flipped(self.program), load_memory.write)
        wiring.connect(m, wiring.flipped(self.program), use_memory.write)

        # Each pending step may hold a claim on a slot of each line buffer.
        claims = 2 * config.run_ahead
        buffers = []
        for k in range(STREAMS):
            m.submodules[f"lines{k}"] = b = LineBuffer(config, claims)
            m.d.comb += [
                b.flush.eq(self.flush),
                b.fill.eq(self.fills[k]),
            ]
            buffers.append(b)
        m.d.comb += self.unknown.eq(buffers[0].unknown | buffers[1].unknown)

        # Address ----------------------------------------------------------------------------
        # Stage 1 holds the step while its entry is read, stage 2 the operands of its byte
        # addresses, stage 3 the addresses. None of them stalls: a step that enters has a place in
        # the queue behind them.
        slot = index_width(config.line_slots)
        word = index_width(config.lanes)
        load = data.StructLayout({"en": 1, "slot": slot, "word": word, "wide": 1})
        pending = data.StructLayout({"step": step(config), "load": data.ArrayLayout(load, STREAMS)})
        addressed = data.StructLayout(
            {
                "step": step(config),
                "address": data.ArrayLayout(a, STREAMS),
                "en": STREAMS,
                "wide": STREAMS,
                "nt": STREAMS,
            }
        )
        step1, valid1, following1 = Signal(step(config)), Signal(), Signal(a)
        step2, valid2 = Signal(addressed), Signal()
        at2 = [Signal(a, name=f"at2_{k}") for k in range(STREAMS)]
        base2 = [Signal(a, name=f"base2_{k}") for k in range(STREAMS)]
        step3, valid3 = Signal(addressed), Signal()
        m.submodules.ahead = ahead = Queue(addressed, _IN_DEPTH)
        room = Signal(range(_IN_DEPTH + 1), init=_IN_DEPTH)
        entering = Signal()
        m.d.comb += [
            self.i.ready.eq(room != 0),
            entering.eq(self.i.valid & self.i.ready),
            load_memory.address.eq(self.i.payload.item.segment),
            load_memory.enable.eq(entering),
            ahead.i.valid.eq(valid3),
            ahead.i.payload.eq(step3),
        ]
        m.d.sync += [
            room.eq(room + (ahead.o.valid & ahead.o.ready) - entering),
            valid1.eq(entering),
            step1.eq(self.i.payload),
            following1.eq(self.i.payload.ite + 1),
        ]
        env = step1.item.env
        # The pair's second element is the one loaded; its first was loaded a step earlier.
        of_pair = Mux(step1.type == StepType.ITERATION, following1, step1.ite)
        m.d.sync += [
            valid2.eq(valid1),
            step2.step.eq(step1),
            at2[0].eq(Mux(entry.m0_pair, of_pair, _at(step1.ite, env, entry.m0_at))),
            at2[1].eq(_at(step1.ite, env, entry.m1_at)),
            base2[0].eq(entry.m0_base),
            base2[1].eq(entry.m1_base),
            step2.en[0].eq(entry.m0_en & (step1.type != StepType.PASS)),
            step2.en[1].eq(entry.m1_en & (step1.type == StepType.ITERATION)),
            step2.wide.eq(Cat(entry.m0_size, entry.m1_size)),
            step2.nt.eq(Cat(entry.m0_nt, entry.m1_nt)),
        ]
        m.d.sync += [valid3.eq(valid2), step3.eq(step2)]
        for k in range(STREAMS):
            scaled = Mux(step2.wide[k], at2[k] << 3, at2[k] << 2)
            m.d.sync += step3.address[k].eq(base2[k] + scaled)

        # Lookup -----------------------------------------------------------------------------
        m.submodules.present = present = Stage(addressed)
        m.submodules.pending = waiting = Queue(pending, config.run_ahead)
        wiring.connect(m, ahead.o, present.i)
        now = present.o.payload
        all_ok, looks_up = Signal(), Signal()
        m.d.comb += [
            all_ok.eq((buffers[0].ok | ~now.en[0]) & (buffers[1].ok | ~now.en[1])),
            present.o.ready.eq(waiting.i.ready & all_ok),
            looks_up.eq(present.o.valid & present.o.ready),
            waiting.i.valid.eq(present.o.valid & all_ok),
            waiting.i.payload.step.eq(now.step),
        ]
        request = data.StructLayout({"line": config.line_addr_width, "slot": slot, "nt": 1})
        requests = [Queue(request, 2) for _ in range(STREAMS)]
        for k, b in enumerate(buffers):
            m.submodules[f"requests{k}"] = requests[k]
            m.d.comb += [
                b.line.eq(ahead.o.payload.address[k] >> config.line_shift),
                b.load.eq(ahead.o.valid & ahead.o.ready),
                b.lookup.eq(looks_up & now.en[k]),
                waiting.i.payload.load[k].en.eq(now.en[k]),
                waiting.i.payload.load[k].slot.eq(b.slot),
                waiting.i.payload.load[k].word.eq(now.address[k][2 : config.line_shift]),
                waiting.i.payload.load[k].wide.eq(now.wide[k]),
                requests[k].i.valid.eq(b.request.valid),
                requests[k].i.payload.line.eq(b.request.payload.line),
                requests[k].i.payload.slot.eq(b.request.payload.slot),
                b.request.ready.eq(requests[k].i.ready),
            ]
            # The hint goes with the request, which leaves one cycle after the lookup. A lookup that
            # finds its line must not change the hint of a request that still waits.
            hint = Signal(name=f"hint{k}")
            with m.If(b.lookup & (~b.request.valid | b.request.ready)):
                m.d.sync += hint.eq(now.nt[k])
            m.d.comb += requests[k].i.payload.nt.eq(hint)
            # What the read port is ready for must not reach the lookup in the same cycle.
            wiring.connect(m, requests[k].o, wiring.flipped(self.requests[k]))

        # Pop when every line is there and the output has room for what is on the way.
        m.submodules.out = out = Queue(item(config), _OUT_DEPTH)
        wiring.connect(m, out.o, wiring.flipped(self.o))
        credit = Signal(range(_OUT_DEPTH + 1), init=_OUT_DEPTH)
        m.submodules.oldest = oldest = Stage(pending)
        wiring.connect(m, waiting.o, oldest.i)
        head = oldest.o.payload
        fire = Signal()
        filled = [b.filled | ~head.load[k].en for k, b in enumerate(buffers)]
        m.d.comb += [
            fire.eq(oldest.o.valid & filled[0] & filled[1] & (credit != 0)),
            oldest.o.ready.eq(fire),
            # Read whether it fires or not: what does not fire is not valid in the next stage.
            use_memory.address.eq(head.step.item.segment),
            use_memory.enable.eq(1),
        ]
        for k, b in enumerate(buffers):
            m.d.comb += [
                b.coming.eq(Mux(oldest.i.ready, oldest.i.payload.load[k].slot, head.load[k].slot)),
                b.check.eq(head.load[k].slot),
                b.read.eq(1),
                b.release.eq(fire & head.load[k].en),
            ]
        yields = head.step.type != StepType.PRIME
        with m.If((fire & yields) & ~(out.o.valid & out.o.ready)):
            m.d.sync += credit.eq(credit - 1)
        with m.Elif(~(fire & yields) & (out.o.valid & out.o.ready)):
            m.d.sync += credit.eq(credit + 1)

        # Select the words -------------------------------------------------------------------
        picked, picked_valid = Signal(pending), Signal()
        m.d.sync += [picked_valid.eq(fire), picked.eq(head)]
        fields = (
            "m0_pair m0_check m0_limit m0_skip_en m0_skip m1_check m1_limit "
            "alu_op alu_a alu_b alu_imm e0 e1 e2 arg"
        ).split()
        entry4 = Signal(
            data.StructLayout({f.name: f.width for f in layout.fields if f.name in fields})
        )
        step4, valid4 = Signal(step(config)), Signal()
        value4 = [Signal(64, name=f"value4_{k}") for k in range(STREAMS)]
        failed4 = Signal(STREAMS)
        m.d.sync += [valid4.eq(picked_valid), step4.eq(picked.step)]
        m.d.sync += [entry4[name].eq(use[name]) for name in fields]
        for k, b in enumerate(buffers):
            pick = picked.load[k]
            low = Array(b.data[n] for n in range(config.lanes))[pick.word]
            # An 8-byte element starts at an even word; a one-lane line has only its low half.
            odd = [b.data[n | 1] if config.lanes > 1 else 0 for n in range(config.lanes)]
            high = Mux(pick.wide, Array(odd)[pick.word], 0)
            m.d.sync += [
                value4[k].eq(Mux(pick.en, Cat(low, high), 0)),
                failed4[k].eq(pick.en & b.error),
            ]

        # Check ------------------------------------------------------------------------------
        # Compare, then see what that means for the iteration: a pair's first element is that of the
        # step before.
        checked = data.StructLayout({"value": 64, "failed": 1, "bad": 1, "skipped": 1})
        loaded = [Signal(checked, name=f"loaded{k}") for k in range(STREAMS)]
        step5, valid5, entry5 = Signal(step(config)), Signal(), Signal.like(entry4)
        m.d.sync += [valid5.eq(valid4), step5.eq(step4), entry5.eq(entry4)]
        for k in range(STREAMS):
            check, limit = entry4[f"m{k}_check"], entry4[f"m{k}_limit"]
            m.d.sync += [
                loaded[k].value.eq(value4[k]),
                loaded[k].failed.eq(failed4[k]),
                loaded[k].bad.eq(check & (value4[k] >= limit)),
            ]
        m.d.sync += loaded[0].skipped.eq(entry4.m0_skip_en & (value4[0] == entry4.m0_skip))
        previous = Array(Signal(checked, name=f"previous_{k}") for k in range(self._contexts))
        context = 0 if self._contexts == 1 else step5.item.lane
        first, second = Signal(checked), Signal(checked)
        m.d.comb += first.eq(loaded[0])
        with m.If(entry5.m0_pair):
            m.d.comb += [first.eq(previous[context]), second.eq(loaded[0])]
        with m.If(valid5 & (step5.type != StepType.PASS)):
            m.d.sync += previous[context].eq(loaded[0])
        is_iteration, failed, bad, skip = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            is_iteration.eq(valid5 & (step5.type == StepType.ITERATION)),
            failed.eq(first.failed | second.failed | loaded[1].failed),
            bad.eq(failed | first.bad | second.bad | loaded[1].bad),
            skip.eq(bad | first.skipped),
            self.error.valid.eq(is_iteration & bad),
            self.error.report.kind.eq(Mux(failed, isa.Error.READ, isa.Error.INDEX)),
            self.error.report.segment.eq(step5.item.segment),
            self.error.report.layer.eq(self._layer),
            self.error.report.position.eq(step5.ite),
            self.error.report.value.eq(
                Mux(
                    failed,
                    0,
                    Mux(first.bad, first.value, Mux(second.bad, second.value, loaded[1].value)),
                )
            ),
        ]

        # Integer operation: three stages for the multiplier --------------------------------------
        env5 = step5.item.env
        # An unknown selector is the constant.
        streams5 = [0, step5.ite, first.value[:a], loaded[1].value[:a], second.value[:a], 0, *env5]
        streams5.append(entry5.alu_imm)
        step6, valid6, skip6 = Signal(step(config)), Signal(), Signal()
        entry6 = Signal.like(entry5)
        operand_a, operand_b = Signal(a), Signal(a)
        values6 = Signal(data.ArrayLayout(a, 3))
        arg6 = Signal(32)
        m.d.sync += [
            valid6.eq(valid5 & (step5.type != StepType.PRIME)),
            step6.eq(step5),
            skip6.eq(skip & is_iteration),
            entry6.eq(entry5),
            operand_a.eq(Array(streams5)[entry5.alu_a]),
            operand_b.eq(Array(streams5)[entry5.alu_b]),
            values6.eq(Cat(first.value[:a], loaded[1].value[:a], second.value[:a])),
            arg6.eq(
                Mux(
                    entry5.arg == isa.ArgSel.MEM0,
                    first.value[:32],
                    Mux(entry5.arg == isa.ArgSel.MEM1, loaded[1].value[:32], step5.item.arg),
                )
            ),
        ]
        step7, valid7, skip7 = Signal(step(config)), Signal(), Signal()
        entry7 = Signal.like(entry5)
        values7, arg7 = Signal.like(values6), Signal(32)
        other7 = Signal(a)
        m.d.sync += [
            valid7.eq(valid6),
            step7.eq(step6),
            skip7.eq(skip6),
            entry7.eq(entry6),
            values7.eq(values6),
            arg7.eq(arg6),
        ]
        with m.Switch(entry6.alu_op):
            with m.Case(isa.AluOp.SUB):
                m.d.sync += other7.eq(operand_a - operand_b)
            with m.Case(isa.AluOp.SHL):
                m.d.sync += other7.eq(operand_a << entry6.alu_imm[:6])
            with m.Default():
                m.d.sync += other7.eq(operand_a + operand_b)
        # Partial products as wide as a DSP block, and none beyond the result.
        partial7 = []
        for i in range(0, a, _DSP_WIDTH):
            for j in range(0, min(a - i, len(entry6.alu_imm)), _DSP_WIDTH):
                x = operand_a[i : min(i + _DSP_WIDTH, a - j)]
                y = entry6.alu_imm[j : min(j + _DSP_WIDTH, a - i)]
                part = Signal(min(len(x) + len(y), a - i - j), name=f"partial7_{i}_{j}")
                m.d.sync += part.eq(x * y)
                partial7.append(part << (i + j))
        step8, valid8, skip8 = Signal(step(config)), Signal(), Signal()
        entry8 = Signal.like(entry5)
        values8, arg8 = Signal.like(values6), Signal(32)
        product8, other8 = Signal(a), Signal(a)
        m.d.sync += [
            valid8.eq(valid7),
            step8.eq(step7),
            skip8.eq(skip7),
            entry8.eq(entry7),
            values8.eq(values7),
            arg8.eq(arg7),
            product8.eq(sum(partial7[1:], partial7[0])),
            other8.eq(other7),
        ]

        # The item ---------------------------------------------------------------------------
        alu = Mux(entry8.alu_op == isa.AluOp.MUL, product8, other8)
        env8 = step8.item.env
        streams8 = [0, step8.ite, values8[0], values8[1], values8[2], alu, *env8, entry8.alu_imm]
        m.d.sync += [out.i.valid.eq(valid8), out.i.payload.eq(step8.item)]
        with m.If(step8.type == StepType.ITERATION):
            for k in range(ENV_SLOTS):
                m.d.sync += out.i.payload.env[k].eq(Array(streams8)[entry8[f"e{k}"]])
            m.d.sync += [
                out.i.payload.arg.eq(arg8),
                out.i.payload.skip.eq(skip8),
            ]
        return m
