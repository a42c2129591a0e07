"""The generator of random programs: legal, bounded, repeatable, and it visits everything."""

from collections import Counter

import numpy as np
import pytest
from ember.hw import isa
from ember.hw.config import Config
from ember.hw.isa import Op, SrcA
from ember.sim.compare import MAX_CYCLES
from ember.sim.model import ModelError, access, execute
from ember.sim.random_code import Code
from ember.sim.random_program import UNTOUCHED, random_program
from ember.sim.random_wish import Wish

PROGRAMS = 1000
ROWS = 20


def configurations():
    """Every preset, and each of them with one parameter at an end of its range."""
    for preset in ("tiny", "default", "paper"):
        base = Config.preset(preset)
        yield base
        for change in (
            dict(lanes=1), dict(layers=2), dict(layers=4, fiber_lanes=1), dict(code_depth=16),
            dict(addr_width=64), dict(addr_width=32, segments=1), dict(row_chunks=1),
        ):  # fmt: skip
            yield base.replace(**change)


CONFIGS = list(configurations())


def visit(seen, program, queues, config):
    """Note the features of a program that a run has used."""
    for number, segment in enumerate(program.segments):
        for layer, fields in enumerate(segment.layers):
            seen[f"layer {layer} kind {fields['kind']}"] += 1
            seen[f"layer {layer} flags"] += fields.get("flags", 0)
            seen[f"layer {layer} mark_beg"] += fields.get("mark_beg", 0)
            seen[f"layer {layer} mark_end"] += fields.get("mark_end", 0)
            seen[f"alu {fields.get('alu_op', 0)}"] += isa.Sel.ALU in (
                fields.get("e0"), fields.get("e1"), fields.get("e2"),
            )  # fmt: skip
            for name in ("m0_pair", "m0_check", "m0_skip_en", "m0_size", "m1_check", "m1_size"):
                seen[name] += fields.get(name, 0)
        seen[f"row index {segment.row.get('index', 0)}"] += 1
        seen[f"row vector {segment.row['vector']}"] += 1
        seen["row unaligned"] += segment.row["base"] % config.line_bytes != 0
        seen["several segments"] += number > 0
        for event in ("row_beg", "row_ite", "row_end", "l0_beg", "l0_end"):
            seen[f"{event} token"] += segment.marshal.get(f"{event}_token", 0)
    used = {token.pc for lane in queues.lanes for token in lane.tokens}
    for start in used:
        for pc in range(start, len(program.code)):
            fields = program.code[pc]
            seen[f"op {fields['op']}"] += 1
            seen[f"span {fields.get('span', 0)}"] += 1
            seen[f"emit {fields.get('emit', 0)} div {fields.get('div', 0)}"] += 1
            seen[f"count {fields.get('count', 0)}"] += 1
            seen[f"b {fields.get('b', 0)}"] += 1
            seen["bump"] += fields.get("bump", 0)
            if fields.get("ret", 0):
                seen[f"{min(pc - start + 1, 4)} instructions"] += 1
                break
    for report in queues.errors:
        seen[f"error {isa.Error(report.kind).name}"] += 1
    for lane in queues.lanes:
        for token in lane.tokens:
            seen[f"first {token.first} last {token.last} skip {token.skip}"] += 1


def test_programs_are_legal_bounded_and_visit_everything():
    seen = Counter({name: 0 for name in EXPECTED})
    for seed in range(PROGRAMS):
        config = CONFIGS[seed % len(CONFIGS)]
        try:
            made = random_program(config, seed, ROWS)
            # execute() holds each callback to popping exactly its token's vectors.
            result = execute(made.program, config, made.queues, made.memory)
        except (ModelError, ValueError) as error:
            pytest.fail(f"seed {seed}, {config}: {error}")
        assert made.queues.rows <= 20 * ROWS, f"seed {seed}"
        assert made.queues.vectors <= 20_000, f"seed {seed}"
        assert result.popped == made.queues.vectors
        seen["stores"] += result.stores
        visit(seen, made.program, made.queues, config)
    missing = [name for name, count in seen.items() if count == 0]
    assert missing == [], f"never seen in {PROGRAMS} programs"


def test_programs_of_long_rows_end_in_time():
    """Each beat's token may walk the row: the work grows with the square of its length."""
    config = Config.preset("tiny").replace(lanes=1, row_chunks=256)
    for seed in range(60):
        made = random_program(config, seed)
        assert _steps(made, config) <= MAX_CYCLES // 2, f"seed {seed}"


def _steps(made, config) -> int:
    """Steps of the execute pipeline that the tokens of a program ask for, at most."""
    steps = 0
    for lane in made.queues.lanes:
        for token in lane.tokens:
            for fields in made.program.code[token.pc :]:
                whole = fields.get("span", 0) == isa.Span.ROW
                steps += made.program.segments[token.segment].execute["chunks"] if whole else 1
                if fields.get("ret", 0):
                    break
    return steps


#: Features that must have occurred; the others are noted as they come.
EXPECTED = [
    *(f"layer {layer} kind {kind.value}" for layer in range(3) for kind in isa.Kind),
    *(f"alu {op.value}" for op in isa.AluOp),
    *(f"op {op.value}" for op in Op),
    *(f"span {span.value}" for span in isa.Span),
    *(f"emit {emit} div {div}" for emit in (1, 2) for div in (0, 1)),
    *(f"count {count.value}" for count in isa.Count),
    *(f"b {b.value}" for b in isa.SrcB),
    *(f"first {f} last {n} skip {s}" for f in (0, 1) for n in (0, 1) for s in (0, 1) if f or n),
    "error INDEX", "error BOUNDS", "stores", "1 instructions", "2 instructions",
]  # fmt: skip


def test_same_seed_same_program():
    config = Config.preset("tiny")
    for seed in range(20):
        one, two = random_program(config, seed), random_program(config, seed)
        assert one.program == two.program
        assert [s[:2] for s in one.memory.segments()] == [s[:2] for s in two.memory.segments()]
        for (_, _, a, _), (_, _, b, _) in zip(
            one.memory.segments(), two.memory.segments(), strict=True
        ):
            assert np.array_equal(a, b)


def test_stores_of_different_lanes_never_meet():
    """Running the lanes in another order must leave the same memory."""
    config = Config.preset("default")
    for seed in range(60):
        one, two = random_program(config, seed), random_program(config, seed)
        execute(one.program, config, one.queues, one.memory)
        two.queues.lanes.reverse()
        execute(two.program, config, two.queues, two.memory)
        for a, b in zip(one.outputs, two.outputs, strict=True):
            assert np.array_equal(a, b), f"seed {seed}"


def test_loads_stay_inside_their_arrays():
    """What the machine reads must not depend on what lies outside the arrays."""
    config = Config.preset("default")
    for seed in range(60):
        made = random_program(config, seed)
        load, outside = made.memory.load, []
        segments = made.memory.segments()

        def watched(address, size, load=load, outside=outside, segments=segments):
            if not any(base <= address and address + size <= base + n for base, n, *_ in segments):
                outside.append((address, size))
            return load(address, size)

        made.memory.load = watched
        access(made.program, config, made.memory)
        assert outside == [], f"seed {seed}"


def test_read_errors_keep_programs_legal():
    """A failed load skips its iteration: no callback may rely on vectors that do not come."""
    config = Config.preset("tiny")
    hit = 0
    for seed in range(100):
        made = random_program(config, seed, ROWS)
        rng = np.random.default_rng(seed)
        lines = [
            line
            for base, size, _, writable in made.memory.segments()
            for line in range(base // config.line_bytes, (base + size) // config.line_bytes + 1)
            if not writable and rng.random() < 0.02
        ]
        queues = access(made.program, config, made.memory, bad_lines=frozenset(lines))
        hit += any(report.kind == isa.Error.READ for report in queues.errors)
        execute(made.program, config, queues, made.memory)
    assert hit > 20


def test_rows_that_fill_the_dataq_to_the_brim():
    """What a marker pushes after them waits: so most programs with that wish have such rows."""
    config = Config.preset("tiny").replace(dataq_depth=37, row_chunks=64)
    full = 0
    for seed in range(40):
        wish = Wish(event="l1_end", push="any", fill="vector")
        program = random_program(config, seed, wish=wish).program
        marshal = program.segments[0].marshal
        beats = -(-program.segments[0].row["dim"] // config.lanes)
        operands = sum(marshal.get(f"row_ite_op{n}", 0) != 0 for n in range(3))
        left = config.dataq_depth % (beats * operands) if operands else config.dataq_depth
        pushed = sum(marshal.get(f"l1_end_op{n}", 0) != 0 for n in range(isa.MARKER_OPERANDS))
        full += left < pushed
    assert full > 20


def test_segments_come_again_where_the_callback_memory_is_used_up():
    """With the same code, rows and loops, and other arrays for the loops to load."""
    config = Config.preset("tiny").replace(code_depth=16)
    again = 0
    for seed in range(40):
        made = random_program(config, seed, wish=Wish(event="l0_end", push="any", fill="vector"))
        segments = made.program.segments
        assert len(segments) >= 2, f"seed {seed}"
        bases = {"m0_base", "m1_base"}
        for one, two in zip(segments, segments[1:], strict=False):
            if (one.marshal, one.row) != (two.marshal, two.row):
                continue
            for mine, its in zip(one.layers, two.layers, strict=True):
                assert mine.keys() == its.keys()
                assert {n for n in mine if mine[n] != its[n]} == bases & mine.keys()
                again += 1
        execute(made.program, config, made.queues, made.memory)
    assert again > 20


def test_callbacks_leave_room_for_those_that_follow():
    """In a small callback memory too, the event that is wished for and the rows have theirs."""
    config = Config.preset("tiny").replace(code_depth=16)
    both = 0
    for seed in range(40):
        wish = Wish(event="l1_end", push="token", fill="token")
        marshal = random_program(config, seed, wish=wish).program.segments[0].marshal
        rows = any(marshal.get(f"{event}_token", 0) for event in isa.ROW_OPERANDS)
        both += rows and bool(marshal.get("l1_end_token", 0))
    assert both > 34


def test_untouched_words_stay():
    config = Config.preset("tiny")
    made = random_program(config, 3)
    assert all((output == UNTOUCHED).all() for output in made.outputs)


def test_mov_never_pops():
    """Its operand a is random, the DataQ included, and means nothing."""
    config = Config.preset("paper")
    programs = [random_program(config, seed, ROWS).program for seed in range(40)]
    movs = [f for p in programs for f in p.code if f["op"] == Op.MOV]
    assert {SrcA.DATAQ, SrcA.V0, SrcA.V1} <= {f.get("a", 0) for f in movs}


def test_a_program_without_any_token_has_an_instruction(monkeypatch):
    """Where no callback fits, no event gets a token; what is left is legal all the same."""
    monkeypatch.setattr(Code, "random", lambda *_: None)
    config, silent = Config.preset("tiny"), 0
    for seed in range(100):
        made = random_program(config, seed)
        assert made.program.code
        silent += made.queues.tokens == 0
    assert silent
