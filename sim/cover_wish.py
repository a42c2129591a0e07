"""Which program to ask for to hit a bin."""

from collections.abc import Callable

from ..hw.config import Config
from ..hw.isa import Count, Emit, Kind, Op, Span, SrcA, SrcB, SrcC
from .cover_bins import Bin, Group
from .random_wish import NO_WISH, Wish

_LATENCY = {"overtaken": "shuffled", "in order": None}


def _latency(state: str, order: str) -> str | None:
    """While a queue is full nothing is asked for: what is overtaken then has to be very late."""
    return "late" if (state, order) == ("held", "overtaken") else _LATENCY[order]


def wish_for(config: Config, group: Group, at: Bin) -> Wish:
    """A wish that makes the bin likely; programs differ in all it leaves open."""
    maker = _MAKERS.get(group.name)
    return NO_WISH if maker is None else maker(config, *at)


def _streams(config: Config, layer, kind, stream, event) -> Wish:
    last = layer == config.scalar_layers - 1
    name = f"row_{event}" if last else f"l{layer + 1}_{event}"
    return Wish(layer=layer, kind=Kind[kind], stream=stream, event=name, push="stream")


def _events(config: Config, row, mode, event, push) -> Wish:
    return Wish(index=int(row == "INDEX"), vector=int(mode == "vector"), event=event, push=push)


def _pushes(config: Config, event, queue, state, order) -> Wish:
    return Wish(
        event=event, push="token" if queue == "token" else "any", latency=_latency(state, order),
        fill=queue if state == "held" else None, **_skipping(config, event),
    )  # fmt: skip


def _skipping(config: Config, event) -> dict:
    """What makes skip items."""
    if event != "skip":
        return {}
    return dict(layer=config.scalar_layers - 1, flags=1, leaves_out="value")


def _rows(config: Config, row, tail, state, order) -> Wish:
    return Wish(
        index=int(row == "INDEX"), vector=1, tail=tail, event="row_ite", push="DATA",
        latency=_latency(state, order), fill="vector" if state == "held" else None,
    )  # fmt: skip


def _alignment(config: Config, offset, tail) -> Wish:
    return Wish(offset=offset, tail=tail, vector=1, index=0, event="row_ite", push="DATA")


def _elements(config: Config, offset, lines) -> Wish:
    tail = 1 if lines == "one" else None
    return Wish(offset=offset, vector=0, index=0, tail=tail, event="row_ite", push="DATA")


def _fibers(config: Config, layer, kind, size, flags) -> Wish:
    return Wish(layer=layer, kind=Kind[kind], size=size, flags=flags, event=f"l{layer}_beg")


def _skips(config: Config, layer, reason) -> Wish:
    if reason == "read":
        return Wish(fault=f"l{layer}m0")
    return Wish(layer=layer, leaves_out=reason)


def _tokens(config: Config, event, first, last) -> Wish:
    return Wish(event=event, push="token", **_skipping(config, event))


def _responses(config: Config, stream, order, nt, error) -> Wish:
    fault = stream if error else None
    if stream == "row":
        return Wish(latency=_LATENCY[order], fault=fault)
    return Wish(
        layer=int(stream[1]), stream=f"MEM{stream[3]}/4", latency=_LATENCY[order], fault=fault
    )


def _writes(config: Config, mask, waited, error) -> Wish:
    return Wish(
        instruction=dict(emit=Emit.ALWAYS), latency="stalled" if waited else None,
        fault="write" if error else None,
    )  # fmt: skip


def _waits(config: Config, counter) -> Wish:
    if counter.startswith("ctrlq"):
        return Wish(fill="token")
    if counter.startswith("dataq") or counter == "port_ring":
        return Wish(fill="vector", index=0)
    if counter in ("port_mshr", "outstanding_peak"):
        return Wish(fill="vector", index=0, latency="long")
    if counter == "exec_store":
        return Wish(instruction=dict(emit=Emit.ALWAYS, div=1), latency="stalled")
    return NO_WISH


def _errors(config: Config, kind, layer) -> Wish:
    if kind == "READ":
        return Wish(fault="row" if layer == config.scalar_layers else f"l{layer}m0")
    if kind in ("WRITE", "UNKNOWN_TAG"):
        return Wish(fault="write" if kind == "WRITE" else "tag")
    if kind == "INDEX":
        return Wish(layer=layer, leaves_out="m0")
    return Wish(layer=layer, kind=Kind.RANGE)


def _launches(config: Config, before, now) -> Wish:
    return Wish(reset=before == "reset", fault="tag" if now == "error" else None)


def _lanes(config: Config, lanes) -> Wish:
    return Wish(layer=0, kind=Kind.DENSE, iterations=lanes)


def _operations(config: Config, op, a, c, span="ROW") -> Wish:
    fields: dict[str, int] = dict(op=Op[op], span=Span[span])
    fields |= {} if a == "-" else dict(a=SrcA[a])
    fields |= {} if c == "-" else dict(c=SrcC[c])
    if span == "ROW":
        return Wish(instruction=fields)
    return Wish(instruction=fields, event="row_ite", push="ITE")


def _skipped(config: Config, op, a, c) -> Wish:
    return Wish(instruction=_operations(config, op, a, c).instruction, **_skips_at_the_top())


def _skips_at_the_top() -> dict:
    return dict(layer=0, flags=1, leaves_out="value", event="skip", push="token")


def _multipliers(config: Config, op, b) -> Wish:
    return Wish(instruction=dict(op=Op[op], b=SrcB[b]), event="row_beg", push="any")


def _init(config: Config, op, init, skip) -> Wish:
    fields = dict(op=Op[op], init=int(init != "off"))
    return Wish(instruction=fields, **(_skips_at_the_top() if skip else {}))


def _counting(config: Config, count, first, skip, before) -> Wish:
    return Wish(instruction=dict(count=Count[count]), **(_skips_at_the_top() if skip else {}))


def _emission(config: Config, emit, div, bump, skip) -> Wish:
    kind = Emit.ALWAYS if emit == "ALWAYS" else Emit.LAST
    fields = dict(emit=kind, div=int(div != "no"), bump=bump)
    return Wish(instruction=fields, **(_skips_at_the_top() if skip else {}))


def _stores(config: Config, offset, tail) -> Wish:
    return Wish(store_offset=offset, tail=tail, instruction=dict(emit=Emit.ALWAYS))


def _stored(config: Config, offset, tail) -> Wish:
    return Wish(store_offset=offset, tail=tail, stored=1)


def _control(config: Config, op, register, count) -> Wish:
    fields: dict[str, int] = dict(op=Op[op], count=Count[count])
    if op == "POP":
        return Wish(instruction=fields | dict(rd=register), event="row_beg", push="any")
    if op != "SETR":
        return Wish(instruction=fields)
    return Wish(
        instruction=fields | dict(at=register), layer=0, kind=Kind.DENSE, deals=True, stream="ITE",
        event="row_beg" if config.scalar_layers == 1 else "l1_beg", push="stream",
    )  # fmt: skip


def _returns(config: Config, op, ret) -> Wish:
    return _control(config, op, 0, "KEEP") if op in ("NOP", "POP", "SETA", "SETR") else Wish(
        instruction=dict(op=Op[op])
    )


_MAKERS: dict[str, Callable[..., Wish]] = {
    "streams": _streams, "events": _events, "pushes": _pushes, "rows": _rows,
    "alignment": _alignment, "elements": _elements, "fibers": _fibers, "skips": _skips,
    "tokens": _tokens, "responses": _responses, "writes": _writes, "waits": _waits,
    "errors": _errors, "launches": _launches, "lanes": _lanes, "operations": _operations,
    "skipped": _skipped, "multipliers": _multipliers, "init": _init, "counting": _counting,
    "emission": _emission, "stores": _stores, "stored": _stored, "control": _control,
    "returns": _returns,
}  # fmt: skip
