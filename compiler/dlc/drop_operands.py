"""``drop-operands``: operands that no callback needs do not cross the queues.

* An address that is set (``dlc.setr``, ``dlc.seta``) is needed by the next row that is stored. If
  every callback that stores sets the address itself, the others need not.
* A scalar that is popped and not read is not pushed either. A push belongs to a pop if the
  callback pops before it works on data, and pops only what its own event pushes.
* A callback that is then empty goes, with its token.
* A stream that no unit, operand or token uses goes, with its check: what is not used addresses
  nothing. One with a value to skip stays.

Preserved: what is stored, and the order of what is left. Nothing is refused.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import explain, name_of
from . import dialect as dlc
from .resources import event_name


@dataclass(frozen=True)
class DropOperandsPass(ModulePass):
    """Removes operands and streams that nobody needs; preserves what is stored."""

    name = "drop-operands"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        segments = [segment for segment in op.walk() if isinstance(segment, dlc.SegmentOp)]
        callbacks = [
            callback
            for segment in segments
            for callback in segment.execute.block.ops
            if isinstance(callback, dlc.CallbackOp)
        ]
        # An address stays from one segment to the next.
        if not any(map(_stores_anywhere, callbacks)):
            for callback in callbacks:
                _addresses(callback)
        for segment in segments:
            for token in list(segment.access.block.ops):
                if isinstance(token, dlc.TokenOp):
                    _operands(segment, token)
            _streams(segment)


def _emits(op: Operation) -> bool:
    return isinstance(op, dlc.RowInstruction) and op.emit is not None


def _stores_anywhere(callback: dlc.CallbackOp) -> bool:
    """Whether a callback stores a row at an address that another one has set."""
    for op in callback.body.block.ops:
        if isinstance(op, dlc.SetrOp | dlc.SetaOp):
            return False
        if _emits(op):
            return True
    return False


def _addresses(callback: dlc.CallbackOp) -> None:
    """Remove addresses at which the callback stores nothing."""
    needed = False
    for op in reversed(list(callback.body.block.ops)):
        if isinstance(op, dlc.SetrOp | dlc.SetaOp):
            if not needed:
                Rewriter.erase_op(op)
            needed = False
        needed = needed or _emits(op)


def _operands(segment: dlc.SegmentOp, token: dlc.TokenOp) -> None:
    """Remove what a token's callback pops and does not read, and an empty callback."""
    name = token.callback.root_reference.data
    [callback] = [
        op
        for op in segment.execute.block.ops
        if isinstance(op, dlc.CallbackOp) and op.sym_name.data == name
    ]
    tokens = [op for op in segment.access.block.ops if isinstance(op, dlc.TokenOp)]
    if sum(other.callback.root_reference.data == name for other in tokens) != 1:
        return
    event = event_name(segment, token)
    pushes = [
        op
        for op in segment.access.block.ops
        if isinstance(op, dlc.PushOp) and event_name(segment, op) == event
    ]
    pops = [op for op in callback.body.block.ops if isinstance(op, dlc.PopOp)]
    first = [op for op in callback.body.block.ops if isinstance(op, dlc.PopOp | dlc.RowInstruction)]
    if first[: len(pops)] == pops and len(pops) <= len(pushes):
        for pop, push in zip(pops, pushes, strict=False):
            if not _reads(pop):
                explain(push, f"dropped: no callback reads {name_of(push.operand)} at {event}")
                Rewriter.erase_op(push)
                Rewriter.erase_op(pop)
    if not callback.body.block.ops:
        Rewriter.erase_op(token)
        Rewriter.erase_op(callback)


def _reads(pop: dlc.PopOp) -> bool:
    """Whether what is popped is read before it is popped over."""
    register = pop.rd.data.value
    op = pop.next_op
    while op is not None:
        for name, value in op.properties.items():
            if isinstance(value, dlc.SregAttr | dlc.ScaleAttr) and value.data.value == register:
                return name != "rd"
        op = op.next_op
    return False


def _streams(segment: dlc.SegmentOp) -> None:
    """Remove streams without a use."""
    for op in reversed(list(segment.access.block.ops)):
        skips = isinstance(op, dlc.MemOp) and op.skip is not None
        if isinstance(op, dlc.Stream) and not skips and not any(r.uses for r in op.results):
            if isinstance(op, dlc.MemOp | dlc.MemPairOp):
                explain(op, f"dropped: nobody uses {name_of(op.results[0])}")
            Rewriter.erase_op(op)
