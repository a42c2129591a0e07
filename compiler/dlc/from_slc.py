"""``slc-to-dlc``: loop nests become traversal units, streams and events.

Each outermost ``slc.loop`` becomes a segment. Its loops take the layers from 0 on, its innermost
loop the row layer; layers between stay ``once``. A value that an inner layer needs is forwarded
through all layers between. A callback becomes a token, the streams it reads become pushes; what
reads a buffered row starts with the row, not after it, and waits for each vector. Sums of products
may wait for the next row, see :mod:`.defer_sum`. Preserved: every load, and what each callback
sees, in order.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    Float32Type,
    IntegerType,
    MemRefType,
    ModuleOp,
    StridedLayoutAttr,
    VectorType,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException

from ..errors import name_of, refuse
from ..slc import dialect as slc
from ..slc.check_bounds import row_stream
from ..slc.decouple import VIEWS
from ..slc.linear import least_sum, linear
from ..slc.vectorize import loads_floats, offset_of, walks
from ..streams import float_bits
from . import dialect as dlc
from .defer_sum import defer_sum
from .resources import check_segment
from .select import operands_of, select, two_literals

ALU = {slc.AddOp: "add", slc.SubOp: "sub", slc.MulOp: "mul", slc.ShlOp: "shl"}


@dataclass(frozen=True)
class SlcToDlcPass(ModulePass):
    """Maps loops to layers and callbacks to tokens; preserves loads and operands in order."""

    name = "slc-to-dlc"

    layers: int = 3

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(op.ops):
            if isinstance(function, slc.FuncOp):
                op.body.block.insert_op_before(_function(function, self.layers), function)
                Rewriter.erase_op(function)


def _function(function: slc.FuncOp, layers: int) -> dlc.FuncOp:
    source = function.body.block
    body = Block(arg_types=source.arg_types)
    arrays: dict[SSAValue, SSAValue] = dict(zip(source.args, body.args, strict=True))
    for old, new in arrays.items():
        new.name_hint = old.name_hint
    for op in source.ops:
        if isinstance(op, VIEWS):
            body.add_op(op.clone(arrays))
        elif isinstance(op, slc.LoopOp):
            nest = _Nest(op, layers, arrays)
            segment = nest.segment()
            body.add_ops([*nest.views, segment])
        elif not isinstance(op, slc.CallbackOp):
            raise refuse(op, "must be inside a loop")
        elif not isinstance(op.next_op, slc.LoopOp):
            raise refuse(_first(op), "is in no loop, but the execute unit works in iterations")
    return dlc.FuncOp(function.sym_name.data, source.arg_types, Region(body))


def _first(callback: slc.CallbackOp) -> Operation:
    """What a callback does first."""
    inputs = (slc.ToValOp, arith.ConstantOp)
    return next((op for op in callback.body.block.ops if not isinstance(op, inputs)), callback)


class _Nest:
    """One loop nest, on its way to a segment."""

    def __init__(self, outermost: slc.LoopOp, layers: int, arrays: dict[SSAValue, SSAValue]):
        self.outermost, self.arrays = outermost, arrays
        self.loops = _chain(outermost)
        #: The loop over the row's elements; a nest that only fills rows has none.
        self.rows = self.loops.pop() if loads_floats(self.loops[-1]) else None
        self.views: list[Operation] = []
        self.scalar_layers = layers - 1
        if not self.loops:
            raise refuse(outermost, "a loop around the loop over the row's elements is needed")
        if len(self.loops) > self.scalar_layers:
            raise refuse(
                outermost,
                f"the nest has {len(self.loops)} loops above the row, but the configuration has "
                f"{self.scalar_layers} scalar layers (layers = {layers})",
            )
        self.units: list[dlc.TraversalOp] = []
        self.forwards: list[list[Operation]] = [[] for _ in range(layers)]
        self.streams: list[list[Operation]] = [[] for _ in range(layers)]
        self.events: list[Operation] = []
        self.callbacks: list[dlc.CallbackOp] = []
        self.literal: dlc.LiteralOp | None = None
        self.where: dict[SSAValue, dict[int, SSAValue]] = {}
        self.numbers: dict[tuple[int, int], SSAValue] = {}

    def segment(self) -> dlc.SegmentOp:
        for layer, loop in enumerate(self.loops):
            self._unit(layer, loop)
            for op in loop.body.block.ops:
                self._stream(layer, loop, op)
        for layer in range(len(self.loops), self.scalar_layers):
            self.units.append(dlc.OnceOp(layer))
        cells = {op.memref for op in self.outermost.walk() if isinstance(op, memref.AllocaOp)}
        outs = {op.out for op in self.outermost.walk() if isinstance(op, slc.RowOp)}
        self.counts = bool(cells)
        stores = [op for op in self.outermost.walk() if isinstance(op, slc.StoreOp)]
        if stores:
            return self._stored(stores)
        if self.rows is not None:
            self._row(self.rows)
        elif len(outs) == 1:
            self._no_row(*map(self.arrays.__getitem__, outs))
        if len(outs) == 1 or self.rows is not None:
            self._callbacks()
        if len(cells) > 1:
            raise refuse(self.outermost, f"a nest has 1 counter, but uses {len(cells)} cells")
        if len(outs) != 1:
            raise refuse(self.outermost, f"a nest must store rows of 1 array, not of {len(outs)}")
        [out] = outs
        literals = [] if self.literal is None else [self.literal]
        rows = dlc.RowsOp(self.arrays[out], self._resumed())
        execute = Block([rows, *literals, *self.callbacks])
        segment = dlc.SegmentOp(Region(self._access()), Region(execute))
        defer_sum(segment)
        return self._checked(segment)

    def _stored(self, stores: list[slc.StoreOp]) -> dlc.SegmentOp:
        """A segment of which the access unit stores the rows."""
        [store, *rest] = stores
        callbacks = [op for op in self.outermost.walk() if isinstance(op, slc.CallbackOp)]
        if rest or callbacks or self.rows is None or store.parent_op() is not self.rows:
            raise refuse(store, "a nest with a store stream must have 1, and no callbacks")
        self._row(self.rows)
        number = self._get(store.indices[0], self.scalar_layers - 1, store)
        self.events.append(dlc.StoreOp(self.row.data, self.arrays[store.array], number))
        return self._checked(dlc.SegmentOp(Region(self._access()), Region(Block())))

    def _access(self) -> Block:
        access = Block()
        for unit, forwards, streams in zip(self.units, self.forwards, self.streams, strict=True):
            access.add_ops([unit, *forwards, *streams])
        access.add_ops(self.events)
        return access

    def _checked(self, segment: dlc.SegmentOp) -> dlc.SegmentOp:
        try:
            check_segment(segment)
        except VerifyException as error:
            raise refuse(self.outermost, str(error)) from None
        return segment

    def _resumed(self) -> int | None:
        """The row that the nest goes on with, if it does not begin one."""
        if not self.outermost.resumed:
            return None
        row = next(op for op in self.outermost.walk() if isinstance(op, slc.RowOp))
        stream = 0 if row.index is None else row_stream(row.index)
        if stream is None:
            raise refuse(row, "the row that a nest goes on with must be known")
        return least_sum(linear(stream))

    # Values -------------------------------------------------------------------------------

    def _define(self, old: SSAValue, layer: int, new: SSAValue) -> None:
        new.name_hint = old.name_hint
        self.where[old] = {layer: new}

    def _get(self, value: SSAValue, layer: int, user: Operation) -> SSAValue:
        """The stream of ``value`` in ``layer``, forwarded there if it is from further out."""
        if isinstance(value.owner, slc.ConstOp):
            return self._constant(value.owner.number, layer, user)
        if value not in self.where:
            self._integer(value, user)
        places = self.where[value]
        if layer in places:
            return places[layer]
        if not any(place < layer for place in places):
            raise refuse(user, f"{name_of(value)} is not known outside of its loop")
        forward = dlc.FwdOp(self._get(value, layer - 1, user))
        forward.result.name_hint = value.name_hint
        self.forwards[layer].append(forward)
        places[layer] = forward.result
        return forward.result

    def _constant(self, number: int, layer: int, user: Operation) -> SSAValue:
        """A number as a stream of ``layer``, one for each number."""
        if not 0 <= number < 1 << 32:
            raise refuse(user, f"a literal must be 0..{(1 << 32) - 1}, not {number}")
        if (number, layer) not in self.numbers:
            literal = dlc.ConstOp(layer, number)
            self.streams[layer].append(literal)
            self.numbers[number, layer] = literal.result
        return self.numbers[number, layer]

    def _zero(self, layer: int, user: Operation) -> SSAValue:
        """A 0 that a load of ``layer`` can have as its index."""
        if not layer:
            return self._constant(0, 0, user)
        forward = dlc.FwdOp(self._constant(0, layer - 1, user))
        self.forwards[layer].append(forward)
        return forward.result

    def _integer(self, value: SSAValue, user: Operation) -> None:
        owner = value.owner
        if not isinstance(owner, slc.AddOp | slc.SubOp | slc.MulOp | slc.ShlOp):
            raise refuse(user, f"{name_of(value)} is not a stream")
        loop = owner.parent_op()
        if not isinstance(loop, slc.LoopOp) or loop not in self.loops:
            raise refuse(owner, "an integer operation must be above the loop over the elements")
        layer = self.loops.index(loop)
        lhs, second = self._get(owner.lhs, layer, owner), owner.second
        rhs = second if isinstance(second, int) else self._get(second, layer, owner)
        kind = ALU[type(owner)]
        if isinstance(rhs, int) and rhs < 0 and kind in ("add", "sub"):
            kind, rhs = "sub" if kind == "add" else "add", -rhs
        if not isinstance(rhs, int) and kind in ("mul", "shl"):
            raise refuse(owner, "the integer unit multiplies and shifts by literals, not streams")
        most = 63 if kind == "shl" else (1 << 32) - 1
        if isinstance(rhs, int) and not 0 <= rhs <= most:
            raise refuse(owner, f"the literal must be 0..{most}, not {rhs}")
        alu = dlc.AluOp(kind, lhs, rhs)
        self.streams[layer].append(alu)
        self._define(value, layer, alu.result)

    # Access -------------------------------------------------------------------------------

    def _unit(self, layer: int, loop: slc.LoopOp) -> None:
        start, stop = loop.bounds
        fused, step = loop.fused is not None, loop.stride
        if step >= 1 << 16:
            raise refuse(loop, f"a step must be 1..{(1 << 16) - 1}, not {step}")
        if isinstance(start, int) and isinstance(stop, int):
            if loop.trip_count == 0:
                start = stop = 0
            if start < 0:
                raise refuse(loop, f"a loop must start at 0 or above, not {start}")
            unit = dlc.DenseOp(layer, start, stop, step, fused=fused)
        elif isinstance(start, SSAValue) and (length := _length(start, stop)) is not None:
            unit = dlc.IndexOp(layer, self._get(start, layer - 1, loop), length, step, fused=fused)
        else:
            first, last = (
                self._constant(bound, layer - 1, loop)
                if isinstance(bound, int)
                else self._get(bound, layer - 1, loop)
                for bound in (start, stop)
            )
            unit = dlc.RangeOp(layer, first, last, step, fused=fused)
        self.units.append(unit)
        self._define(loop.induction, layer, unit.ite)

    def _stream(self, layer: int, loop: slc.LoopOp, op: Operation) -> None:
        if isinstance(op, slc.LoadOp | slc.LoadPairOp):
            self._load(layer, loop, op)
        elif isinstance(op, slc.CheckOp | slc.SkipOp):
            owner = op.value.owner
            if not isinstance(owner, Operation) or owner.parent_op() is not loop:
                raise refuse(op, "must be in the loop of the load that it looks at")
            before = loop.body.block.ops
            if any(isinstance(c, slc.CallbackOp) and c.is_before_in_block(op) for c in before):
                raise refuse(op, "must come before the callbacks of its loop")
        elif not isinstance(
            op,
            slc.LoopOp
            | slc.CallbackOp
            | slc.BufferOp
            | memref.AllocaOp
            | slc._Arithmetic
            | slc.ConstOp,
        ):
            raise refuse(op, "the access unit has nothing for this")

    def _load(self, layer: int, loop: slc.LoopOp, op: slc.LoadOp | slc.LoadPairOp) -> None:
        if len(op.indices) != 1:
            raise refuse(op, "must have 1 index: run flatten-addresses first")
        self._known(op)
        array = self.arrays[op.array]
        if isinstance(op, slc.LoadPairOp):
            index = op.indices[0]
            limit, other = (_limit(loop, value) for value in op.results)
            if limit != other:
                raise refuse(op, f"both values must have one limit, not {limit} and {other}")
            pair = dlc.MemPairOp(array, self._get(index, layer, op), limit)
            self.streams[layer].append(pair)
            self._define(op.result, layer, pair.result)
            self._define(op.following, layer, pair.following)
            return
        index, offset = offset_of(op)
        if isinstance(index.owner, slc.ConstOp):
            offset += index.owner.number
            at = self._zero(layer, op)
        else:
            at = self._get(index, layer, op)
        limit, unwanted = _limit(loop, op.result), _skip(loop, op.result)
        if limit is not None and unwanted is not None and not 0 <= unwanted < limit:
            raise refuse(
                op,
                f"skips {unwanted}, which is not below the limit {limit} of its check: "
                "the access unit checks before it skips",
            )
        load = dlc.MemOp(array, at, offset, limit, unwanted)
        self.streams[layer].append(load)
        self._define(op.result, layer, load.result)

    def _known(self, op: slc.LoadOp | slc.LoadPairOp) -> None:
        """Refuse an array that is not in memory, or whose elements cannot be loaded."""
        if op.array not in self.arrays:
            raise refuse(op, f"{name_of(op.array)} must be an argument or a view of one")
        kind = op.result.type
        if isinstance(kind, IntegerType) and kind.width.data not in (32, 64):
            raise refuse(op, f"elements must have 32 or 64 bits, not {kind.width.data}")

    def _no_row(self, out: SSAValue) -> None:
        """The row layer of a nest that reads no rows: an element that nobody looks at."""
        kind = out.type
        assert isinstance(kind, MemRefType)
        offset, size = kind.get_offset() or 0, min(1, *kind.get_shape())
        layout = StridedLayoutAttr([1], offset)
        view = memref.ReinterpretCastOp.from_dynamic(
            out, [offset], [size], [1], MemRefType(kind.element_type, [size], layout)
        )
        view.result.name_hint = f"{out.name_hint or 'out'}_first"
        self.views.append(view)
        self.row = dlc.RowOp(self.scalar_layers, view.result, None, 1, kind.element_type)
        self.units.append(self.row)
        self.data: set[SSAValue] = set()

    def _row(self, loop: slc.LoopOp) -> None:
        layer = self.scalar_layers
        loads = [op for op in loop.body.block.ops if isinstance(op, slc.LoadOp)]
        if len(loads) != 1 or not walks(loads[0], loop) or loop.bounds[0] != 0:
            raise refuse(loop, "the innermost loop must load consecutive elements of 1 array")
        [load] = loads
        if len(load.indices) != 1:
            raise refuse(load, "must have 1 index: run flatten-addresses first")
        self._known(load)
        dim = loop.bounds[1]
        kind = load.result.type
        wide = isinstance(kind, VectorType)
        if not isinstance(dim, int) or loop.stride != (kind.get_shape()[0] if wide else 1):
            raise refuse(loop, "a row must have a literal length, and a step of its vector's size")
        if (kind.element_type if wide else kind) != Float32Type():
            raise refuse(load, f"a row must be of f32, not {kind}")
        for op in loop.body.block.ops:
            if isinstance(op, slc.CheckOp | slc.SkipOp):
                raise refuse(op, "the layer that walks a row neither checks nor skips")
        start = None
        index, offset = offset_of(load)
        if index is not loop.induction:
            [base] = [v for v in index.owner.operands if v is not loop.induction]  # type: ignore[union-attr]
            start = self._get(base, layer - 1, load)
        unit = dlc.RowOp(layer, self.arrays[load.array], start, dim, kind, offset)
        self.units.append(unit)
        self._define(loop.induction, layer, unit.ite)
        self._define(load.result, layer, unit.data)
        self.row = unit
        pushes = [op for op in loop.body.block.ops if isinstance(op, slc.PushOp)]
        self.data = {load.result, *(op.buffer for op in pushes if op.stream is load.result)}

    # Events -------------------------------------------------------------------------------

    def _callbacks(self) -> None:
        around = self.outermost.prev_op
        if isinstance(around, slc.CallbackOp):
            self._callback(around, self.units[0], "beg")
        for layer, loop in enumerate(self.loops):
            inner = layer + 1 < len(self.loops)
            unit = self.units[layer + 1] if inner else self.units[-1]
            seen = False
            for op in loop.body.block.ops:
                if isinstance(op, slc.LoopOp):
                    seen = True
                elif isinstance(op, slc.CallbackOp):
                    self._callback(op, unit, "end" if seen and not _buffered(op) else "beg")
        for op in self.rows.body.block.ops if self.rows is not None else ():
            if isinstance(op, slc.CallbackOp):
                self._callback(op, self.units[-1], "ite")

    def _callback(self, callback: slc.CallbackOp, unit: dlc.TraversalOp, event: str) -> None:
        layer = unit.layer
        prefix = "row" if unit is self.row else f"l{layer}"
        name = f"{prefix}_{event}"
        if any(op.sym_name.data == name for op in self.callbacks):
            raise refuse(callback, f"two callbacks at one event, {event} of {name_of(unit.ite)}")
        selected = select(callback, self.data, operands_of(name), counts=self.counts)
        if not selected.instructions:
            return
        for stream in selected.scalars:
            own = self.rows is not None and stream is self.rows.induction
            operand = self._get(stream, layer if own else layer - 1, callback)
            self.events.append(dlc.PushOp(event, unit.ite, operand))
        if selected.data is not None:
            self.events.append(dlc.PushOp("ite", self.row.ite, self.row.data))
        arg = None if selected.arg is None else self._get(selected.arg, layer - 1, callback)
        self.events.append(dlc.TokenOp(event, unit.ite, name, arg))
        if selected.literal is not None:
            known = self.literal
            if known is not None and known.bits != float_bits(selected.literal):
                raise refuse(callback, two_literals(known.value, selected.literal))
            self.literal = dlc.LiteralOp(selected.literal)
        self.callbacks.append(dlc.CallbackOp(name, selected.instructions))


def _chain(outermost: slc.LoopOp) -> list[slc.LoopOp]:
    """The loops of a nest, outermost first."""
    loops = [outermost]
    while inner := slc.inner_loops(loops[-1].body.block):
        if len(inner) > 1:
            raise refuse(
                inner[1],
                f"{len(inner)} loops side by side in one loop; the layers form one chain, which "
                "has one table: loops one after another can only differ in how far on arrays are "
                "read",
            )
        loops.append(inner[0])
    return loops


def _buffered(callback: slc.CallbackOp) -> bool:
    """Whether the callback reads a buffered row, so that it can start with it."""
    return any(
        isinstance(op, slc.ToValOp) and isinstance(op.stream.owner, slc.BufferOp)
        for op in callback.walk()
    )


def _length(start: SSAValue, stop: SSAValue | int) -> int | None:
    """The constant difference of two bounds."""
    if isinstance(stop, int):
        return None
    owner = stop.owner
    if isinstance(owner, slc.AddOp) and owner.lhs is start and isinstance(owner.second, int):
        return owner.second
    return None


def _limit(loop: slc.LoopOp, value: SSAValue) -> int | None:
    limits = [
        op.limit.value.data
        for op in loop.body.block.ops
        if isinstance(op, slc.CheckOp) and op.value is value
    ]
    return min(limits, default=None)


def _skip(loop: slc.LoopOp, value: SSAValue) -> int | None:
    skips = [op for op in loop.body.block.ops if isinstance(op, slc.SkipOp) and op.value is value]
    if len(skips) > 1:
        raise refuse(skips[1], f"a load can skip 1 value, not {len(skips)}")
    return skips[0].unwanted.value.data if skips else None
