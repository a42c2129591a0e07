"""Programs, tokens and operands for the execute pipeline."""

import random
from dataclasses import dataclass, field

from ember.hw.config import Config
from ember.hw.isa import Count, Emit, Op, Span, SrcA, SrcB, SrcC
from ember.hw.program import Fields

_SPECIAL = [
    0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000,
    0x7FA00001, 0xFFC12345, 0x00000001, 0x807FFFFF, 0x00800000, 0x7F7FFFFF, 0xFF7FFFFF,
]  # fmt: skip
_VECTOR = (
    Op.MOV, Op.NEG, Op.ADD, Op.SUB, Op.RSUB, Op.MUL, Op.FMA, Op.MAX, Op.MAXN, Op.MIN, Op.MAXIMUM,
    Op.MINIMUM,
)  # fmt: skip


def word(rng: random.Random) -> int:
    """A binary32 word: specials, any bits, or numbers of like size, which cancel and round."""
    kind = rng.random()
    if kind < 0.1:
        return rng.choice(_SPECIAL)
    if kind < 0.2:
        return rng.getrandbits(32)
    return rng.getrandbits(1) << 31 | rng.randint(120, 134) << 23 | rng.getrandbits(23)


def token(**fields: int) -> Fields:
    names = ("pc", "lane", "segment", "first", "last", "skip", "halt", "arg")
    return {name: fields.get(name, 0) for name in names}


@dataclass
class Stimulus:
    """One run. ``vectors`` have their lowest element first."""

    segments: list[Fields]
    code: list[Fields]
    tokens: list[Fields] = field(default_factory=list)
    vectors: list[list[int]] = field(default_factory=list)


def _vector_instruction(rng: random.Random, indexed: bool) -> Fields:
    i = {
        "op": rng.choice(_VECTOR),
        "dst": rng.getrandbits(1),
        "a": rng.choice((SrcA.DATAQ, SrcA.DATAQ, SrcA.DATAQ, SrcA.V0, SrcA.V1, SrcA.ONE)),
        "b": rng.choice((SrcB.ARG, SrcB.LITERAL, *((SrcB.R3,) * indexed))),
        "c": rng.choice((SrcC.ZERO, SrcC.V0, SrcC.V1)),
        "init": rng.getrandbits(1),
        "count": rng.choice((Count.KEEP, Count.KEEP, Count.CLEAR, Count.INC, Count.FUSED)),
    }
    if indexed and rng.random() < 0.7:
        i |= {"span": rng.choice((Span.CHUNK, Span.ELEMENT)), "at": rng.getrandbits(1)}
    elif rng.random() < 0.6:
        i |= {
            "emit": rng.choice((Emit.ALWAYS, Emit.LAST)),
            "div": rng.random() < 0.3,
            "bump": rng.getrandbits(1),
        }
    return i


def _callback(rng: random.Random) -> list[Fields]:
    """Registers r0 and r1 hold element numbers, r2 a row number, r3 a multiplier."""
    body: list[Fields] = []
    indexed = rng.random() < 0.5
    if indexed:
        order = [0, 1, 2, 3]
        rng.shuffle(order)
        # Mostly an element number comes last: the next instruction needs it at once.
        if rng.random() < 0.7:
            order.sort(key=lambda rd: rd < 2)
        body += [{"op": Op.POP, "rd": rd} for rd in order]
        if rng.random() < 0.3:
            body.append({"op": Op.SETR, "at": 2})
    elif rng.random() < 0.2:
        body.append({"op": Op.SETA})
    if rng.random() < 0.1:
        body.append({"op": Op.NOP, "count": rng.choice((Count.CLEAR, Count.INC, Count.FUSED))})
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
        body.append(_vector_instruction(rng, indexed))
    if rng.random() < 0.1:
        body.insert(rng.randint(0, len(body)), {"op": Op.NOP})
    body[-1]["ret"] = 1
    return body


def _pops(config: Config, segment: Fields, body: list[Fields], skip: int) -> list[str]:
    """What a callback pops: names of the scalars, or "data"."""
    kinds = []
    for i in body:
        if i["op"] == Op.POP:
            kinds.append(f"r{i['rd']}")
        elif i["op"] in _VECTOR and i["op"] != Op.MOV and not skip and i["a"] == SrcA.DATAQ:
            row = i.get("span", Span.ROW) == Span.ROW
            kinds += ["data"] * (segment["chunks"] if row else 1)
    return kinds


def random_stimulus(rng: random.Random, config: Config, tokens: int) -> Stimulus:
    """A legal run: every fiber lane's registers are written before they are read."""
    full = {
        "base": rng.getrandbits(config.addr_width - 2) << 2,
        "row_stride": rng.getrandbits(30) << 2,
        "chunks": config.row_chunks,
        "tail": rng.randint(1, config.lanes),
        "literal": word(rng),
    }
    segments = [full]
    for _ in range(min(config.segments, 6) - 1):
        chunks = rng.randint(1, min(config.row_chunks, rng.choice((1, 2, 5))))
        segments.append(
            {
                "base": rng.getrandbits(config.addr_width - 2) << 2,
                # Small strides make rows share lines, large ones pass the end of the memory.
                "row_stride": rng.choice((4 * rng.randint(0, 12), rng.getrandbits(30) << 2)),
                "chunks": chunks,
                "tail": rng.randint(1, config.lanes),
                "literal": word(rng),
            }
        )
    clear = [{"op": Op.MOV, "dst": 0}, {"op": Op.MOV, "dst": 1, "ret": 1}]
    bodies = [clear]
    while sum(map(len, bodies)) < config.code_depth - 10:
        bodies.append(_callback(rng))
    code = [i for body in bodies for i in body]
    starts = [sum(map(len, bodies[:n])) for n in range(len(bodies))]

    run = Stimulus(segments, code)
    run.tokens = [token(lane=lane) for lane in range(config.fiber_lanes)]
    # Bursts of one callback and of one lane: this is where results are waited for.
    which, lane, segment = 1, 0, 0
    while len(run.tokens) < tokens:
        if rng.random() < 0.3:
            which = rng.randrange(1, len(bodies))
        if rng.random() < 0.6:
            lane = rng.randrange(config.fiber_lanes)
        if rng.random() < 0.1:
            segment = rng.randrange(len(segments))
        if segment == 0 and config.row_chunks > 8:
            segment = rng.randrange(len(segments))
        skip = int(rng.random() < 0.15)
        run.tokens.append(
            token(
                pc=starts[which], lane=lane, segment=segment, first=rng.random() < 0.3,
                last=rng.random() < 0.4, skip=skip, arg=word(rng),
            )
        )  # fmt: skip
        shape = segments[segment]
        elements = (shape["chunks"] - 1) * config.lanes + shape["tail"]
        for kind in _pops(config, shape, bodies[which], skip):
            vector = [word(rng) for _ in range(config.lanes)]
            if kind in ("r0", "r1"):
                vector[0] = rng.randrange(elements)
            elif kind == "r2":
                vector[0] = rng.choice((rng.randrange(50), rng.getrandbits(32)))
            run.vectors.append(vector)
    run.tokens.append(token(halt=1))
    return run


def accumulate(config: Config, bags: int, pooling: int, **fields: int) -> Stimulus:
    """Bags dealt to the fiber lanes in turn, rows of all lanes alternating; sums at first.

    ``fields`` change the one instruction, ``chunks`` and ``row_stride`` the segment.
    """
    chunks = fields.pop("chunks", 1)
    shape = {
        "base": 0x1000,
        "row_stride": fields.pop("row_stride", 4 * config.lanes * chunks),
        "chunks": chunks,
        "tail": fields.pop("tail", config.lanes),
    }
    instruction = {
        "op": Op.ADD, "a": SrcA.DATAQ, "c": SrcC.V0, "init": 1, "count": Count.FUSED,
        "emit": Emit.LAST, "bump": 1, "ret": 1,
    }  # fmt: skip
    run = Stimulus([shape], [{"op": Op.SETA, "ret": 1}, instruction | fields])
    run.tokens = [token(lane=lane) for lane in range(config.fiber_lanes)]
    rng = random.Random(7)
    takes = instruction | fields
    for first in range(0, bags, config.fiber_lanes):
        for row in range(pooling):
            for lane in range(min(config.fiber_lanes, bags - first)):
                run.tokens.append(
                    token(pc=1, lane=lane, first=row == 0, last=row == pooling - 1, arg=word(rng))
                )
                if takes["a"] == SrcA.DATAQ:
                    run.vectors += [[word(rng) for _ in range(config.lanes)] for _ in range(chunks)]
    run.tokens.append(token(halt=1))
    return run
