"""Results of loops and conditions: which ones stay, and what the others become."""

from xdsl.dialects import scf
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from .places import Place


def floats_first(op: Operation) -> list[int]:
    """The numbers of results: counters change after what was computed with their values."""
    return sorted(range(len(op.results)), key=lambda n: op.results[n].type != f32)


def load_behind(op: Operation, result: SSAValue, home: Place) -> None:
    """Load a result from its home where it is needed."""
    if result.uses:
        load = home.load(result)
        assert op.parent is not None
        op.parent.insert_op_after(load, op)
        result.replace_all_uses_with(load.res)


def yield_only(block: Block, kept: list[int]) -> None:
    """Hand on some values only."""
    end = block.last_op
    assert isinstance(end, scf.YieldOp)
    Rewriter.replace_op(end, scf.YieldOp(*(end.operands[n] for n in kept)), [])


def replace(old: Operation, new: Operation, kept: list[int]) -> None:
    """Put an operation in place of another one, with some of its results."""
    new.location = old.location
    for number, result in zip(kept, new.results, strict=True):
        result.name_hint = old.results[number].name_hint
        old.results[number].replace_all_uses_with(result)
    assert old.parent is not None
    old.parent.insert_op_before(new, old)
    Rewriter.erase_op(old)
