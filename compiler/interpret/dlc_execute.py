"""DLC's execute region: the instructions of docs/machine.md, section 5, lane by lane."""

from dataclasses import dataclass, field

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls

from ..dlc import dialect as dlc
from . import floats
from .array import Array
from .errors import fail
from .queues import Token, Work
from .registers import Stored

COUNTS = 1 << 32


@dataclass
class Lane:
    """What one fiber lane keeps between callbacks."""

    number: int
    #: Registers by name; what is not written holds no value.
    registers: dict[str, Array]
    #: The row that is stored next, None before the first address.
    row: int | None = None
    count: int = 0


@dataclass
class Context:
    """What one callback works with."""

    lane: Lane
    token: Token
    operands: list[np.ndarray]
    scalars: dict[str, np.uint32] = field(default_factory=dict)
    popped: int = 0


@register_impls
@dataclass
class ExecuteFunctions(InterpreterFunctions):
    """The instructions; :meth:`lane` runs all that one lane has to do."""

    #: Elements of a chunk.
    lanes: int = 1
    #: Fiber lanes.
    fibers: int = 1
    out: Array | None = None
    #: The access unit has reported a fault.
    faulty: bool = False
    #: The segment's constant.
    literal: np.float32 | None = None
    context: Context | None = None
    #: What the register of the first lane holds since it was stored there.
    stored: Stored | None = None

    def resume(self, row: int) -> Stored | None:
        """What the first lane's register holds, which must be a row of ``out``; None after a fault
        that kept the row from being stored.

        Raises
        ------
        ValueError
            It does not hold that row.
        """
        assert self.out is not None
        if self.stored is None or not self.stored.is_row(self.out, row):
            if self.faulty:
                return None
            raise ValueError(f"row {row} of {self.out.name} is not in the register")
        return self.stored

    def lane(
        self,
        interpreter: Interpreter,
        number: int,
        works: list[Work],
        callbacks: dict[str, dlc.CallbackOp],
        resumed: Stored | None = None,
    ) -> None:
        """Run the callbacks of a fiber lane's tokens, the first lane's with a row from before."""
        assert self.out is not None
        elements = -(-self.out.shape[1] // self.lanes) * self.lanes
        names = (register.value for register in dlc.Vreg)
        registers = {name: Array.new([elements], np.float32, name) for name in names}
        if self.faulty:
            for register in registers.values():
                register.hold_anything()
        if resumed is not None:
            registers["v0"].store_vector([0], resumed.row)
            registers["v0"].written[len(resumed.row) :] = True  # type: ignore[index]
        lane = Lane(number, registers)
        for work in works:
            callback = callbacks[work.token.callback]
            self.context = Context(lane, work.token, work.operands)
            for op in callback.body.block.ops:
                interpreter.run_op(op, ())
            left = len(work.operands) - self.context.popped
            if left:
                raise fail(callback, f"{left} of the {len(work.operands)} operands were not popped")

    # Scalars and addresses ----------------------------------------------------------------

    @impl(dlc.NopOp)
    def nop(self, _: Interpreter, op: dlc.NopOp, args: PythonValues) -> PythonValues:
        self._update_count(op)
        return ()

    @impl(dlc.PopOp)
    def pop(self, _: Interpreter, op: dlc.PopOp, args: PythonValues) -> PythonValues:
        self._context.scalars[op.rd.data.value] = self._operand(op)[0]
        return ()

    @impl(dlc.SetaOp)
    def seta(self, _: Interpreter, op: dlc.SetaOp, args: PythonValues) -> PythonValues:
        self._context.lane.row = self._context.lane.number
        return ()

    @impl(dlc.SetrOp)
    def setr(self, _: Interpreter, op: dlc.SetrOp, args: PythonValues) -> PythonValues:
        self._context.lane.row = int(self._scalar(op, op.at.data.value))
        return ()

    # Rows ---------------------------------------------------------------------------------

    @impl(dlc.MovOp)
    def mov(self, _: Interpreter, op: dlc.MovOp, args: PythonValues) -> PythonValues:
        return self._row(op, lambda a, b, c, init: c, dataq=False)

    @impl(dlc.NegOp)
    def neg(self, _: Interpreter, op: dlc.NegOp, args: PythonValues) -> PythonValues:
        return self._row(op, lambda a, b, c, init: floats.negate(a))

    @impl(dlc.AddOp)
    def add(self, _: Interpreter, op: dlc.AddOp, args: PythonValues) -> PythonValues:
        return self._row(op, lambda a, b, c, init: floats.add(a, c))

    @impl(dlc.SubOp)
    def sub(self, _: Interpreter, op: dlc.SubOp, args: PythonValues) -> PythonValues:
        return self._row(op, lambda a, b, c, init: floats.sub(a, c))

    @impl(dlc.RsubOp)
    def rsub(self, _: Interpreter, op: dlc.RsubOp, args: PythonValues) -> PythonValues:
        return self._row(op, lambda a, b, c, init: floats.sub(c, a))

    @impl(dlc.MulOp)
    def mul(self, _: Interpreter, op: dlc.MulOp, args: PythonValues) -> PythonValues:
        return self._row(op, lambda a, b, c, init: floats.mul(a, b))

    @impl(dlc.FmaOp)
    def fma(self, _: Interpreter, op: dlc.FmaOp, args: PythonValues) -> PythonValues:
        return self._row(op, lambda a, b, c, init: floats.fma(a, b, c))

    @impl(dlc.MaxOp)
    def max(self, _: Interpreter, op: dlc.MaxOp, args: PythonValues) -> PythonValues:
        return self._row(op, lambda a, b, c, init: a if init else floats.maximum(a, c))

    @impl(dlc.MaxNOp)
    def maxn(self, _: Interpreter, op: dlc.MaxNOp, args: PythonValues) -> PythonValues:
        return self._row(op, lambda a, b, c, init: a if init else floats.maximum_nan(a, c))

    @impl(dlc.MinOp)
    def min(self, _: Interpreter, op: dlc.MinOp, args: PythonValues) -> PythonValues:
        return self._row(op, lambda a, b, c, init: a if init else floats.minimum(a, c))

    @impl(dlc.MaximumOp)
    def maximum(self, _: Interpreter, op: dlc.MaximumOp, args: PythonValues) -> PythonValues:
        return self._row(op, lambda a, b, c, init: a if init else floats.maximum_ieee(a, c))

    @impl(dlc.MinimumOp)
    def minimum(self, _: Interpreter, op: dlc.MinimumOp, args: PythonValues) -> PythonValues:
        return self._row(op, lambda a, b, c, init: a if init else floats.minimum_ieee(a, c))

    def _row(self, op: dlc.RowInstruction, compute, dataq: bool = True) -> PythonValues:
        context = self._context
        before, after = self._update_count(op)
        init = op.init is not None and before == 0
        a = op.properties.get("a")
        first = a.data.value if dataq and isinstance(a, dlc.FirstAttr) else None
        try:
            scale = None if context.token.skip else self._scale(op)
            for start, count in self._spans(op):
                c = self._addend(op, init, start, count)
                if context.token.skip:
                    result = c
                else:
                    values = None if first is None else self._first(op, first, start, count)
                    result = compute(values, scale, c, init)
                self._register(op.dst.data.value).store_vector([start], result)
            if op.emit is not None and (op.emit.data is dlc.Emit.ALWAYS or context.token.last):
                self._emit(op, after)
        except IndexError as error:
            raise fail(op, str(error)) from None
        return ()

    def _spans(self, op: dlc.RowInstruction) -> list[tuple[int, int]]:
        """First element and number of elements of each part that is worked on."""
        if op.at_element is not None:
            return [(int(self._scalar(op, op.at_element.data.value)), 1)]
        if op.at_chunk is not None:
            at = int(self._scalar(op, op.at_chunk.data.value))
            return [(at // self.lanes * self.lanes, self.lanes)]
        elements = self._register(op.dst.data.value).shape[0]
        return [(start, self.lanes) for start in range(0, elements, self.lanes)]

    def _addend(self, op: dlc.RowInstruction, init: bool, start: int, count: int) -> np.ndarray:
        """``c``, which is +0.0 where an instruction has none."""
        source = op.properties.get("c")
        if init or not isinstance(source, dlc.AddendAttr) or source.data is dlc.Addend.ZERO:
            return np.zeros(count, np.float32)
        return self._register(source.data.value).load_vector([start], count)

    def _first(self, op: dlc.RowInstruction, source: str, start: int, count: int) -> np.ndarray:
        if source == "dataq":
            bits = self._operand(op)
            if len(bits) < count:
                raise fail(op, f"a vector of {count} elements is needed, but {len(bits)} came")
            return bits[:count].copy().view(np.float32)
        if source == "one":
            return np.ones(count, np.float32)
        return self._register(source).load_vector([start], count)

    def _scale(self, op: dlc.RowInstruction) -> np.float32 | None:
        source = op.properties.get("b")
        if not isinstance(source, dlc.ScaleAttr):
            return None
        if source.data is dlc.Scale.LITERAL:
            if self.literal is None:
                raise fail(op, "the segment has no literal")
            return self.literal
        if source.data is not dlc.Scale.ARG:
            return self._scalar(op, source.data.value).view(np.float32)
        if self._context.token.arg is None:
            raise fail(op, "the token has no argument")
        return self._context.token.arg

    def _emit(self, op: dlc.RowInstruction, count: int) -> None:
        lane, out = self._context.lane, self.out
        assert out is not None
        if lane.row is None:
            raise fail(op, "the row's address must be set before it is stored")
        columns = out.shape[1]
        row = self._register(op.dst.data.value).load_vector([0], columns)
        kept = row if op.dst.data is dlc.Vreg.V0 and op.div is None and not lane.number else None
        if op.div is not None and count:
            row = floats.div(row, np.int64(count).astype(np.float32))
        if columns:
            out.store_vector([lane.row, 0], row)
            self.stored = None if kept is None else Stored.of(out, lane.row, kept)
        if op.bump is not None:
            lane.row += self.fibers

    # State --------------------------------------------------------------------------------

    @property
    def _context(self) -> Context:
        assert self.context is not None
        return self.context

    def _register(self, name: str) -> Array:
        return self._context.lane.registers[name]

    def _operand(self, op: dlc.InstructionOp) -> np.ndarray:
        context = self._context
        if context.popped == len(context.operands):
            raise fail(
                op, f"operand {context.popped + 1} is popped, but {context.popped} were pushed"
            )
        context.popped += 1
        return context.operands[context.popped - 1]

    def _scalar(self, op: dlc.InstructionOp, name: str) -> np.uint32:
        if name not in self._context.scalars:
            raise fail(op, f"{name} is read before it is popped")
        return self._context.scalars[name]

    def _update_count(self, op: dlc.NopOp | dlc.RowInstruction) -> tuple[int, int]:
        """The counter before and after, as the instruction sees it."""
        lane, token = self._context.lane, self._context.token
        before, more = lane.count, 0 if token.skip else 1
        match None if op.count is None else op.count.data:
            case None:
                after = before
            case dlc.Count.CLEAR:
                before = after = 0
            case dlc.Count.INC:
                after = before + more
            case dlc.Count.FUSED:
                before = 0 if token.first else before
                after = before + more
        lane.count = after % COUNTS
        return before, lane.count
