"""The execute half: a callback's instructions, inlined at the event that starts it.

Semantics: docs/machine.md, section 5, with one fiber lane. Vector registers are arrays on the
stack that LLVM keeps in the processor's registers, because every access to them that matters has
a known place. A row is worked on in pieces of the processor's width: its elements do not depend
on each other, so the width changes no bit.

Arithmetic NaNs are made 0x7FC00000 as late as they can be seen: when a row is stored if the
segment only adds and multiplies, at each operation if it also compares, copies or negates.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from llvmlite import ir
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from ..dlc import dialect as dlc
from ..errors import CompileError
from . import emit
from .emit import F32, I32, I64, PTR, Builder, Flag, Number, Value
from .operands import Beat, Events, Operand, Position

#: What a scalar register holds: an integer, or a float.
Bits = int | Value


@dataclass(frozen=True)
class Token:
    """What a token carries: flags, whether its row is skipped, its scalar (a float)."""

    first: Flag = False
    last: Flag = False
    skip: bool = False
    arg: Value | None = None


class Execute:
    """The state of the execute unit, and the code of its callbacks.

    Parameters
    ----------
    builder : Builder
        In the kernel's entry block.
    segment : dlc.SegmentOp
    events : Events
        Of the segment.
    out : Value
        Address of the first output row.
    lanes : int
        Elements of a DataQ vector.
    width : int
        Floats in one of the processor's vector registers.
    """

    def __init__(
        self,
        builder: Builder,
        segment: dlc.SegmentOp,
        events: Events,
        out: Value,
        lanes: int,
        width: int,
    ):
        self.builder, self.events, self.out, self.lanes, self.width = (
            builder, events, out, lanes, width,
        )  # fmt: skip
        ops = list(segment.execute.block.ops)
        self.callbacks = {op.sym_name.data: op for op in ops if isinstance(op, dlc.CallbackOp)}
        [rows] = [op for op in ops if isinstance(op, dlc.RowsOp)]
        kind = rows.out.type
        assert isinstance(kind, MemRefType)
        self.dim = kind.get_shape()[1]
        self.stride = (kind.get_strides() or (0,))[0] or 0
        self.chunks = -(-self.dim // lanes)
        self.copies = any(isinstance(op, dlc.NegOp | dlc.CompareOp) for op in segment.walk())
        literals = [op.value.value.data for op in ops if isinstance(op, dlc.LiteralOp)]
        self.literal = literals[0] if literals else None
        register = ir.ArrayType(F32, self.chunks * lanes)
        self.registers = {name: emit.local(builder, register, name) for name in ("v0", "v1")}
        self.address = emit.local(builder, PTR, "address")
        self.count = emit.local(builder, I64, "count")
        builder.store(out, self.address)
        builder.store(I64(0), self.count)
        if rows.resumed is not None:
            self._resume(rows.resumed.value.data)

    def _resume(self, row: int) -> None:
        """Begin with a row that the segment before has stored, as it was in its register."""
        builder = self.builder
        start = emit.element(builder, self.out, row * self.stride, F32)
        for at, width in emit.widths(0, self.dim, self.width):
            place = emit.element(builder, start, at, F32)
            kept = builder.load(place, typ=emit.vector(width), align=4)
            builder.store(kept, emit.element(builder, self.registers["v0"], at, F32), align=4)

    def run(
        self,
        op: dlc.TokenOp,
        operands: list[Operand],
        token: Token,
        values: Mapping[SSAValue, Value],
        row: Value | None = None,
    ) -> None:
        """The callback of one token.

        Parameters
        ----------
        operands : what it owns of the DataQ
        values : of the streams that it may pop
        row : address of the row that its data is of

        Raises
        ------
        CompileError
            It does not pop exactly what it owns.
        """
        name = op.callback.root_reference.data
        callback = _Callback(self, name, operands, token, values, row)
        for instruction in self.callbacks[name].body.block.ops:
            assert isinstance(instruction, dlc.InstructionOp)
            callback.instruction(instruction)
        if callback.queue:
            raise CompileError(
                f"callback {name} must pop the {len(operands)} operands that are pushed for it, "
                f"not {len(operands) - len(callback.queue)}"
            )

    def canonical(self, x: Value) -> Value:
        """``x`` with the one NaN that arithmetic makes."""
        nan = emit.constant(float("nan"), emit.width_of(x.type))
        return self.builder.select(self.builder.fcmp_unordered("uno", x, x), nan, x)

    def arithmetic(self, x: Value) -> Value:
        """The result of an operation that may make a NaN."""
        return self.canonical(x) if self.copies else x


class _Callback:
    """One run of a callback."""

    def __init__(
        self,
        unit: Execute,
        name: str,
        operands: list[Operand],
        token: Token,
        values: Mapping[SSAValue, Value],
        row: Value | None,
    ):
        self.unit, self.builder, self.name = unit, unit.builder, name
        self.queue, self.token, self.values, self.row = list(operands), token, values, row
        self.scalars: dict[str, Bits] = {}

    def instruction(self, op: dlc.InstructionOp) -> None:
        """One instruction."""
        builder, unit = self.builder, self.unit
        before, after = self._count(op)
        if isinstance(op, dlc.PopOp):
            [operand] = self._pop(1)
            self.scalars[op.rd.data] = self._scalar(operand)
        elif isinstance(op, dlc.SetaOp):
            builder.store(unit.out, unit.address)
        elif isinstance(op, dlc.SetrOp):
            row = self._integer(self._register(op.at.data))
            offset = builder.mul(emit.value(row), I64(unit.stride))
            builder.store(emit.element(builder, unit.out, offset, F32), unit.address)
        elif isinstance(op, dlc.RowInstruction):
            _Row(self, op, emit.is_zero(builder, before)).run(after)

    def _count(self, op: dlc.InstructionOp) -> tuple[Number, Number]:
        """The counter before and after an instruction."""
        kind = op.properties.get("count")
        builder, place, token = self.builder, self.unit.count, self.token
        if not isinstance(kind, dlc.CountAttr):
            now = builder.load(place, typ=I64)
            return now, now
        before: Number = 0
        after: Number = 0
        if kind.data is not dlc.Count.CLEAR:
            fused = kind.data is dlc.Count.FUSED
            if not (fused and token.first is True):
                before = builder.load(place, typ=I64)
                if fused and not isinstance(token.first, bool):
                    before = builder.select(token.first, I64(0), before)
            entries = int(not token.skip)
            if isinstance(before, int):
                after = before + entries
            else:  # that it does not wrap tells LLVM that it is not 0 after the first entry
                after = builder.add(before, I64(entries), flags=("nuw",))
        builder.store(emit.value(after), place)
        return before, after

    # Operands -----------------------------------------------------------------------------

    def _pop(self, count: int) -> list[Operand]:
        if len(self.queue) < count or self.token.skip:
            left = 0 if self.token.skip else len(self.queue)
            raise CompileError(
                f"callback {self.name} must pop at most the {left} operands that are left, "
                f"not {count}"
            )
        popped, self.queue = self.queue[:count], self.queue[count:]
        return popped

    def _scalar(self, operand: Operand) -> Bits:
        """Element 0 of an operand."""
        if isinstance(operand, Beat):
            return self.elements(self._first(operand), 1)
        if isinstance(operand, Position):
            return self._first(operand)
        return self.values[operand.stream]

    def _first(self, operand: Beat | Position) -> Number:
        """The element number that a beat starts with."""
        number, width = operand.number, self.unit.events.width
        if isinstance(number, int):
            return number * width
        return self.builder.mul(number, I64(width), flags=("nuw",))

    def _register(self, name: str) -> Bits:
        if name not in self.scalars:
            raise CompileError(f"callback {self.name} must pop {name} before using it")
        return self.scalars[name]

    def _integer(self, bits: Bits) -> Number:
        """A scalar register as an unsigned integer of 32 bits."""
        if isinstance(bits, int):
            return bits & 0xFFFFFFFF
        if bits.type == F32:
            return self.builder.zext(self.builder.bitcast(bits, I32), I64)
        return self.builder.and_(bits, I64(0xFFFFFFFF))

    def _float(self, bits: Bits) -> Value:
        """A scalar register as a float."""
        if not isinstance(bits, int) and bits.type == F32:
            return bits
        low = self.builder.trunc(emit.value(bits), I32)
        return self.builder.bitcast(low, F32)

    def factor(self, name: str) -> Value:
        """Operand b, a float."""
        if name == "arg":
            if self.token.arg is None:
                raise CompileError(f"callback {self.name} needs a token with an argument")
            return self.token.arg
        if name == "literal":
            assert self.unit.literal is not None
            return emit.constant(self.unit.literal, 1)
        return self._float(self._register(name))

    def place(self, name: str) -> Number:
        """What ``at_chunk`` or ``at_element`` names."""
        return self._integer(self._register(name))

    # Data ---------------------------------------------------------------------------------

    def elements(self, first: Number, width: int) -> Value:
        """Elements of the row, +0.0 past its end."""
        assert self.row is not None
        builder, dim = self.builder, self.unit.events.dim
        if not isinstance(first, int) or first + width <= dim:
            place = emit.element(builder, self.row, first, F32)
            return builder.load(place, typ=emit.vector(width), align=4)
        result = emit.constant(0.0, width)
        for n in range(max(0, dim - first)):
            one = builder.load(emit.element(builder, self.row, first + n, F32), typ=F32, align=4)
            result = emit.with_element(builder, result, one, n)
        return result

    def data(self, lanes: int, count: int) -> tuple[Callable[[int, int], Value], int]:
        """Pop ``count`` vectors: a function of (element, width), and the most that width may be."""
        popped, unit = self._pop(count), self.unit
        first = popped[0]
        following = [Beat(n) for n in range(1, count)]
        whole = unit.events.width == lanes and popped[1:] == following
        if whole and isinstance(first, Beat) and (count == 1 or first.number == 0):
            start = self._first(first)
            return (
                lambda at, width: self.elements(emit.add(self.builder, start, at), width),
                unit.width,
            )
        return lambda at, width: self._mixed(popped[at // lanes], at % lanes, width), lanes

    def _mixed(self, operand: Operand, at: int, width: int) -> Value:
        """Elements of one popped vector that need not be the row's data."""
        if isinstance(operand, Beat) and self.unit.events.width > 1:
            return self.elements(emit.add(self.builder, self._first(operand), at), width)
        if at:
            return emit.constant(0.0, width)
        one = self._float(self._scalar(operand))
        return emit.with_element(self.builder, emit.constant(0.0, width), one, 0)


class _Row:
    """An instruction on a row, or on a part of it."""

    def __init__(self, callback: _Callback, op: dlc.RowInstruction, untouched: Flag):
        self.callback, self.op = callback, op
        self.unit, self.builder, self.token = callback.unit, callback.builder, callback.token
        #: Nothing was counted so far, and the instruction starts anew then.
        self.fresh: Flag = untouched if op.init is not None else False
        self.base: Number = 0
        self.stop, vectors = self.unit.dim, self.unit.chunks
        lanes = self.unit.lanes
        if op.at_element is not None:
            self.base, self.stop, vectors = callback.place(op.at_element.data), 1, 1
        elif op.at_chunk is not None:
            at, vectors = callback.place(op.at_chunk.data), 1
            if isinstance(at, int):
                self.base = at - at % lanes
                self.stop = min(lanes, self.unit.dim - self.base)
            else:
                self.base, self.stop = self.builder.and_(at, I64(-lanes)), lanes
        if isinstance(self.base, int) and self.base >= self.unit.dim:
            raise CompileError(
                f"callback {callback.name} must select element 0..{self.unit.dim - 1}, "
                f"not {self.base}"
            )
        self.most = self.unit.width
        self.data: Callable[[int, int], Value] | None = None
        source = op.properties.get("a")
        if isinstance(source, dlc.FirstAttr) and source.data is dlc.First.DATAQ:
            if not self.token.skip:
                self.data, most = callback.data(lanes, vectors)
                self.most = min(self.most, most)

    def run(self, after: Number) -> None:
        """Compute, keep, and store if the instruction says so."""
        op, pieces = self.op, []
        for at, width in emit.widths(0, self.stop, self.most):
            result = self._result(at, width)
            self._keep(op.dst.data.value, at, result)
            pieces.append((at, result))
        if op.emit is not None:
            stored = True if op.emit.data is dlc.Emit.ALWAYS else self.token.last
            with emit.when(self.builder, stored) as needed:
                if needed:
                    self._store(pieces, after)

    def _result(self, at: int, width: int) -> Value:
        op, builder = self.op, self.builder
        if isinstance(op, dlc.MovOp) or self.token.skip:
            return self._addend(at, width)
        assert isinstance(op, dlc.NegOp | dlc.MulOp | dlc.FmaOp | dlc.BinaryOp)
        if self.data is not None:
            a = self.data(at, width)
        elif op.a.data is dlc.First.ONE:
            a = emit.constant(1.0, width)
        else:
            a = self._load(op.a.data.value, at, width)
        if isinstance(op, dlc.NegOp):
            return builder.fneg(a)
        if isinstance(op, dlc.MulOp | dlc.FmaOp):
            b = emit.splat(builder, self.callback.factor(op.b.data.value), width)
            if isinstance(op, dlc.MulOp):
                return self.unit.arithmetic(builder.fmul(a, b))
            return self.unit.arithmetic(self._intrinsic("fma", a, b, self._addend(at, width)))
        c = self._addend(at, width)
        if isinstance(op, dlc.AddOp):
            return self.unit.arithmetic(builder.fadd(a, c))
        if isinstance(op, dlc.SubOp):
            return self.unit.arithmetic(builder.fsub(a, c))
        if isinstance(op, dlc.RsubOp):
            return self.unit.arithmetic(builder.fsub(c, a))
        return emit.select(builder, self.fresh, a, self._compare(a, c))

    def _compare(self, a: Value, c: Value) -> Value:
        op, builder = self.op, self.builder
        if isinstance(op, dlc.MaximumOp | dlc.MinimumOp):
            name = "maximum" if isinstance(op, dlc.MaximumOp) else "minimum"
            return self.unit.arithmetic(self._intrinsic(name, a, c))
        wins = builder.fcmp_ordered("<" if isinstance(op, dlc.MinOp) else ">", a, c)
        if isinstance(op, dlc.MaxNOp):
            a_nan, c_nan = (builder.fcmp_unordered("uno", x, x) for x in (a, c))
            wins = builder.or_(wins, builder.and_(a_nan, builder.not_(c_nan)))
        return builder.select(wins, a, c)

    def _intrinsic(self, name: str, *operands: Value) -> Value:
        kind = operands[0].type
        kinds = [kind] * len(operands)
        function = emit.intrinsic(self.builder, f"llvm.{name}.{emit.mangled(kind)}", kind, kinds)
        return self.builder.call(function, operands)

    def _addend(self, at: int, width: int) -> Value:
        """Operand c: +0.0 while nothing was counted and the instruction says ``init``."""
        op = self.op
        source = op.properties.get("c")
        zero = emit.constant(0.0, width)
        # A product has no c, and a skipped one leaves +0.0.
        if not isinstance(source, dlc.AddendAttr) or source.data is dlc.Addend.ZERO:
            return zero
        if self.fresh is True:
            return zero
        kept = self._load(source.data.value, at, width)
        return emit.select(self.builder, self.fresh, zero, kept)

    # Registers ----------------------------------------------------------------------------

    def _place(self, register: str, at: int) -> Value:
        index = emit.add(self.builder, self.base, at)
        return emit.element(self.builder, self.unit.registers[register], index, F32)

    def _load(self, register: str, at: int, width: int) -> Value:
        return self.builder.load(self._place(register, at), typ=emit.vector(width), align=4)

    def _keep(self, register: str, at: int, result: Value) -> None:
        self.builder.store(result, self._place(register, at), align=4)

    # Output -------------------------------------------------------------------------------

    def _store(self, pieces: list[tuple[int, Value]], after: Number) -> None:
        """Store the row at the address, divided if the instruction says so."""
        builder, unit = self.builder, self.unit
        address = builder.load(unit.address, typ=PTR)
        divisor, empty = None, emit.is_zero(builder, after)
        if self.op.div is not None and empty is not True:
            divisor = builder.uitofp(emit.value(after), F32)
        for at, result in pieces:
            row = result if unit.copies else unit.canonical(result)
            if divisor is not None:
                quotient = builder.fdiv(
                    result, emit.splat(builder, divisor, emit.width_of(result.type))
                )
                row = emit.select(builder, empty, row, unit.canonical(quotient))
            builder.store(row, emit.element(builder, address, at, F32), align=4)
        if self.op.bump is not None:
            builder.store(emit.element(builder, address, unit.stride, F32), unit.address)
