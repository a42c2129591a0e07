"""Coverage of the execute pipeline: which bins there are on a configuration."""

from ..hw.config import Config
from ..hw.isa import VECTOR_OPS, Count, Op, Span, SrcA, SrcB, SrcC
from .cover_bins import Bin, Group

_VECTOR = tuple(op.name for op in Op if op in VECTOR_OPS)
#: Operations that have no operand c.
WITHOUT_C = ("MUL", "NEG")
_COUNTS = tuple(count.name for count in Count)


def execute_groups(config: Config) -> list[Group]:
    """Instructions with their operands, the entry counter, what is stored and where."""
    if not config.execute:
        return []
    operands = dict(
        op=_VECTOR, a=("-", *(a.name for a in SrcA)), c=("-", *(c.name for c in SrcC)),
    )  # fmt: skip
    return [
        Group(
            "operations", "vector operations by operands and span",
            dict(**operands, span=tuple(span.name for span in Span)), rules=(_operands,),
        ),
        Group(
            "skipped", "the same for a token without vectors", operands, rules=(_operands,),
        ),
        Group(
            "multipliers", "scalar factor",
            dict(op=("MUL", "FMA"), b=tuple(b.name for b in SrcB)),
        ),
        Group(
            "init", "start of an accumulation",
            dict(op=_VECTOR, init=("off", "fresh", "counted"), skip=(0, 1)),
        ),
        Group(
            "counting", "entry counter: update, token flags, above 0 before",
            dict(count=_COUNTS, first=(0, 1), skip=(0, 1), before=(0, 1)), rules=(_starts_at_0,),
        ),
        Group(
            "emission", "stored rows: when, divided by what, address step",
            dict(
                emit=("ALWAYS", "LAST", "LAST, not yet"), div=("no", "counter", "counter 0"),
                bump=(0, 1), skip=(0, 1),
            ),
        ),
        Group(
            "stores", "stored rows: first word's place in its line, mask tail",
            dict(offset=tuple(range(config.lanes)), tail=tuple(range(1, config.lanes + 1))),
        ),
        Group(
            "control", "instructions without a vector result",
            dict(op=("NOP", "POP", "SETA", "SETR"), register=(0, 1, 2, 3), count=_COUNTS),
            rules=(_no_register,),
        ),
        Group(
            "returns", "instructions at the end of a callback and before",
            dict(op=tuple(op.name for op in Op), ret=(0, 1)),
        ),
    ]  # fmt: skip


def _operands(at: Bin) -> str | None:
    op, a, c, *_ = at
    if (a == "-") != (op == "MOV"):
        return "MOV has no operand a, all others have one"
    if (c == "-") != (op in WITHOUT_C):
        return "MUL and NEG have no operand c, all others have one"
    return None


def _starts_at_0(at: Bin) -> str | None:
    count, first, _, before = at
    if before and (count == "CLEAR" or (count == "FUSED" and first)):
        return "CLEAR, and FUSED with a first token, start from 0"
    return None


def _no_register(at: Bin) -> str | None:
    op, register, _ = at
    if op in ("NOP", "SETA") and register:
        return "NOP and SETA name no register"
    return None
