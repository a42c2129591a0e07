"""Results of ``scf.if``, kept where they are stored to; choices that become conditional stores."""

from xdsl.dialects import arith, memref, scf
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from ..errors import explain, name_of
from .carried_home import home_of
from .carried_results import floats_first, load_behind, replace, yield_only
from .masked_sums import Masked, masked
from .places import Place


def carry_condition(op: scf.IfOp) -> scf.IfOp:
    """The condition without the results that got a home; the same one if there are none."""
    kept = sorted(number for number in floats_first(op) if not _carry(op, op.results[number]))
    if len(kept) == len(op.results):
        return op
    for region in (op.true_region, op.false_region):
        yield_only(region.block, kept)
    # Regions have numbers: the last one first.
    other, taken = op.detach_region(op.false_region), op.detach_region(op.true_region)
    new = scf.IfOp(op.cond, [op.results[n].type for n in kept], taken, other)
    replace(op, new, kept)
    return new


def _carry(op: scf.IfOp, result: SSAValue) -> bool:
    """Give a result a home; whether there is one, or nobody needs it."""
    if not result.uses:
        return True
    home = home_of(op, result)
    if home is None:
        return False
    explain(op, f"{name_of(result)} is kept in {name_of(home.array)}")
    number = op.results.index(result)
    for region in (op.true_region, op.false_region):
        end = region.block.last_op
        assert end is not None
        home.store(end.operands[number], end)
    load_behind(op, result, home)
    return True


def store_under_condition(store: memref.StoreOp) -> bool:
    """Store a choice only if it is not what is there already; whether it is one."""
    select = store.value.owner
    found = masked(store)
    if found is not None and _compares_integers(found.select.cond):
        return _leave_out(store, found)
    if not isinstance(select, arith.SelectOp) or not _compares_integers(select.cond):
        return False
    home = Place.of(store)
    olds = [home.holds(value, store) for value in (select.lhs, select.rhs)]
    if sum(olds) != 1 or isinstance(home.array.owner, memref.AllocaOp):
        return False
    new, keeps = (select.lhs, False) if olds[1] else (select.rhs, True)
    branch = Region(Block([memref.StoreOp.get(new, home.array, home.indices), scf.YieldOp()]))
    empty = Region(Block([scf.YieldOp()]))
    taken, other = (empty, branch) if keeps else (branch, Region())
    condition = scf.IfOp(select.cond, [], taken, other)
    condition.location = store.location
    explain(store, "a store under a condition: else the value stays")
    Rewriter.replace_op(store, condition)
    if not select.result.uses:
        Rewriter.erase_op(select)
    return True


def _leave_out(store: memref.StoreOp, found: Masked) -> bool:
    """Store a sum only if something is added."""
    explain(store, "a store under a condition: else what is added changes nothing")
    new = memref.StoreOp.get(found.new.results[0], store.memref, store.indices)
    branch = Region(Block([found.new, new, scf.YieldOp()]))
    empty = Region(Block([scf.YieldOp()]))
    taken, other = (empty, branch) if found.negated else (branch, Region())
    condition = scf.IfOp(found.select.cond, [], taken, other)
    condition.location = new.location = store.location
    update = store.value.owner
    Rewriter.replace_op(store, condition)
    for stale in (update, found.select):
        if isinstance(stale, Operation) and not stale.results[0].uses:
            Rewriter.erase_op(stale)
    return True


def _compares_integers(condition: SSAValue) -> bool:
    """Whether a condition is one that may be around loads."""
    owner = condition.owner
    if isinstance(owner, arith.AndIOp | arith.OrIOp):
        return all(map(_compares_integers, owner.operands))
    return isinstance(owner, arith.CmpiOp)
