"""The access half of the functional model against token lists made by hand."""

import numpy as np
import pytest
from ember.hw.config import Config
from ember.hw.isa import AluOp, ArgSel, Error, Kind, Operand, Sel
from ember.hw.program import Program, Segment
from ember.sim.bag_program import Bags, fused_bag_program
from ember.sim.memory import Memory
from ember.sim.model import ModelError, access

#: Four elements a vector, two fiber lanes, two scalar layers.
CONFIG = Config.preset("tiny")


def make(*segments, config=CONFIG):
    return Program(config.hash, segments, (dict(ret=1),) * 8)


def segment(outer, inner, row=None, **marshal):
    row = dict(base=0x100, dim=1, vector=1) if row is None else row
    layers = dict(step=1) | outer, dict(step=1) | inner
    return Segment(layers, row, marshal, dict(chunks=1, tail=1))


def short(lane):
    """(pc, first, last, skip, vectors) of a lane's tokens."""
    return [(t.pc, t.first, t.last, t.skip, t.vectors) for t in lane.tokens]


def bags(indices, offsets, **keywords):
    memory = Memory(CONFIG)
    table = np.arange(50, dtype=np.float32).reshape(10, 5)
    keywords.setdefault("mode", "sum")
    arrays = Bags(table, np.array(indices, np.int32), np.array(offsets, np.int64), **keywords)
    program, _ = fused_bag_program(CONFIG, memory, arrays)
    return access(program, CONFIG, memory), table


def test_bags_of_two_none_and_one():
    queues, table = bags([5, 1, 7], [0, 2, 2, 3])
    one, two = queues.lanes
    assert one.tokens == [
        # pc, lane, segment, first, last, skip, arg, vectors
        (0, 0, 0, 0, 0, 0, 0, 0),
        (1, 0, 0, 1, 0, 0, 0, 2),
        (1, 0, 0, 0, 1, 0, 0, 2),
        (1, 0, 0, 1, 1, 0, 0, 2),
    ]
    assert two.tokens == [(0, 1, 0, 0, 0, 0, 0, 0), (1, 1, 0, 1, 1, 1, 0, 0)]
    want = np.zeros((6, 4), np.float32)
    for n, row in enumerate((5, 1, 7)):
        want[2 * n], want[2 * n + 1, 0] = table[row, :4], table[row, 4]
    assert one.vectors.view(np.float32).tolist() == want.tolist()
    assert two.vectors.shape == (0, 4)
    assert one.groups == [(1, 0), (1, 2), (1, 2), (1, 2)]
    assert (queues.rows, queues.tokens, queues.vectors) == (3, 6, 6)


@pytest.mark.parametrize(
    "indices, tokens",
    [
        # Skipped entries push a token only where they carry first or last.
        ([3, 4, 5, 6], [(1, 0, 0), (0, 0, 0), (0, 0, 0), (0, 1, 0)]),
        ([9, 4, 5, 6], [(1, 0, 1), (0, 0, 0), (0, 0, 0), (0, 1, 0)]),
        ([3, 4, 5, 9], [(1, 0, 0), (0, 0, 0), (0, 0, 0), (0, 1, 1)]),
        ([3, 9, 9, 6], [(1, 0, 0), (0, 1, 0)]),
        ([9, 9, 9, 9], [(1, 0, 1), (0, 1, 1)]),
        ([9], [(1, 1, 1)]),
    ],
)
def test_padding(indices, tokens):
    queues, _ = bags(indices, [0, len(indices)], padding_idx=9)
    assert [(t.first, t.last, t.skip) for t in queues.lanes[0].tokens[1:]] == tokens
    assert queues.errors == []


def test_weights_ride_in_tokens_also_in_skipped_ones():
    weights = np.array([0.5, 2, 4], np.float32)
    queues, _ = bags([1, 2, 9], [0, 3], weights=weights, padding_idx=9)
    assert [t.arg for t in queues.lanes[0].tokens[1:]] == weights.view(np.uint32).tolist()


def test_index_out_of_range_is_reported_and_skipped():
    queues, _ = bags([1, 10, 2, 11], [0, 3, 4])
    assert queues.errors == [
        (Error.INDEX, 0, 1, 1, 10, 0),
        (Error.INDEX, 0, 1, 3, 11, 1),
    ]
    assert short(queues.lanes[0])[1:] == [(1, 1, 0, 0, 2), (1, 0, 1, 0, 2)]
    assert short(queues.lanes[1])[1:] == [(1, 1, 1, 1, 0)]
    # Either lane may be the first.
    assert queues.possible_first_errors() == {(1, 0, 1, 1, 10), (1, 0, 1, 3, 11)}


def test_offsets_that_fall():
    queues, _ = bags([1, 2, 3], [0, 3, 1, 3])
    assert queues.errors == [(Error.BOUNDS, 0, 1, 3, 1, 1)]
    assert short(queues.lanes[1])[1:] == [(1, 1, 1, 1, 0)]


def test_offset_beyond_the_indices():
    queues, _ = bags([1, 2, 3], [0, 9, 3])
    # 9 is the second value of bag 0 and the first of bag 1.
    assert queues.errors == [(Error.INDEX, 0, 0, 0, 9, 0), (Error.INDEX, 0, 0, 1, 9, 0)]
    assert [len(lane.tokens) for lane in queues.lanes] == [1, 1]


def test_markers_of_both_layers_in_order():
    """Layer 0's markers go to every lane; layer 1's carry their fiber's environment."""
    marks = {
        f"l{n}_{edge}_{key}": value
        for n, edge, pc in ((0, "beg", 1), (0, "end", 2), (1, "beg", 3), (1, "end", 4))
        for key, value in (("token", 1), ("pc", pc), ("op0", Operand.ENV0))
    }
    outer = dict(kind=Kind.DENSE, start=5, stop=8, e0=Sel.ITE, mark_beg=1, mark_end=1)
    inner = dict(kind=Kind.DENSE, stop=2, e0=Sel.IMM, alu_imm=9, mark_beg=1, mark_end=1)
    program = make(segment(outer, inner, **marks, row_beg_token=1, row_beg_pc=5, row_beg_op1=3))
    one, two = access(program, CONFIG, Memory(CONFIG)).lanes
    fiber = [3, 5, 5, 4]
    assert [t.pc for t in one.tokens] == [1, *fiber, *fiber, 2]
    assert [t.pc for t in two.tokens] == [1, *fiber, 2]
    assert one.vectors[:, 0].tolist() == [0, 5, 9, 9, 5, 7, 9, 9, 7, 0]
    assert two.vectors[:, 0].tolist() == [0, 6, 9, 9, 6, 0]
    assert not one.vectors[:, 1:].any()
    assert {t.vectors for t in one.tokens} == {1}


def test_dealing_starts_over_in_every_segment():
    def one(first, count):
        outer = dict(kind=Kind.DENSE, start=first, stop=first + 2 * count, step=2, e0=Sel.ITE)
        inner = dict(kind=Kind.ONCE, e0=Sel.ENV0)
        return segment(outer, inner, row_beg_token=1, row_beg_op0=Operand.ENV0)

    queues = access(make(one(1, 3), one(100, 2)), CONFIG, Memory(CONFIG))
    assert [[t.segment for t in lane.tokens] for lane in queues.lanes] == [[0, 0, 1], [0, 1]]
    assert [lane.vectors[:, 0].tolist() for lane in queues.lanes] == [[1, 5, 100], [3, 102]]


def test_scalar_mode_pushes_every_element():
    memory, row = Memory(CONFIG), np.array([7, 8, 9, 10, 11], np.uint32)
    memory.map(0x204, row)
    outer = dict(kind=Kind.DENSE, start=3, stop=4, e2=Sel.ITE)
    inner = dict(kind=Kind.ONCE, e1=Sel.ENV2, flags=1)
    program = make(
        segment(
            outer, inner, dict(base=0x200, index=0, start=1, dim=5),
            row_ite_token=1, row_ite_pc=3,
            row_ite_op0=Operand.ENV1, row_ite_op1=Operand.ITE, row_ite_op2=Operand.DATA,
            row_end_op0=Operand.ENV1, row_end_token=1, row_end_pc=6,
        )
    )  # fmt: skip
    queues = access(program, CONFIG, memory)
    lane = queues.lanes[0]
    assert short(lane) == [(3, 1, 1, 0, 3)] * 5 + [(6, 1, 1, 0, 1)]
    want = [value for n in range(5) for value in (3, n, 7 + n)] + [3]
    assert lane.vectors[:, 0].tolist() == want
    assert lane.groups == [(6, 16)]
    assert queues.lines["lines_row"] == 2


@pytest.mark.parametrize(
    "tokens, want",
    [
        (["row_beg"], [(0, 4)]),
        (["row_ite"], [(1, 1), (1, 2)]),
        (["row_end"], [(2, 1)]),
        (["row_beg", "row_ite"], [(0, 1), (1, 1), (1, 2)]),
        (["row_beg", "row_end"], [(0, 3), (2, 1)]),
        (["row_beg", "row_ite", "row_end"], [(0, 1), (1, 1), (1, 1), (2, 1)]),
    ],
)
def test_a_token_owns_what_follows_it_in_its_row(tokens, want):
    """Two beats; every event pushes one vector, of which only the tokens' share is owned."""
    marshal = dict(row_beg_op0=Operand.ARG, row_ite_op0=Operand.DATA, row_end_op0=Operand.ARG)
    for event in tokens:
        marshal |= {f"{event}_token": 1, f"{event}_pc": ["beg", "ite", "end"].index(event[4:])}
    program = make(segment({}, {}, dict(base=0x100, dim=8, vector=1), **marshal))
    lane = access(program, CONFIG, Memory(CONFIG)).lanes[0]
    assert [(t.pc, t.vectors) for t in lane.tokens] == want
    assert lane.groups == [(len(want), 4)]


@pytest.mark.parametrize("base, dim, lines", [(0x100, 4, 1), (0x104, 3, 1), (0x104, 4, 2)])
def test_lines_of_a_row(base, dim, lines):
    program = make(segment({}, {}, dict(base=base, dim=dim, vector=1)))
    assert access(program, CONFIG, Memory(CONFIG)).lines["lines_row"] == lines


def test_constant_end_below_its_start_is_an_empty_loop():
    outer = dict(kind=Kind.DENSE, start=3, stop=1, flags=1)
    queues = access(make(segment(outer, {}, row_beg_token=1)), CONFIG, Memory(CONFIG))
    assert queues.errors == []
    assert short(queues.lanes[0]) == [(0, 1, 1, 1, 0)]


def test_vectors_number_their_first_element():
    memory = Memory(CONFIG)
    memory.map(0x100, np.arange(9, dtype=np.uint32))
    program = make(
        segment(
            dict(kind=Kind.ONCE), dict(kind=Kind.ONCE), dict(base=0x100, dim=9, vector=1),
            row_beg_token=1, row_beg_op0=Operand.ARG,
            row_ite_op1=Operand.ITE, row_ite_op2=Operand.DATA,
        )
    )  # fmt: skip
    lane = access(program, CONFIG, memory).lanes[0]
    assert lane.vectors.tolist() == [
        [0] * 4, [0] * 4, [0, 1, 2, 3], [4, 0, 0, 0], [4, 5, 6, 7], [8, 0, 0, 0], [8, 0, 0, 0],
    ]  # fmt: skip
    assert short(lane) == [(0, 0, 0, 0, 7)]


def test_flags_are_those_of_the_layers_that_set_them():
    """Layer 0 sets flags; the two iterations below share its first and its last."""
    outer = dict(kind=Kind.DENSE, stop=2, flags=1)
    inner = dict(kind=Kind.DENSE, stop=2)
    program = make(segment(outer, inner, row_beg_token=1))
    one, two = access(program, CONFIG, Memory(CONFIG)).lanes
    assert short(one) == [(0, 1, 0, 0, 0), (0, 0, 0, 0, 0)]
    assert short(two) == [(0, 0, 0, 0, 0), (0, 0, 1, 0, 0)]


def test_empty_loop_hands_on_its_fibers_flags():
    outer = dict(kind=Kind.DENSE, stop=3, flags=1)
    inner = dict(kind=Kind.DENSE, start=4, stop=4)
    program = make(segment(outer, inner, row_beg_token=1))
    one, two = access(program, CONFIG, Memory(CONFIG)).lanes
    # The middle one is neither first nor last: nothing of it is left.
    assert short(one) == [(0, 1, 0, 1, 0), (0, 0, 1, 1, 0)]
    assert short(two) == []


def test_empty_outer_loop():
    outer = dict(kind=Kind.DENSE, stop=0, flags=1, mark_beg=1, mark_end=1)
    program = make(
        segment(outer, {}, l0_beg_token=1, l0_beg_pc=1, l0_end_token=1, l0_end_pc=2,
                row_beg_token=1, row_beg_pc=3)
    )  # fmt: skip
    one, two = access(program, CONFIG, Memory(CONFIG)).lanes
    assert short(one) == [(1, 0, 0, 0, 0), (3, 1, 1, 1, 0), (2, 0, 0, 0, 0)]
    assert short(two) == [(1, 0, 0, 0, 0), (2, 0, 0, 0, 0)]


@pytest.mark.parametrize(
    "op, imm, b, want",
    [
        (AluOp.ADD, 7, Sel.IMM, 12),
        (AluOp.SUB, 7, Sel.IMM, 2**32 - 2),
        (AluOp.MUL, 7, Sel.ZERO, 35),
        (AluOp.SHL, 7, Sel.ZERO, 640),
        (AluOp.SHL, 31, Sel.ZERO, 1 << 31),
        (AluOp.SHL, 32, Sel.ZERO, 0),
        (AluOp.SHL, 65, Sel.ZERO, 10),
        (AluOp.MUL, 0xFFFFFFFF, Sel.ZERO, 2**32 - 5),
    ],
)
def test_integer_unit(op, imm, b, want):
    outer = dict(kind=Kind.DENSE, start=5, stop=6, alu_op=op, alu_a=Sel.ITE, alu_b=b,
                 alu_imm=imm, e0=Sel.ALU)  # fmt: skip
    program = make(segment(outer, dict(e0=Sel.ENV0), row_beg_token=1, row_beg_op0=Operand.ENV0))
    assert access(program, CONFIG, Memory(CONFIG)).lanes[0].vectors[0, 0] == want


def test_pair_and_index_loop():
    """Neighbouring elements, and a loop of three from a loaded start, every second one."""
    memory = Memory(CONFIG)
    memory.map(0x200, np.array([10, 20, 30], np.uint32))
    outer = dict(
        kind=Kind.DENSE, stop=2, m0_en=1, m0_base=0x200, m0_at=Sel.ITE, m0_pair=1,
        e0=Sel.MEM0, e1=Sel.NEXT, alu_op=AluOp.SUB, alu_a=Sel.NEXT, alu_b=Sel.MEM0, e2=Sel.ALU,
    )  # fmt: skip
    inner = dict(kind=Kind.INDEX, start_sel=0, stop=5, step=2, e0=Sel.ITE, e1=Sel.ENV1,
                 e2=Sel.ENV2)  # fmt: skip
    program = make(
        segment(outer, inner, row_beg_token=1, row_beg_op0=Operand.ENV0,
                row_beg_op1=Operand.ENV1, row_end_op0=Operand.ENV2)
    )  # fmt: skip
    one, two = access(program, CONFIG, memory).lanes
    assert one.vectors[:, 0].tolist() == [10, 20, 10, 12, 20, 10, 14, 20, 10]
    assert two.vectors[:, 0].tolist() == [20, 30, 10, 22, 30, 10, 24, 30, 10]


def wide(config, values, **fields):
    """Two streams of 8-byte elements, the first with a check at 6; env0 is pushed."""
    memory = Memory(config)
    base = memory.place(np.array(values, np.uint64))
    layer = dict(
        step=1, kind=Kind.DENSE, stop=len(values), flags=1,
        m0_en=1, m0_base=base, m0_at=Sel.ITE, m0_size=1, e0=Sel.MEM0, arg=ArgSel.MEM0,
    ) | fields  # fmt: skip
    marshal = dict(row_beg_token=1, row_beg_op0=Operand.ENV0)
    layers = (layer, *[dict(step=1, e0=Sel.ENV0)] * (config.scalar_layers - 1))
    row = dict(base=0x100, dim=1, vector=1)
    program = make(Segment(layers, row, marshal, dict(chunks=1, tail=1)), config=config)
    return access(program, config, memory)


def test_wide_elements_are_checked_whole():
    config = CONFIG.replace(fiber_lanes=1)
    values = [5, 5 + (1 << 32), 7]
    queues = wide(config, values, m0_check=1, m0_limit=6)
    assert queues.errors == [
        (Error.INDEX, 0, 0, 1, 5 + (1 << 32), 0), (Error.INDEX, 0, 0, 2, 7, 0),
    ]  # fmt: skip
    assert [t.skip for t in queues.lanes[0].tokens] == [0, 1]
    # Without the check the low half passes, and the skip value still compares the whole.
    queues = wide(config, values, m0_skip_en=1, m0_skip=5)
    assert [(t.skip, t.arg) for t in queues.lanes[0].tokens] == [(1, 5), (0, 5), (0, 7)]
    assert queues.lanes[0].vectors[:, 0].tolist() == [5, 7]


def test_one_lane_reads_the_low_half_only():
    config = CONFIG.replace(lanes=1, fiber_lanes=1, layers=2)
    queues = wide(config, [5, 5 + (1 << 32), 7], m0_check=1, m0_limit=6)
    assert queues.errors == [(Error.INDEX, 0, 0, 2, 7, 0)]
    assert queues.lines["lines_l0m0"] == 3


def test_failed_checks_in_order():
    """Stream 0, then its pair's second value, then stream 1; a response's error before all."""
    memory = Memory(CONFIG)
    memory.map(0x200, np.array([10, 20, 1], np.uint32))
    memory.map(0x300, np.array([30, 3], np.uint32))
    outer = dict(
        kind=Kind.DENSE, stop=2, m0_en=1, m0_base=0x200, m0_at=Sel.ITE, m0_pair=1,
        m0_check=1, m0_limit=5, m1_en=1, m1_base=0x300, m1_at=Sel.ITE, m1_check=1, m1_limit=5,
    )  # fmt: skip
    program = make(segment(outer, {}, row_beg_token=1))
    queues = access(program, CONFIG, memory, bad_lines=frozenset({0x30}))
    assert queues.errors == [
        (Error.READ, 0, 0, 0, 0, 0), (Error.INDEX, 0, 0, 0, 10, 0), (Error.INDEX, 0, 0, 0, 20, 0),
        (Error.INDEX, 0, 0, 0, 30, 0), (Error.READ, 0, 0, 1, 0, 0), (Error.INDEX, 0, 0, 1, 20, 0),
    ]  # fmt: skip
    assert queues.possible_first_errors() == {(Error.READ, 0, 0, 0, 0)}
    assert queues.rows == 0


def test_row_with_a_bad_line_is_delivered():
    memory = Memory(CONFIG)
    memory.map(0x100, np.arange(8, dtype=np.uint32))
    row = dict(base=0x104, dim=5, vector=1)
    marshal = dict(row_beg_token=1, row_ite_op0=Operand.DATA)
    program = make(segment({}, {}, row, **marshal))
    queues = access(program, CONFIG, memory, bad_lines=frozenset({0x11}))
    assert queues.errors == [(Error.READ, 0, 2, 0, 0, 0)]
    assert queues.lanes[0].vectors.tolist() == [[1, 2, 3, 4], [5, 0, 0, 0]]
    assert access(program, CONFIG, memory, bad_lines=frozenset({0x12})).errors == []


def test_lines_are_counted_once_for_neighbours():
    memory = Memory(CONFIG)
    base = memory.place(np.arange(40, dtype=np.uint32), offset=8)
    outer = dict(kind=Kind.DENSE, stop=20, m0_en=1, m0_base=base, m0_at=Sel.ITE,
                 m1_en=1, m1_base=base, m1_at=Sel.ENV0)  # fmt: skip
    inner = dict(kind=Kind.DENSE, stop=3, m0_en=1, m0_base=base, m0_at=Sel.ITE, m0_size=1)
    row = dict(base=0x10C, dim=6, vector=1)
    queues = access(make(segment(outer, inner, row)), CONFIG, memory)
    assert queues.lines == dict(
        lines_l0m0=6, lines_l0m1=1, lines_l1m0=2, lines_l1m1=0, lines_row=60 * 3
    )


def test_row_far_beyond_four_gigabytes():
    """Row 2**15 of 2**16 columns: the element number has 31 bits, the address 33."""
    config = Config(fiber_lanes=1)
    memory = Memory(config)
    table = np.zeros(((1 << 15) + 1, 1 << 16), np.float32)
    table[1 << 15, :16] = np.arange(16)
    base = memory.place(table)
    at = memory.place(np.array([1 << 15], np.int64))
    outer = dict(kind=Kind.ONCE, m0_en=1, m0_base=at, m0_size=1, m0_at=Sel.ITE,
                 m0_check=1, m0_limit=len(table), alu_op=AluOp.MUL, alu_a=Sel.MEM0,
                 alu_imm=1 << 16, e0=Sel.ALU)  # fmt: skip
    row = dict(base=base, index=1, dim=16, vector=1)
    marshal = dict(row_beg_token=1, row_ite_op0=Operand.DATA)
    program = make(segment(outer, dict(e0=Sel.ENV0), row, **marshal), config=config)
    lane = access(program, config, memory).lanes[0]
    assert lane.vectors.view(np.float32).reshape(-1).tolist() == list(range(16))


@pytest.mark.parametrize("stop", [10_000, 2**32 - 1])
def test_runaway_loop_ends_with_a_message(stop):
    program = make(segment(dict(kind=Kind.DENSE, stop=stop), {}))
    with pytest.raises(ModelError) as error:
        access(program, CONFIG, Memory(CONFIG), max_items=5000)
    assert str(error.value) == "program must send at most 5000 items (max_items)"


def test_no_loop_is_too_long_to_be_refused():
    config = CONFIG.replace(addr_width=64)
    program = make(segment(dict(kind=Kind.DENSE, stop=2**64 - 1), {}), config=config)
    with pytest.raises(ModelError):
        access(program, config, Memory(config))
