"""Places in memory: whether an access is at one, and whether it still holds what was loaded."""

from dataclasses import dataclass

from xdsl.dialects import func, memref, scf
from xdsl.ir import Operation, SSAValue

from ..slc.decouple import root
from ..streams import constant
from .dependences import Access, accesses


@dataclass(frozen=True)
class Place:
    """An element of an array, or a cell."""

    array: SSAValue
    indices: tuple[SSAValue, ...] = ()

    @staticmethod
    def of(op: Access) -> "Place":
        """The place of an access."""
        return Place(op.memref, tuple(op.indices))

    def load(self, name: SSAValue) -> memref.LoadOp:
        """What is there, called as another value."""
        load = memref.LoadOp.get(self.array, self.indices)
        load.res.name_hint = name.name_hint
        return load

    def store(self, value: SSAValue, before: Operation) -> None:
        """Store a value before an operation, if it is not there already."""
        if not self.holds(value, before):
            assert before.parent is not None
            store = memref.StoreOp.get(value, self.array, self.indices)
            store.location = before.location
            before.parent.insert_op_before(store, before)

    def same(self, op: Access) -> bool:
        """Whether an access is at this place, as far as the text shows it."""
        return op.memref is self.array and all(map(same_index, op.indices, self.indices))

    def holds(self, value: SSAValue, before: Operation) -> bool:
        """Whether a value is what was loaded from here, and nothing was stored here since."""
        owner = value.owner
        return isinstance(owner, memref.LoadOp) and self.same(owner) and clear(owner, before)


def same_index(mine: SSAValue, its: SSAValue) -> bool:
    """Whether two indices are equal, as far as the text shows it."""
    return mine is its or (constant(mine) is not None and constant(mine) == constant(its))


def is_before(first: Operation, second: Operation) -> bool:
    """Whether the first of two operations is, in the same block, before the second one."""
    op = first.next_op
    while op is not None and op is not second:
        op = op.next_op
    return op is not None


def clear(load: memref.LoadOp, place: Operation) -> bool:
    """Whether nothing is stored to a load's array after it and before ``place``."""

    def stores(op: Operation) -> bool:
        return any(
            isinstance(access, memref.StoreOp) and root(access.memref) is root(load.memref)
            for access in accesses(op)
        )

    op = place
    while True:
        before = op.prev_op
        while before is not None and before is not load:
            if stores(before):
                return False
            before = before.prev_op
        if before is load:
            return True
        parent = op.parent_op()
        if parent is None or isinstance(parent, func.FuncOp):
            return False
        # A loop comes back to its beginning.
        if not isinstance(parent, scf.IfOp) and stores(parent):
            return False
        op = parent
