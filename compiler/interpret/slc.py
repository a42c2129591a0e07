"""SLC: what docs/slc.md says, one iteration after the other.

Streams are integers without a sign. One that was loaded has all its bits, for checks and skip
conditions; arithmetic is modulo ``2**addr_width``. A callback sees integers of its types.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import MemRefType, VectorType
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Block, SSAValue

from ...hw.isa import Error
from ..errors import name_of
from ..slc import dialect as slc
from ..streams import is_integer
from . import floats
from .array import Array
from .errors import fail
from .faults import Fault
from .memory import python
from .registers import Register, Stored, register
from .values import lanes_of, signed, unsigned


class _Iteration(NamedTuple):
    """Where a loop is, as the tokens of a fused loop see it."""

    loop: slc.LoopOp
    position: int
    #: Of this loop and of those out to the fused one: the first, and the last iteration.
    first: bool
    last: bool


@dataclass
class _Buffer:
    """What one run of an inner loop has pushed."""

    array: Array
    count: int = 0


@register_impls
@dataclass
class SlcFunctions(InterpreterFunctions):
    """The operations of SLC; an object is good for one run."""

    addr_width: int = 64
    faults: list[Fault] = field(default_factory=list)
    _iterations: list[_Iteration] = field(default_factory=list)
    #: A check or a skip condition has said that the rest of the iteration is left out.
    _left_out: bool = False
    _registers: dict[SSAValue, Register] = field(default_factory=dict)
    #: The row that was stored last.
    _stored: Stored | None = None
    #: The row that the nest goes on with.
    _resumed: Stored | None = None

    def run(self, interpreter: Interpreter, function: slc.FuncOp, args: PythonValues) -> None:
        """Run a whole function."""
        interpreter.push_scope(function.sym_name.data)
        interpreter.set_values(zip(function.body.block.args, args, strict=True))
        self._walk(interpreter, function.body.block)
        interpreter.pop_scope()

    def _walk(self, interpreter: Interpreter, block: Block) -> None:
        """Run a block to its end, or to where the rest is left out."""
        for op in block.ops:
            results = interpreter.run_op(op, interpreter.get_values(op.operands))
            interpreter.set_values(zip(op.results, results, strict=True))
            if self._left_out:
                return

    # Loops --------------------------------------------------------------------------------

    @impl(slc.LoopOp)
    def loop(self, interpreter: Interpreter, op: slc.LoopOp, args: PythonValues) -> PythonValues:
        start, stop = self._bounds(interpreter, op)
        positions = range(start, stop, op.stride)
        if op.resumed:
            self._resumed = self._stored
        around = self._iterations[-1] if self._iterations else None
        fused = op.fused is not None
        first, last = (True, True) if fused or around is None else (around.first, around.last)
        if not positions:
            self._tokens(interpreter, op, first, last)
        for position in positions:
            iteration = _Iteration(
                op,
                position,
                first and position == positions[0],
                last and position == positions[-1],
            )
            self._iterations.append(iteration)
            interpreter.push_scope("loop")
            interpreter.set_values([(op.induction, self._number(interpreter, position))])
            self._walk(interpreter, op.body.block)
            if self._left_out:
                self._left_out = False
                self._tokens(interpreter, op, iteration.first, iteration.last)
            interpreter.pop_scope()
            self._iterations.pop()
        if around is None:
            # The next nest has registers of its own, maybe of another length.
            self._registers.clear()
            self._resumed = None
        return ()

    def _bounds(self, interpreter: Interpreter, op: slc.LoopOp) -> tuple[int, int]:
        if op.trip_count is not None:
            # Literals may be below 0.
            return tuple(bound for bound in op.bounds if isinstance(bound, int))  # type: ignore[return-value]
        start, stop = (self._number(interpreter, bound) for bound in op.bounds)
        if any(isinstance(bound, SSAValue) for bound in op.bounds) and start > stop:
            self.faults.append(Fault(Error.BOUNDS, len(self._iterations), start, stop))
        return start, stop

    def _number(self, interpreter: Interpreter, value: SSAValue | int) -> int:
        """A stream's value or a literal, as the access unit computes with it."""
        number = value if isinstance(value, int) else interpreter.get_values([value])[0]
        return number & (1 << self.addr_width) - 1

    def _tokens(self, interpreter: Interpreter, op: slc.LoopOp, first: bool, last: bool) -> None:
        """The ``first`` and ``last`` that belong to an iteration whose callback is not reached."""
        if not any(loop.fused for loop in (op, *slc.enclosing_loops(op))):
            return
        for callback in op.walk():
            if isinstance(callback, slc.CallbackOp) and callback.first and callback.last:
                for region in (callback.first,) * first + (callback.last,) * last:
                    interpreter.run_ssacfg_region(region, (), "callback")

    # Integers -----------------------------------------------------------------------------

    @impl(slc.ConstOp)
    def const(self, _: Interpreter, op: slc.ConstOp, args: PythonValues) -> PythonValues:
        return (op.number & (1 << self.addr_width) - 1,)

    @impl(slc.AddOp)
    def add(self, interpreter: Interpreter, op: slc.AddOp, args: PythonValues) -> PythonValues:
        return self._arithmetic(interpreter, op, lambda a, b: a + b)

    @impl(slc.SubOp)
    def sub(self, interpreter: Interpreter, op: slc.SubOp, args: PythonValues) -> PythonValues:
        return self._arithmetic(interpreter, op, lambda a, b: a - b)

    @impl(slc.MulOp)
    def mul(self, interpreter: Interpreter, op: slc.MulOp, args: PythonValues) -> PythonValues:
        return self._arithmetic(interpreter, op, lambda a, b: a * b)

    @impl(slc.ShlOp)
    def shl(self, interpreter: Interpreter, op: slc.ShlOp, args: PythonValues) -> PythonValues:
        return self._arithmetic(interpreter, op, lambda a, b: a << b if b < 64 else 0)

    def _arithmetic(self, interpreter: Interpreter, op: slc._Arithmetic, compute) -> PythonValues:
        numbers = (self._number(interpreter, value) for value in (op.lhs, op.second))
        return (compute(*numbers) & (1 << self.addr_width) - 1,)

    # Loads --------------------------------------------------------------------------------

    @impl(slc.LoadOp)
    def load(self, interpreter: Interpreter, op: slc.LoadOp, args: PythonValues) -> PythonValues:
        array, *indices = args
        try:
            if isinstance(op.result.type, VectorType):
                return (self._vector(op, array, indices),)
            return (_stream(array.load(indices), op.result),)
        except IndexError as error:
            raise fail(op, str(error)) from None

    def _vector(self, op: slc.LoadOp, array: Array, indices: list[int]) -> np.ndarray:
        """Consecutive elements; those past the end of a masked loop are +0.0."""
        count = lanes = lanes_of(op.result.type)
        loop, position, *_ = self._iterations[-1]
        stop = loop.bounds[1]
        if loop.masked and isinstance(stop, int):
            count = min(lanes, stop - position)
        result = np.zeros(lanes, np.float32)
        result[:count] = array.load_vector(indices, count)
        return result

    @impl(slc.StoreOp)
    def store(self, _: Interpreter, op: slc.StoreOp, args: PythonValues) -> PythonValues:
        values, array, *indices = args
        iteration = self._iterations[-1]
        stop, count = iteration.loop.bounds[1], len(values)
        if iteration.loop.masked and isinstance(stop, int):
            count = min(count, stop - iteration.position)
        try:
            array.store_vector(indices, values[:count])
        except IndexError as error:
            raise fail(op, str(error)) from None
        return ()

    @impl(slc.LoadPairOp)
    def load_pair(self, _: Interpreter, op: slc.LoadPairOp, args: PythonValues) -> PythonValues:
        array, *indices = args
        following = [*indices[:-1], indices[-1] + 1]
        try:
            return (
                _stream(array.load(indices), op.result),
                _stream(array.load(following), op.following),
            )
        except IndexError as error:
            raise fail(op, str(error)) from None

    @impl(slc.CheckOp)
    def check(self, _: Interpreter, op: slc.CheckOp, args: PythonValues) -> PythonValues:
        if args[0] >= op.limit.value.data:
            layer, position = len(self._iterations) - 1, self._iterations[-1].position
            self.faults.append(Fault(Error.INDEX, layer, position, args[0]))
            self._left_out = True
        return ()

    @impl(slc.SkipOp)
    def skip(self, _: Interpreter, op: slc.SkipOp, args: PythonValues) -> PythonValues:
        self._left_out = args[0] == unsigned(op.unwanted.value.data, op.value.type)
        return ()

    @impl(slc.BufferOp)
    def buffer(self, _: Interpreter, op: slc.BufferOp, args: PythonValues) -> PythonValues:
        kind = op.buffer.type
        assert isinstance(kind, MemRefType)
        return (_Buffer(Array.new(kind.get_shape(), np.float32, name_of(op.buffer))),)

    @impl(slc.PushOp)
    def push(self, _: Interpreter, op: slc.PushOp, args: PythonValues) -> PythonValues:
        value, buffer = args
        try:
            if isinstance(value, np.ndarray):
                buffer.array.store_vector([buffer.count], value)
            else:
                buffer.array.store([buffer.count], value)
        except IndexError as error:
            raise fail(op, str(error)) from None
        buffer.count += value.size
        return ()

    # Callbacks ----------------------------------------------------------------------------

    @impl(slc.CallbackOp)
    def callback(self, interpreter: Interpreter, op: slc.CallbackOp, args: PythonValues):
        regions = [op.body]
        if op.first is not None and op.last is not None:
            iteration = self._iterations[-1]
            regions = [
                *((op.first,) * iteration.first),
                op.body,
                *((op.last,) * iteration.last),
            ]
        for region in regions:
            interpreter.run_ssacfg_region(region, (), "callback")
        return ()

    @impl(slc.ToValOp)
    def to_val(self, _: Interpreter, op: slc.ToValOp, args: PythonValues) -> PythonValues:
        [value] = args
        if isinstance(value, _Buffer):
            if value.count != len(value.array.data):
                raise fail(
                    op,
                    f"{name_of(op.stream)} holds {len(value.array.data)} elements, "
                    f"but {value.count} were pushed",
                )
            return (value.array,)
        return (signed(value, op.value.type) if is_integer(op.value.type) else value,)

    @impl(slc.RowOp)
    def row(self, _: Interpreter, op: slc.RowOp, args: PythonValues) -> PythonValues:
        out, *index = args
        kind = op.register.type
        assert isinstance(kind, MemRefType)
        [elements] = kind.get_shape()
        if op.out not in self._registers:
            self._registers[op.out] = register(out, elements, name_of(op.register))
            if index:
                self._registers[op.out].go_to(index[0])
            self._registers[op.out].resume(self._resumed)
        found = self._registers[op.out]
        if len(found.array.data) != elements:
            raise fail(
                op,
                f"the register for {name_of(op.out)} has {len(found.array.data)} elements, "
                f"not {elements}",
            )
        found.counted = not index
        if index:
            found.go_to(index[0])
        elif found.row < 0:
            raise fail(op, f"the counter of {name_of(op.out)} must be rewound first")
        if self.faults:
            found.array.hold_anything()
        return (found.array,)

    @impl(slc.EmitOp)
    def emit(self, _: Interpreter, op: slc.EmitOp, args: PythonValues) -> PythonValues:
        row = op.register.owner
        assert isinstance(row, slc.RowOp)
        try:
            self._stored = self._registers[row.out].emit()
        except IndexError as error:
            raise fail(op, str(error)) from None
        return ()

    @impl(slc.RewindOp)
    def rewind(self, _: Interpreter, op: slc.RewindOp, args: PythonValues) -> PythonValues:
        # Of the nest that follows: another one on the same rows may have other registers.
        nest = slc.enclosing_callback(op).next_op
        rows = [
            row
            for row in (nest.walk() if nest is not None else ())
            if isinstance(row, slc.RowOp) and row.out is op.out and row.index is None
        ]
        if not rows:
            return ()
        kind = rows[0].register.type
        assert isinstance(kind, MemRefType)
        new = register(args[0], kind.get_shape()[0], name_of(op.out), row=0)
        if isinstance(nest, slc.LoopOp) and nest.resumed:
            new.resume(self._stored)
        self._registers[op.out] = new
        return ()

    @impl(slc.MaxOp)
    def maximum(self, _: Interpreter, op: slc.MaxOp, args: PythonValues) -> PythonValues:
        return (floats.maximum(*args),)

    @impl(slc.MaxNOp)
    def maximum_nan(self, _: Interpreter, op: slc.MaxNOp, args: PythonValues) -> PythonValues:
        return (floats.maximum_nan(*args),)

    @impl(slc.MinOp)
    def minimum(self, _: Interpreter, op: slc.MinOp, args: PythonValues) -> PythonValues:
        return (floats.minimum(*args),)


def _stream(value, result: SSAValue):
    """A loaded element as a stream: an integer without a sign, or a float."""
    number = python(value)
    return unsigned(number, result.type) if is_integer(result.type) else number
