"""A decoded instruction: what the issue stage holds while it walks the chunks of a row."""

from amaranth.hdl import Array, Const, Mux, Value
from amaranth.lib import data

from .. import isa
from ..config import Config
from ..isa import Count, Emit, Op, Span, SrcA, SrcB, SrcC
from ..layouts import index_width
from .fp.layout import ONE
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
            "compares": 1,  # becomes a copy of `a` if init applies
            "takes": 1,  # one vector of the DataQ per chunk
            "read_a": 1,  # `a` is a vector register
            "a": 1,
            "ones": 1,  # `a` is 1.0
            "b": 3,  # the multiplier, see multiplier()
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
            "arg": 32,  # what multiplier() means by it
        }
    )


_PLUS_ONE, _MINUS_ONE = 6, 7

# What the lanes do for an operation; for all others that use `a` it is FMA.
_LANE_OPS = {
    Op.NEG: FpOp.NEG, Op.SUB: FpOp.FNMA, Op.MAX: FpOp.MAX, Op.MAXN: FpOp.MAXN,
    Op.MIN: FpOp.MIN, Op.MAXIMUM: FpOp.MAXI, Op.MINIMUM: FpOp.MINI,
}  # fmt: skip


def multiplier(b, arg, scalars):
    """The factor that an instruction's ``b`` names: ``arg``, a scalar register, 1.0 or -1.0."""
    factors = {SrcB.ARG: arg, _PLUS_ONE: Const(ONE, 32), _MINUS_ONE: Const(1 << 31 | ONE, 32)}
    factors |= {SrcB.R0 + n: scalar for n, scalar in enumerate(scalars)}
    return Array(factors.get(n, Const(0, 32)) for n in range(8))[b]


def _lane_op(op):
    lane_op = Value.cast(FpOp.FMA)
    for code, here in _LANE_OPS.items():
        lane_op = Mux(op == code, here, lane_op)
    return lane_op


def decode(o, code, segment, token):
    """Statements that drive an :func:`instruction`, but for its ``scalar``."""
    skip = token.skip
    vector = code.op >= Op.MOV
    uses_a = (code.op > Op.MOV) & ~skip
    without_c = code.op.matches(Op.MUL, Op.NEG) & ~skip
    literal = code.b == SrcB.LITERAL
    fused = code.count == Count.FUSED
    row = code.span == Span.ROW
    return [
        o.halt.eq(token.halt),
        o.vector.eq(vector & ~token.halt),
        o.pop.eq((code.op == Op.POP) & ~token.halt),
        o.set.eq(((code.op == Op.SETA) | (code.op == Op.SETR)) & ~token.halt),
        o.set_row.eq(code.op == Op.SETR),
        o.lane.eq(token.lane),
        o.op.eq(Mux(uses_a, _lane_op(code.op), FpOp.MOV)),
        o.compares.eq((code.op >= Op.MAX) & ~skip),
        o.takes.eq(uses_a & (code.a == SrcA.DATAQ) & ~token.halt),
        o.read_a.eq(uses_a & code.a.matches(SrcA.V0, SrcA.V1) & ~token.halt),
        o.a.eq(code.a == SrcA.V1),
        o.ones.eq(code.a == SrcA.ONE),
        o.b.eq(
            Mux(
                code.op == Op.ADD,
                _PLUS_ONE,
                Mux(
                    code.op.matches(Op.SUB, Op.RSUB),
                    _MINUS_ONE,
                    Mux(literal, SrcB.ARG, code.b),
                ),
            )
        ),
        o.read_c.eq(vector & ~token.halt & (code.c != SrcC.ZERO) & ~without_c),
        o.c.eq(code.c == SrcC.V1),
        o.minus.eq(without_c),
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
        o.arg.eq(Mux(literal, segment.literal, token.arg)),
    ]
