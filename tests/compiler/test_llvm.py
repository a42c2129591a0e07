"""LLVM IR from DLC, run on this processor: the golden reference's bits, at every level."""

import os
import subprocess
import sys

import numpy as np
import pytest
from ember.compiler.codegen import generate
from ember.compiler.dlc.dialect import DLC
from ember.compiler.errors import CompileError
from ember.compiler.frontend.coo_to_csr import layouts
from ember.compiler.frontend.specialize import given
from ember.compiler.interpret.interpret import interpret
from ember.compiler.pipeline import LEVELS, compile_bags, pipeline
from ember.compiler.spec import BagSpec
from ember.hw.config import Config
from ember.sim.golden import embedding_bag
from ember.sim.legal import check
from ember.sim.memory import Memory
from ember.sim.model import run
from ember.sim.nests import parse
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, memref, scf
from xdsl.parser import Parser

from .test_execute import CONFIGS, MODES, Case
from .test_lifted import FILES, source
from .test_nests import GATHER, GROUPS

pytest.importorskip("llvmlite", reason="llvmlite is not installed")

from ember.compiler.llvm.host import host
from ember.compiler.llvm.jit import Function
from ember.compiler.llvm.module import HostModule, lower, lower_bags

TINY = Config.preset("tiny")


def call(module: HostModule, arrays: dict[tuple[str, str], np.ndarray]):
    """Run on arrays by (table, role); what failed, or None."""
    return Function(module)([arrays[array].ctypes.data for array in module.arrays])


def same(got: np.ndarray, expected: np.ndarray) -> bool:
    """To the last bit, NaN included."""
    return bool((got.view(np.uint32) == expected.view(np.uint32)).all())


def run_cases(config: Config, cases: list[Case], opt: str) -> None:
    module = lower_bags(config, [case.spec for case in cases], opt, host())
    arrays = {(c.spec.name, role): getattr(c, role) for c in cases for role in c.spec.roles}
    assert call(module, arrays) is None
    for case in cases:
        assert same(case.out, case.expected()), case.spec


# Bags -------------------------------------------------------------------------------------


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS.keys())
@pytest.mark.parametrize("opt", LEVELS)
def test_every_mode_in_one_call(config, opt, seed):
    rng = np.random.default_rng(seed)
    dims = rng.permutation([1, 3, 4, 16, 33, 64, 100])
    run_cases(
        config, [Case(rng, f"t{n}", int(dims[n]), **mode) for n, mode in enumerate(MODES)], opt
    )


@pytest.mark.parametrize("opt", LEVELS)
def test_rows_longer_than_a_register_are_tiled(opt, seed):
    rng = np.random.default_rng(seed)
    config = TINY.replace(row_chunks=2)
    dims = rng.integers(config.max_dim, 5 * config.max_dim, len(MODES))
    run_cases(config, [Case(rng, f"t{n}", int(dims[n]), **m) for n, m in enumerate(MODES)], opt)


@pytest.mark.parametrize("opt", LEVELS)
def test_bags_of_one_length_need_no_offsets(opt, seed):
    rng = np.random.default_rng(seed)
    cases = [Case(rng, f"t{n}", 9, pooling=n % 3 + 1, **mode) for n, mode in enumerate(MODES)]
    run_cases(TINY, cases, opt)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_every_bit_pattern(mode, seed):
    """Infinities, subnormals and NaNs of every kind, signaling ones too."""
    rng = np.random.default_rng(seed)
    case = Case(rng, "t", 37, **mode)
    bits = rng.integers(0, 1 << 32, case.table.shape, np.uint32)
    special = rng.random(bits.shape) < 0.5
    bits[special] |= 0x7F800000
    case.table = bits.view(np.float32)
    run_cases(Config.preset("default"), [case], "O3")


def test_tables_of_one_shape_share_their_code():
    specs = [BagSpec(f"t{n}", 10 + n, 8, 4, 20 + n) for n in range(300)]
    module = lower_bags(TINY, specs, "O3", host())
    assert module.text.count('@"kernel0.check"(ptr') == 2 and "kernel1" not in module.text
    assert module.segments == tuple(spec.name for spec in specs)
    arrays, expected, rng = {}, [], np.random.default_rng(0)
    for spec in specs:
        table = rng.standard_normal((spec.rows, 8), np.float32)
        indices = rng.integers(0, spec.rows, spec.lookups)
        offsets = np.sort(np.append(rng.integers(0, spec.lookups, 3), [0, spec.lookups]))
        out = np.full((4, 8), np.nan, np.float32)
        named = dict(table=table, indices=indices, offsets=offsets, out=out)
        arrays |= {(spec.name, role): array for role, array in named.items()}
        expected.append(embedding_bag(table, indices, offsets[:-1], "sum"))
    assert call(module, arrays) is None
    for spec, wanted in zip(specs, expected, strict=True):
        assert same(arrays[spec.name, "out"], wanted)


# Errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize("opt", LEVELS)
def test_the_first_failure_is_that_of_the_model(opt, seed):
    rng = np.random.default_rng(seed)
    config = TINY.replace(fiber_lanes=1)
    seen = set()
    for kind, name in ((np.int32, "i32"), (np.int64, "i64")):
        specs = [
            BagSpec(f"t{n}", 9, 5, 6, 20, index_type=name, offset_type=name) for n in range(2)
        ]
        module = lower_bags(config, specs, opt, host())
        function, compilation = Function(module), compile_bags(config, specs, opt)
        for _ in range(30):
            memory, addresses, arrays = Memory(config), {}, {}
            for spec in specs:
                indices = rng.integers(0, 9, 20)
                indices[rng.random(20) < 0.03] = rng.choice([-1, 9, 2**31 - 1])
                offsets = np.sort(rng.integers(0, 21, 7))
                if rng.random() < 0.3:
                    offsets[rng.integers(7)] = rng.choice([-1, 0, 20, 21])
                named = dict(
                    table=np.ones((9, 5), np.float32), indices=indices.astype(kind),
                    offsets=offsets.astype(kind), out=np.zeros((6, 5), np.float32),
                )  # fmt: skip
                for role, array in named.items():
                    arrays[spec.name, role] = array
                    place = memory.place(array, writable=role == "out")
                    addresses[spec.name, role] = place
            [program] = compilation.link(addresses)
            errors = run(program, config, memory).queues.errors
            got = function([arrays[array].ctypes.data for array in module.arrays])
            if not errors:
                assert got is None
                continue
            first = min(errors, key=lambda e: (e.segment, e.layer, e.position))
            assert got is not None
            fields = ("kind", "segment", "layer", "position", "value")
            assert [getattr(got, f) for f in fields] == [getattr(first, f) for f in fields]
            seen.add((got.kind, got.segment, got.layer))
    assert len(seen) >= 5, f"only {seen} were met"


# Nests that are no bags -------------------------------------------------------------------


def parsed(text: str) -> builtin.ModuleOp:
    context = Context()
    for dialect in (builtin.Builtin, arith.Arith, func.Func, memref.MemRef, scf.Scf, DLC):
        context.load_dialect(dialect)
    return Parser(context, text).parse_module()


def both(module: builtin.ModuleOp, config: Config, arrays: dict[str, np.ndarray]) -> None:
    """Run a DLC module on the model and on this processor: equal outputs."""
    module.verify()
    outs = []
    for engine in ("model", "cpu"):
        out = np.full_like(arrays["out"], np.nan)
        named = {**arrays, "out": out}
        if engine == "cpu":
            lowered = lower(module, config, host())
            assert call(lowered, {("nest", name): array for name, array in named.items()}) is None
        else:
            memory = Memory(config)
            addresses = {
                ("nest", name): memory.place(array, writable=name == "out")
                for name, array in named.items()
            }
            [template] = generate(module, config)
            program = template.link(addresses, config)
            check(program, config)
            assert not run(program, config, memory).queues.errors
        outs.append(out)
    assert same(*outs), f"{outs[0]}\n{outs[1]}"


@pytest.mark.parametrize("opt", LEVELS)
def test_nests_of_two_and_four_loops(opt, seed):
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((7, 10)).astype(np.float32)
    rows = rng.integers(0, 7, 13).astype(np.int32)
    groups = np.sort(np.append(rng.integers(0, 8, 4), [0, 8]))
    lists = np.sort(np.append(rng.integers(0, 20, 7), [0, 20])).astype(np.int32)
    for text, layers, arrays in (
        (GATHER, 2, dict(rows=rows, out=np.zeros((13, 10), np.float32))),
        (
            GROUPS, 4,
            dict(groups=groups, lists=lists, rows=rng.integers(0, 7, 20),
                 out=np.zeros((5, 10), np.float32)),
        ),
    ):  # fmt: skip
        config = TINY.replace(layers=layers)
        module = parsed(text)
        for step in pipeline(config, opt):
            step.apply(Context(), module)
        both(module, config, {"table": table, **arrays})


@pytest.mark.parametrize("execute", (0, 1))
@pytest.mark.parametrize("dim", (1, 8, 11))
def test_rows_that_the_access_unit_stores(dim, execute, seed):
    """Every bit, signaling NaN included."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 1 << 32, (9, dim), np.uint32)
    table[:, 0] = 0x7F800001
    text = (FILES[0].parent / "copy_rows.mlir").read_text()
    text = text.replace("9x4xf32", f"9x{dim}xf32").replace("4x4xf32", f"4x{dim}xf32")
    text = text.replace("to %c4 step %c1 {\n      %x", "to %dim step %c1 {\n      %x")
    text = text.replace("  %c4 =", f"  %dim = arith.constant {dim} : index\n  %c4 =")
    module, config = parsed(text), TINY.replace(store_streams=1, execute=execute)
    for step in pipeline(config, "O3"):
        step.apply(Context(), module)
    [segment] = [op for op in module.walk() if op.name == "dlc.segment"]
    assert any(op.name == "dlc.store" for op in segment.walk())
    out = np.zeros((4, dim), np.float32)
    arrays = {"idx": rng.integers(0, 9, 4), "t": table.view(np.float32), "out": out}
    both(module, config, arrays)


#: Operands in every order, an element that an index from memory names, a callback at each event.
BY_HAND = """
dlc.func @nest(%where: memref<6xi32>, %rows: memref<12xi64>, %weights: memref<12xf32>,
               %table: memref<5x11xf32>, %out: memref<6x11xf32, strided<[11, 1]>>) {
  %flat = memref.reinterpret_cast %table to offset: [0], sizes: [55], strides: [1]
    : memref<5x11xf32> to memref<55xf32, strided<[1]>>
  dlc.segment access {
    %b = dlc.tu.dense 0 to 6 step 1 : !dlc.stream<0, index>
    %at = dlc.mem %where[%b] below 11 : memref<6xi32>, !dlc.stream<0, index> -> !dlc.stream<0, i32>
    %two = dlc.alu shl %b by 1 : !dlc.stream<0, index> -> !dlc.stream<0, index>
    %j = dlc.tu.index %two for 2 step 1 : !dlc.stream<0, index> -> !dlc.stream<1, index>
    %b1 = dlc.fwd %b : !dlc.stream<0, index> -> !dlc.stream<1, index>
    %at1 = dlc.fwd %at : !dlc.stream<0, i32> -> !dlc.stream<1, i32>
    %i = dlc.mem %rows[%j] below 5 skip 4
      : memref<12xi64>, !dlc.stream<1, index> -> !dlc.stream<1, i64>
    %w = dlc.mem %weights[%j] : memref<12xf32>, !dlc.stream<1, index> -> !dlc.stream<1, f32>
    %base = dlc.alu mul %i by 11 : !dlc.stream<1, i64> -> !dlc.stream<1, i64>
    %x, %e = dlc.tu.row %flat[%base : !dlc.stream<1, i64>] dim 11
      : memref<55xf32, strided<[1]>> -> !dlc.stream<2, vector<4xf32>>, !dlc.stream<2, index>
    dlc.push beg of %j, %b : !dlc.stream<1, index>, !dlc.stream<0, index>
    dlc.token beg of %j, @start : !dlc.stream<1, index>
    dlc.push ite of %e, %e : !dlc.stream<2, index>, !dlc.stream<2, index>
    dlc.push ite of %e, %x : !dlc.stream<2, index>, !dlc.stream<2, vector<4xf32>>
    dlc.push ite of %e, %w : !dlc.stream<2, index>, !dlc.stream<1, f32>
    dlc.token ite of %e, @chunk arg %w : !dlc.stream<1, f32> : !dlc.stream<2, index>
    dlc.push end of %e, %at1 : !dlc.stream<2, index>, !dlc.stream<1, i32>
    dlc.token end of %e, @once : !dlc.stream<2, index>
    dlc.push end of %j, %b : !dlc.stream<1, index>, !dlc.stream<0, index>
    dlc.token end of %j, @stop : !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<6x11xf32, strided<[11, 1]>>
    dlc.callback @start {
      dlc.pop r0
      dlc.setr r0
      dlc.mov v0, zero count clear
      dlc.mov v1, zero
    }
    dlc.callback @chunk {
      dlc.pop r2
      dlc.fma v1, dataq, arg, v1 at_chunk r2
      dlc.max v0, v1, v0 init at_chunk r2
      dlc.add v0, dataq, v0 at_element r2
    }
    dlc.callback @once {
      dlc.pop r3
      dlc.add v0, v1, v0 at_element r3 count inc
    }
    dlc.callback @stop {
      dlc.pop r1
      dlc.setr r1
      dlc.maxn v0, v1, v0 emit always div
    }
  }
}
"""


#: A load two elements after the loop's index, and a row for each iteration.
NEIGHBOURS = """
dlc.func @nest(%rows: memref<9xi32>, %table: memref<5x6xf32>,
               %out: memref<6x6xf32, strided<[6, 1]>>) {
  %flat = memref.reinterpret_cast %table to offset: [0], sizes: [30], strides: [1]
    : memref<5x6xf32> to memref<30xf32, strided<[1]>>
  dlc.segment access {
    %b = dlc.tu.dense 1 to 7 step 1 : !dlc.stream<0, index>
    %i = dlc.mem %rows[%b] offset 2 below 5
      : memref<9xi32>, !dlc.stream<0, index> -> !dlc.stream<0, i32>
    %base = dlc.alu mul %i by 6 : !dlc.stream<0, i32> -> !dlc.stream<0, i32>
    %once = dlc.tu.once : !dlc.stream<1, index>
    %base1 = dlc.fwd %base : !dlc.stream<0, i32> -> !dlc.stream<1, i32>
    %b1 = dlc.fwd %b : !dlc.stream<0, index> -> !dlc.stream<1, index>
    %x, %e = dlc.tu.row %flat[%base1 : !dlc.stream<1, i32>] dim 6
      : memref<30xf32, strided<[1]>> -> !dlc.stream<2, vector<4xf32>>, !dlc.stream<2, index>
    dlc.token beg of %b, @start : !dlc.stream<0, index>
    dlc.push ite of %e, %x : !dlc.stream<2, index>, !dlc.stream<2, vector<4xf32>>
    dlc.token beg of %e, @row : !dlc.stream<2, index>
  } execute {
    dlc.rows %out : memref<6x6xf32, strided<[6, 1]>>
    dlc.callback @start {
      dlc.seta
    }
    dlc.callback @row {
      dlc.add v1, dataq, zero emit always bump
    }
  }
}
"""


def test_loads_beside_the_index(seed):
    rng = np.random.default_rng(seed)
    arrays = dict(
        rows=rng.integers(0, 5, 9, np.int32), table=rng.standard_normal((5, 6), np.float32),
        out=np.zeros((6, 6), np.float32),
    )  # fmt: skip
    both(parsed(NEIGHBOURS), TINY, arrays)


def by_hand(rng) -> dict[str, np.ndarray]:
    return dict(
        where=rng.integers(0, 11, 6, np.int32), rows=rng.integers(0, 5, 12),
        weights=rng.standard_normal(12, np.float32),
        table=rng.standard_normal((5, 11), np.float32) * np.float32(1e20),
        out=np.zeros((6, 11), np.float32),
    )  # fmt: skip


def test_a_program_that_no_pass_makes(seed):
    rng = np.random.default_rng(seed)
    for _ in range(5):
        both(parsed(BY_HAND), TINY, by_hand(rng))


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("dlc.add v0, dataq, v0 at_element r2",
         "dlc.add v0, dataq, v0 at_element r2\n      dlc.pop r2",
         "callback chunk must pop at most the 0 operands that are left, not 1"),
        ("dlc.add v0, dataq, v0 at_element r2", "dlc.add v0, v1, v0 at_element r2",
         "callback chunk must pop the 3 operands that are pushed for it, not 2"),
        ("dlc.setr r1", "dlc.setr r2", "callback stop must pop r2 before using it"),
        (" arg %w : !dlc.stream<1, f32>", "", "callback chunk needs a token with an argument"),
        ("    dlc.token ite of %e, @chunk arg %w : !dlc.stream<1, f32> : !dlc.stream<2, index>\n",
         "", "what a row pushes first must belong to a token"),
    ],
)  # fmt: skip
def test_an_illegal_program(old, new, message):
    assert old in BY_HAND
    with pytest.raises(CompileError) as info:
        lower(parsed(BY_HAND.replace(old, new)), TINY, host())
    assert str(info.value) == message


def test_another_number_of_layers():
    with pytest.raises(CompileError) as info:
        lower(parsed(BY_HAND), TINY.replace(layers=4), host())
    assert str(info.value) == "table 'nest' has 3 layers, but the configuration has 4"


# Text -------------------------------------------------------------------------------------


def test_the_text_is_the_same_each_time():
    code = (
        "from ember.compiler.pipeline import compile_bags\n"
        "from ember.compiler.spec import BagSpec\n"
        "from ember.hw.config import Config\n"
        "bags = [BagSpec(f't{n}', 10, 5 + n, 4, 20, mode='mean') for n in range(3)]\n"
        "print(compile_bags(Config.preset('tiny'), bags).text('llvm'))\n"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120,
            env={**os.environ, "PYTHONHASHSEED": hashes},
        ).stdout
        for hashes in ("1", "2")
    }  # fmt: skip
    assert len(texts) == 1
    [text] = texts
    assert f'target triple = "{host().triple}"' in text and f"; for {host().cpu}, " in text
    assert os.getcwd() not in text and os.path.dirname(__file__) not in text


def test_a_module_that_is_not_llvm_is_refused():
    module = lower_bags(TINY, [BagSpec("t", 10, 5, 4, 20)], "O3", host())
    broken = HostModule(
        module.text.replace("ret i1 1", "ret i32 1"), module.arrays, module.segments, module.host
    )
    with pytest.raises(RuntimeError, match="i32"):
        Function(broken)


# Nests ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nests_of_every_form(path, seed):
    text = path.read_text()
    subject = source(text, seed)
    config = TINY.replace(layers=4)
    expected = subject.arrays()
    interpret(parse(text), expected | subject.scalars)
    for opt in LEVELS:
        module = parse(text)
        for step in pipeline(config, opt, given(subject.arrays() | subject.scalars)):
            step.apply(Context(), module)
        arrays = subject.arrays()
        for layout in layouts(parse(text), given(arrays | subject.scalars)).get("nest", ()):
            arrays, _ = layout.apply(arrays)
        named = {("nest", name): array for name, array in arrays.items()}
        assert call(lower(module, config, host()), named) is None
        assert all(same(arrays[name], expected[name]) for name in arrays if name.startswith("out"))
