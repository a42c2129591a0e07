"""The execute half of the functional model: callbacks on queues made by hand."""

import numpy as np
import pytest
from ember.hw.config import Config
from ember.hw.isa import Count, Emit, Error, Op, Span, SrcA, SrcB, SrcC
from ember.hw.program import Program, Segment
from ember.sim.memory import Memory
from ember.sim.model import LaneQueue, LaneQueues, ModelError, Report, Token, execute

#: Two elements a vector; rows of three elements in two vectors, stored 16 bytes apart.
CONFIG = Config.preset("tiny").replace(lanes=2, fiber_lanes=2)
BASE = 0x104
INIT = dict(op=Op.MOV, dst=0)
SETA = dict(op=Op.SETA)
EMIT = dict(op=Op.MOV, c=SrcC.V0, emit=Emit.ALWAYS, bump=1)


def token(vectors=0, pc=0, lane=0, first=0, last=0, skip=0, arg=0):
    return Token(pc, lane, 0, first, last, skip, arg, vectors)


def floats(*rows):
    return np.array(rows, np.float32).view(np.uint32).reshape(-1, CONFIG.lanes)


def run(code, *lanes, **segment):
    """Run (tokens, vectors) of each lane; returns the output rows and the result."""
    memory, out = Memory(CONFIG), np.full((8, 4), 99, np.float32)
    memory.map(BASE, out, writable=True)
    fields = dict(base=BASE, row_stride=16, chunks=2, tail=1) | segment
    layers = ({"step": 1},) * CONFIG.scalar_layers
    program = Program(CONFIG.hash, (Segment(layers, dict(dim=3), {}, fields),), tuple(code))
    empty = np.zeros((0, CONFIG.lanes), np.uint32)
    queues = [LaneQueue(tokens, floats(*rows) if rows else empty, []) for tokens, rows in lanes]
    result = execute(program, CONFIG, LaneQueues(queues), memory)
    return out, result


def callback(*instructions):
    return [*instructions[:-1], instructions[-1] | dict(ret=1)]


ROW = [[1, 2], [3, 0]]


def test_sum_of_two_rows_is_stored_with_its_tail_only():
    add = dict(op=Op.ADD, c=SrcC.V0, init=1, count=Count.FUSED, emit=Emit.LAST, bump=1)
    code = callback(SETA) + callback(add)
    tokens = [token(), token(2, 1, first=1), token(2, 1, last=1), token(2, 1, first=1, last=1)]
    out, result = run(code, (tokens, [*ROW, [10, 20], [30, 5], *ROW]))
    assert out[0].tolist() == [11, 22, 33, 99]
    assert out[1].tolist() == [99] * 4
    # The next row of lane 0 is two further on.
    assert out[2].tolist() == [1, 2, 3, 99]
    assert (result.popped, result.stores) == (6, 2)
    assert result.lines_out == 2 * 2


def test_what_a_fault_left_out_may_be_read():
    """The row that a callback goes on with: docs/machine.md, section 7."""
    queues = LaneQueues([LaneQueue([token()], np.zeros((0, CONFIG.lanes), np.uint32), [])])
    memory, out = Memory(CONFIG), np.full((8, 4), 99, np.float32)
    memory.map(BASE, out, writable=True)
    fields = dict(base=BASE, row_stride=16, chunks=2, tail=1)
    layers = ({"step": 1},) * CONFIG.scalar_layers
    segment = Segment(layers, dict(dim=3), {}, fields)
    program = Program(CONFIG.hash, (segment,), tuple(callback(SETA, EMIT)))
    with pytest.raises(ModelError, match="must not read register V0 before it is written"):
        execute(program, CONFIG, queues, memory)
    queues.errors.append(Report(Error.INDEX, 0, 0, 5, 9, 0))
    assert execute(program, CONFIG, queues, memory).stores == 1
    assert out[0, 3] == 99 and (out[1:] == 99).all()


def test_lanes_have_their_own_state():
    add = dict(op=Op.ADD, c=SrcC.V0, init=1, count=Count.INC)
    code = callback(SETA) + callback(add) + callback(EMIT)
    one = [token(pc=0), token(2, 1), token(2, 1), token(pc=2)], [*ROW, *ROW]
    two = [token(pc=0, lane=1), token(2, 1, lane=1), token(pc=2, lane=1)], ROW
    out, _ = run(code, one, two)
    assert out[0, :3].tolist() == [2, 4, 6]
    assert out[1, :3].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    "count, befores, divisor",
    [
        (Count.KEEP, [True, True, True], None),
        (Count.CLEAR, [True, True, True], None),
        (Count.INC, [True, False, False], 2),
        (Count.FUSED, [True, False, True], 1),
    ],
)
def test_counter(count, befores, divisor):
    """init sees the counter before, the division the counter after the instruction."""
    add = dict(op=Op.ADD, c=SrcC.V0, init=1, count=count, emit=Emit.ALWAYS, bump=1, div=1)
    code = callback(INIT, SETA) + callback(add)
    # The second token is skipped: it does not count, and its row is that of the first.
    tokens = [token(), token(2, 2, first=1), token(0, 2, skip=1), token(2, 2, first=1)]
    out, _ = run(code, (tokens, [*ROW, *ROW]))
    first = 1 / 1 if divisor else 1
    assert out[0, 0] == first
    assert out[2, 0] == (0 if befores[1] else 1)
    total = 1 if befores[2] else 2
    assert out[4, 0] == (total / divisor if divisor else total)


def test_skip_keeps_or_initializes_and_pops_nothing():
    load = dict(op=Op.ADD, c=SrcC.ZERO)
    skipped = dict(op=Op.FMA, c=SrcC.V0, dst=1, init=1, count=Count.INC)
    show = dict(op=Op.MOV, c=SrcC.V1, emit=Emit.ALWAYS)
    code = callback(SETA, load) + callback(skipped) + callback(show)
    tokens = [token(2), token(0, 2, skip=1), token(0, 3)]
    assert run(code, (tokens, ROW))[0][0, :3].tolist() == [0, 0, 0]
    code[1] = code[1] | dict(count=Count.INC)
    assert run(code, (tokens, ROW))[0][0, :3].tolist() == [1, 2, 3]


def test_emit_last_and_never():
    show = dict(op=Op.ADD, c=SrcC.ZERO, emit=Emit.LAST, bump=1)
    code = callback(SETA, show)
    out, result = run(code, ([token(2), token(2, last=1)], [*ROW, *ROW]))
    assert (result.stores, out[0, 0]) == (1, 1)


def test_operations_and_multipliers():
    arg = int(np.float32(3).view(np.uint32))
    code = callback(
        SETA,
        dict(op=Op.POP, rd=2),
        dict(op=Op.MUL, b=SrcB.ARG, emit=Emit.ALWAYS, bump=1),
        dict(op=Op.FMA, b=SrcB.R2, c=SrcC.V0, dst=1, emit=Emit.ALWAYS, bump=1),
        dict(op=Op.MAX, a=SrcA.V0, c=SrcC.V1, emit=Emit.ALWAYS, bump=1),
    )
    out, _ = run(code, ([token(5, arg=arg)], [[2, 0], *ROW, [1, -5], [1, 1]]))
    assert out[0, :3].tolist() == [3, 6, 9]
    assert out[2, :3].tolist() == [5, -4, 11]
    assert out[4, :3].tolist() == [5, 6, 11]


def test_differences_and_negation():
    """Of zeros, too: 0.0 - 0.0 is +0.0, and a negation flips the sign."""
    emit = dict(emit=Emit.ALWAYS, bump=1)
    code = callback(
        SETA, dict(op=Op.MAX, init=1),
        dict(op=Op.SUB, a=SrcA.DATAQ, c=SrcC.V0, dst=1, **emit),
        dict(op=Op.RSUB, a=SrcA.DATAQ, c=SrcC.V0, dst=1, **emit),
        dict(op=Op.NEG, a=SrcA.V0, dst=1, **emit),
    )  # fmt: skip
    odd = np.array([0xFFC01234], np.uint32).view(np.float32)[0]
    start, row = [[5, 0], [odd, 0]], [[3, 0], [2, 0]]
    out, _ = run(code, ([token(6)], [*start, *row, *row]))
    assert [hex(n) for n in out.view(np.uint32)[0, :3]] == ["0xc0000000", "0x0", "0x7fc00000"]
    assert [hex(n) for n in out.view(np.uint32)[2, :3]] == ["0x40000000", "0x0", "0x7fc00000"]
    assert [hex(n) for n in out.view(np.uint32)[4, :3]] == [
        "0xc0a00000", "0x80000000", "0x7fc01234",
    ]  # fmt: skip


def test_literal_as_factor_and_as_addend():
    half = int(np.float32(0.5).view(np.uint32))
    code = callback(
        SETA,
        dict(op=Op.MUL, b=SrcB.LITERAL, emit=Emit.ALWAYS, bump=1),
        dict(op=Op.FMA, a=SrcA.ONE, b=SrcB.LITERAL, c=SrcC.V0, emit=Emit.ALWAYS, bump=1),
        dict(op=Op.MUL, a=SrcA.ONE, b=SrcB.LITERAL, emit=Emit.ALWAYS, bump=1),
    )
    out, result = run(code, ([token(2)], ROW), literal=half)
    assert out[0, :3].tolist() == [0.5, 1, 1.5]
    assert out[2, :3].tolist() == [1, 1.5, 2]
    assert out[4, :3].tolist() == [0.5, 0.5, 0.5]
    assert result.popped == 2


def test_minimum_copies_the_first_entry_and_orders_nan():
    nan = np.float32(np.nan)
    for op, want in ((Op.MIN, [1, 1, 1]), (Op.MINIMUM, [np.nan, 1, 1])):
        code = callback(
            INIT, SETA, dict(op=op, c=SrcC.V0, init=1, count=Count.INC),
            dict(op=op, c=SrcC.V0, init=1, count=Count.INC, emit=Emit.ALWAYS),
        )  # fmt: skip
        out, _ = run(code, ([token(4)], [[1, 2], [1, 0], [nan, 1], [3, 0]]))
        assert np.array_equal(out[0, :3], np.array(want, np.float32), equal_nan=True)


def test_max_copies_the_first_entry_and_orders_nan():
    nan, one = np.float32(np.nan), [1, 1]
    for op, want in ((Op.MAX, [np.nan, 1, 1]), (Op.MAXN, [np.nan, np.nan, 1])):
        code = callback(
            INIT, SETA, dict(op=op, c=SrcC.V0, init=1, count=Count.INC),
            dict(op=op, c=SrcC.V0, init=1, count=Count.INC, emit=Emit.ALWAYS),
        )  # fmt: skip
        out, _ = run(code, ([token(4)], [[nan, 1], [-0.0, 0], [1, nan], one]))
        assert np.array_equal(out[0, :3], np.array(want, np.float32), equal_nan=True)


def test_clear_forgets_the_count():
    """The row with CLEAR starts afresh, and is divided by nothing."""
    add = dict(op=Op.ADD, c=SrcC.V0, init=1, emit=Emit.ALWAYS, bump=1, div=1)
    code = callback(SETA, add | dict(count=Count.INC)) + callback(add | dict(count=Count.CLEAR))
    out, _ = run(code, ([token(2), token(2, 2), token(2, 2)], [*ROW, *ROW, *ROW]))
    assert out[::2, 0].tolist() == [1, 1, 1, 99]


def test_any_element_selects_its_chunk():
    one = np.array([1], np.uint32).view(np.float32)[0]
    chunk = dict(op=Op.ADD, c=SrcC.V0, span=Span.CHUNK, at=0)
    code = callback(INIT, SETA, dict(op=Op.POP), chunk, EMIT)
    out, _ = run(code, ([token(2)], [[one, 7], [5, 6]]))
    assert out[0].tolist() == [5, 6, 0, 99]


def test_spans():
    """A vector into the chunk of element 2, then single elements from element 0 of a vector."""
    two = np.array([2], np.uint32).view(np.float32)[0]
    zero = np.float32(0)
    code = callback(
        INIT, SETA, dict(op=Op.POP, rd=1), dict(op=Op.POP, rd=3),
        dict(op=Op.ADD, c=SrcC.V0, span=Span.CHUNK, at=1),
        dict(op=Op.ADD, c=SrcC.V0, span=Span.ELEMENT, at=3),
        dict(op=Op.ADD, a=SrcA.V0, c=SrcC.V0, span=Span.ELEMENT, at=1),
        EMIT,
    )  # fmt: skip
    out, _ = run(code, ([token(4)], [[two, 7], [zero, 8], [5, 6], [9, 10]]))
    assert out[0].tolist() == [9, 0, 10, 99]


def test_row_selected_by_a_scalar():
    three = np.array([3], np.uint32).view(np.float32)[0]
    code = callback(INIT, dict(op=Op.POP, rd=1), dict(op=Op.SETR, at=1), EMIT)
    out, _ = run(code, ([token(1)], [[three, 0]]))
    assert out[3].tolist() == [0, 0, 0, 99]
    assert np.count_nonzero(out == 99) == 29


def test_nan_is_canonical_but_copied_bits_are_not():
    odd = np.array([0xFFC01234], np.uint32).view(np.float32)[0]
    code = callback(
        SETA, dict(op=Op.ADD, emit=Emit.ALWAYS, bump=1),
        dict(op=Op.MAX, init=1, emit=Emit.ALWAYS, bump=1),
    )  # fmt: skip
    out, _ = run(code, ([token(4)], [[odd, 1], [1, 0], [odd, 1], [1, 0]]))
    assert [hex(out.view(np.uint32)[n, 0]) for n in (0, 2)] == ["0x7fc00000", "0xffc01234"]


@pytest.mark.parametrize(
    "code, tokens, rows, text",
    [
        (callback(dict(op=Op.POP)), [token(2)], ROW,
         "token 0 of lane 0 (pc 0) must pop the 2 vectors that were pushed for it, not 1"),
        (callback(dict(op=Op.ADD)), [token(1)], ROW[:1],
         "token 0 of lane 0 (pc 0) must pop at most the 1 vectors left, not 2"),
        (callback(dict(op=Op.NOP)), [token(0)], ROW,
         "tokens must pop all 2 vectors of their lane, not 0"),
        (callback(dict(op=Op.MOV, c=SrcC.V1)), [token(0)], [],
         "token 0 of lane 0 (pc 0) must not read register V1 before it is written"),
        (callback(dict(op=Op.SETR, at=3)), [token(0)], [],
         "token 0 of lane 0 (pc 0) must pop r3 before using it"),
        (callback(dict(op=Op.MUL, b=SrcB.R0)), [token(2)], ROW,
         "token 0 of lane 0 (pc 0) must pop r0 before using it"),
        (callback(dict(op=Op.POP), dict(op=Op.MOV, span=Span.CHUNK)), [token(1)], [[3e-45, 4]],
         None),
        (callback(dict(op=Op.POP), dict(op=Op.MOV, span=Span.CHUNK)), [token(1)], [[5e-45, 4]],
         "token 0 of lane 0 (pc 0) must select element 0..2, not 4"),
        (callback(INIT, EMIT), [token(0)], [],
         "store of 12 bytes at 0x0 must lie in a writable array"),
        ([dict(op=Op.NOP)], [token(0)], [],
         "token 0 of lane 0 (pc 0) must return before the end of the code"),
    ],
)  # fmt: skip
def test_illegal(code, tokens, rows, text):
    if text is None:
        run(code, (tokens, rows))
        return
    with pytest.raises(ModelError) as error:
        run(code, (tokens, rows))
    assert str(error.value) == text
