"""Values in ``iter_args``: kept in a home, computed from the loop's variable, or no loop's."""

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import MemRefType, f32
from xdsl.ir import Operation, SSAValue

from ..errors import explain, name_of
from ..streams import is_integer
from .carried_home import home_of
from .carried_positions import compute_position
from .carried_results import floats_first, load_behind, replace, yield_only
from .dependences import Access


def carry_loop(op: scf.ForOp) -> scf.ForOp:
    """The loop without the values that got a home; the same one if there are none."""
    block = op.body.block
    kept = sorted(
        number
        for number in floats_first(op)
        if not (_unchanged(op, number) or _position(op, number) or _carry(op, number))
    )
    if len(kept) == len(op.results):
        return op
    yield_only(block, kept)
    for number in reversed(range(len(op.results))):
        if number not in kept:
            block.erase_arg(block.args[1 + number])
    first = [op.iter_args[number] for number in kept]
    new = scf.ForOp(op.lb, op.ub, op.step, first, op.detach_region(op.body))
    replace(op, new, kept)
    return new


def _parts(op: scf.ForOp, number: int) -> tuple[SSAValue, SSAValue, SSAValue, SSAValue]:
    """What a loop begins with, has in an iteration, hands on, and ends with."""
    end = op.body.block.last_op
    assert end is not None
    argument = op.body.block.args[1 + number]
    return op.iter_args[number], argument, end.operands[number], op.results[number]


def _unchanged(op: scf.ForOp, number: int) -> bool:
    """A value that stays as it is, or that nobody looks at."""
    first, argument, handed_on, result = _parts(op, number)
    unused = not argument.uses and not result.uses
    if handed_on is not argument and handed_on is not first and not unused:
        return False
    for value in (argument, result):
        value.replace_all_uses_with(first)
    return True


def _position(op: scf.ForOp, number: int) -> bool:
    """An integer that grows by a constant, and that nobody needs after the loop."""
    first, argument, handed_on, result = _parts(op, number)
    return not result.uses and compute_position(op, argument, first, handed_on)


def _carry(op: scf.ForOp, number: int) -> bool:
    """Give a value a home; whether there is one."""
    first, argument, _, result = _parts(op, number)
    home = home_of(op, result)
    if home is None:
        return False
    begin, end = op.body.block.first_op, op.body.block.last_op
    assert begin is not None and end is not None
    explain(op, f"{name_of(argument)} is kept in {name_of(home.array)}")
    home.store(first, op)
    load = home.load(argument)
    op.body.block.insert_op_before(load, begin)
    argument.replace_all_uses_with(load.res)
    # What is handed on may just have become the load.
    value = end.operands[number]
    home.store(value, _before_counting(end) if value.type == f32 else end)
    load_behind(op, result, home)
    return True


def _before_counting(end: Operation) -> Operation:
    """Where counters begin to change, at the end of an iteration."""

    def counts(op: Operation | None) -> bool:
        if isinstance(op, Access):
            kind = op.memref.type
            assert isinstance(kind, MemRefType)
            return isinstance(op.memref.owner, memref.AllocaOp) and is_integer(kind.element_type)
        return isinstance(op, arith.AddiOp)

    place = end
    while counts(place.prev_op):
        assert place.prev_op is not None
        place = place.prev_op
    return place
