"""``split-ranges``: loops are divided where a condition on their variable changes.

Neither unit compares loop variables. But in a loop with literal bounds it is known in which
iterations a comparison of its variable with a constant holds:

```
scf.for %e = 0 to 16 {                           scf.for %e = 0 to 4 { a }
  %first = arith.cmpi slt, %e, 4                 scf.for %e = 4 to 16 { b }
  scf.if %first { a } else { b }
}
```

The same goes for ``arith.select``. Preserved: all iterations, in order, and what they hand on.
Loops that would be divided into too many are left alone, and so are very long ones.
"""

from dataclasses import dataclass
from itertools import groupby

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..comparisons import COMPARISONS, WITHOUT_SIGN
from ..errors import explain, name_of
from ..slc.decouple import CASTS
from ..streams import constant
from .affine import index
from .dependences import variable
from .simplify import FOLDS, signed, simplify_changed

#: Loops that one is divided into, and iterations that are looked at, at most.
MOST_PARTS, MOST_ITERATIONS = 16, 1 << 16


@dataclass(frozen=True)
class SplitRangesPass(ModulePass):
    """Divides loops by conditions on their variables; preserves what is done, in order."""

    name = "split-ranges"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        simplify_changed(
            ctx, op, lambda function: any([_visit(block) for block in function.body.blocks])
        )


def _visit(block: Block) -> bool:
    changed = False
    for op in list(block.ops):
        for region in op.regions:
            for inner in region.blocks:
                changed |= _visit(inner)
        if isinstance(op, scf.ForOp):
            changed |= _split(op)
    return changed


def _split(loop: scf.ForOp) -> bool:
    """Divide a loop; whether it has such conditions."""
    start, stop, step = (constant(value) for value in (loop.lb, loop.ub, loop.step))
    if start is None or stop is None or step is None or step < 1:
        return False
    compares = [
        op
        for op in loop.body.walk()
        if isinstance(op, arith.CmpiOp) and _depends(op, variable(loop)) and op.result.uses
    ]
    iterations = range(start, stop, step)
    if not compares or not 0 < len(iterations) <= MOST_ITERATIONS:
        return False
    values = {number: tuple(_holds(op, loop, number) for op in compares) for number in iterations}
    parts = [list(part) for _, part in groupby(iterations, values.__getitem__)]
    name = name_of(variable(loop))
    if len(parts) > MOST_PARTS:
        explain(loop, f"conditions on {name} change {len(parts) - 1} times: it stays one loop")
        return False
    explain(loop, f"divided into {len(parts)} by conditions on {name}")
    held = list(loop.iter_args)
    assert loop.parent is not None
    for part in parts:
        copy = loop.clone()
        bounds = [index(part[0]), index(part[-1] + 1)]
        loop.parent.insert_ops_before([*bounds, copy], loop)
        copy.operands[0], copy.operands[1] = (bound.result for bound in bounds)
        for number, value in enumerate(held):
            copy.operands[3 + number] = value
        held = list(copy.results)
        pairs = zip(loop.walk(), copy.walk(), strict=True)
        known = {id(op): hold for op, hold in zip(compares, values[part[0]], strict=True)}
        for old, new in list(pairs):
            if id(old) in known:
                truth = IntegerAttr(int(known[id(old)]), IntegerType(1))
                Rewriter.replace_op(new, arith.ConstantOp(truth))
    for result, value in zip(loop.results, held, strict=True):
        value.name_hint = result.name_hint
        result.replace_all_uses_with(value)
    Rewriter.erase_op(loop)
    return True


def _depends(op: arith.CmpiOp, column: SSAValue) -> bool:
    """Whether a comparison is of a loop's variable, and of nothing else that is not known."""
    found = [_known(value, column) for value in op.operands]
    return None not in found and any(found)


def _known(value: SSAValue, column: SSAValue) -> bool | None:
    """Whether a value is computed from the variable; None if it is from something unknown, too."""
    if value is column:
        return True
    owner = value.owner
    if constant(value) is not None:
        return False
    if not isinstance(owner, Operation) or not (type(owner) in FOLDS or isinstance(owner, CASTS)):
        return None
    found = [_known(operand, column) for operand in owner.operands]
    return None if None in found else any(found)


def _holds(op: arith.CmpiOp, loop: scf.ForOp, number: int) -> bool:
    """Whether a comparison holds in an iteration."""
    lhs, rhs = (_value(value, variable(loop), number) for value in op.operands)
    predicate = op.predicate.value.data
    if predicate in WITHOUT_SIGN:
        mask = (1 << _bits(op.lhs.type)) - 1
        lhs, rhs = lhs & mask, rhs & mask
    return bool(COMPARISONS[predicate](lhs, rhs))


def _value(value: SSAValue, column: SSAValue, number: int) -> int:
    """What a value is in an iteration."""
    if value is column:
        return number
    known = constant(value)
    if known is not None:
        return known
    owner = value.owner
    assert isinstance(owner, Operation)
    operands = [_value(operand, column, number) for operand in owner.operands]
    if isinstance(owner, arith.ExtUIOp):
        return operands[0] & ((1 << _bits(owner.operands[0].type)) - 1)
    if isinstance(owner, CASTS):
        return signed(signed(operands[0], owner.operands[0].type), value.type)
    return signed(FOLDS[type(owner)](*operands), value.type)


def _bits(kind: Attribute) -> int:
    return kind.width.data if isinstance(kind, IntegerType) else 64
