"""Back of a gather: from a step and the lines that it loaded to the item for the layer below."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .. import isa
from ..config import Config
from ..layouts import error_report, index_width, vector
from ..program_memory import ProgramMemory, ProgramWrite
from .item import ENV_SLOTS, item
from .iterate import StepType, step
from .load_addresses import STREAMS

#: Bits of a DSP block's operands on the FPGAs of interest.
_DSP_WIDTH = 18


def pick(config: Config) -> data.StructLayout:
    """Where in its line a loaded element is."""
    return data.StructLayout({"en": 1, "word": index_width(config.lanes), "wide": 1})


class Evaluate(wiring.Component):
    """Checks what was loaded, does the integer operation, and chooses what the item says.

    Parameters
    ----------
    config : Config
    layer : int
        Number of the scalar layer.
    contexts : int
        Lanes with state of their own (the first element of a pair).

    Members
    -------
    program : In(ProgramWrite)
    segment : In, of the step that is valid in the next cycle
    valid : In(1), picks : In(2 x :func:`pick`), lines : In(2 x {data, error}), a step's loads
    step : In(step), the rest of it, one cycle after ``lines``
    o : Out(item), and o_valid : Out(1), it is one: a PRIME step yields nothing
    error : Out({valid, report}), a failed check or load

    Latency: 7 cycles from ``valid`` to ``o``. Throughput: one step per cycle. Back-pressure: none.
    """

    program: wiring.PureInterface
    segment: Signal
    valid: Signal
    picks: data.View
    lines: data.View
    step: data.View
    o: data.View
    o_valid: Signal
    error: data.View

    def __init__(self, config: Config, layer: int, contexts: int):
        self._config, self._layer, self._contexts = config, layer, contexts
        line = data.StructLayout({"data": vector(config), "error": 1})
        super().__init__(
            {
                "program": In(ProgramWrite()),
                "segment": In(index_width(config.segments)),
                "valid": In(1),
                "picks": In(data.ArrayLayout(pick(config), STREAMS)),
                "lines": In(data.ArrayLayout(line, STREAMS)),
                "step": In(step(config)),
                "o": Out(item(config)),
                "o_valid": Out(1),
                "error": Out(data.StructLayout({"valid": 1, "report": error_report(config)})),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        a = config.addr_width
        window, layout, depth = isa.windows(config)[f"layer{self._layer}"]
        m.submodules.entry = memory = ProgramMemory(window, layout, depth, latency=2)
        wiring.connect(m, wiring.flipped(self.program), memory.write)
        m.d.comb += memory.address.eq(self.segment)
        entry1 = memory.entry

        # Select the words -------------------------------------------------------------------
        valid1, valid2, valid3, valid4, valid5 = (Signal(name=f"valid{k}") for k in range(1, 6))
        entry2 = Signal.like(entry1)
        values = [Signal(64, name=f"value{k}") for k in range(STREAMS)]
        failures = Signal(STREAMS)
        m.d.sync += [valid1.eq(self.valid), valid2.eq(valid1), entry2.eq(entry1)]
        for k in range(STREAMS):
            # The lines come late, out of wide memories: of them only a pair of words is chosen.
            where, line = self.picks[k], self.lines[k]
            words = [*line.data, Const(0, 32)]
            pairs = Array(Cat(words[n : n + 2]) for n in range(0, config.lanes, 2))
            pair = Signal(64, name=f"pair{k}")
            low_en, low_odd = Signal(name=f"low_en{k}"), Signal(name=f"low_odd{k}")
            high_en = Signal(name=f"high_en{k}")
            m.d.sync += [
                pair.eq(pairs[where.word >> 1]),
                low_en.eq(where.en),
                low_odd.eq(where.word[0] if config.lanes > 1 else 0),
                # An 8-byte element starts at an even word; a one-lane line has only its low half.
                high_en.eq(where.en & where.wide),
                failures[k].eq(where.en & line.error),
            ]
            m.d.comb += values[k].eq(
                Cat(
                    Mux(low_en, Mux(low_odd, pair[32:], pair[:32]), 0), Mux(high_en, pair[32:], 0)
                )
            )

        # Check ------------------------------------------------------------------------------
        # Compare, then see what that means for the iteration: a pair's first element is that of the
        # step before.
        checked = data.StructLayout({"value": 64, "failed": 1, "bad": 1, "skipped": 1})
        loaded = [Signal(checked, name=f"loaded{k}") for k in range(STREAMS)]
        now = Signal(step(config))
        m.d.sync += now.eq(self.step)
        for k in range(STREAMS):
            check, limit = entry1[f"m{k}_check"], entry1[f"m{k}_limit"]
            m.d.sync += [
                loaded[k].value.eq(values[k]),
                loaded[k].failed.eq(failures[k]),
                loaded[k].bad.eq(check & (values[k] >= limit)),
            ]
        m.d.sync += loaded[0].skipped.eq(entry1.m0_skip_en & (values[0] == entry1.m0_skip))
        m.submodules.previous = previous = Memory(
            shape=checked, depth=max(2, self._contexts), init=[]
        )
        kept, keep = previous.read_port(domain="comb"), previous.write_port()
        context = 0 if self._contexts == 1 else now.item.lane
        first, second = Signal(checked), Signal(checked)
        m.d.comb += [
            kept.addr.eq(context),
            keep.addr.eq(context),
            keep.data.eq(loaded[0]),
            keep.en.eq(valid2 & (now.type != StepType.PASS)),
            first.eq(loaded[0]),
        ]
        with m.If(entry2.m0_pair):
            m.d.comb += [first.eq(kept.data), second.eq(loaded[0])]
        is_iteration, failed, bad, skip = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            is_iteration.eq(valid2 & (now.type == StepType.ITERATION)),
            failed.eq(first.failed | second.failed | loaded[1].failed),
            bad.eq(failed | first.bad | second.bad | loaded[1].bad),
            skip.eq(bad | first.skipped),
            self.error.valid.eq(is_iteration & bad),
            self.error.report.kind.eq(Mux(failed, isa.Error.READ, isa.Error.INDEX)),
            self.error.report.segment.eq(now.item.segment),
            self.error.report.layer.eq(self._layer),
            self.error.report.position.eq(now.ite),
            self.error.report.value.eq(
                Mux(
                    failed,
                    0,
                    Mux(first.bad, first.value, Mux(second.bad, second.value, loaded[1].value)),
                )
            ),
        ]

        # What the item says, but for the integer operation's result -------------------------
        with_result = data.StructLayout({"item": item(config), "is_result": ENV_SLOTS})
        chosen3, chosen4, chosen5 = (Signal(with_result, name=f"chosen{k}") for k in (3, 4, 5))
        zero, result = 0, 0
        elements = (first.value[:a], loaded[1].value[:a], second.value[:a])
        # An unknown selector is the constant.
        choices = Array([zero, now.ite, *elements, result, *now.item.env, entry2.alu_imm])
        operand_a, operand_b = Signal(a), Signal(a)
        alu_op, constant = Signal.like(entry2.alu_op), Signal.like(entry2.alu_imm)
        m.d.sync += [
            valid3.eq(valid2 & (now.type != StepType.PRIME)),
            operand_a.eq(choices[entry2.alu_a]),
            operand_b.eq(choices[entry2.alu_b]),
            alu_op.eq(entry2.alu_op),
            constant.eq(entry2.alu_imm),
            chosen3.item.eq(now.item),
            chosen3.is_result.eq(0),
        ]
        with m.If(now.type == StepType.ITERATION):
            for k in range(ENV_SLOTS):
                select = entry2[f"e{k}"]
                m.d.sync += [
                    chosen3.item.env[k].eq(choices[select]),
                    chosen3.is_result[k].eq(select == isa.Sel.ALU),
                ]
            with m.Switch(entry2.arg):
                with m.Case(isa.ArgSel.MEM0):
                    m.d.sync += chosen3.item.arg.eq(first.value[:32])
                with m.Case(isa.ArgSel.MEM1):
                    m.d.sync += chosen3.item.arg.eq(loaded[1].value[:32])
            m.d.sync += chosen3.item.skip.eq(skip)

        # Integer operation: two stages for the multiplier -----------------------------------
        multiplies, multiplied = Signal(), Signal()
        other4, other5, product5 = Signal(a), Signal(a), Signal(a)
        m.d.sync += [
            valid4.eq(valid3),
            chosen4.eq(chosen3),
            multiplies.eq(alu_op == isa.AluOp.MUL),
        ]
        with m.Switch(alu_op):
            with m.Case(isa.AluOp.SUB):
                m.d.sync += other4.eq(operand_a - operand_b)
            with m.Case(isa.AluOp.SHL):
                m.d.sync += other4.eq(operand_a << constant[:6])
            with m.Default():
                m.d.sync += other4.eq(operand_a + operand_b)
        # Partial products as wide as a DSP block, and none beyond the result.
        partial = []
        for i in range(0, a, _DSP_WIDTH):
            for j in range(0, min(a - i, len(constant)), _DSP_WIDTH):
                x = operand_a[i : min(i + _DSP_WIDTH, a - j)]
                y = constant[j : min(j + _DSP_WIDTH, a - i)]
                part = Signal(min(len(x) + len(y), a - i - j), name=f"partial_{i}_{j}")
                m.d.sync += part.eq(x * y)
                partial.append(part << (i + j))
        m.d.sync += [
            valid5.eq(valid4),
            chosen5.eq(chosen4),
            multiplied.eq(multiplies),
            product5.eq(sum(partial[1:], partial[0])),
            other5.eq(other4),
        ]

        # The item ---------------------------------------------------------------------------
        m.d.sync += [self.o_valid.eq(valid5), self.o.eq(chosen5.item)]
        for k in range(ENV_SLOTS):
            with m.If(chosen5.is_result[k]):
                m.d.sync += self.o.env[k].eq(Mux(multiplied, product5, other5))
        return m
