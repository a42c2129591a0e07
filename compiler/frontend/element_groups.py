"""The operations of a loop over elements, divided: what is done once, and for each element."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.dialects import memref, scf
from xdsl.ir import Block, Operation, SSAValue

from ..errors import name_of
from ..slc.decouple import root
from .element_dependences import Varying
from .places import clear

Group = list[Operation]


def groups(block: Block, varying: Varying) -> Iterator[Operation | Group]:
    """What is done once, in order, and lists of what is done for each element."""
    pending: Group = []
    for op in block.ops:
        if isinstance(op, scf.YieldOp) or id(op) in varying.derived:
            continue
        if id(op) in varying.ops:
            pending.append(op)
            continue
        # A counter changes after what was computed with its value.
        if pending and (op.regions or isinstance(op, memref.StoreOp)):
            yield pending
            pending = []
        yield op
    if pending:
        yield pending


@dataclass
class Groups:
    """Whether values of elements can be computed again where they are used."""

    varying: Varying
    found: str | None = None
    #: The group that each operation is in.
    where: dict[Operation, int] = field(default_factory=dict)

    def reason(self) -> str | None:
        """Why a value cannot; None if all can."""
        self._block(self.varying.loop.body.block)
        for op, number in self.where.items():
            for inner in op.walk():
                for value in inner.operands:
                    owner = value.owner
                    if isinstance(owner, Operation) and self.where.get(owner, number) != number:
                        if not self._again(owner):
                            return f"{name_of(value)} is needed behind a loop"
        for op in self.varying.loop.body.walk():
            for value in op.operands:
                if id(op) not in self.varying.derived and not self._current(value, op):
                    return f"{name_of(value)} is computed from what a cell no longer holds"
        return None

    def _current(self, value: SSAValue, user: Operation) -> bool:
        """Whether a value that is computed from cells would still be the same."""
        owner = value.owner
        if not isinstance(owner, Operation) or id(owner) not in self.varying.derived:
            return True
        if isinstance(owner, memref.LoadOp):
            return clear(owner, user)
        return all(self._current(operand, user) for operand in owner.operands)

    def _block(self, block: Block) -> None:
        for part in groups(block, self.varying):
            if isinstance(part, list):
                self.where |= dict.fromkeys(part, len(self.where))
                continue
            for region in part.regions:
                for inner in region.blocks:
                    self._block(inner)

    def _again(self, op: Operation) -> bool:
        """Whether an operation has the same result later on."""
        if op not in self.where:
            return True
        if op.regions or isinstance(op, memref.StoreOp):
            return False
        if isinstance(op, memref.LoadOp) and root(op.memref) in self.varying.written:
            return False
        owners = [value.owner for value in op.operands]
        return all(self._again(owner) for owner in owners if isinstance(owner, Operation))
