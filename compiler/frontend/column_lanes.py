"""Columns of a row that were written out: which operation belongs to which, and if all are alike.

A *lane* is what is done to one column (or to one vector of columns): its loads and stores, and all
that is computed from these, through ``iter_args`` too. What belongs to no lane is shared.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from xdsl.dialects import memref, scf, vector
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ..slc.decouple import root
from ..slc.linear import Linear
from ..streams import is_integer
from .affine import is_part_of_sums, sum_of
from .carried_results import replace, yield_only
from .dependences import is_arithmetic
from .same_body import alike
from .vector_elements import Access as VectorAccess
from .vector_elements import array_of, is_store, places_of

Access = memref.LoadOp | memref.StoreOp | VectorAccess


def accessed(op: Access) -> SSAValue:
    """The array that is accessed."""
    return op.memref if isinstance(op, memref.LoadOp | memref.StoreOp) else array_of(op)


def stores(op: Access) -> bool:
    """Whether it stores."""
    return isinstance(op, memref.StoreOp) or (isinstance(op, VectorAccess) and is_store(op))


def indices(op: Access) -> list[SSAValue]:
    """The indices of its first element."""
    return list(op.indices) if isinstance(op, memref.LoadOp | memref.StoreOp) else places_of(op)


@dataclass
class Lanes:
    """The lanes of some operations of a block, and of what is in them.

    Parameters
    ----------
    ops : list of Operation
    columns : mapping
        The column of each access that belongs to a lane, from the first one on.
    """

    ops: list[Operation]
    columns: Mapping[Operation, int]
    values: dict[SSAValue, int] = field(default_factory=dict)
    lanes: dict[Operation, int] = field(default_factory=dict)
    #: Arrays that are stored to.
    _written: set[SSAValue] = field(default_factory=set)
    #: What values of the first lane are in the one that it is compared with.
    _same: dict[SSAValue, SSAValue] = field(default_factory=dict)

    def alike(self) -> bool:
        """Whether the lanes depend on nothing of each other, and do the same."""
        if not self._apart() or not self._assign():
            return False
        return all(self._compare(lane) for lane in set(self.columns.values()) - {0})

    def is_lane(self, op: Operation) -> bool:
        """Whether an operation is of a lane, or hands values of lanes on."""
        return op in self.lanes or any(value in self.values for value in op.results)

    # Which is which -----------------------------------------------------------------------

    def _apart(self) -> bool:
        """Whether what is stored is accessed by lanes only, in one view."""
        accesses = [op for top in self.ops for op in top.walk() if isinstance(op, Access)]
        written = {root(accessed(op)): accessed(op) for op in accesses if stores(op)}
        self._written = set(written)
        return all(
            op in self.columns and accessed(op) is written[root(accessed(op))]
            for op in accesses
            if root(accessed(op)) in written
        )

    def _assign(self) -> bool:
        every = [op for top in self.ops for op in top.walk()]
        before = -1
        while before != len(self.values) + len(self.lanes):
            before = len(self.values) + len(self.lanes)
            if not all(map(self._op, every)):
                return False
            for op in every:
                # What is of one lane as a whole is not looked into: it is compared as it is.
                if op.regions and len(inside := self._inside(op)) == 1:
                    [self.lanes[op]] = inside
                    if not self._set(op.results, self.lanes[op]):
                        return False
        return all(self._is_whole(op) for op in every if op.regions)

    def _is_whole(self, op: Operation) -> bool:
        """Whether a loop or a condition, if it depends on a lane, is of that lane."""
        depends = op.operands[:3] if isinstance(op, scf.ForOp) else op.operands
        found = {self.values[value] for value in depends if value in self.values}
        if op in self.lanes:
            return found <= {self.lanes[op]}
        return not found and (isinstance(op, scf.ForOp) or not op.results)

    def _inside(self, op: Operation) -> set[int]:
        """The lanes of what is in an operation, and of what it hands on."""
        found = {self.lanes[inner] for inner in op.walk() if inner in self.lanes}
        return found | {self.values[value] for value in op.results if value in self.values}

    def _op(self, op: Operation) -> bool:
        found = {self.values[value] for value in op.operands if value in self.values}
        if op in self.columns:
            lane = self.columns[op]
            self.lanes[op] = lane
            places = any(place in self.values for place in indices(op))  # type: ignore[arg-type]
            return found <= {lane} and not places and self._set(op.results, lane)
        if isinstance(op, scf.ForOp):
            return all(self._join(position) for position in _positions(op))
        if not found or op.regions or isinstance(op, scf.YieldOp):
            return True
        if len(found) > 1 or not (is_arithmetic(op) or isinstance(op, vector.FMAOp)):
            return False
        [lane] = found
        self.lanes[op] = lane
        return self._set(op.results, lane)

    def _join(self, values: tuple[SSAValue, ...]) -> bool:
        """Give what a loop begins with, has, hands on and ends with one lane."""
        found = {self.values[value] for value in values if value in self.values}
        if not found:
            return True
        return len(found) == 1 and self._set((values[1], values[3]), found.pop())

    def _set(self, values: Iterable[SSAValue], lane: int) -> bool:
        return all(self.values.setdefault(value, lane) == lane for value in values)

    # Whether they do the same -------------------------------------------------------------

    def _compare(self, lane: int) -> bool:
        self._same = {}
        return self._operations(self.ops, lane)

    def _operations(self, ops: Iterable[Operation], lane: int) -> bool:
        """Compare the first lane's operations in a list, and below, with another one's."""
        ops = list(ops)
        ours, theirs = ([op for op in ops if self.lanes.get(op) == n] for n in (0, lane))
        pairs = iter(zip(ours, theirs, strict=False))
        if len(ours) != len(theirs):
            return False
        # In order: a loop hands on what was computed before it.
        for op in ops:
            if self.lanes.get(op) == 0 and not self._pair(*next(pairs)):
                return False
            if op in self.lanes:
                continue
            if isinstance(op, scf.ForOp):
                if not self._hands_on(op, lane):
                    return False
            else:
                for region in op.regions:
                    for block in region.blocks:
                        if not self._operations(block.ops, lane):
                            return False
        return True

    def _hands_on(self, op: scf.ForOp, lane: int) -> bool:
        positions = list(_positions(op))
        ours, theirs = ([p for p in positions if self.values.get(p[1]) == n] for n in (0, lane))
        if len(ours) != len(theirs):
            return False
        for mine, other in zip(ours, theirs, strict=True):
            if not self._operand(mine[0], other[0]):
                return False
            self._same |= {mine[1]: other[1], mine[3]: other[3]}
        if not self._operations(op.body.block.ops, lane):
            return False
        return all(self._operand(a[2], b[2]) for a, b in zip(ours, theirs, strict=True))

    def _pair(self, ours: Operation, theirs: Operation) -> bool:
        same = alike(ours, theirs)
        last = indices(ours)[-1] if isinstance(ours, Access) else None
        for mine, other in zip(ours.operands, theirs.operands, strict=False):
            if mine is last:
                continue  # Their columns are those of the lanes.
            same = same and self._operand(mine, other)
        self._same |= zip(ours.results, theirs.results, strict=False)
        return same and self._regions(ours, theirs)

    def _regions(self, ours: Operation, theirs: Operation) -> bool:
        """Compare all that is in two operations, each of which is one lane's."""
        for mine, other in zip(ours.regions, theirs.regions, strict=True):
            if len(mine.blocks) != len(other.blocks):
                return False
            for block, its in zip(mine.blocks, other.blocks, strict=True):
                if block.arg_types != its.arg_types:
                    return False
                self._same |= zip(block.args, its.args, strict=True)
                pair = [[op for op in b.ops if not is_part_of_sums(op)] for b in (block, its)]
                if len(pair[0]) != len(pair[1]) or not all(map(self._pair, *pair)):
                    return False
        return True

    def _operand(self, mine: SSAValue, other: SSAValue) -> bool:
        if mine in self.values:
            return self._same.get(mine) is other
        if self._same.get(mine, mine) is other:
            return True
        if mine.type == other.type and is_integer(mine.type):
            ours = sum_of(mine)
            terms = {self._same.get(value, value): n for value, n in ours.terms.items()}
            if Linear(terms, ours.constant) == sum_of(other):
                return True
        return self._equal(mine.owner, other.owner)

    def _equal(self, mine: Operation | Block, other: Operation | Block) -> bool:
        """Whether two shared operations have the same results: tools repeat them for each lane."""
        if not isinstance(mine, Operation) or not isinstance(other, type(mine)):
            return False
        if isinstance(mine, memref.LoadOp):
            repeats = root(mine.memref) not in self._written
        else:
            repeats = is_arithmetic(mine) or isinstance(mine, vector.BroadcastOp)
        return (
            repeats
            and mine.properties == other.properties
            and len(mine.operands) == len(other.operands)
            and all(map(self._operand, mine.operands, other.operands))
        )

    # Keeping the first one ----------------------------------------------------------------

    def keep_first(self) -> list[Operation]:
        """Erase all lanes but the first; returns what is left of the operations."""
        return self._erase(self.ops)

    def _erase(self, ops: Iterable[Operation]) -> list[Operation]:
        left: list[Operation] = []
        for op in reversed(list(ops)):
            if self.lanes.get(op, 0):
                Rewriter.erase_op(op)
            elif isinstance(op, scf.ForOp) and op not in self.lanes:
                left.append(self._narrow(op))
            else:
                for region in op.regions:
                    for block in region.blocks:
                        self._erase(block.ops)
                left.append(op)
        return left[::-1]

    def _narrow(self, op: scf.ForOp) -> scf.ForOp:
        """A loop that hands on what is not of other lanes."""
        block = op.body.block
        kept = [n for n, arg in enumerate(block.args[1:]) if not self.values.get(arg, 0)]
        if len(kept) == len(op.results):
            self._erase(block.ops)
            return op
        yield_only(block, kept)
        self._erase(block.ops)
        for number in reversed(range(len(op.results))):
            if number not in kept:
                block.erase_arg(block.args[1 + number])
        first = [op.iter_args[number] for number in kept]
        new = scf.ForOp(op.lb, op.ub, op.step, first, op.detach_region(op.body))
        mine = [number for number, n in enumerate(kept) if op.results[n] in self.values]
        replace(op, new, kept)
        self._set((new.results[number] for number in mine), 0)
        return new


def _positions(op: scf.ForOp) -> Iterable[tuple[SSAValue, SSAValue, SSAValue, SSAValue]]:
    """What a loop begins with, has in an iteration, hands on and ends with."""
    end = op.body.block.last_op
    assert end is not None
    block: Block = op.body.block
    yield from zip(op.iter_args, block.args[1:], end.operands, op.results, strict=True)
