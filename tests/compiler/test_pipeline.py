"""compile_bags and Compilation: stages, launches, linking, and each message of what is refused."""

import pytest
from ember.compiler.errors import CompileError
from ember.compiler.pipeline import LEVELS, compile_bags, pipeline
from ember.compiler.spec import BagSpec
from ember.hw import isa
from ember.hw.config import Config

CONFIG = Config.preset("default")
SPEC = BagSpec("C3", rows=100, dim=16, bags=8, lookups=40)


def addresses(*specs: BagSpec) -> dict[tuple[str, str], int]:
    keys = [(spec.name, role) for spec in specs for role in spec.roles]
    return {key: 65536 * n for n, key in enumerate(keys)}


def test_the_passes_of_each_level():
    common = [
        "specialize", "simplify", "fold-views", "roll-columns", "unpack-vectors", "split-ranges",
        "count-entries", "carry-in-memory", "one-branch", "innermost-elements", "split-outputs",
        "split-elements", "coo-to-csr", "roll-lookups", "fuse-lookups", "unroll-blocks",
        "unroll-outer", "two-dimensions", "tile-columns", "separate-lookups", "decouple",
        "check-bounds", "pair-loads", "flatten-addresses", "fold-addresses", "collapse-loops",
        "promote-accumulator", "raise-min-max", "drop-streams",
    ]  # fmt: skip
    extra = ["vectorize", "bufferize", "queue-align", "fuse-tokens"]
    for level, number in zip(LEVELS, (0, 1, 2, 4), strict=True):
        names = [step.name for step in pipeline(CONFIG, level)]
        last = ["drop-operands"] if level == "O3" else []
        layers = ["rebase-loops", "split-layers", "slc-to-dlc"]
        assert names == [*common, *extra[:number], *layers, *last]


def test_stages_and_texts():
    compilation = compile_bags(CONFIG, [SPEC])
    names = [name for name, _ in compilation.stages]
    assert names == ["frontend", *(step.name for step in pipeline(CONFIG))]
    for stage, word in (
        ("scf", "scf.for"),
        ("slc", "slc.callback first"),
        ("dlc", "dlc.tu.range"),
        ("asm", "row base=C3.table"),
        ("json", '"base": "C3.table"'),
    ):
        assert word in compilation.text(stage)


def test_the_fused_program():
    """Field by field: what docs/machine.md needs to pool a bag with one token per row."""
    [program] = compile_bags(CONFIG, [SPEC]).link(addresses(SPEC))
    [segment] = program.segments
    assert segment.layers == (
        dict(
            kind=isa.Kind.DENSE, stop=8, step=1, m0_en=1, m0_at=isa.Sel.ITE, m0_size=1,
            m0_base=0, m0_pair=1, m0_check=1, m0_limit=41, e0=isa.Sel.MEM0, e1=isa.Sel.NEXT,
            mark_beg=1,
        ),
        dict(
            kind=isa.Kind.RANGE, stop_sel=1, step=1, flags=1, m0_en=1, m0_at=isa.Sel.ITE,
            m0_size=1, m0_base=65536, m0_check=1, m0_limit=100, alu_op=isa.AluOp.MUL,
            alu_a=isa.Sel.MEM0, alu_imm=16, e0=isa.Sel.ALU,
        ),
    )  # fmt: skip
    assert segment.row == dict(base=2 * 65536, index=1, dim=16, vector=1)
    assert segment.marshal == dict(
        l0_beg_token=1, l0_beg_pc=0, row_beg_token=1, row_beg_pc=1, row_ite_op0=isa.Operand.DATA
    )
    assert segment.execute == dict(base=3 * 65536, row_stride=64, chunks=2, tail=8)
    assert program.code == (
        dict(op=isa.Op.SETA, ret=1),
        dict(
            op=isa.Op.ADD, c=isa.SrcC.V0, init=1, count=isa.Count.FUSED, emit=isa.Emit.LAST,
            bump=1, ret=1,
        ),
    )  # fmt: skip


def test_with_a_cache_only_rows_are_kept():
    """Offsets, indices and weights are read once: their requests carry the hint."""
    spec = BagSpec("C3", rows=100, dim=16, bags=8, lookups=40, weighted=True)
    [program] = compile_bags(CONFIG.replace(cache_lines=64), [spec]).link(addresses(spec))
    [segment] = program.segments
    assert [(layer["m0_nt"], layer.get("m1_nt", 0)) for layer in segment.layers] == [(1, 0), (1, 1)]
    assert "nt" not in segment.row


def test_equal_callbacks_share_their_code():
    specs = [BagSpec(f"C{n}", 10 + n, 8 * n + 8, 4, 20) for n in range(5)]
    [program] = compile_bags(CONFIG, specs).link(addresses(*specs))
    assert len(program.segments) == 5
    assert len(program.code) == 2


def test_segments_that_do_not_fit_go_to_the_next_launch():
    specs = [BagSpec(f"C{n}", 10, 8, 4, 20) for n in range(5)]
    programs = compile_bags(CONFIG.replace(segments=2), specs).link(addresses(*specs))
    assert [len(program.segments) for program in programs] == [2, 2, 1]


def test_code_that_does_not_fit_goes_to_the_next_launch():
    specs = [
        BagSpec("sum", 10, 8, 4, 20),
        BagSpec("max", 10, 8, 4, 20, mode="max"),
        BagSpec("weighted", 10, 8, 4, 20, weighted=True, fma=False),
    ]
    programs = compile_bags(CONFIG.replace(code_depth=16), specs, "O0").link(addresses(*specs))
    assert len(programs) > 1
    assert sum(len(program.segments) for program in programs) == 3


@pytest.mark.parametrize(
    "config, specs, opt, error, message",
    [
        (CONFIG, [], "O3", ValueError, "there must be at least 1 table, not 0"),
        (CONFIG, [SPEC, SPEC], "O3", ValueError,
         "table names must be unique, but 'C3' occurs 2 times"),
        (CONFIG, [SPEC], "O4", ValueError, "opt must be one of O0, O1, O2, O3, not 'O4'"),
        (CONFIG.replace(layers=2), [SPEC], "O3", CompileError,
         "C3: %b: slc.loop: the nest has 2 loops above the row, but the configuration has 1 "
         "scalar layers (layers = 2)"),
        (CONFIG.replace(addr_width=32), [BagSpec("C3", 1 << 26, 16, 8, 40)], "O3", None, ""),
        (CONFIG.replace(addr_width=32), [BagSpec("C3", (1 << 26) + 1, 16, 8, 40)], "O3",
         CompileError,
         "table 'C3' needs addresses up to 4294967359, but addr_width 32 allows 4294967295"),
        (CONFIG.replace(addr_width=32), [BagSpec("C3", 10, 16, (1 << 26) + 1, 40)], "O3",
         CompileError,
         "out of table 'C3' needs addresses up to 4294967359, but addr_width 32 allows "
         "4294967295"),
        (CONFIG, [BagSpec("C3", 10, 16, 8, 40, out_stride=1 << 30)], "O3", CompileError,
         "output rows of table 'C3' must be less than 4294967296 bytes apart"),
    ],
)  # fmt: skip
def test_refusals(config, specs, opt, error, message):
    if error is None:
        compile_bags(config, specs, opt)
        return
    with pytest.raises(error) as info:
        compile_bags(config, specs, opt)
    assert type(info.value) is error
    assert isinstance(info.value, ValueError)
    assert str(info.value) == message


def test_an_unknown_stage():
    with pytest.raises(ValueError) as info:
        compile_bags(CONFIG, [SPEC]).text("wasm")
    assert str(info.value) == "stage must be one of scf, slc, dlc, asm, json, llvm, not 'wasm'"


@pytest.mark.parametrize(
    "change, error, message",
    [
        ({"table": None}, KeyError, "the address of table of table 'C3' is missing"),
        ({"out": 4.0}, TypeError, "address of out of table 'C3' must be an integer, not 4.0"),
        ({"out": 6}, ValueError, "address of out of table 'C3' must be a multiple of 4, not 6"),
        (
            {"indices": 12},
            ValueError,
            "address of indices of table 'C3' must be a multiple of 8, not 12",
        ),
        (
            {"table": -4},
            ValueError,
            "address of table of table 'C3' must be a multiple of 4, not -4",
        ),
        (
            {"table": (1 << 40) - 4},
            CompileError,
            "table 'C3' needs addresses up to 1099511634171, but addr_width 40 allows "
            "1099511627775",
        ),
    ],
)
def test_link_refusals(change, error, message):
    compilation = compile_bags(CONFIG, [SPEC])
    where = addresses(SPEC)
    for role, value in change.items():
        if value is None:
            del where["C3", role]
        else:
            where["C3", role] = value
    with pytest.raises(error) as info:
        compilation.link(where)
    assert info.value.args[0] == message


def test_linking_again_changes_addresses_only():
    compilation = compile_bags(CONFIG, [SPEC])
    [first] = compilation.link(addresses(SPEC))
    [second] = compilation.link({key: value + 64 for key, value in addresses(SPEC).items()})
    assert first.code == second.code
    assert first.segments[0].marshal == second.segments[0].marshal
    assert second.segments[0].row["base"] == first.segments[0].row["base"] + 64


@pytest.mark.parametrize("name", ["two words", 'quote"', "ünïcode", "a.b", "%x"])
def test_any_name_compiles(name):
    spec = BagSpec(name, 10, 8, 4, 20)
    compilation = compile_bags(CONFIG, [spec])
    compilation.link(addresses(spec))
    assert compilation.text("asm")
