"""``scf.parallel`` and ``memref.copy`` to loops that run in order.

``mlir-opt`` prints both where it makes loops of ``linalg``. Preserved: every iteration and each
access; parallel iterations may run in any order, so also in this one. Reductions are refused: MLIR
says nothing of their order, and sums are done in the list's order here.
"""

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from ..errors import refuse
from .affine import index


def plain_loops(module: ModuleOp) -> None:
    """Replace both in a module.

    Raises
    ------
    CompileError
        A reduction.
    """
    for op in list(module.walk()):
        if isinstance(op, scf.ParallelOp):
            _parallel(op)
        elif isinstance(op, memref.CopyOp):
            _copy(op)


def _parallel(op: scf.ParallelOp) -> None:
    if op.initVals:
        raise refuse(op, "a parallel loop must reduce nothing: its sums have no order")
    body = op.body.block
    assert body.last_op is not None
    Rewriter.erase_op(body.last_op)
    inner = list(body.ops)
    for inside in inner:
        inside.detach()
    bounds = list(zip(op.lowerBound, op.upperBound, op.step, strict=True))
    loops, variables = _nest(op, bounds, inner)
    for old, new in zip(body.args, variables, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    Rewriter.replace_op(op, loops)


def _copy(op: memref.CopyOp) -> None:
    """Element by element; MLIR does not say what happens if the two arrays overlap in part."""
    kind = op.source.type
    assert isinstance(kind, MemRefType)
    before: list[Operation] = [index(0), index(1)]
    zero, one = (constant.results[0] for constant in before)
    bounds, indices = [], []
    for number, size in enumerate(kind.get_shape()):
        if size == 1:
            indices.append(zero)
            continue
        new: list[Operation] = [index(number if size == DYNAMIC_INDEX else size)]
        if size == DYNAMIC_INDEX:
            new.append(memref.DimOp(op.source, new[0].results[0]))
        before += new
        bounds.append((zero, new[-1].results[0], one))
        indices.append(None)
    load = memref.LoadOp.get(op.source, [])
    store = memref.StoreOp.get(load.res, op.destination, [])
    loops, variables = _nest(op, bounds, [load, store])
    places = [variables.pop(0) if place is None else place for place in indices]
    load.operands = [op.source, *places]
    store.operands = [load.res, op.destination, *places]
    Rewriter.replace_op(op, [*before, *loops], [])


def _nest(
    op: Operation, bounds: list[tuple[SSAValue, SSAValue, SSAValue]], inner: list[Operation]
) -> tuple[list[Operation], list[SSAValue]]:
    """Loops, the outermost first, around operations; the loops' variables."""
    variables: list[SSAValue] = []
    for new in inner:
        new.location = new.location or op.location
    for first, last, step in reversed(bounds):
        block = Block([*inner, scf.YieldOp()], arg_types=[first.type])
        loop = scf.ForOp(first, last, step, [], Region(block))
        loop.location = op.location
        block.args[0].name_hint = f"i{len(bounds) - len(variables) - 1}"
        variables.insert(0, block.args[0])
        inner = [loop]
    return inner, variables
