"""Writes a loop over elements anew: around it what is done once, in it what is for each element."""

from xdsl.dialects import memref, scf
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from .element_dependences import Varying
from .element_groups import groups
from .simplify import drop_unused


class Writer:
    """Puts the divided loop in place of the other one."""

    def __init__(self, varying: Varying):
        self.varying, self.loop = varying, varying.loop

    def write(self) -> None:
        block = Block()
        self._block(self.loop.body.block, block, {})
        drop_unused(block)
        for op in list(block.ops):
            op.detach()
            assert self.loop.parent is not None
            self.loop.parent.insert_op_before(op, self.loop)
        Rewriter.erase_op(self.loop)

    def _block(self, source: Block, target: Block, mapping: dict[SSAValue, SSAValue]) -> None:
        for part in groups(source, self.varying):
            if isinstance(part, list):
                self._elements(part, target, mapping)
            elif isinstance(part, scf.ForOp):
                body = Block(arg_types=part.body.block.arg_types)
                inner = dict(mapping)
                for old, new in zip(part.body.block.args, body.args, strict=True):
                    inner[old] = new
                    new.name_hint = old.name_hint
                self._block(part.body.block, body, inner)
                body.add_op(scf.YieldOp())
                first, end, step = (mapping.get(v, v) for v in (part.lb, part.ub, part.step))
                self._add(target, scf.ForOp(first, end, step, [], Region(body)), part)
            elif isinstance(part, scf.IfOp) and not part.results:
                taken, other = (self._branch(region, mapping) for region in part.regions)
                known = self._known(part, target, mapping)
                condition = known.get(part.cond, part.cond)
                self._add(target, scf.IfOp(condition, [], taken, other), part)
            else:
                new = part.clone(self._known(part, target, mapping))
                mapping |= zip(part.results, new.results, strict=True)
                self._add(target, new, part)

    def _known(
        self, op: Operation, target: Block, mapping: dict[SSAValue, SSAValue]
    ) -> dict[SSAValue, SSAValue]:
        """The values that an operation needs, those that are computed from cells computed anew."""
        known = dict(mapping)
        for value in op.operands:
            self._again(value, target, known, [])
        return known

    def _branch(self, region: Region, mapping: dict[SSAValue, SSAValue]) -> Region:
        if not region.blocks:
            return Region()
        body = Block()
        self._block(region.block, body, dict(mapping))
        body.add_op(scf.YieldOp())
        return Region(body)

    def _elements(
        self, ops: list[Operation], target: Block, mapping: dict[SSAValue, SSAValue]
    ) -> None:
        """A loop over the elements of what depends on them."""
        if not any(isinstance(op, memref.StoreOp) for part in ops for op in part.walk()):
            return
        body = Block(arg_types=self.loop.body.block.arg_types)
        body.args[0].name_hint = self.varying.column.name_hint
        inside = mapping | {self.varying.column: body.args[0]}
        for op in ops:
            for inner in op.walk():
                for value in inner.operands:
                    self._again(value, body, inside, ops)
            self._add(body, op.clone(inside), op)
        body.add_op(scf.YieldOp())
        loop = scf.ForOp(self.loop.lb, self.loop.ub, self.loop.step, [], Region(body))
        self._add(target, loop, self.loop)

    def _again(
        self, value: SSAValue, body: Block, inside: dict[SSAValue, SSAValue], ops: list[Operation]
    ) -> None:
        """Compute a value of another group again."""
        owner = value.owner
        if value in inside or not isinstance(owner, Operation):
            return
        if id(owner) not in self.varying.ops | self.varying.derived:
            return
        if any(owner is inner for op in ops for inner in op.walk()):
            return
        for operand in owner.operands:
            self._again(operand, body, inside, ops)
        self._add(body, owner.clone(inside), owner)

    def _add(self, block: Block, new: Operation, old: Operation) -> None:
        new.location = old.location
        block.add_op(new)
