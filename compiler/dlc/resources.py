"""What one segment may use, and the check of it: the verifier of ``dlc.segment``.

The limits are the microcode's (``hw/isa.py``); only the number of layers depends on the
configuration, and is checked where one is known.
"""

from collections import Counter

from xdsl.dialects.builtin import Float32Type, MemRefType, VectorType
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from ...hw import isa
from ..errors import name_of
from ..streams import is_integer
from . import dialect as dlc

ENV_SLOTS = 3
MEMORY_STREAMS = 2
INTEGER_OPS = 1
LITERALS = 1
SCALARS = 4


def check_segment(segment: dlc.SegmentOp) -> None:
    """Verify structure and resources of one segment.

    Raises
    ------
    VerifyException
        The message has the number used and the number there is.
    """
    units = traversal_units(segment)
    _check_layers(units)
    callbacks = {
        op.sym_name.data: op for op in segment.execute.block.ops if isinstance(op, dlc.CallbackOp)
    }
    for op in segment.access.block.ops:
        _check_stream(op)
        if isinstance(op, dlc.TokenOp) and op.callback.root_reference.data not in callbacks:
            raise VerifyException(
                f"dlc.token must name a callback, not @{op.callback.root_reference.data}"
            )
    for layer in range(len(units)):
        _check_counts(segment, layer)
    _check_events(segment, units)
    rows = [op for op in segment.execute.block.ops if isinstance(op, dlc.RowsOp)]
    if store_of(segment) is not None:
        _check_store(segment, units)
    elif len(rows) != 1:
        raise VerifyException(f"dlc.segment must have 1 dlc.rows, not {len(rows)}")
    literals = [op for op in segment.execute.block.ops if isinstance(op, dlc.LiteralOp)]
    if len(literals) > 1:
        raise VerifyException(f"dlc.segment must have 1 dlc.literal at most, not {len(literals)}")
    for op in segment.execute.walk():
        if isinstance(op, dlc.MulOp | dlc.FmaOp) and op.b.data is dlc.Scale.LITERAL:
            if not literals:
                raise VerifyException(f"{op.name}: dlc.segment has no dlc.literal")


def traversal_units(segment: dlc.SegmentOp) -> list[dlc.TraversalOp]:
    """The traversal units, outermost first."""
    return [op for op in segment.access.block.ops if isinstance(op, dlc.TraversalOp)]


def store_of(segment: dlc.SegmentOp) -> dlc.StoreOp | None:
    """The store stream of a segment that has one."""
    return next((op for op in segment.access.block.ops if isinstance(op, dlc.StoreOp)), None)


def _check_store(segment: dlc.SegmentOp, units: list[dlc.TraversalOp]) -> None:
    """A store stream is all that a segment does with its rows."""
    others = dlc.StoreOp | dlc.PushOp | dlc.TokenOp
    [store, *rest] = [op for op in segment.access.block.ops if isinstance(op, others)]
    row = units[-1]
    assert isinstance(row, dlc.RowOp)
    if rest or not isinstance(store, dlc.StoreOp) or segment.execute.block.ops:
        raise VerifyException("a segment with a dlc.store must have no other, and no callbacks")
    if store.data is not row.data or not isinstance(dlc.element_of(row.data), VectorType):
        raise VerifyException("dlc.store: the data must be the vectors of the row")
    _require_layer(store, store.row, row.layer - 1)
    if not is_integer(dlc.element_of(store.row)):
        raise VerifyException(
            f"dlc.store: the row must be an integer, not {dlc.element_of(store.row)}"
        )
    kind = store.out.type
    assert isinstance(kind, MemRefType)
    if kind.get_num_dims() != 2 or kind.get_shape()[1] != row.dim.value.data:
        raise VerifyException(
            f"dlc.store: {name_of(store.out)} must have rows of {row.dim.value.data} elements"
        )


def _check_layers(units: list[dlc.TraversalOp]) -> None:
    for layer, unit in enumerate(units):
        if unit.layer != layer:
            raise VerifyException(
                f"traversal unit {layer} must be of layer {layer}, not {unit.layer}"
            )
        last = layer == len(units) - 1
        if isinstance(unit, dlc.RowOp) != last:
            raise VerifyException("the innermost traversal unit, and no other, must be a row")
        bounds = [v for v in unit.operands if isinstance(v.type, dlc.StreamType)]
        for value in bounds:
            _require_layer(unit, value, layer - 1)
    if len(units) < 2:
        raise VerifyException(f"dlc.segment must have at least 2 traversal units, not {len(units)}")
    fused = [unit for unit in units if getattr(unit, "fused", None) is not None]
    if len(fused) > 1:
        raise VerifyException(f"only 1 loop can be fused, not {len(fused)}")


def _require_layer(op: Operation, value: SSAValue, layer: int) -> None:
    if dlc.layer_of(value) != layer:
        raise VerifyException(
            f"{op.name}: {name_of(value)} is a stream of layer {dlc.layer_of(value)}, "
            f"but layer {layer} is needed"
        )


def _check_stream(op: Operation) -> None:
    """Streams of a layer are computed from streams of that layer."""
    if isinstance(op, dlc.MemOp | dlc.MemPairOp | dlc.AluOp):
        for value in op.operands:
            if isinstance(value.type, dlc.StreamType):
                _require_layer(op, value, dlc.layer_of(op.results[0]))
    if isinstance(op, dlc.MemOp | dlc.MemPairOp) and not (
        isinstance(op.at.owner, dlc.TraversalOp | dlc.FwdOp) or _is_first_zero(op.at)
    ):
        raise VerifyException(
            f"{op.name}: the index {name_of(op.at)} must be the induction variable or a "
            "forwarded stream: a layer cannot load from what it has just computed"
        )
    if isinstance(op, dlc.MemPairOp):
        loop = op.at.owner
        if not isinstance(loop, dlc.CountedOp) or loop.step.value.data != 1:
            raise VerifyException("dlc.mem_pair: the index must be a loop's with step 1")


def _is_first_zero(value: SSAValue) -> bool:
    """Whether a stream is the 0 of the outermost layer, whose parent's values are all 0."""
    owner = value.owner
    return isinstance(owner, dlc.ConstOp) and not owner.number and not dlc.layer_of(value)


def environment(segment: dlc.SegmentOp, layer: int) -> tuple[list[SSAValue], list[SSAValue]]:
    """The streams of ``layer`` that the next one needs: integers (slots), and fp32 scalars."""
    used: list[SSAValue] = []
    for op in segment.access.block.ops:
        inner = isinstance(op, dlc.TraversalOp | dlc.FwdOp | dlc.PushOp | dlc.TokenOp | dlc.StoreOp)
        for value in op.operands:
            if not inner or not isinstance(value.type, dlc.StreamType):
                continue
            at_event = isinstance(op, dlc.PushOp | dlc.TokenOp) and value is op.operands[0]
            if dlc.layer_of(value) == layer and not at_event and value not in used:
                used.append(value)
    row = traversal_units(segment)[-1]
    used = [value for value in used if value not in row.results]
    scalars = [v for v in used if isinstance(dlc.element_of(v), Float32Type)]
    return [v for v in used if v not in scalars], scalars


def _check_counts(segment: dlc.SegmentOp, layer: int) -> None:
    ops = [
        op
        for op in segment.access.block.ops
        if isinstance(op, dlc.MemOp | dlc.MemPairOp | dlc.AluOp)
        and dlc.layer_of(op.results[0]) == layer
    ]
    loads = [op for op in ops if not isinstance(op, dlc.AluOp)]
    special = [op for op in loads if isinstance(op, dlc.MemPairOp) or op.skip is not None]
    slots, scalars = environment(segment, layer)
    literals = literals_of(segment, layer)
    for used, limit, what in (
        (len(loads), MEMORY_STREAMS, "memory streams"),
        (len(special), 1, "memory streams that load pairs or skip"),
        (len(ops) - len(loads), INTEGER_OPS, "integer operations"),
        (len(literals), LITERALS, "literals"),
        (len(slots), ENV_SLOTS, "integers for the next layer"),
        (len(scalars), 1, "fp32 scalars for the next layer"),
    ):
        if used > limit:
            raise VerifyException(f"layer {layer} has {used} {what}, but the machine has {limit}")


def literals_of(segment: dlc.SegmentOp, layer: int) -> set[int]:
    """The numbers that a layer's integer operation and constants need; 0 is always there."""
    found = set()
    for op in segment.access.block.ops:
        if isinstance(op, dlc.ConstOp) and dlc.layer_of(op.result) == layer and op.number:
            found.add(op.number)
        if isinstance(op, dlc.AluOp) and dlc.layer_of(op.result) == layer and op.literal:
            found.add(op.literal.value.data)
    return found


def event_name(segment: dlc.SegmentOp, op: dlc.PushOp | dlc.TokenOp) -> str:
    """The microcode's name of an event: ``l0_beg`` or ``row_ite``."""
    layer = dlc.layer_of(op.loop)
    units = traversal_units(segment)
    prefix = "row" if layer == len(units) - 1 else f"l{layer}"
    return f"{prefix}_{op.event.data}"


def _check_events(segment: dlc.SegmentOp, units: list[dlc.TraversalOp]) -> None:
    row = units[-1]
    assert isinstance(row, dlc.RowOp)
    pushes: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    for op in segment.access.block.ops:
        if not isinstance(op, dlc.PushOp | dlc.TokenOp):
            continue
        name = event_name(segment, op)
        if not isinstance(op.loop.owner, dlc.TraversalOp) or op.loop is not op.loop.owner.ite:
            raise VerifyException(f"{op.name}: {name_of(op.loop)} must be an induction variable")
        if op.event.data == "ite" and op.loop is not row.ite:
            raise VerifyException(f"{op.name}: only a row has an ite event, not {name_of(op.loop)}")
        if isinstance(op, dlc.TokenOp):
            tokens[name] += 1
            if op.arg is not None:
                _require_layer(op, op.arg, dlc.layer_of(op.loop) - 1)
                if not isinstance(dlc.element_of(op.arg), Float32Type):
                    raise VerifyException(
                        f"dlc.token: the argument must be f32, not {dlc.element_of(op.arg)}"
                    )
            continue
        pushes[name] += 1
        if op.operand not in row.results:
            _require_layer(op, op.operand, dlc.layer_of(op.loop) - 1)
        elif name != "row_ite":
            raise VerifyException(f"dlc.push: {name_of(op.operand)} exists only at row_ite")
    for name, count in pushes.items():
        limit = isa.ROW_OPERANDS.get(name, isa.MARKER_OPERANDS)
        if count > limit:
            raise VerifyException(f"{name} pushes {count} operands, but the machine has {limit}")
    for name, count in tokens.items():
        if count > 1:
            raise VerifyException(f"{name} has {count} tokens, but the machine has 1")
