"""``promote-accumulator``: the output row that callbacks work on moves to a register.

The execute unit has no loads. Callbacks that read and write ``out[b, e]`` inside the loop over
``b`` work on a register instead, which ``slc.emit`` stores at the end of the iteration. Preserved:
what is in ``out`` after each iteration of the outermost loop.

Legal if the row is the outermost induction variable in every access (iterations are dealt to
fiber lanes, so no row may belong to two of them), if its first access in an iteration writes the
whole row, and if it fits a register.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import Float32Type, MemRefType, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from ..errors import name_of, refuse
from . import dialect as slc
from .decouple import constant

Access = memref.LoadOp | memref.StoreOp


@dataclass(frozen=True)
class PromoteAccumulatorPass(ModulePass):
    """Keeps output rows in registers; preserves what is stored per outermost iteration."""

    name = "promote-accumulator"

    max_dim: int = 256

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, slc.FuncOp):
                for loop in slc.inner_loops(function.body.block):
                    _promote(loop, self.max_dim)


def _promote(loop: slc.LoopOp, max_dim: int) -> None:
    accesses: dict[SSAValue, list[Access]] = {}
    for op in loop.walk():
        if isinstance(op, Access) and not isinstance(op.memref.owner, memref.AllocaOp):
            accesses.setdefault(op.memref, []).append(op)
    if not accesses:
        return
    if len(accesses) > 1:
        names = ", ".join(map(name_of, accesses))
        raise refuse(
            loop, f"callbacks work on {len(accesses)} arrays ({names}), but there is 1 accumulator"
        )
    [(out, ops)] = accesses.items()
    kind = out.type
    assert isinstance(kind, MemRefType)
    _check_type(loop, out, kind, max_dim)
    for op in ops:
        _check_row(loop, op)
    _check_first(loop, ops[0], kind.get_shape()[1])
    rows: dict[slc.CallbackOp, slc.RowOp] = {}
    for op in ops:
        _replace(op, rows)
    _emit(loop, out, rows)


def _check_type(loop: slc.LoopOp, out: SSAValue, kind: MemRefType, max_dim: int) -> None:
    if not isinstance(kind.element_type, Float32Type) or kind.get_num_dims() != 2:
        raise refuse(loop, f"{name_of(out)} must be an array of rows of f32, not {kind}")
    strides = kind.get_strides()
    if strides is None or strides[1] != 1:
        raise refuse(loop, f"{name_of(out)} must have rows of consecutive elements")
    dim = kind.get_shape()[1]
    if dim > max_dim:
        raise refuse(
            loop,
            f"a row of {name_of(out)} has {dim} elements, but a register holds {max_dim}: "
            "run tile-columns first",
        )


def _stream(value: SSAValue) -> SSAValue | None:
    return value.owner.stream if isinstance(value.owner, slc.ToValOp) else None


def _check_row(loop: slc.LoopOp, op: Access) -> None:
    if _stream(op.indices[0]) is not loop.induction:
        raise refuse(
            op,
            f"rows of {name_of(op.memref)} must be indexed by the outermost loop's "
            f"{name_of(loop.induction)}, because its iterations run on different fiber lanes",
        )


def _check_first(loop: slc.LoopOp, op: Access, dim: int) -> None:
    """The first access of an iteration writes the whole row, unconditionally."""
    around = op.parent_op()
    if isinstance(op, memref.StoreOp) and isinstance(around, scf.ForOp):
        callback = around.parent_op()
        whole = (
            op.indices[1] is around.body.block.args[0]
            and constant(around.lb) == 0
            and constant(around.ub) == dim
            and constant(around.step) == 1
        )
        if whole and isinstance(callback, slc.CallbackOp) and callback.parent_op() is loop:
            return
    raise refuse(
        op,
        f"the row of {name_of(op.memref)} must be written as a whole before anything else "
        "happens to it in an iteration: the execute unit has no loads",
    )


def _callback(op: Operation) -> slc.CallbackOp:
    parent = op.parent_op()
    while not isinstance(parent, slc.CallbackOp):
        assert parent is not None
        parent = parent.parent_op()
    return parent


def _replace(op: Access, rows: dict[slc.CallbackOp, slc.RowOp]) -> None:
    callback = _callback(op)
    if callback not in rows:
        row = _row(op.memref, op.indices[0])
        owner = op.indices[0].owner
        assert isinstance(owner, Operation)
        callback.body.block.insert_op_after(row, owner)
        rows[callback] = row
    register, column = rows[callback].register, op.indices[1]
    assert op.parent is not None
    if isinstance(op, memref.LoadOp):
        load = memref.LoadOp.get(register, [column])
        load.res.name_hint = op.res.name_hint
        op.parent.insert_op_before(load, op)
        op.res.replace_all_uses_with(load.res)
    else:
        op.parent.insert_op_before(memref.StoreOp.get(op.value, register, [column]), op)
    op.detach()
    op.erase()


def _row(out: SSAValue, index: SSAValue) -> slc.RowOp:
    assert isinstance(out.type, MemRefType)
    row = slc.RowOp(out, index, MemRefType(out.type.element_type, [out.type.get_shape()[1]]))
    row.register.name_hint = "acc_row"
    return row


def _emit(loop: slc.LoopOp, out: SSAValue, rows: dict[slc.CallbackOp, slc.RowOp]) -> None:
    """Store the register at the end of the iteration, in the last callback if it is there."""
    last = loop.body.block.last_op
    if not isinstance(last, slc.CallbackOp):
        last = slc.CallbackOp(Region(Block()))
        loop.body.block.add_op(last)
    if last not in rows:
        index = slc.ToValOp(loop.induction)
        index.value.name_hint = loop.induction.name_hint
        rows[last] = _row(out, index.value)
        first = last.body.block.first_op
        if first is None:
            last.body.block.add_ops([index, rows[last]])
        else:
            last.body.block.insert_ops_before([index, rows[last]], first)
    last.body.block.add_op(slc.EmitOp(rows[last].register))
