"""Functional coverage of a machine: what its runs did, read off the RTL's pushes and ports.

A run counts only after it was compared with the functional model: every push of the RTL is then
known by its event, operand and loop, and every stored word is the model's.
"""

import numpy as np

from ..hw import isa
from ..hw.config import Config
from ..hw.isa import ArgSel, Kind, Operand, Sel
from ..hw.layouts import ROW_STREAM, scalar_stream
from ..hw.program import Program
from .cover_access import ORDERS, PEAKS, SIZES, STATES, access_groups, peaks, waits
from .cover_bins import Coverage
from .cover_execute import execute_groups
from .cover_trace import EVENTS, OPERANDS, Executed, Trace, event_names
from .model_queues import LaneQueues
from .result import RunResult

_ENABLE = {ArgSel.MEM0: "m0_en", ArgSel.MEM1: "m1_en"}


def machine_coverage(config: Config) -> Coverage:
    """No hits yet."""
    return Coverage([*access_groups(config), *execute_groups(config)])


def observe(
    coverage: Coverage,
    config: Config,
    program: Program,
    queues: LaneQueues,
    trace: Trace,
    executed: Executed,
    result: RunResult,
) -> None:
    """Count the bins of a probed run that agrees with the model."""
    assert result.tokens is not None and result.observed is not None
    names = event_names(config)
    tokens = result.tokens[result.tokens["halt"] == 0]
    owned, events = _in_push_order(tokens["lane"], queues, trace)
    lane_of_vector = np.repeat(tokens["lane"], owned)
    codes = np.zeros(len(lane_of_vector), np.uint32)
    for lane, own in enumerate(trace.vector_codes):
        codes[lane_of_vector == lane] = own

    token_states = result.observed.token_states[: len(tokens)]
    _queue_bins(coverage, names, "token", events, token_states)
    vector_events = codes // (2 * OPERANDS) % EVENTS
    _queue_bins(coverage, names, "vector", vector_events, result.observed.vector_states)
    _token_bins(coverage, names, tokens, events)
    _operand_bins(coverage, config, names, program, tokens, events, codes)
    _row_bins(coverage, config, program, codes, result.observed.vector_states)
    _stored_bins(coverage, config, queues)
    _trace_bins(coverage, config, trace)
    _port_bins(coverage, config, result)
    for group, hits in executed.hits.items():
        for at, times in hits.items():
            coverage[group].hit(at, times)
    rows = {names.index(name) for name in (*isa.ROW_OPERANDS, "skip")}
    carrying = set(tokens["lane"][np.isin(events, list(rows))].tolist())
    lanes = len(carrying | {n for n, lane in enumerate(queues.lanes) if lane.stored})
    if lanes:
        coverage["lanes"].hit((lanes,))
    coverage["segments"].hit((min(3, len(program.segments)),))
    if result.error is not None:
        coverage["errors"].hit((result.error.kind.name, result.error.layer))


def _in_push_order(
    lanes: np.ndarray, queues: LaneQueues, trace: Trace
) -> tuple[np.ndarray, np.ndarray]:
    """Vectors that each token owns, and its event, in the order of the RTL's pushes."""
    owned, events = np.zeros(len(lanes), np.int64), np.zeros(len(lanes), np.uint8)
    for lane, queue in enumerate(queues.lanes):
        mine = lanes == lane
        owned[mine] = [token.vectors for token in queue.tokens]
        events[mine] = trace.token_events[lane]
    return owned, events


def _counts(*columns: np.ndarray) -> list[tuple[int, ...]]:
    """Distinct rows of the columns, each with its number at the end."""
    if not len(columns[0]):
        return []
    table = np.stack([column.astype(np.int64) for column in columns], axis=1)
    rows, numbers = np.unique(table, axis=0, return_counts=True)
    return [(*map(int, row), int(n)) for row, n in zip(rows, numbers, strict=True)]


def _queue_bins(coverage, names, queue: str, events, states) -> None:
    for event, state, times in _counts(events, states):
        at = (names[event], queue, STATES[state & 3], ORDERS[state >> 2])
        coverage["pushes"].hit(at, times)


def _token_bins(coverage, names, tokens, events) -> None:
    for event, first, last, times in _counts(events, tokens["first"], tokens["last"]):
        if names[event] in (*isa.ROW_OPERANDS, "skip"):
            coverage["tokens"].hit((names[event], first, last), times)


def _operand_bins(coverage, config: Config, names, program, tokens, events, codes) -> None:
    """Groups ``streams`` and ``events``."""
    for segment, event, times in _counts(tokens["segment"], events):
        if names[event] in isa.ROW_OPERANDS:
            row, mode = _row_kind(program.segments[segment].row)
            coverage["events"].hit((row, mode, names[event], "token"), times)
    for code, times in _counts(codes // 2):
        segment, rest = divmod(code, EVENTS * OPERANDS)
        event, operand = divmod(rest, OPERANDS)
        name, operand = names[event], Operand(operand)
        fields = program.segments[segment]
        if name in isa.ROW_OPERANDS:
            push = "ENV" if operand.name.startswith("ENV") else operand.name
            coverage["events"].hit((*_row_kind(fields.row), name, push), times)
            layer, edge = config.scalar_layers - 1, name.removeprefix("row_")
        else:
            layer, edge = int(name[1]) - 1, name[3:]
        if layer >= 0:
            kind = Kind(fields.layers[layer]["kind"]).name
            for stream in _streams(fields.layers[layer], operand):
                coverage["streams"].hit((layer, kind, stream, edge), times)


def _row_kind(row: dict[str, int]) -> tuple[str, str]:
    return (
        "INDEX" if row.get("index", 0) else "DENSE",
        "vector" if row.get("vector", 0) else "element",
    )


def _streams(layer: dict[str, int], operand: Operand) -> list[str]:
    """Names of the loop's stream that an operand of the layer below carries, if it is on."""
    if operand == Operand.ARG:
        source = ArgSel(layer.get("arg", 0))
        on = source == ArgSel.PARENT or layer.get(_ENABLE[source], 0)
        return [f"ARG/{source.name}"] if on else []
    if operand not in (Operand.ENV0, Operand.ENV1, Operand.ENV2):
        return []
    stream = Sel(layer.get(f"e{operand - Operand.ENV0}", 0))
    if stream in (Sel.ENV0, Sel.ENV1, Sel.ENV2):
        return ["ENV"]
    if stream in (Sel.MEM0, Sel.MEM1, Sel.NEXT):
        memory = "m1" if stream == Sel.MEM1 else "m0"
        if not layer.get(f"{memory}_en", 0) or (stream == Sel.NEXT and not layer.get("m0_pair", 0)):
            return []
        return [f"{stream.name}/{8 if layer.get(f'{memory}_size', 0) else 4}"]
    return [stream.name]


def _row_bins(coverage, config: Config, program, codes, states) -> None:
    """Group ``rows``: the last vector of each row."""
    last = codes % 2 == 1
    data = (codes // 2 % OPERANDS == Operand.DATA) & last
    segments = codes // (2 * OPERANDS * EVENTS)
    for segment, state, times in _counts(segments[data], states[data]):
        row = program.segments[segment].row
        kind, mode = _row_kind(row)
        if mode == "vector":
            tail = (row["dim"] - 1) % config.lanes + 1
            at = (kind, tail, STATES[state & 3], ORDERS[state >> 2])
            coverage["rows"].hit(at, times)


def _stored_bins(coverage, config: Config, queues: LaneQueues) -> None:
    for lane in queues.lanes:
        for _, address, words in lane.stored:
            at = address // 4 % config.lanes, (len(words) - 1) % config.lanes + 1
            coverage["stored"].hit(at)


def _trace_bins(coverage, config: Config, trace: Trace) -> None:
    for vector, offset, dim in trace.alignments:
        if vector:
            coverage["alignment"].hit((offset, (dim - 1) % config.lanes + 1))
        else:
            lines = "one" if offset + dim <= config.lanes else "several"
            coverage["elements"].hit((offset, lines))
    for layer, kind, size, flags in trace.fibers:
        coverage["fibers"].hit((layer, Kind(kind).name, SIZES[size], flags))
    for layer, reason in trace.skips:
        coverage["skips"].hit((layer, reason))


def _port_bins(coverage, config: Config, result: RunResult) -> None:
    assert result.observed is not None
    streams = {
        f"l{n}m{k}": scalar_stream(n, k) for n in range(config.scalar_layers) for k in (0, 1)
    }
    for name, number in (streams | {"row": ROW_STREAM}).items():
        for flags, times in enumerate(result.observed.answers[number].tolist()):
            if times:
                at = (name, ORDERS[flags & 1], flags >> 1 & 1, flags >> 2)
                coverage["responses"].hit(at, times)
    for flags, times in enumerate(result.observed.writes.tolist()):
        if times:
            at = ("whole" if flags & 1 else "part", flags >> 1 & 1, flags >> 2)
            coverage["writes"].hit(at, times)
    for counter in waits(config):
        if result.counters[counter]:
            coverage["waits"].hit((counter,), result.counters[counter])
    for counter in peaks(config):
        if result.counters[counter] == getattr(config, PEAKS[counter]):
            coverage["waits"].hit((counter,))
