"""``decouple``: SCF to SLC.

An analysis of an arbitrary loop nest decides what the access unit takes:

* *Loads* of arrays that the function never writes. Arrays that are written are the execute
  unit's: a load of them stays in a callback, with the store.
* *Loops* that contain such a load, or whose variable says which row is written. Other loops (an
  initialization, say) stay in callbacks whole.
* *Integer operations* that the address of such a load, the bound of such a loop, a condition
  around one, or the row that is written is computed from.
* A *condition* ``if (loaded value != constant)`` around loads: ``slc.skip``. If it is not around
  all that the iteration does, what it is around becomes a loop of one iteration.
* An *assertion* ``cf.assert`` of a loaded value: ``slc.check``.

Everything else becomes callbacks. Preserved: the order of everything that the execute unit does,
and every value it sees; assertions that do not hold are reported. What cannot be split is refused
with its place and the reason.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, cf, func, memref, scf
from xdsl.dialects.builtin import Float32Type, IntegerType, MemRefType, ModuleOp, f64
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain, line_of, name_of, refuse
from ..streams import constant, holds_indices, is_integer
from . import dialect as slc
from .conditions import Term, asserted, conditions, parts
from .overlap import overlaps
from .signs import positive, refuse_signs

ARITHMETIC: dict[type[Operation], type[slc._Arithmetic]] = {
    arith.AddiOp: slc.AddOp,
    arith.SubiOp: slc.SubOp,
    arith.MuliOp: slc.MulOp,
    arith.ShLIOp: slc.ShlOp,
}
#: The access unit's integers have no width of their own.
CASTS = (arith.IndexCastOp, arith.ExtUIOp, arith.ExtSIOp)
VIEWS = (memref.SubviewOp, memref.ReinterpretCastOp, memref.CastOp)


@dataclass(frozen=True)
class DecouplePass(ModulePass):
    """Splits each ``func.func`` into access code and callbacks; preserves what is stored."""

    name = "decouple"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(op.ops):
            if isinstance(function, func.FuncOp) and function.body.blocks:
                new = _Function(function).translate()
                op.body.block.insert_op_before(new, function)
                Rewriter.erase_op(function)


def root(array: SSAValue) -> SSAValue:
    """The array that a view is a view of."""
    while isinstance(array.owner, VIEWS):
        array = array.owner.source
    return array


def _leave_out(condition: SSAValue, pending: list[Operation]) -> None:
    """What a condition of the access unit is made of is no part of a callback."""
    for compare in parts(condition):
        if compare in pending:
            pending.remove(compare)


def _is_idle(op: Operation) -> bool:
    """Whether a loop does nothing."""
    return (
        isinstance(op, scf.ForOp)
        and not op.results
        and op.body.block.first_op is (op.body.block.last_op)
    )


class _Function:
    """The analysis and the translation of one function."""

    def __init__(self, function: func.FuncOp):
        self.function = function
        stored = {root(op.memref) for op in function.walk() if isinstance(op, memref.StoreOp)}
        self.written = stored
        self.offloaded = {
            loop
            for loop in function.walk()
            if isinstance(loop, scf.ForOp) and any(map(self.is_stream_load, loop.walk()))
        } | self._around_rows()
        self.needed = self._needed()
        self.values: dict[SSAValue, SSAValue] = {}
        #: Loads that were done again where their values are skipped.
        self.repeated: list[slc.LoadOp] = []

    # Analysis -----------------------------------------------------------------------------

    def is_row_access(self, op: Operation) -> bool:
        """An access to a row of an array that the function writes."""
        return (
            isinstance(op, memref.LoadOp | memref.StoreOp)
            and root(op.memref) in self.written
            and len(op.indices) == 2
        )

    def _around_rows(self) -> set[Operation]:
        """Loops that say which row is worked on, and those around them and the elements'."""
        found: set[Operation] = set()
        for op in self.function.walk():
            values: list[SSAValue] = []
            if self.is_row_access(op):
                values = [op.indices[0]]  # type: ignore[attr-defined]
                # The outermost loop in any case, if it is not the one over the elements.
                around = op.parent_op()
                outer = around.parent_op() if around is not None else None
                while isinstance(around, scf.ForOp) and isinstance(outer, scf.ForOp):
                    around, outer = outer, outer.parent_op()
                    found.add(around)
            while values:
                value = values.pop()
                owner = value.owner
                if isinstance(owner, (*ARITHMETIC, *CASTS)):
                    values += owner.operands
                loop = value.block.parent_op() if isinstance(value, BlockArgument) else None
                while loop is not None:
                    if isinstance(loop, scf.ForOp):
                        found.add(loop)
                    loop = loop.parent_op()
        return found

    def is_stream_load(self, op: Operation) -> bool:
        """A load of an array that the function only reads."""
        return isinstance(op, memref.LoadOp) and root(op.memref) not in self.written

    def holds_stream_load(self, op: Operation) -> bool:
        """Whether such a load is in or below ``op``."""
        return any(map(self.is_stream_load, op.walk()))

    def _needed(self) -> set[SSAValue]:
        """Values that addresses, bounds and conditions on the access side are computed from."""
        wanted: list[SSAValue] = []
        for op in self.function.walk():
            if isinstance(op, memref.LoadOp) and self.is_stream_load(op):
                wanted += op.indices
            elif self.is_row_access(op):
                wanted.append(op.indices[0])  # type: ignore[attr-defined]
            elif isinstance(op, scf.ForOp) and op in self.offloaded:
                wanted += (op.lb, op.ub)
            elif isinstance(op, scf.IfOp) and self.holds_stream_load(op):
                wanted += (term.value for term in conditions(op)[0])
            elif isinstance(op, cf.AssertOp):
                wanted += (term.value for term in asserted(op))
        needed: set[SSAValue] = set()
        while wanted:
            value = wanted.pop()
            if value not in needed:
                needed.add(value)
                owner = value.owner
                if isinstance(owner, (*ARITHMETIC, *CASTS)):
                    wanted += owner.operands
        return needed

    # Translation --------------------------------------------------------------------------

    def translate(self) -> slc.FuncOp:
        source = self.function.body.block
        if len(self.function.body.blocks) != 1:
            raise refuse(self.function, "a function must have one block")
        if self.function.function_type.outputs.data:
            raise refuse(
                self.function,
                "a function must have no results: outputs are arguments, which mlir-opt makes of "
                "results with buffer-results-to-out-params",
            )
        self._refuse_overlaps()
        body = Block(arg_types=source.arg_types)
        for old, new in zip(source.args, body.args, strict=True):
            self.values[old] = new
            new.name_hint = old.name_hint
        self._block(source, body)
        for load in reversed(self.repeated):
            if load.parent is not None and not load.result.uses:
                Rewriter.erase_op(load)
        new = slc.FuncOp(self.function.sym_name.data, source.arg_types, Region(body))
        refuse_signs(new)
        return new

    def _block(self, source: Block, target: Block, pending: list[Operation] | None = None) -> None:
        """Translate one loop body (or the function's) into ``target``."""
        pending = [] if pending is None else pending
        for op in source.ops:
            if isinstance(op, (scf.YieldOp, func.ReturnOp)):
                continue
            if isinstance(op, arith.ConstantOp) or _is_idle(op):
                continue
            if isinstance(op, (*VIEWS, memref.AllocaOp)):
                if len(op.operands) > 1:
                    raise refuse(op, "the offsets, sizes and strides of a view must be constants")
                target.add_op(op.clone(self.values))
            elif isinstance(op, scf.ForOp) and op in self.offloaded:
                explain(op, "walked by the access unit")
                self._flush(pending, target)
                self._loop(op, target)
            elif isinstance(op, scf.IfOp) and self.holds_stream_load(op):
                self._condition(op, pending, target)
            elif isinstance(op, cf.AssertOp):
                self._assertion(op, pending, target)
            elif isinstance(op, scf.WhileOp) and self.holds_stream_load(op):
                raise refuse(op, "only counted loops can be walked by the access unit")
            elif isinstance(op, memref.LoadOp) and self.is_stream_load(op):
                if not is_integer(op.res.type) and not isinstance(op.res.type, Float32Type):
                    how = ": narrow-f64 makes f32 of it" if op.res.type == f64 else ""
                    what = f"the access unit loads integers and f32, not {op.res.type}{how}"
                    raise refuse(op, what)
                explain(op, "loaded by the access unit")
                self._add(target, op, slc.LoadOp(self._array(op), self._indices(op, target)))
            elif any(result in self.needed for result in op.results) and self._is_integer(op):
                self._integer(op, target)
            else:
                self._refuse_needed(op)
                self._explain(op)
                pending.append(op)
        self._flush(pending, target)

    def _explain(self, op: Operation) -> None:
        """Say why an operation stays with the execute unit."""
        if isinstance(op, scf.ForOp):
            explain(op, "stays with the execute unit: it loads nothing that is only read")
        elif isinstance(op, memref.LoadOp):
            array = root(op.memref)
            explain(op, f"stays with the execute unit: {name_of(array)} is written in the function")
        elif isinstance(op, memref.StoreOp | scf.IfOp):
            explain(op, "stays with the execute unit")

    def _is_integer(self, op: Operation) -> bool:
        """Whether the access unit can compute it: an integer operation on what it already has."""
        wide = all(holds_indices(result.type) for result in op.results)
        return wide and isinstance(op, (*ARITHMETIC, *CASTS)) and all(map(self._known, op.operands))

    def _refuse_overlaps(self) -> None:
        """Rows are stored as a whole, in an order that is not that of their elements."""
        for op in self.function.walk():
            if not isinstance(op, memref.StoreOp):
                continue
            kind = op.memref.type
            assert isinstance(kind, MemRefType)
            if kind.get_strides() is None:
                raise refuse(op, f"the layout of {name_of(op.memref)} must be one of strides")
            if overlaps(kind):
                raise refuse(op, f"rows of {name_of(op.memref)} overlap, but they are stored to")

    def _refuse_needed(self, op: Operation) -> None:
        for result in op.results:
            if result in self.needed:
                if isinstance(op, memref.LoadOp):
                    raise refuse(
                        op,
                        f"{name_of(root(op.memref))} is written in this function"
                        f"{self._store(root(op.memref))}, so its values "
                        "cannot be addresses, bounds or conditions of the access unit",
                    )
                why = (
                    ": it does not choose. If the index is never below 0, say so (cf.assert)"
                    if isinstance(op, arith.SelectOp)
                    else ""
                )
                raise refuse(
                    op,
                    "an address, bound or condition of the access unit needs this value, "
                    f"but the access unit cannot compute it{why}",
                )

    def _store(self, array: SSAValue) -> str:
        """Where an array is written, if that is known."""
        stores = [op for op in self.function.walk() if isinstance(op, memref.StoreOp)]
        lines = [line_of(op) for op in stores if root(op.memref) is array]
        return f" ({lines[0]})" if lines and lines[0] else ""

    def _known(self, value: SSAValue) -> bool:
        return value in self.values or constant(value) is not None

    def _stream(self, op: Operation, value: SSAValue) -> SSAValue | int:
        number = constant(value)
        if number is not None:
            return number
        if value not in self.values:
            raise refuse(op, f"{name_of(value)} must be computed by the access unit")
        return self.values[value]

    def _array(self, op: memref.LoadOp) -> SSAValue:
        if op.memref not in self.values:
            raise refuse(op, f"{name_of(op.memref)} must be an argument or a view of one")
        return self.values[op.memref]

    def _indices(self, op: memref.LoadOp, target: Block) -> list[SSAValue]:
        return [self._literal(self._stream(op, index), target) for index in op.indices]

    def _literal(self, value: SSAValue | int, target: Block) -> SSAValue:
        """A literal as a stream."""
        if not isinstance(value, int):
            return value
        literal = slc.ConstOp(value)
        target.add_op(literal)
        return literal.result

    def _add(self, target: Block, old: Operation, new: Operation) -> None:
        new.location = old.location
        target.add_op(new)
        for before, after in zip(old.results, new.results, strict=True):
            self.values[before] = after
            after.name_hint = before.name_hint

    def _integer(self, op: Operation, target: Block) -> None:
        if isinstance(op, CASTS):
            self.values[op.results[0]] = self.values[op.operands[0]]
            return
        lhs, rhs = (self._stream(op, value) for value in op.operands)
        if isinstance(lhs, int) and isinstance(op, (arith.AddiOp, arith.MuliOp)):
            lhs, rhs = rhs, lhs
        self._add(target, op, ARITHMETIC[type(op)](self._literal(lhs, target), rhs))

    def _loop(self, op: scf.ForOp, target: Block) -> None:
        if op.iter_args:
            name = name_of(op.body.block.args[1])
            raise refuse(
                op,
                f"the loop carries {name} in iter_args, and it has no home: the access unit has no "
                f"state, and what {name} becomes is not stored to an array, in the block of the "
                "loop, that nothing uses before that",
            )
        step = constant(op.step)
        if step is None or step < 1:
            raise refuse(op, "the step must be a constant of at least 1")
        start, stop = self._stream(op, op.lb), self._stream(op, op.ub)
        loop = slc.LoopOp(start, stop, step)
        loop.location = op.location
        loop.induction.name_hint = op.body.block.args[0].name_hint
        self.values[op.body.block.args[0]] = loop.induction
        target.add_op(loop)
        self._block(op.body.block, loop.body.block)

    def _condition(self, op: scf.IfOp, pending: list[Operation], target: Block) -> None:
        terms, body = conditions(op)
        _leave_out(op.cond, pending)
        if op.results:
            raise refuse(op, "a condition around loads must not have results: keep them in memory")
        skips = [skip for term in terms if (skip := self._skip(op, term)) is not None]
        before: dict[SSAValue, SSAValue] = {}
        whole = isinstance(op.next_op, scf.YieldOp) and not any(
            isinstance(other, slc.CallbackOp | slc.LoopOp) for other in target.ops
        )
        if skips and (pending or not whole):
            # What the iteration does beside is not left out: the rest is an iteration of its own.
            self._flush(pending, target)
            once = slc.LoopOp(0, 1, 1)
            once.induction.name_hint = "once"
            once.location = op.location
            explain(op, "a loop of one iteration: the rest of the iteration is not left out")
            target.add_op(once)
            target = once.body.block
            before = dict(self.values)
            skips = [(self._again(load, target), unwanted) for load, unwanted in skips]
        for load, unwanted in skips:
            target.add_op(slc.SkipOp(load.result, unwanted))
        self._block(body, target, pending)
        self.values |= before

    def _assertion(self, op: cf.AssertOp, pending: list[Operation], target: Block) -> None:
        _leave_out(op.arg, pending)
        for term in asserted(op):
            value = self.values.get(term.value)
            if value is None or not isinstance(value.owner, slc.LoadOp):
                raise refuse(op, f"{name_of(term.value)} must be a loaded value")
            # Before what is pending: nobody looks at that if the check fails, and a layer checks
            # before it calls back.
            check = slc.CheckOp(value, min(term.below, positive(value.type)))
            check.location = op.location
            target.add_op(check)

    def _skip(self, op: scf.IfOp, term: Term) -> tuple[slc.LoadOp, int] | None:
        """The load and its value that a term leaves out; None if there is no such value."""
        value = self.values.get(term.value)
        if value is None or not isinstance(value.owner, slc.LoadOp):
            raise refuse(op, "a condition around loads must compare a loaded value to a constant")
        if not is_integer(value.type):
            raise refuse(op, "a condition around loads must compare integers")
        full = 1 << (value.type.width.data if isinstance(value.type, IntegerType) else 64)
        if full > 1 << _least_bits(term.value):
            raise refuse(op, f"a condition around loads must compare all bits of {name_of(value)}")
        # Without a sign from where a cast has made it wider, else with one.
        least = 0 if _is_zero_extended(term.value) else -full // 2
        if not least <= term.unwanted < least + full:
            return None
        return value.owner, term.unwanted - full * (term.unwanted >= full // 2)

    def _again(self, load: slc.LoadOp, target: Block) -> slc.LoadOp:
        """The same load in another loop, which is to skip its value."""
        again = slc.LoadOp(load.array, load.indices)
        again.result.name_hint = load.result.name_hint
        target.add_op(again)
        for value, stream in self.values.items():
            if stream is load.result:
                self.values[value] = again.result
        self.repeated.append(load)
        return again

    # Callbacks ----------------------------------------------------------------------------

    def _flush(self, pending: list[Operation], target: Block) -> None:
        if pending:
            body = Block()
            _Callback(self, body).clone(pending)
            callback = slc.CallbackOp(Region(body))
            callback.location = pending[0].location
            target.add_op(callback)
            pending.clear()


def _is_zero_extended(value: SSAValue) -> bool:
    """Whether the first cast of a loaded value that makes it wider knows no sign."""
    zero_extended = False
    while isinstance(owner := value.owner, CASTS):
        if not isinstance(owner, arith.IndexCastOp) or _bits(owner.input) < _bits(owner.result):
            zero_extended = isinstance(owner, arith.ExtUIOp)
        value = owner.operands[0]
    return zero_extended


def _least_bits(value: SSAValue) -> int:
    """The width of the narrowest of a value and those that it was cast from."""
    bits = _bits(value)
    while isinstance(value.owner, CASTS):
        value = value.owner.operands[0]
        bits = min(bits, _bits(value))
    return bits


def _bits(value: SSAValue) -> int:
    return value.type.width.data if isinstance(value.type, IntegerType) else 64


class _Callback:
    """Copies operations into a callback; streams come in through to_val, constants as copies."""

    def __init__(self, function: _Function, body: Block):
        self.function, self.body = function, body
        self.mapping: dict[SSAValue, SSAValue] = {}

    def clone(self, ops: list[Operation]) -> None:
        inside = {id(result) for op in ops for inner in op.walk() for result in inner.results}
        for op in ops:
            for inner in op.walk():
                for operand in inner.operands:
                    owned = isinstance(operand, BlockArgument) and self._within(operand, ops)
                    if id(operand) not in inside and not owned:
                        self._import(inner, operand)
        for op in ops:
            self.body.add_op(op.clone(self.mapping))

    def _within(self, argument: BlockArgument, ops: list[Operation]) -> bool:
        parent = argument.block.parent_op()
        while parent is not None:
            if parent in ops:
                return True
            parent = parent.parent_op()
        return False

    def _import(self, op: Operation, value: SSAValue) -> None:
        if value in self.mapping:
            return
        if isinstance(value.owner, arith.ConstantOp):
            copy = value.owner.clone()
            self.body.add_op(copy)
            self.mapping[value] = copy.result
            return
        stream = self.function.values.get(value)
        if stream is None and isinstance(value.type, MemRefType):
            raise refuse(op, f"{name_of(value)} must be an argument or a view of one")
        if stream is None:
            raise refuse(
                op,
                f"{name_of(value)} is computed in another callback; callbacks share only memory: "
                "keep it in a memref cell",
            )
        if not is_integer(stream.type) and not isinstance(stream.owner, slc.LoadOp):
            self.mapping[value] = stream  # an array
            return
        to_val = slc.ToValOp(stream)
        to_val.value.name_hint = value.name_hint
        self.body.add_op(to_val)
        self.mapping[value] = to_val.value
        if stream.type != value.type:
            cast = arith.IndexCastOp(to_val.value, value.type)
            self.body.add_op(cast)
            self.mapping[value] = cast.result
