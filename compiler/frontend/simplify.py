"""``simplify``: what is known before a run is computed, and what nobody needs goes.

* Integer operations on constants, sizes of arrays (``memref.dim``), casts and views whose sizes
  have become known.
* Operations that change nothing (``x + 0``, ``x * 1``), constants of commuting operations go right.
* Integer operations and views whose operands do not change in a loop move out of it, and equal
  operations become one: a front end writes them where it needs them.
* A truth value that is known: ``and``, ``or``, ``select``, and whether a value is below 0 that an
  assertion says is not.
* A condition that is known leaves one of its branches; an inner loop that is known to be empty
  goes, and so does an empty ``else``.
* Operations without an effect whose results nobody uses go, and so do promises about memory
  (``memref.assume_alignment``, ``memref.dealloc``).

Preserved: every value that is stored, and where.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, cf, func, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    i1,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..comparisons import COMPARISONS, WITHOUT_SIGN
from ..slc.decouple import CASTS
from ..streams import constant
from .asserted import FROM_ZERO_ON, is_from_zero_on
from .dependences import is_arithmetic

FOLDS: dict[type[Operation], Callable[[int, int], int]] = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.ShLIOp: lambda a, b: a << b if 0 <= b < 64 else 0,
}
COMMUTES = (arith.AddiOp, arith.MuliOp)
#: What leaves the first operand as it is.
NEUTRAL = {arith.AddiOp: 0, arith.SubiOp: 0, arith.MuliOp: 1, arith.ShLIOp: 0}
#: Operations without an effect, beside those of ``arith`` and ``math``.
PURE = (
    memref.LoadOp, memref.DimOp, memref.SubviewOp, memref.ReinterpretCastOp, memref.CastOp,
    memref.CollapseShapeOp, memref.ExpandShapeOp, memref.ExtractStridedMetaDataOp, memref.AllocOp,
)  # fmt: skip


@dataclass(frozen=True)
class SimplifyPass(ModulePass):
    """Computes what is known and drops what nobody needs; preserves what is stored."""

    name = "simplify"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                for block in function.body.blocks:
                    _Block(block).run()
                    move_integers(block)
                    _share(block, {})
                    drop_unused(block)


def simplify_changed(ctx: Context, module: ModuleOp, change: Callable[[func.FuncOp], bool]) -> None:
    """Let a pass change every function, and simplify the module if it says that it did."""
    functions = [op for op in module.ops if isinstance(op, func.FuncOp)]
    if any([change(function) for function in functions]):
        SimplifyPass().apply(ctx, module)


class _Block:
    """Folds the operations of a block, in order, and of those below it."""

    def __init__(self, block: Block):
        self.block = block

    def run(self) -> None:
        for op in list(self.block.ops):
            if op.parent is not None:
                self._fold(op)

    def _fold(self, op: Operation) -> None:
        if isinstance(op, scf.IfOp) and (known := constant(op.cond)) is not None:
            self._branch(op, op.true_region if known else op.false_region)
            return
        if isinstance(op, cf.AssertOp) and constant(op.arg):
            Rewriter.erase_op(op)
            return
        if isinstance(op, scf.ForOp) and not op.iter_args and _trips(op) == 0:
            # An outermost loop stays: it is a nest, which a launch counts on.
            if not isinstance(op.parent_op(), func.FuncOp):
                Rewriter.erase_op(op)
            return
        for region in op.regions:
            for block in region.blocks:
                _Block(block).run()
        if isinstance(op, scf.IfOp) and not op.results and _is_empty(op.false_region):
            for block in list(op.false_region.blocks):
                op.false_region.erase_block(block)
        if type(op) in FOLDS or isinstance(op, CASTS):
            self._integer(op)
        elif isinstance(op, arith.CmpiOp):
            self._compare(op)
        elif isinstance(op, arith.AndIOp | arith.OrIOp) and op.result.type == i1:
            self._logic(op)
        elif isinstance(op, arith.SelectOp) and (known := constant(op.cond)) is not None:
            _replace(op, op.lhs if known else op.rhs)
        elif isinstance(op, memref.AssumeAlignmentOp):
            _replace(op, op.memref)
        elif isinstance(op, memref.DeallocOp):
            # The function's end is that of its memory, too.
            Rewriter.erase_op(op)
        elif isinstance(op, memref.DimOp):
            self._dim(op)
        elif isinstance(op, memref.SubviewOp):
            self._subview(op)
        elif isinstance(op, memref.CastOp) and op.source.type != op.dest.type:
            self._cast(op)

    def _integer(self, op: Operation) -> None:
        numbers = [constant(value) for value in op.operands]
        kind = op.results[0].type
        if None not in numbers:
            if isinstance(op, CASTS):
                source = op.operands[0].type
                unsigned = isinstance(op, arith.ExtUIOp)
                numbers = [
                    n % (1 << _width(source)) if unsigned else signed(n, source)
                    for n in numbers if n is not None
                ]  # fmt: skip
            compute = FOLDS.get(type(op))
            number = numbers[0] if compute is None else compute(*numbers)  # type: ignore[arg-type]
            self._known(op, number, kind)
            return
        if isinstance(op, CASTS):
            return
        if numbers[0] is not None and isinstance(op, COMMUTES):
            op.operands = [op.operands[1], op.operands[0]]
            numbers.reverse()
        if numbers[1] == 0 and isinstance(op, arith.MuliOp):
            self._known(op, 0, kind)
        elif numbers[1] is not None and numbers[1] == NEUTRAL[type(op)]:
            _replace(op, op.operands[0])

    def _known(self, op: Operation, number: int | None, kind: Attribute) -> None:
        assert number is not None and isinstance(kind, IndexType | IntegerType)
        known = arith.ConstantOp(IntegerAttr(signed(number, kind), kind))
        known.result.name_hint = op.results[0].name_hint
        self._insert(known, op)
        _replace(op, known.result)

    def _insert(self, new: Operation, op: Operation) -> None:
        assert op.parent is not None
        op.parent.insert_op_before(new, op)

    def _compare(self, op: arith.CmpiOp) -> None:
        a, b = constant(op.lhs), constant(op.rhs)
        predicate = op.predicate.value.data
        decides = all(isinstance(u.operation, arith.SelectOp | scf.IfOp) for u in op.result.uses)
        if decides and (predicate, b) in FROM_ZERO_ON and is_from_zero_on(op.lhs, op):
            # As good as any number from 0 on.
            a = 0
        if a is None or b is None:
            return
        if predicate in WITHOUT_SIGN:
            a, b = (n % (1 << _width(op.lhs.type)) for n in (a, b))
        known = arith.ConstantOp(IntegerAttr(int(COMPARISONS[predicate](a, b)), IntegerType(1)))
        self._insert(known, op)
        _replace(op, known.result)

    def _logic(self, op: arith.AndIOp | arith.OrIOp) -> None:
        """A truth value that is known decides, or changes nothing."""
        for known, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            number = constant(known)
            if number is not None:
                decides = bool(number) == isinstance(op, arith.OrIOp)
                _replace(op, known if decides else other)
                return

    def _dim(self, op: memref.DimOp) -> None:
        kind, axis = op.source.type, constant(op.index)
        if isinstance(kind, MemRefType) and axis is not None:
            shape = kind.get_shape()
            if 0 <= axis < len(shape) and shape[axis] != DYNAMIC_INDEX:
                self._known(op, shape[axis], op.result.type)

    def _subview(self, op: memref.SubviewOp) -> None:
        """A view of known sizes; one that drops dimensions is left alone."""
        kind, source = op.result.type, op.source.type
        assert isinstance(kind, MemRefType) and isinstance(source, MemRefType)
        parts = [
            _filled(static, dynamic)
            for static, dynamic in (
                (op.static_offsets.get_values(), op.offsets),
                (op.static_sizes.get_values(), op.sizes),
                (op.static_strides.get_values(), op.strides),
            )
        ]
        if None in parts or kind.get_num_dims() != source.get_num_dims():
            return
        if DYNAMIC_INDEX in source.get_shape() or None in (source.get_strides() or (None,)):
            return
        offsets, sizes, strides = (list(part or ()) for part in parts)
        new = memref.SubviewOp.from_static_parameters(op.source, source, offsets, sizes, strides)
        if new.result.type == kind and not (op.offsets or op.sizes or op.strides):
            return
        new.result.name_hint = op.result.name_hint
        self._insert(new, op)
        _replace(op, new.result)

    def _cast(self, op: memref.CastOp) -> None:
        """A cast says less than what is known of its source, or what is known already."""
        old, new = op.source.type, op.dest.type
        if isinstance(old, MemRefType) and isinstance(new, MemRefType):
            if DYNAMIC_INDEX not in old.get_shape():
                _replace(op, op.source)

    def _branch(self, op: scf.IfOp, region) -> None:
        """Put the branch that is taken in place of the condition."""
        if not region.blocks:
            Rewriter.erase_op(op)
            return
        results: Sequence[SSAValue] = ()
        moved = []
        for inner in list(region.block.ops):
            if isinstance(inner, scf.YieldOp):
                results = list(inner.operands)
                continue
            inner.detach()
            self._insert(inner, op)
            moved.append(inner)
        for old, new in zip(op.results, results, strict=True):
            old.replace_all_uses_with(new)
        Rewriter.erase_op(op)
        for inner in moved:
            self._fold(inner)


def _filled(static: Sequence[int], dynamic: Sequence[SSAValue]) -> list[int] | None:
    """Static numbers, with constants where they are dynamic; None if one is not known."""
    rest = list(dynamic)
    numbers = [constant(rest.pop(0)) if n == DYNAMIC_INDEX else n for n in static]
    return None if None in numbers else [n for n in numbers if n is not None]


def signed(number: int, kind: Attribute) -> int:
    """The number that the low bits are; a truth value is 0 or -1."""
    half = 1 << (_width(kind) - 1)
    return (number + half) % (2 * half) - half


def _width(kind: Attribute) -> int:
    return kind.width.data if isinstance(kind, IntegerType) else 64


def _trips(op: scf.ForOp) -> int | None:
    """Iterations of a loop, if they are known."""
    start, stop, step = (constant(value) for value in (op.lb, op.ub, op.step))
    if start is None or stop is None or step is None or step < 1:
        return None
    return max(0, -(-(stop - start) // step))


def _replace(op: Operation, value: SSAValue) -> None:
    Rewriter.replace_op(op, [], [value])


def move_integers(block: Block) -> None:
    """Move integer operations out of loops that their operands do not change in; views, too, and
    also out of conditions."""
    for op in list(block.ops):
        for region in op.regions:
            for inner in region.blocks:
                move_integers(inner)
        view = isinstance(op, memref.SubviewOp)
        while type(op) in FOLDS or isinstance(op, CASTS) or view:
            here = op.parent
            assert here is not None
            around = here.parent_op()
            left = isinstance(around, scf.ForOp) or (view and isinstance(around, scf.IfOp))
            if not left or around is None or around.parent is None:
                break
            if any(_block_of(value) is here for value in op.operands):
                break
            op.detach()
            around.parent.insert_op_before(op, around)


def _block_of(value: SSAValue) -> Block | None:
    owner = value.owner
    return owner if isinstance(owner, Block) else owner.parent


def _share(block: Block, known: dict[tuple, SSAValue]) -> None:
    """One of equal integer operations, for all that it is visible to."""
    known = dict(known)
    for op in list(block.ops):
        for region in op.regions:
            for inner in region.blocks:
                _share(inner, known)
        if type(op) in FOLDS or isinstance(op, CASTS):
            operands = tuple(_identity(value) for value in op.operands)
            key = type(op), operands, op.results[0].type
            if key in known:
                _replace(op, known[key])
            else:
                known[key] = op.results[0]


def _identity(value: SSAValue) -> object:
    """Equal constants are the same operand."""
    number = constant(value)
    return value if number is None else (number, value.type)


def drop_unused(block: Block) -> None:
    """Remove what has no effect and no use, users first."""
    for op in reversed(list(block.ops)):
        for region in op.regions:
            for inner in region.blocks:
                drop_unused(inner)
        pure = isinstance(op, PURE) or is_arithmetic(op)
        empty = (
            isinstance(op, scf.ForOp | scf.IfOp)
            and not op.results
            and all(_is_empty(r) for r in op.regions)
        )
        empty = empty and not isinstance(op.parent_op(), func.FuncOp)
        if empty or (pure and not any(result.uses for result in op.results)):
            Rewriter.erase_op(op)


def _is_empty(region) -> bool:
    return all(
        isinstance(op, scf.YieldOp) and not op.operands for b in region.blocks for op in b.ops
    )
