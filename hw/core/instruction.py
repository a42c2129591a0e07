"""A decoded instruction: what the issue stage holds while it walks the chunks of a row."""

from amaranth.hdl import Mux
from amaranth.lib import data

from .. import isa
from ..config import Config
from ..isa import Count, Emit, Op, Span, SrcA, SrcC
from ..layouts import index_width
from .fp.op import FpOp


def instruction(config: Config) -> data.StructLayout:
    """An instruction of one token. Everything that the token's flags decide is decided."""
    segment = {f.name: f.width for f in isa.execute_segment(config).fields}
    return data.StructLayout(
        {
            "halt": 1,
            "vector": 1,  # works on a row: exactly one of halt, vector, pop, set, or none (NOP)
            "pop": 1,
            "set": 1,  # address = base + row_stride * (the lane or a scalar register)
            "set_row": 1,  # .. the scalar register
            "lane": index_width(config.fiber_lanes),
            "op": FpOp,
            "maximum": 1,  # becomes a copy of `a` if init applies
            "takes": 1,  # one vector of the DataQ per chunk
            "read_a": 1,  # `a` is a vector register
            "a": 1,
            "b": 3,
            "one": 1,  # the multiplier is 1.0
            "read_c": 1,  # `c` is a vector register, unless init applies
            "c": 1,
            "minus": 1,  # `c` is -0.0
            "dst": 1,
            "init": 1,
            "clear": 1,  # the counter starts from 0
            "count": 1,  # and is increased
            "indexed": 1,  # chunk number from a scalar register
            "element": 1,  # one element only
            "at": 2,
            "scalar": 32,  # scalar register `at`, but for a POP right ahead
            "rd": 2,
            "emit": 1,
            "div": 1,
            "bump": 1,
            "last_chunk": index_width(config.row_chunks),
            "base": segment["base"],
            "row_stride": segment["row_stride"],
            "tail": segment["tail"],
            "arg": 32,
        }
    )


def decode(o, code, segment, token):
    """Statements that drive an :func:`instruction`, but for its ``scalar``."""
    skip = token.skip
    arithmetic = (code.op >= Op.ADD) & (code.op <= Op.MAXN)
    uses_a = arithmetic & ~skip
    vector = arithmetic | (code.op == Op.MOV)
    product = (code.op == Op.MUL) & ~skip
    maximum = ((code.op == Op.MAX) | (code.op == Op.MAXN)) & ~skip
    fused = code.count == Count.FUSED
    row = code.span == Span.ROW
    bigger = Mux(code.op == Op.MAX, FpOp.MAX, FpOp.MAXN)
    return [
        o.halt.eq(token.halt),
        o.vector.eq(vector & ~token.halt),
        o.pop.eq((code.op == Op.POP) & ~token.halt),
        o.set.eq(((code.op == Op.SETA) | (code.op == Op.SETR)) & ~token.halt),
        o.set_row.eq(code.op == Op.SETR),
        o.lane.eq(token.lane),
        o.op.eq(Mux(uses_a, Mux(maximum, bigger, FpOp.FMA), FpOp.MOV)),
        o.maximum.eq(maximum),
        o.takes.eq(uses_a & (code.a == SrcA.DATAQ) & ~token.halt),
        o.read_a.eq(uses_a & (code.a != SrcA.DATAQ) & ~token.halt),
        o.a.eq(code.a == SrcA.V1),
        o.b.eq(code.b),
        o.one.eq(code.op == Op.ADD),
        o.read_c.eq(vector & ~token.halt & (code.c != SrcC.ZERO) & ~product),
        o.c.eq(code.c == SrcC.V1),
        o.minus.eq(product),
        o.dst.eq(code.dst),
        o.init.eq(code.init),
        o.clear.eq((code.count == Count.CLEAR) | (fused & token.first)),
        o.count.eq(((code.count == Count.INC) | fused) & ~skip),
        o.indexed.eq(~row),
        o.element.eq(code.span == Span.ELEMENT),
        o.at.eq(code.at),
        o.rd.eq(code.rd),
        o.emit.eq(
            vector
            & ~token.halt
            & ((code.emit == Emit.ALWAYS) | ((code.emit == Emit.LAST) & token.last))
        ),
        o.div.eq(code.div),
        o.bump.eq(code.bump),
        o.last_chunk.eq(Mux(vector & row & ~token.halt, segment.chunks - 1, 0)),
        o.base.eq(segment.base),
        o.row_stride.eq(segment.row_stride),
        o.tail.eq(segment.tail),
        o.arg.eq(token.arg),
    ]
