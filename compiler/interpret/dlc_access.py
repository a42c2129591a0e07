"""DLC's access region: traversal units and streams, to tokens and operands (docs/dlc.md)."""

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Operation, SSAValue

from ...hw.isa import Error
from ..dlc import dialect as dlc
from ..dlc.resources import store_of, traversal_units
from ..streams import is_integer
from .errors import fail
from .faults import Fault
from .memory import python
from .queues import OrphanError, Queues, Token
from .values import lanes_of, unsigned

LOW = (1 << 32) - 1


@register_impls
@dataclass
class AccessFunctions(InterpreterFunctions):
    """The streams of one layer; :class:`Walk` calls them once per iteration."""

    addr_width: int = 64
    faults: list[Fault] = field(default_factory=list)
    #: The layer, its iteration, and whether something says to leave out the rest of it.
    layer: int = 0
    position: int = 0
    left_out: bool = False

    @impl(dlc.FwdOp)
    def forward(self, _: Interpreter, op: dlc.FwdOp, args: PythonValues) -> PythonValues:
        return args

    @impl(dlc.ConstOp)
    def const(self, _: Interpreter, op: dlc.ConstOp, args: PythonValues) -> PythonValues:
        return (op.number & self._mask,)

    @impl(dlc.AluOp)
    def alu(self, _: Interpreter, op: dlc.AluOp, args: PythonValues) -> PythonValues:
        a = args[0]
        b = args[1] if op.literal is None else op.literal.value.data
        match op.op.data:
            case dlc.Alu.ADD:
                result = a + b
            case dlc.Alu.SUB:
                result = a - b
            case dlc.Alu.MUL:
                result = a * b
            case dlc.Alu.SHL:
                result = a << b
        return (result & self._mask,)

    @impl(dlc.MemOp)
    def load(self, _: Interpreter, op: dlc.MemOp, args: PythonValues) -> PythonValues:
        array, at = args
        offset = op.offset.value.data if op.offset else 0
        kind = dlc.element_of(op.result)
        loaded = self._load(op, array, _place(at + offset, self.addr_width))
        if not is_integer(kind):
            return (loaded,)
        value = unsigned(loaded, kind)
        self._check(op.below, value, kind)
        if op.skip is not None and value == unsigned(op.skip.value.data, kind):
            self.left_out = True
        return (value & self._mask,)

    @impl(dlc.MemPairOp)
    def load_pair(self, _: Interpreter, op: dlc.MemPairOp, args: PythonValues) -> PythonValues:
        array, at = args
        kind = dlc.element_of(op.result)
        values = [unsigned(self._load(op, array, at + n), kind) for n in range(2)]
        for value in values:
            self._check(op.below, value, kind)
        return tuple(value & self._mask for value in values)

    @property
    def _mask(self) -> int:
        return (1 << self.addr_width) - 1

    def _load(self, op: Operation, array, at: int):
        try:
            return python(array.load([at]))
        except IndexError as error:
            raise fail(op, str(error)) from None

    def _check(self, below, value: int, kind) -> None:
        if below is None:
            return
        limit = below.value.data
        # A negative number of 32 bits is loaded as a large one, and is never a good index.
        if lanes_of(kind) == 1 and unsigned(-1, kind) == LOW:
            limit = min(limit, 1 << 31)
        if value >= limit:
            self.faults.append(Fault(Error.INDEX, self.layer, self.position, value))
            self.left_out = True


class Walk:
    """One run of a segment's access region, fiber by fiber."""

    def __init__(
        self,
        interpreter: Interpreter,
        functions: AccessFunctions,
        segment: dlc.SegmentOp,
        queues: Queues,
    ):
        self.interpreter, self.functions, self.queues = interpreter, functions, queues
        self.units = traversal_units(segment)
        self.store = store_of(segment)
        self.streams: list[list[Operation]] = [[] for _ in self.units]
        #: (layer, event) to its pushes, and to its token.
        self.pushes: dict[tuple[int, str], list[dlc.PushOp]] = defaultdict(list)
        self.tokens: dict[tuple[int, str], dlc.TokenOp] = {}
        for op in segment.access.block.ops:
            if isinstance(op, dlc.Stream):
                self.streams[dlc.layer_of(op.results[0])].append(op)
            elif isinstance(op, dlc.PushOp):
                self.pushes[dlc.layer_of(op.loop), op.event.data].append(op)
            elif isinstance(op, dlc.TokenOp):
                self.tokens[dlc.layer_of(op.loop), op.event.data] = op
            elif not isinstance(op, dlc.TraversalOp | dlc.StoreOp):
                raise fail(op, "is not an operation of an access region")

    def run(self) -> None:
        """Walk everything."""
        self._fiber(0, 0, False, False)

    def _fiber(self, layer: int, lane: int, first: bool, last: bool) -> None:
        unit = self.units[layer]
        if isinstance(unit, dlc.RowOp):
            self._row(layer, unit, lane, first, last)
            return
        start, stop, step = self._bounds(layer, unit)
        self._marker(layer, lane, "beg")
        positions = range(start, stop, step)
        fused = isinstance(unit, dlc.CountedOp) and unit.fused is not None
        if fused:
            first = last = True
        if not positions:
            self._skip(0 if layer == 0 else lane, first, last)
        for number, position in enumerate(positions):
            if layer == 0:
                lane = number % len(self.queues.lanes)
            flags = first and number == 0, last and number == len(positions) - 1
            self.interpreter.push_scope(unit.name)
            self.interpreter.set_values([(unit.ite, position)])
            if self._iteration(layer, position):
                self._fiber(layer + 1, lane, *flags)
            else:
                self._skip(lane, *flags)
            self.interpreter.pop_scope()
        self._marker(layer, lane, "end")

    def _bounds(self, layer: int, unit: dlc.TraversalOp) -> tuple[int, int, int]:
        if isinstance(unit, dlc.OnceOp):
            return 0, 1, 1
        assert isinstance(unit, dlc.CountedOp)
        step = unit.step.value.data
        if isinstance(unit, dlc.DenseOp):
            return unit.start.value.data, unit.stop.value.data, step
        if isinstance(unit, dlc.IndexOp):
            start = self._value(unit.start)
            return start, start + unit.length.value.data, step
        assert isinstance(unit, dlc.RangeOp)
        start, stop = self._value(unit.start), self._value(unit.stop)
        if start > stop:
            self.functions.faults.append(Fault(Error.BOUNDS, layer, start, stop))
        return start, stop, step

    def _iteration(self, layer: int, position: int) -> bool:
        """Compute a layer's streams; false if the iteration is left out."""
        functions = self.functions
        functions.layer, functions.position, functions.left_out = layer, position, False
        for op in self.streams[layer]:
            results = self.interpreter.run_op(op, self.interpreter.get_values(op.operands))
            self.interpreter.set_values(zip(op.results, results, strict=True))
        return not functions.left_out

    def _row(self, layer: int, unit: dlc.RowOp, lane: int, first: bool, last: bool) -> None:
        start = 0 if unit.start is None else self._value(unit.start)
        if unit.offset is not None:
            start = _place(start + unit.offset.value.data, self.functions.addr_width)
        kind, dim = dlc.element_of(unit.data), unit.dim.value.data
        lanes = lanes_of(kind)
        array = self._value(unit.array)
        try:
            row = array.load_vector([start], dim)
        except IndexError as error:
            raise fail(unit, str(error)) from None
        if self.store is not None:
            self._store(self.store, row)
            return
        self.queues.begin()
        beats = range(0, dim, lanes)
        for position in beats:
            beat = np.zeros(lanes, np.float32)
            piece = row[position : position + lanes]
            beat[: len(piece)] = piece
            self.interpreter.push_scope(unit.name)
            self.interpreter.set_values([(unit.ite, position), (unit.data, beat)])
            if position == 0:
                self._event(layer, lane, "beg", first, last)
            self._event(layer, lane, "ite", first, last)
            if position == beats[-1]:
                self._event(layer, lane, "end", first, last)
            self.interpreter.pop_scope()

    def _store(self, op: dlc.StoreOp, row: np.ndarray) -> None:
        try:
            self._value(op.out).store_vector([self._value(op.row) & LOW, 0], row)
        except IndexError as error:
            raise fail(op, str(error)) from None

    # Events -------------------------------------------------------------------------------

    def _marker(self, layer: int, lane: int, event: str) -> None:
        lanes = range(len(self.queues.lanes)) if layer == 0 else [lane]
        for each in lanes:
            self.queues.begin()
            self._event(layer, each, event, False, False)

    def _skip(self, lane: int, first: bool, last: bool) -> None:
        """What reaches the queues of an iteration that is left out."""
        token = self.tokens.get((len(self.units) - 1, "beg"))
        if token is not None and (first or last):
            self.queues.begin()
            name = token.callback.root_reference.data
            self.queues.token(lane, Token(name, first, last, skip=True))

    def _event(self, layer: int, lane: int, event: str, first: bool, last: bool) -> None:
        token = self.tokens.get((layer, event))
        if token is not None:
            arg = None if token.arg is None else self._value(token.arg)
            name = token.callback.root_reference.data
            self.queues.token(lane, Token(name, first, last, arg=arg))
        for push in self.pushes.get((layer, event), ()):
            try:
                self.queues.operand(lane, _bits(self._value(push.operand)))
            except OrphanError as error:
                raise fail(push, str(error)) from None

    def _value(self, value: SSAValue):
        return self.interpreter.get_values([value])[0]


def _place(at: int, width: int) -> int:
    """An element's number, which the machine computes modulo ``2**width``."""
    return at & (1 << width) - 1


def _bits(value) -> np.ndarray:
    """An operand as the DataQ holds it; of an integer, the low 32 bits."""
    if isinstance(value, int):
        return np.array([value & LOW], np.uint32)
    return np.atleast_1d(np.asarray(value, np.float32)).view(np.uint32)
