"""The access half: layers become nested loops, streams become integer code.

Semantics: docs/machine.md, sections 2 and 3. What happens at events, rows and failed checks is up
to the two users of :class:`Traversal`: :class:`.kernel.Fused` runs the callbacks there and leaves
at the first failed check, :class:`.kernel.Checked` does nothing but to report what fails.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from llvmlite import ir
from xdsl.dialects.builtin import Float32Type, IndexType, IntegerType, i32
from xdsl.ir import SSAValue

from ...hw import isa
from ..dlc import dialect as dlc
from ..dlc.resources import traversal_units
from ..errors import CompileError
from . import emit
from .emit import F32, I1, I32, I64, Builder, Flag, Number, Value
from .parameters import Arguments

#: The value of every stream that is known so far: i64 or float.
Values = dict[SSAValue, Value]

_ALU = {dlc.Alu.ADD: "add", dlc.Alu.SUB: "sub", dlc.Alu.MUL: "mul", dlc.Alu.SHL: "shl"}


class Traversal(ABC):
    """Emits the loops of a segment where ``builder`` stands.

    Parameters
    ----------
    builder : Builder
    segment : dlc.SegmentOp
    arguments : Arguments
        Of the function that the code belongs to.
    """

    def __init__(self, builder: Builder, segment: dlc.SegmentOp, arguments: Arguments):
        self.builder, self.segment, self.arguments = builder, segment, arguments
        self.units = traversal_units(segment)

    def emit(self) -> None:
        """All of it."""
        self._fiber(0, {}, False, False)

    # What the users decide ----------------------------------------------------------------

    @abstractmethod
    def failed(
        self, condition: Flag, kind: isa.Error, layer: int, position: Number, value: Value
    ) -> Flag:
        """A check that fails if ``condition``; returns when the code that follows is left out."""

    @abstractmethod
    def event(self, name: str, values: Mapping[SSAValue, Value]) -> None:
        """A marker of a layer."""

    @abstractmethod
    def row(self, values: Mapping[SSAValue, Value], first: Flag, last: Flag) -> None:
        """A row."""

    @abstractmethod
    def skipped(self, values: Mapping[SSAValue, Value], first: Flag, last: Flag) -> None:
        """An item that is left out, or stands for a loop without iterations."""

    @abstractmethod
    def ahead(self, layer: int, ite: Value) -> None:
        """The beginning of an iteration."""

    # Loops --------------------------------------------------------------------------------

    def _fiber(self, layer: int, values: Values, first: Flag, last: Flag) -> None:
        unit = self.units[layer]
        if isinstance(unit, dlc.RowOp):
            self.row(values, first, last)
            return
        start, stop = self._bounds(layer, unit, values)
        self.event(f"l{layer}_beg", values)
        if isinstance(unit, dlc.CountedOp):
            self._loop(layer, unit, start, stop, values, first, last)
        else:
            self._iteration(layer, 0, values, first, last)
        self.event(f"l{layer}_end", values)

    def _bounds(self, layer: int, unit: dlc.TraversalOp, values: Values) -> tuple[Number, Number]:
        if isinstance(unit, dlc.DenseOp):
            return unit.start.value.data, unit.stop.value.data
        if isinstance(unit, dlc.IndexOp):
            start = values[unit.start]
            return start, emit.add(self.builder, start, unit.length.value.data)
        if isinstance(unit, dlc.RangeOp):
            start, stop = values[unit.start], values[unit.stop]
            wrong = emit.below(self.builder, stop, start)
            self.failed(wrong, isa.Error.BOUNDS, layer, start, stop)
            return start, stop  # such a range is empty all the same
        return 0, 1

    def _loop(
        self,
        layer: int,
        unit: dlc.CountedOp,
        start: Number,
        stop: Number,
        values: Values,
        first: Flag,
        last: Flag,
    ) -> None:
        """All iterations; of an empty loop that sets or passes on flags, the skipped item."""
        builder = self.builder
        fused = unit.fused is not None
        if fused:
            first = last = True
        some = emit.below(builder, start, stop)
        if some is True:
            self._iterations(layer, unit, start, stop, values, first, last)
        elif some is False:
            self._empty(values, first, last)
        else:
            with builder.if_else(some) as (then, otherwise):
                with then:
                    self._iterations(layer, unit, start, stop, values, first, last)
                with otherwise:
                    self._empty(values, first, last)

    def _empty(self, values: Values, first: Flag, last: Flag) -> None:
        with emit.when(self.builder, emit.either(self.builder, first, last)) as needed:
            if needed:
                self.skipped(values, first, last)

    def _iterations(
        self,
        layer: int,
        unit: dlc.CountedOp,
        start: Number,
        stop: Number,
        values: Values,
        first: Flag,
        last: Flag,
    ) -> None:
        """At least one. The first of the innermost fused loop stands apart: then whether a token
        is a bag's first is known everywhere."""
        builder, step = self.builder, unit.step.value.data
        inner = self.units[layer + 1 :]
        if unit.fused is not None and all(isinstance(u, dlc.OnceOp | dlc.RowOp) for u in inner):
            following = emit.add(builder, start, step)
            more = emit.below(builder, following, stop)
            self._iteration(layer, start, values, True, _negated(builder, more))
            first, start = False, following
        else:
            more = True
        with emit.when(builder, more) as needed:
            if needed:
                self._repeat(layer, step, start, stop, values, first, last)

    def _repeat(
        self,
        layer: int,
        step: int,
        start: Number,
        stop: Number,
        values: Values,
        first: Flag,
        last: Flag,
    ) -> None:
        """At least one iteration."""
        builder = self.builder
        before = builder.block
        body = builder.append_basic_block(f"l{layer}")
        done = builder.append_basic_block(f"l{layer}.done")
        builder.branch(body)
        builder.position_at_end(body)
        ite = builder.phi(I64, name=self.units[layer].ite.name_hint or f"ite{layer}")
        ite.add_incoming(emit.value(start), before)
        following = builder.add(ite, I64(step), flags=("nuw",))
        more = builder.icmp_unsigned("<", following, emit.value(stop))
        if first is not False:
            first = emit.both(builder, first, builder.icmp_unsigned("==", ite, emit.value(start)))
        if last is not False:
            last = emit.both(builder, last, builder.not_(more))
        self._iteration(layer, ite, values, first, last)
        ite.add_incoming(following, builder.block)
        builder.cbranch(more, body, done)
        builder.position_at_end(done)

    # Streams ------------------------------------------------------------------------------

    def _iteration(self, layer: int, ite: Number, values: Values, first: Flag, last: Flag) -> None:
        unit, builder = self.units[layer], self.builder
        values = {**values, unit.ite: emit.value(ite)}
        self.ahead(layer, values[unit.ite])
        loads: list[dlc.MemOp | dlc.MemPairOp] = []
        for op in self.segment.access.block.ops:
            known = isinstance(op, dlc.TraversalOp) or not op.results
            if known or dlc.layer_of(op.results[0]) != layer:
                continue
            if isinstance(op, dlc.FwdOp):
                values[op.result] = values[op.source]
            elif isinstance(op, dlc.ConstOp):
                values[op.result] = I64(op.number)
            elif isinstance(op, dlc.AluOp):
                values[op.result] = self.integer(op, values[op.lhs], values)
            elif isinstance(op, dlc.MemOp | dlc.MemPairOp):
                loads.append(op)
                self._load(op, values)
            for result in op.results:
                _name(values[result], result)
        left_out: Flag = False
        # In this order the machine reports: the stream that loads pairs or skips is its first.
        for op in sorted(loads, key=lambda op: not _special(op)):
            if op.below is not None:
                for result in op.results:
                    wrong = builder.icmp_unsigned(">=", values[result], self.arguments.limit(op))
                    bad = self.failed(wrong, isa.Error.INDEX, layer, ite, values[result])
                    left_out = emit.either(builder, left_out, bad)
        for op in loads:
            if isinstance(op, dlc.MemOp) and op.skip is not None:
                # As the loaded value is: without a sign.
                bits = (1 << 32) - 1 if dlc.element_of(op.result) == i32 else (1 << 64) - 1
                unwanted = I64(op.skip.value.data & bits)
                same = builder.icmp_unsigned("==", values[op.result], unwanted)
                left_out = emit.either(builder, left_out, same)
        if left_out is False:
            self._fiber(layer + 1, values, first, last)
            return
        with builder.if_else(left_out) as (then, otherwise):
            with then:
                self._empty(values, first, last)
            with otherwise:
                self._fiber(layer + 1, values, first, last)

    def _load(self, op: dlc.MemOp | dlc.MemPairOp, values: Values) -> None:
        """The values that a load gives; integers are zero-extended."""
        at = values[op.at]
        if isinstance(op, dlc.MemOp):
            values[op.result] = self.load(op, at)
        else:
            values[op.result], values[op.following] = self.load(op, at), self.load(op, at, 1)

    def load(self, op: dlc.MemOp | dlc.MemPairOp, at: Value, more: int = 0) -> Value:
        """Element ``at + offset + more`` of the array of a load."""
        builder, kind = self.builder, dlc.element_of(op.result)
        if isinstance(op, dlc.MemOp) and op.offset is not None:
            more += op.offset.value.data
        place = emit.add(builder, at, more)
        array = self.arguments.array(op.array)
        if isinstance(kind, Float32Type):
            return builder.load(emit.element(builder, array, place, F32), typ=F32, align=4)
        bits = 64 if isinstance(kind, IndexType) else 0
        if isinstance(kind, IntegerType):
            bits = kind.width.data
        if bits in (32, 64):
            width = I64 if bits == 64 else I32
            pointer = emit.element(builder, array, place, width)
            loaded = builder.load(pointer, typ=width, align=bits // 8)
            return loaded if width == I64 else builder.zext(loaded, I64)
        raise CompileError(f"{op.name}: elements must be i32, i64, index or f32, not {kind}")

    def integer(self, op: dlc.AluOp, lhs: Value, values: Mapping[SSAValue, Value]):
        """The result of an integer operation, modulo 2**64."""
        rhs = I64(op.literal.value.data) if op.literal is not None else values[op.rhs]  # type: ignore[index]
        return getattr(self.builder, _ALU[op.op.data])(lhs, rhs)


def _name(value: Value, stream: SSAValue) -> None:
    """Call a value as the stream is called, for those who read it."""
    if stream.name_hint and isinstance(value, ir.Instruction) and value.name.startswith("."):
        value.name = stream.name_hint


def _special(op: dlc.MemOp | dlc.MemPairOp) -> bool:
    return isinstance(op, dlc.MemPairOp) or op.skip is not None


def _negated(builder: Builder, flag: Flag) -> Flag:
    return not flag if isinstance(flag, bool) else builder.xor(flag, I1(1))
