"""The assembler's messages, and random programs there and back."""

import numpy as np
import pytest
from ember.compiler.asm import assemble, disassemble, from_json, to_json
from ember.hw import isa
from ember.hw.config import Config
from ember.hw.program import Program, Segment

CONFIG = Config.preset("tiny")
GOOD = f"""\
program {CONFIG.hash}
segment 0
  layer0 kind=DENSE stop=0x10 step=1   # a comment
  layer1 step=1
  row base=t.table+64 dim=4 vector=1
  marshal
  execute base=256 row_stride=16 chunks=1 tail=4
code
  0: op=MOV dst=1 ret=1
"""
SYMBOLS = {"t.table": 4096}


#: A machine with both ways for a row, and one without an execute unit.
BOTH = CONFIG.replace(store_streams=1)
ALONE = BOTH.replace(execute=0)


def random_program(rng: np.random.Generator, config: Config = CONFIG) -> Program:
    """Any values that fit their fields, legal or not."""

    def fields(layout: isa.Format) -> dict[str, int]:
        values = {}
        for f in layout.fields:
            if rng.random() < 0.5:
                most = (1 << f.width) - 1
                options = [0, 1, most, int(rng.integers(0, 1 << min(f.width, 62)))]
                value = options[rng.integers(4)]
                if f.values is not None:
                    value = int(rng.choice(list(f.values)))
                values[f.name] = value
        return values

    layer = isa.scalar_layer(config)
    segments = tuple(
        Segment(
            (fields(layer), fields(layer)),
            fields(isa.row_layer(config)),
            fields(isa.marshal(config)) if config.execute else {},
            fields(isa.execute_segment(config)) if config.execute else {},
            fields(isa.store_segment(config)) if config.store_streams else {},
        )
        for _ in range(rng.integers(1, 4))
    )
    size = rng.integers(1, 9) if config.execute else 0
    code = tuple(fields(isa.execute(config)) for _ in range(size))
    return Program(config.hash, segments, code)


@pytest.mark.parametrize("config", (CONFIG, BOTH, ALONE), ids=("usual", "both", "alone"))
def test_random_programs_round_trip(config, seed):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        program = random_program(rng, config)
        text = disassemble(program, config)
        [again] = assemble(text, config)
        assert again.image(config) == program.image(config)
        assert disassemble(again, config) == text
        assert from_json(to_json([program])) == [program]


def test_segments_have_the_lines_that_the_configuration_has():
    def lines(config: Config) -> list[str]:
        program = random_program(np.random.default_rng(1), config)
        first = disassemble(program, config).split("segment 1")[0].split("code")[0]
        return [line.split()[0] for line in first.splitlines() if line.startswith("  ")]

    layers = ["layer0", "layer1", "row"]
    assert lines(CONFIG) == [*layers, "marshal", "execute"]
    assert lines(BOTH) == [*layers, "marshal", "execute", "store"]
    assert lines(ALONE) == [*layers, "store"]


def test_only_a_machine_that_does_nothing_else_needs_the_store_line():
    text = GOOD.replace(CONFIG.hash, BOTH.hash)
    assert assemble(text, BOTH, SYMBOLS)[0].segments[0].store == {}
    text = "\n".join(f"program {ALONE.hash}" if "program" in line else line
                     for line in GOOD.splitlines() if line.split()[0] not in ("marshal", "execute"))
    with pytest.raises(ValueError, match="segment 0 must have a line store"):
        assemble(text.split("code")[0], ALONE, SYMBOLS)


def test_what_a_configuration_has_not_is_refused():
    empty = ({"step": 1}, {"step": 1})
    for config, segment, message in (
        (CONFIG, Segment(empty, {}, {}, {}, {"tail": 1}), "store"),
        (ALONE, Segment(empty, {}, {"row_beg_token": 1}, {}), "marshal"),
        (ALONE, Segment(empty, {}, {}, {"tail": 1}), "execute_segment"),
    ):
        program = Program(config.hash, (segment,), ({"ret": 1},) if config.execute else ())
        with pytest.raises(ValueError) as info:
            program.image(config)
        assert str(info.value) == (
            f"segment 0 has an entry for {message}, which the configuration has not"
        )
        with pytest.raises(ValueError, match="the configuration has no"):
            disassemble(program, config)
    for config, code, allowed in ((CONFIG, (), "1..32"), (ALONE, ({"ret": 1},), "0..0")):
        program = Program(config.hash, (Segment(empty, {}, {}, {}),), code)
        with pytest.raises(ValueError) as info:
            program.image(config)
        assert str(info.value) == f"program must have {allowed} instructions, not {len(code)}"


def test_values():
    [program] = assemble(GOOD, CONFIG, SYMBOLS)
    [segment] = program.segments
    assert segment.layers[0] == dict(kind=isa.Kind.DENSE, stop=16, step=1)
    assert segment.row == dict(base=4160, dim=4, vector=1)
    assert segment.marshal == {}
    assert program.code == (dict(op=isa.Op.MOV, dst=1, ret=1),)


def test_several_programs_in_a_text():
    assert len(assemble(GOOD + "\n# again\n" + GOOD, CONFIG, SYMBOLS)) == 2


@pytest.mark.parametrize(
    "old, new, message",
    [
        (GOOD, "", "line 0: a text must have at least 1 program, not 0"),
        (f"program {CONFIG.hash}", "program",
         "line 1: program must be followed by the configuration's hash"),
        (CONFIG.hash, "00000000",
         f"line 1: program must be for configuration {CONFIG.hash}, not 00000000"),
        ("program", "segment", "line 1: a text must start with program, not 'segment'"),
        ("segment 0", "segment 1", "line 2: segment number must be 0, not '1'"),
        ("segment 0", "code\nsegment 0", "line 3: segments must come before code"),
        ("  layer1", "  layer2",
         "line 4: a line must start with one of segment, code, layer0, layer1, row, marshal, "
         "execute, not 'layer2'"),
        ("  layer1", "  layer0", "line 4: layer0 must occur once in a segment"),
        ("  marshal\n", "", "line 8: segment 0 must have a line marshal"),
        ("  0:", "  1:", "line 9: instruction number must be 0, not '1'"),
        ("dst=1", "dst", "line 9: a field must be name=value, not 'dst'"),
        ("dst=1", "dst=1 dst=1", "line 9: field dst must be given once"),
        ("dst=1", "dest=1", "line 9: execute has no field 'dest'"),
        ("dst=1", "dst=2", "line 9: execute.dst must be 0..1, not 2"),
        ("op=MOV", "op=MOVE",
         "line 9: op must be a number or one of NOP, POP, SETA, SETR, MOV, NEG, ADD, SUB, "
         "RSUB, MUL, FMA, MAX, MAXN, MIN, MAXIMUM, MINIMUM, not 'MOVE'"),
        ("t.table", "t.tables",
         "line 5: base must be a number or a known symbol, not 't.tables+64'"),
        ("stop=0x10", "stop=-1", "line 3: scalar_layer.stop must be 0..4294967295, not -1"),
    ],
)  # fmt: skip
def test_refusals(old, new, message):
    with pytest.raises(ValueError) as info:
        assemble(GOOD.replace(old, new), CONFIG, SYMBOLS)
    assert str(info.value) == message


def test_a_program_that_cannot_be_written():
    [program] = assemble(GOOD, CONFIG, SYMBOLS)
    with pytest.raises(ValueError) as info:
        disassemble(program, Config.preset("paper"))
    assert str(info.value) == "segment 0 must have 3 scalar layers, not 2"
    odd = Program(program.config_hash, program.segments, (dict(opcode=1),))
    with pytest.raises(ValueError) as info:
        disassemble(odd, CONFIG)
    assert str(info.value) == "execute has no field 'opcode'"


@pytest.mark.parametrize(
    "text, message",
    [
        ("[{}]", "text must be a JSON list of programs: KeyError('config_hash')"),
        (
            '[{"config_hash": "0", "segments": [], "code": [{"op": "C3.table"}]}]',
            "op must be a number, not 'C3.table': link the program first",
        ),
    ],
)
def test_json_refusals(text, message):
    with pytest.raises(ValueError) as info:
        from_json(text)
    assert str(info.value) == message
