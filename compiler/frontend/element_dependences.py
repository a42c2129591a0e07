"""What depends on the element in a loop over elements, and whether that is another element."""

from xdsl.dialects import arith, cf, memref, scf
from xdsl.dialects.builtin import i1
from xdsl.ir import Block, Operation, SSAValue

from ..errors import name_of
from ..slc.decouple import root
from ..slc.overlap import overlaps
from ..streams import is_integer
from .dependences import Access, arrays_of, is_arithmetic, variable
from .element_loops import shift_of

#: Operations of an element loop that can be divided.
DIVIDED = (memref.LoadOp, memref.StoreOp, memref.AllocaOp, cf.AssertOp, scf.YieldOp)


class Varying:
    """What depends on the element: operations, by identity; and their results."""

    def __init__(self, loop: scf.ForOp):
        self.loop = loop
        self.column = variable(loop)
        _, self.written = arrays_of(loop)
        self.ops: set[int] = set()
        self.values: set[SSAValue] = {self.column}
        before = -1
        while before != len(self.ops):
            before = len(self.ops)
            self._block(loop.body.block)
        #: Floats, truth values, and what is computed from cells, if the element does not matter.
        self.derived: set[int] = set()
        for op in loop.body.walk():
            if id(op) not in self.ops and self._derives(op):
                self.derived.add(id(op))

    def _derives(self, op: Operation) -> bool:
        if isinstance(op, memref.LoadOp):
            return _is_cell(op.memref)
        if not is_arithmetic(op) or isinstance(op, arith.ConstantOp):
            return False
        integer = any(is_integer(result.type) and result.type != i1 for result in op.results)
        return not integer or any(id(value.owner) in self.derived for value in op.operands)

    def _block(self, block: Block, *, all_: bool = False) -> None:
        for op in block.ops:
            if all_ or self._varies(op):
                self.ops.add(id(op))
                self.values |= set(op.results)
            inside = all_ or (isinstance(op, scf.IfOp) and id(op) in self.ops)
            for region in op.regions:
                for inner in region.blocks:
                    if inside:
                        self.values |= set(inner.args)
                    self._block(inner, all_=inside)

    def _varies(self, op: Operation) -> bool:
        if any(value in self.values for value in op.operands):
            return True
        if isinstance(op, memref.LoadOp):
            array = root(op.memref)
            return array in self.written and not _is_cell(array)
        # A result that depends on the branch's values.
        return bool(op.results) and any(
            value in self.values
            for region in op.regions
            for block in region.blocks
            if isinstance(block.last_op, scf.YieldOp)
            for value in block.last_op.operands
        )

    def reason(self) -> str | None:
        """Why elements may depend on each other; None if they do not."""
        inside = [op for op in self.loop.walk() if op is not self.loop]
        views: dict[SSAValue, tuple[SSAValue, int]] = {}
        for op in inside:
            if isinstance(op, Access):
                reason = self._access(op, views)
            else:
                reason = self._operation(op)
            if reason is not None:
                return reason
        return None

    def _access(self, op: Access, views: dict[SSAValue, tuple[SSAValue, int]]) -> str | None:
        array = root(op.memref)
        if _is_cell(array):
            within = array.owner
            assert isinstance(within, Operation)
            if isinstance(op, memref.StoreOp) and id(op) in self.ops:
                return f"{name_of(array)} differs from element to element"
            if isinstance(op, memref.StoreOp) and not _is_inside(within, self.loop):
                return f"{name_of(array)} is written for each element"
            return None
        if array not in self.written:
            return None
        if overlaps(op.memref.type):
            return f"rows of {name_of(op.memref)} overlap"
        shift = shift_of(op, self.column)
        if shift is None or any(i in self.values for i in op.indices[:-1]):
            return f"{name_of(array)} is not only accessed at {name_of(self.column)}"
        view, other = views.setdefault(array, (op.memref, shift))
        if view is not op.memref:
            return f"{name_of(array)} is written in several views"
        if other != shift:
            return f"{name_of(array)} is accessed at two columns for each {name_of(self.column)}"
        return None

    def _operation(self, op: Operation) -> str | None:
        whole = id(op) in self.ops
        if isinstance(op, scf.ForOp):
            if whole or op.results:
                return f"the loop of {name_of(variable(op))} depends on the element"
            return None
        if isinstance(op, scf.IfOp):
            return "a condition has results" if op.results and not whole else None
        return None if is_arithmetic(op) or isinstance(op, DIVIDED) else f"it has {op.name} in it"


def _is_cell(array: SSAValue) -> bool:
    return isinstance(array.owner, memref.AllocaOp)


def _is_inside(op: Operation, loop: scf.ForOp) -> bool:
    parent = op.parent_op()
    while parent is not None and parent is not loop:
        parent = parent.parent_op()
    return parent is loop
