"""Instruction selection: an SLC callback to instructions of the execute unit.

A callback is a sequence of updates of one register (the accumulator, v0), of updates of the
entry counter (a cell, ``memref<i32>``), and of ``slc.emit``. Each update is an elementwise
expression; the place it is stored to says what the instruction works on: the whole row in a loop
over the register, one chunk or element otherwise.
"""

from dataclasses import dataclass, field

from xdsl.dialects import arith, math, memref, scf, vector
from xdsl.dialects.builtin import Float32Type, FloatAttr, MemRefType, UnitAttr, VectorType
from xdsl.ir import BlockArgument, Operation, Region, SSAValue
from xdsl.traits import is_side_effect_free

from ...hw import isa
from ..errors import name_of, refuse
from ..slc import dialect as slc
from ..streams import constant, float_bits, literal_of, scalar_of
from . import dialect as dlc
from .expressions import Expressions
from .resources import SCALARS

EQUAL, UNEQUAL = 0, 1  # arith.cmpi

#: Operations that only give a value, which matters where it is stored.
VALUES = (slc.ToValOp, memref.LoadOp, vector.LoadOp, scf.YieldOp)

#: Operations that an expression may be made of.
ELEMENTWISE = (
    arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.NegfOp, arith.MaximumfOp, arith.MinimumfOp,
    math.FmaOp, slc.ChoiceOp, vector.BroadcastOp,
)  # fmt: skip


@dataclass
class Selected:
    """What a callback became."""

    instructions: list[dlc.InstructionOp] = field(default_factory=list)
    #: Streams pushed before the data, in the order in which they are popped.
    scalars: list[SSAValue] = field(default_factory=list)
    #: The row's data (a stream, or a buffer), pushed last.
    data: SSAValue | None = None
    #: The stream that rides in the token.
    arg: SSAValue | None = None
    #: The constant that an instruction multiplies by.
    literal: FloatAttr | None = None


def select(
    callback: slc.CallbackOp, data: set[SSAValue], operands: int, *, counts: bool
) -> Selected:
    """Instructions and operands of a callback.

    Parameters
    ----------
    callback : slc.CallbackOp
    data : set of SSAValue
        The stream of the row's data, and the buffer that it is pushed to.
    operands : int
        What the event can push. A scalar that does not fit rides in the token.
    counts : bool
        Whether the nest has a counter, which instructions must keep.
    """
    each = _Selector(callback, data, operands, counts)
    selected = each.region(callback.body)
    if callback.first is None or callback.last is None:
        return selected
    first = _Selector(callback, data, 0, counts).region(callback.first)
    last = _Selector(callback, data, 0, counts).region(callback.last)
    _fuse(callback, first, selected, last)
    return selected


def _fuse(callback: slc.CallbackOp, first: Selected, each: Selected, last: Selected) -> None:
    """One instruction that also initializes, counts and stores: c is +0.0 while nothing counted."""
    if each.scalars:
        raise refuse(callback, "a fused callback cannot pop scalars: a skipped row has none")
    clears = [op for op in first.instructions if isinstance(op, dlc.MovOp)]
    if len(first.instructions) != 1 or len(clears) != 1 or clears[0].c.data != "zero":
        raise refuse(callback, "the first region must set the accumulator to zero, and no more")
    if len(last.instructions) != 1 or not isinstance(last.instructions[0], dlc.MovOp):
        raise refuse(callback, "the last region must emit the accumulator, and no more")
    [store] = last.instructions
    assert isinstance(store, dlc.MovOp)
    updates = [
        op for op in each.instructions if isinstance(op, dlc.RowInstruction) and op.dst.data == "v0"
    ]
    if len(updates) != 1 or updates[0] is not each.instructions[-1]:
        raise refuse(callback, "the each region must end with the only update of the accumulator")
    [update] = updates
    if update.at_chunk is not None or update.at_element is not None:
        raise refuse(callback, "a fused callback must work on whole rows")
    if isinstance(update, dlc.CompareOp) and update.init is None:
        raise refuse(callback, "a fused comparison must take the first entry as it is")
    rows = [op for op in each.instructions if isinstance(op, dlc.RowInstruction)]
    reads = [(op, operand) for op in rows for operand in ("a", "c") if _reads(op, operand, "v0")]
    if reads != [(update, "c")]:
        raise refuse(callback, "the each region must keep the accumulator of a row that is skipped")
    if store.emit is None:
        raise refuse(callback, "the last region must emit the accumulator, and no more")
    counted = update.count is not None
    if (counted or update.init or store.div) and clears[0].count is None:
        raise refuse(callback, "the first region must set the counter to 0")
    if (update.init or store.div) and not counted:
        raise refuse(callback, "the each region must count its row")
    update.properties["init"] = UnitAttr()
    update.properties["count"] = dlc.CountAttr(dlc.Count.FUSED)
    update.properties["emit"] = dlc.EmitAttr(dlc.Emit.LAST)
    for name in ("div", "bump"):
        if name in store.properties:
            update.properties[name] = UnitAttr()


class _Selector:
    """The state while one region is walked."""

    def __init__(self, callback: slc.CallbackOp, data: set[SSAValue], operands: int, counts: bool):
        self.callback, self.data, self.operands = callback, data, operands
        self.counts = counts
        self.result = Selected()
        self.registers: dict[SSAValue, str] = {}
        self.clear = self.divide = self.popped = False

    def region(self, region: Region) -> Selected:
        self._inputs(region)
        for op in region.block.ops:
            if isinstance(op, arith.IndexCastOp) and op.input in self.registers:
                self.registers[op.result] = self.registers[op.input]
            self._statement(op)
        self._flush_clear()
        if self.divide:
            raise refuse(self.callback, "a division must be followed by slc.emit")
        return self.result

    # Inputs -------------------------------------------------------------------------------

    def _inputs(self, region: Region) -> None:
        inputs = [op for op in region.block.ops if isinstance(op, slc.ToValOp)]
        here = [op for op in inputs if not isinstance(op.stream.type, MemRefType)]
        crowded = len(here) > self.operands
        for op in inputs:
            if self._is_data_stream(op.stream):
                if self.result.data not in (None, op.stream):
                    raise refuse(op, "a callback can read the data of 1 row, not of 2")
                self.result.data = op.stream
            elif isinstance(op.stream.type, MemRefType):
                raise refuse(op, f"nothing is pushed to {name_of(op.stream)}")
            elif isinstance(op.stream.type, Float32Type) and (op.token is not None or crowded):
                if self.result.arg not in (None, op.stream):
                    raise refuse(op, "a token carries 1 scalar, not 2")
                self.result.arg = op.stream
                self.registers[op.value] = "arg"
            elif op.stream not in self.result.scalars:
                if len(self.result.scalars) == SCALARS:
                    raise refuse(op, f"a callback has {SCALARS} scalar registers, and needs more")
                self.registers[op.value] = f"r{len(self.result.scalars)}"
                self.result.scalars.append(op.stream)
            else:
                self.registers[op.value] = f"r{self.result.scalars.index(op.stream)}"
        self.result.instructions += [dlc.PopOp(f"r{n}") for n in range(len(self.result.scalars))]

    def _is_data_stream(self, stream: SSAValue) -> bool:
        return stream in self.data

    # Statements ---------------------------------------------------------------------------

    def _statement(self, op: Operation) -> None:
        if isinstance(op, slc.RowOp):
            if op.index is not None:
                self.result.instructions.append(dlc.SetrOp(self.registers[op.index]))
        elif isinstance(op, slc.RewindOp):
            self.result.instructions.append(dlc.SetaOp())
        elif isinstance(op, slc.EmitOp):
            self._emit(op)
        elif isinstance(op, memref.StoreOp) and _is_cell(op.memref):
            self._count(op)
        elif isinstance(op, memref.StoreOp):
            self._update(op, op.value, op.memref, op.indices[0])
        elif isinstance(op, vector.StoreOp):
            self._update(op, op.vector, op.base, op.indices[0])
        elif isinstance(op, scf.ForOp):
            for inner in op.body.block.ops:
                stores = isinstance(inner, memref.StoreOp | vector.StoreOp)
                column = inner.indices[0] if stores and inner.indices else None
                if isinstance(inner, scf.ForOp) or (stores and column is not op.body.block.args[0]):
                    raise refuse(inner, "the execute unit has no loops but those over a row")
                self._statement(inner)
        elif isinstance(op, scf.IfOp):
            self._division(op)
        elif not isinstance(op, VALUES) and not is_side_effect_free(op):
            raise refuse(op, "the execute unit has no instruction for this")

    def _count(self, op: memref.StoreOp) -> None:
        value = op.value.owner
        if constant(op.value) == 0:
            self.clear = True
        elif (
            isinstance(value, arith.AddiOp)
            and _is_count(value.lhs, op.memref)
            and constant(value.rhs) == 1
        ):
            last = self.result.instructions[-1] if self.result.instructions else None
            if isinstance(last, dlc.RowInstruction) and last.count is None and not self.clear:
                last.properties["count"] = dlc.CountAttr(dlc.Count.INC)
            else:
                self._flush_clear()
                self.result.instructions.append(dlc.NopOp("inc"))
        else:
            raise refuse(op, "the counter can only be set to 0 or incremented")

    def _flush_clear(self) -> None:
        if self.clear:
            last = self.result.instructions[-1] if self.result.instructions else None
            if isinstance(last, dlc.MovOp) and last.count is last.init is last.div is None:
                last.properties["count"] = dlc.CountAttr(dlc.Count.CLEAR)
            else:
                self.result.instructions.append(dlc.NopOp("clear"))
            self.clear = False

    def _division(self, op: scf.IfOp) -> None:
        """``if count != 0: row = row / count``, which emitting does."""
        test, ops = op.cond.owner, list(op.true_region.block.ops)
        stores = [s for s in op.walk() if isinstance(s, memref.StoreOp | vector.StoreOp)]
        if (
            isinstance(test, arith.CmpiOp)
            and test.predicate.value.data == UNEQUAL
            and _is_count(test.lhs)
            and constant(test.rhs) == 0
            and not op.false_region.blocks
            and len(stores) == 1
            and any(_is_over(inner, stores[0]) for inner in ops)
        ):
            [store] = stores
            value = store.value if isinstance(store, memref.StoreOp) else store.vector
            target = store.memref if isinstance(store, memref.StoreOp) else store.base
            quotient, index = value.owner, store.indices[0]
            self._span(store, target, index, value)
            if (
                isinstance(quotient, arith.DivfOp)
                and self._is_accumulator(quotient.lhs, index)
                and isinstance(count := scalar_of(quotient.rhs).owner, arith.UIToFPOp)
                and _is_count(count.input)
            ):
                self.divide = True
                return
        raise refuse(op, "the only condition of the execute unit is: if count != 0, divide by it")

    def _emit(self, op: slc.EmitOp) -> None:
        self._flush_clear()
        last = self.result.instructions[-1] if self.result.instructions else None
        whole = (
            isinstance(last, dlc.RowInstruction)
            and last.dst.data == "v0"
            and last.at_chunk is None
            and last.at_element is None
            and last.emit is None
        )
        if not whole:
            last = dlc.MovOp("v0", "v0")
            self.result.instructions.append(last)
        assert isinstance(last, dlc.RowInstruction)
        last.properties["emit"] = dlc.EmitAttr(dlc.Emit.ALWAYS)
        if self.divide:
            last.properties["div"] = UnitAttr()
            self.divide = False
        row = op.register.owner
        assert isinstance(row, slc.RowOp)
        if row.index is None:
            last.properties["bump"] = UnitAttr()

    # Updates of the accumulator -----------------------------------------------------------

    def _update(self, op: Operation, value: SSAValue, target: SSAValue, index: SSAValue) -> None:
        span = self._span(op, target, index, value)
        new = self._expression(op, value, index, span)
        pops = any(_reads(instruction, "a", "dataq") for instruction in new)
        if pops and self.popped:
            raise refuse(op, "the row's data can be used in 1 stored expression, not in 2")
        self.popped = self.popped or pops
        if self.clear and all(i.init is None for i in new):
            new[-1].properties["count"] = dlc.CountAttr(dlc.Count.CLEAR)
            self.clear = False
        self._flush_clear()
        self.result.instructions += new

    def _span(
        self, op: Operation, target: SSAValue, index: SSAValue, value: SSAValue
    ) -> dict[str, str]:
        """What is stored to: the whole row, or a part that a scalar register names."""
        row = target.owner
        if not isinstance(row, slc.RowOp):
            raise refuse(op, f"{name_of(target)} must be a register made by slc.row")
        if isinstance(index, BlockArgument):
            loop = index.block.parent_op()
            kind = row.out.type
            assert isinstance(kind, MemRefType)
            if (
                not isinstance(loop, scf.ForOp)
                or constant(loop.lb) != 0
                or (constant(loop.ub) or 0) < kind.get_shape()[1]
                or constant(loop.step) != _lanes(value)
            ):
                raise refuse(
                    op,
                    f"a loop over a register must cover its {kind.get_shape()[1]}"
                    " elements from 0 on",
                )
            return {}
        if index not in self.registers:
            raise refuse(op, f"{name_of(index)} must be a loop index")
        part = "at_element" if isinstance(value.type, Float32Type) else "at_chunk"
        return {part: self.registers[index]}

    def _expression(
        self, op: Operation, value: SSAValue, index: SSAValue, span: dict[str, str]
    ) -> list[dlc.RowInstruction]:
        if self._is_data(value) and not self.counts:
            # A maximum that takes the first entry as it is, while the counter is 0.
            copy = dlc.MaxOp("v0", "dataq", "zero", init=True, **span)
            copy.properties["count"] = dlc.CountAttr(dlc.Count.CLEAR)
            return [copy]
        scalars = {scalar: name for scalar, name in self.registers.items() if _is_f32(scalar)}
        expressions = Expressions(
            self._is_data, lambda v: self._is_accumulator(v, index), scalars, span
        )
        owner, steps = value.owner, None
        if isinstance(owner, arith.SelectOp) and self._is_first(owner.cond):
            steps = expressions.first_or(owner.lhs, owner.rhs)
        elif expressions.is_exact(value):
            steps = expressions.into(value, "v0")
        pops = [step for step in steps or () if _reads(step.op, "a", "dataq")]
        if steps is None or len(pops) > 1:
            reason = "the execute unit has no instruction for the stored expression"
            raise refuse(op, f"{reason}{self._hint(value)}")
        for step in steps:
            if step.literal is not None:
                self._literal(op, step.literal)
        return [step.op for step in steps]

    def _hint(self, value: SSAValue) -> str:
        """What is wrong with an expression: a choice, a product of rows, or another operation."""
        pending, seen = [value], {value}
        while pending:
            owner = pending.pop().owner
            if isinstance(owner, arith.SelectOp):
                return (
                    ": of choices it has maxima, minima, and x > 0 ? x : factor * x; what an index "
                    "decides must leave all as it is, as a sum that 0.0 is added to"
                )
            if isinstance(owner, arith.MulfOp | math.FmaOp):
                factors = [scalar_of(factor) for factor in owner.operands[:2]]
                scalar = any(f in self.registers or literal_of(f) is not None for f in factors)
                if not scalar:
                    return ": one factor of a product is a scalar or a constant, and not a row"
            if isinstance(owner, arith.DivfOp):
                return ": of divisions it has that of a row by the number of its entries, in a mean"
            if isinstance(owner, Operation) and is_side_effect_free(owner):
                if owner.operands and not isinstance(owner, (*ELEMENTWISE, *VALUES)):
                    return f": it has none for {owner.name}"
                new = [operand for operand in owner.operands if operand not in seen]
                seen |= set(new)
                pending += new
        return ""

    def _literal(self, op: Operation, number: FloatAttr) -> None:
        known = self.result.literal
        if known is not None and float_bits(known) != float_bits(number):
            raise refuse(op, two_literals(known, number))
        self.result.literal = number

    def _is_accumulator(self, value: SSAValue, index: SSAValue) -> bool:
        owner = value.owner
        if isinstance(owner, memref.LoadOp):
            return isinstance(owner.memref.owner, slc.RowOp) and owner.indices[0] is index
        if isinstance(owner, vector.LoadOp):
            return isinstance(owner.base.owner, slc.RowOp) and owner.indices[0] is index
        return False

    def _is_data(self, value: SSAValue) -> bool:
        owner = value.owner
        if isinstance(owner, vector.LoadOp):
            owner = owner.base.owner
        return isinstance(owner, slc.ToValOp) and self._is_data_stream(owner.stream)

    def _is_first(self, condition: SSAValue) -> bool:
        op = condition.owner
        return (
            isinstance(op, arith.CmpiOp)
            and op.predicate.value.data == EQUAL
            and _is_count(op.lhs)
            and constant(op.rhs) == 0
        )


def two_literals(one: FloatAttr, other: FloatAttr) -> str:
    """Why a nest is refused."""
    numbers = f"{one.value.data:g} and {other.value.data:g}"
    return f"a nest has 1 constant that rows are multiplied by or added to, not both {numbers}"


def _is_f32(value: SSAValue) -> bool:
    return isinstance(value.type, Float32Type)


def _reads(op: dlc.RowInstruction, operand: str, source: str) -> bool:
    """Whether an operand is read from there."""
    value = op.properties.get(operand)
    return isinstance(value, dlc.FirstAttr | dlc.AddendAttr) and value.data.value == source


def _lanes(value: SSAValue) -> int:
    """Elements of a value."""
    return value.type.get_shape()[0] if isinstance(value.type, VectorType) else 1


def _is_over(loop: Operation, store: memref.StoreOp | vector.StoreOp) -> bool:
    """Whether a loop is one over the row that is stored to in it."""
    return isinstance(loop, scf.ForOp) and store.indices[0] is loop.body.block.args[0]


def _is_cell(array: SSAValue) -> bool:
    return isinstance(array.owner, memref.AllocaOp)


def _is_count(value: SSAValue, cell: SSAValue | None = None) -> bool:
    owner = value.owner
    return (
        isinstance(owner, memref.LoadOp) and _is_cell(owner.memref) and cell in (None, owner.memref)
    )


def operands_of(event: str) -> int:
    """Operands that an event can push."""
    return isa.ROW_OPERANDS.get(event, isa.MARKER_OPERANDS)
