"""Coverage of the access unit and the queues: which bins there are on a configuration."""

from ..hw import isa
from ..hw.config import Config
from ..hw.isa import Kind
from .cover_bins import Bin, Group, Rule
from .cover_trace import event_names

STATES = ("empty", "partly", "held")
ORDERS = ("in order", "overtaken")
SIZES = ("empty", "one", "more")
STREAMS = (
    "ZERO", "ITE", "MEM0/4", "MEM0/8", "MEM1/4", "MEM1/8", "NEXT/4", "NEXT/8", "ALU", "ENV", "IMM",
    "ARG/PARENT", "ARG/MEM0", "ARG/MEM1",
)  # fmt: skip
#: Counters of waits, each of which has to be seen above 0.
WAITS = (
    "port_mshr", "port_memory", "port_ring", "exec_token", "exec_data", "exec_hazard",
    "exec_store", "dataq_full", "ctrlq_full", "dataq_high", "ctrlq_high",
)  # fmt: skip
_CACHE = ("cache_hits", "cache_merged", "cache_misses", "cache_bypassed")
#: Levels that have to reach their end: counter and what bounds it.
PEAKS = {"dataq_peak": "dataq_depth", "ctrlq_peak": "ctrlq_depth", "outstanding_peak": "mshrs"}
_KINDS = tuple(kind.name for kind in Kind)

#: Vectors that one token of a random program can be due, in rows of the largest size.
POPS = 3
#: Requests that wait at the read port (see hw/tmu/load_unit.py).
REQUESTS = 2


#: Groups that a machine without an execute unit has.
_STORED = (
    "alignment", "fibers", "skips", "responses", "writes", "waits", "errors", "launches", "lanes",
    "segments", "stored",
)  # fmt: skip


def waits(config: Config) -> tuple[str, ...]:
    """Counters that have to be seen above 0: of waits, and of a read cache."""
    return _there(config, WAITS) + (_CACHE if config.cache_lines else ())


def peaks(config: Config) -> tuple[str, ...]:
    """Counters of levels that have to reach their end."""
    return _there(config, tuple(PEAKS))


def _there(config: Config, counters: tuple[str, ...]) -> tuple[str, ...]:
    """Those of units and queues that the machine has."""
    missing = () if config.execute else ("exec_", "dataq_", "ctrlq_")
    return tuple(counter for counter in counters if not counter.startswith(missing))


def access_groups(config: Config) -> list[Group]:
    """Traversal, streams, events, queues, read responses, errors."""
    layers = tuple(range(config.scalar_layers))
    tails = tuple(range(1, config.lanes + 1))
    offsets = tuple(range(config.lanes))
    stored = Group(
        "stored", "rows stored by the access unit: first word's place in its line, mask tail",
        dict(offset=offsets, tail=tails),
    )  # fmt: skip
    groups = [
        Group(
            "streams", "value of a loop's stream, pushed by an event of the loop below it",
            dict(layer=layers, kind=_KINDS, stream=STREAMS, event=("beg", "ite", "end")),
            rules=(_range_at_the_top, _no_scalar_ite(config)),
        ),
        Group(
            "events", "what a row's events push, by the row's traversal and mode",
            dict(
                row=("DENSE", "INDEX"), mode=("vector", "element"), event=tuple(isa.ROW_OPERANDS),
                push=("token", "DATA", "ITE", "ENV", "ARG"),
            ),
            rules=(_no_beat,),
        ),
        Group(
            "pushes", "state of the queue and of the load responses at each event's pushes",
            dict(
                event=tuple(event_names(config)), queue=("token", "vector"), state=STATES,
                order=ORDERS,
            ),
            rules=(*_queue_rules(config), _skip_without_operand, _last_of_all(config)),
            waived=_queue_waivers(config),
        ),
        Group(
            "rows", "last vector of a row: traversal, mask tail, DataQ, load responses",
            dict(row=("DENSE", "INDEX"), tail=tails, state=STATES, order=ORDERS),
            rules=tuple(_with(("row_ite", "vector"), rule) for rule in _queue_rules(config)),
            waived=tuple(_with(("row_ite", "vector"), rule) for rule in _queue_waivers(config)),
        ),
        Group(
            "alignment", "vector rows: first element's place in its line, mask tail",
            dict(offset=offsets, tail=tails),
        ),
        Group(
            "elements", "rows of single elements: first element's place, lines",
            dict(offset=offsets, lines=("one", "several")), rules=(_short_rows(config),),
        ),
        Group(
            "fibers", "loops by kind, iterations and flags",
            dict(layer=layers, kind=_KINDS, size=SIZES, flags=(0, 1)),
            rules=(_range_at_the_top_is_empty, _once_is_one, *_empty(config)),
        ),
        Group(
            "skips", "why an iteration is left out",
            dict(layer=layers, reason=("value", "m0", "next", "m1", "read")),
        ),
        Group(
            "tokens", "flags of the row events' tokens",
            dict(event=(*isa.ROW_OPERANDS, "skip"), first=(0, 1), last=(0, 1)),
            rules=(_skip_has_a_flag,),
        ),
        Group(
            "responses", "read responses: stream, order, hint, error bit",
            dict(
                stream=(*(f"l{n}m{k}" for n in layers for k in (0, 1)), "row"), order=ORDERS,
                nt=(0, 1), error=(0, 1),
            ),
            rules=(_one_load(config),),
        ),
        Group(
            "writes", "lines written: mask, back-pressure, error bit",
            dict(mask=("part", "whole"), waited=(0, 1), error=(0, 1)),
            rules=(_one_word(config),),
        ),
        Group(
            "waits", "every reason to wait, every level at its end, what a cache does",
            dict(counter=(*waits(config), *peaks(config))), rules=(_few_loads(config),),
            waived=(_small_capacity(config),),
        ),
        Group(
            "errors", "first error in the registers",
            dict(
                kind=tuple(kind.name for kind in isa.Error if kind != isa.Error.NONE),
                layer=(*layers, config.scalar_layers),
            ),
            rules=(_error_layers(config),),
        ),
        Group(
            "launches", "what came before a run, and how it ended",
            dict(before=("reset", "clean", "error"), now=("clean", "error")),
        ),
        Group(
            "lanes", "fiber lanes that carry rows in a run",
            dict(lanes=tuple(range(1, config.fiber_lanes + 1))),
        ),
        Group(
            "segments", "segments of a launch",
            dict(segments=tuple(range(1, min(3, config.segments) + 1))),
        ),
        *([stored] if config.store_streams else ()),
    ]  # fmt: skip
    return [group for group in groups if config.execute or group.name in _STORED]


# Traversal --------------------------------------------------------------------------------


def _range_at_the_top(at: Bin) -> str | None:
    layer, kind, *_ = at
    if layer == 0 and kind == "RANGE":
        return "layer 0 takes its bounds from zeros: RANGE has no iteration"
    return None


def _range_at_the_top_is_empty(at: Bin) -> str | None:
    return None if at[2] == "empty" else _range_at_the_top(at)


def _no_scalar_ite(config: Config) -> Rule:
    def rule(at: Bin) -> str | None:
        layer, _, _, event = at
        if event == "ite" and layer != config.scalar_layers - 1:
            return "an iteration of a scalar layer pushes nothing of its own"
        return None

    return rule


def _empty(config: Config) -> tuple[Rule, ...]:
    def rule(at: Bin) -> str | None:
        return "an empty loop pushes a token at the most" if at[2] == "empty" else None

    return () if config.execute else (rule,)


def _once_is_one(at: Bin) -> str | None:
    _, kind, size, _ = at
    return "ONCE has one iteration" if kind == "ONCE" and size != "one" else None


def _no_beat(at: Bin) -> str | None:
    *_, event, push = at
    if event != "row_ite" and push in ("DATA", "ITE"):
        return "row_beg and row_end have no beat: DATA and ITE are not allowed"
    return None


def _short_rows(config: Config) -> Rule:
    def rule(at: Bin) -> str | None:
        offset, lines = at
        if lines == "several" and offset + config.max_dim <= config.lanes:
            return "the longest row fits in one line"
        return None

    return rule


def _skip_has_a_flag(at: Bin) -> str | None:
    event, first, last = at
    if event == "skip" and not (first or last):
        return "a skipped iteration without first or last leaves no trace"
    return None


# Queues and responses ---------------------------------------------------------------------


def _queue_rules(config: Config) -> tuple[Rule, ...]:
    """What no program can do, for bins (event, queue, state, order)."""
    rows = config.row_window or config.ctrlq_depth + _TOKENS_AHEAD
    most = min(config.code_depth * config.row_chunks, 3 * config.max_dim + 3)

    def rule(at: Bin) -> str | None:
        event, queue, state, order = at
        depth = config.ctrlq_depth if queue == "token" else config.dataq_depth
        if state == "partly" and depth == 1:
            return "a queue of one entry is empty or full"
        if order == "overtaken" and config.mshrs == 1:
            return "one load at a time keeps its order"
        if state == "held" and queue == "vector" and not config.row_window and rows * most < depth:
            return "the tokens under way own fewer vectors than the DataQ holds"
        return None

    return (rule,)


#: Tokens between the CtrlQ and issue that may still have vectors to pop.
_TOKENS_AHEAD = 4


def _queue_waivers(config: Config) -> tuple[Rule, ...]:
    """What needs longer programs than are made here."""
    owned = POPS * config.row_chunks
    reach = (config.row_window or config.ctrlq_depth + 1) * owned
    # When a row begins, the row that is `row_window` before it has been popped.
    markers = isa.MARKER_OPERANDS * (config.ctrlq_depth + _TOKENS_AHEAD)
    begins = reach - owned + markers if config.row_window else reach

    def capacity(at: Bin) -> str | None:
        event, queue, state, _ = at
        most = begins if event == "row_beg" else reach
        if state == "held" and queue == "vector" and most <= config.dataq_depth:
            return "needs callbacks that pop more vectors than those of random programs"
        return None

    def first_of_all(at: Bin) -> str | None:
        event, _, state, order = at
        if config.segments == 1 and event == "l0_beg" and (state, order) != ("empty", "in order"):
            return "the only segment's first event finds the machine idle"
        return None

    return capacity, first_of_all


def _last_of_all(config: Config) -> Rule:
    def rule(at: Bin) -> str | None:
        event, *_, order = at
        alone = config.segments == config.fiber_lanes == 1
        if alone and event == "l0_end" and order == "overtaken":
            return "the only lane's last event comes when all loads are done"
        return None

    return rule


def _with(front: Bin, rule: Rule) -> Rule:
    """The rule, for bins whose last two axes are state and order."""
    return lambda at: rule((*front, *at[-2:]))


def _skip_without_operand(at: Bin) -> str | None:
    event, queue, *_ = at
    return "a skip item pushes no operand" if (event, queue) == ("skip", "vector") else None


def _one_load(config: Config) -> Rule:
    def rule(at: Bin) -> str | None:
        if at[1] == "overtaken" and config.mshrs == 1:
            return "one load at a time keeps its order"
        return None

    return rule


def _one_word(config: Config) -> Rule:
    def rule(at: Bin) -> str | None:
        if at[0] == "part" and config.lanes == 1:
            return "a line of one word is written whole"
        return None

    return rule


def _few_loads(config: Config) -> Rule:
    def rule(at: Bin) -> str | None:
        if at == ("port_memory",) and config.mshrs <= REQUESTS:
            return "all requests that may be outstanding have a place at the port"
        return None

    return rule


def _small_capacity(config: Config) -> Rule:
    lines = config.row_window * (config.row_chunks + (config.lanes > 1))
    owned = POPS * config.row_chunks * (config.row_window or config.ctrlq_depth + 1)

    def rule(at: Bin) -> str | None:
        (counter,) = at
        if counter == "port_ring" and config.row_window and lines <= config.ring_slots:
            return "the rows of the window fit in the ring"
        mshr = counter in ("port_mshr", "outstanding_peak")
        if mshr and config.row_window and lines < config.mshrs:
            return "the rows of the window need fewer loads than there are"
        if counter in ("dataq_full", "dataq_peak") and owned <= config.dataq_depth:
            return "needs callbacks that pop more vectors than those of random programs"
        if counter == "dataq_high" and owned <= (3 * config.dataq_depth + 3) // 4:
            return "needs callbacks that pop more vectors than those of random programs"
        return None

    return rule


def _error_layers(config: Config) -> Rule:
    def rule(at: Bin) -> str | None:
        kind, layer = at
        row = config.scalar_layers
        if kind == "INDEX" and layer == row:
            return "rows check no index"
        if kind == "BOUNDS" and layer in (0, row):
            return "only a RANGE below layer 0 can have its start above its end"
        if kind == "WRITE" and layer != 0:
            return "a write error names no layer"
        if kind == "UNKNOWN_TAG" and layer != row:
            return "an unknown tag is reported for the row layer"
        return None

    return rule
