"""Compiled programs on the functional model give the golden reference's bits, at every level."""

import numpy as np
import pytest
from ember.compiler.codegen import generate
from ember.compiler.frontend.bag import bag_module
from ember.compiler.pipeline import LEVELS, compile_bags, pipeline
from ember.compiler.spec import BagSpec
from ember.hw import isa
from ember.hw.config import Config
from ember.sim.golden import bitwise_equal, embedding_bag
from ember.sim.legal import check
from ember.sim.memory import Memory
from ember.sim.model import run
from xdsl.context import Context

SPECIAL = np.array(
    [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3.4e38, -3.4e38, 1.0], np.float32
)


def random_table(rng: np.random.Generator, rows: int, dim: int) -> np.ndarray:
    table = rng.standard_normal((rows, dim)).astype(np.float32)
    table *= np.float32(2.0) ** rng.integers(-20, 20, (rows, dim)).astype(np.float32)
    return np.where(rng.random((rows, dim)) < 0.05, rng.choice(SPECIAL, (rows, dim)), table)


class Case:
    """A random operation with its data."""

    def __init__(self, rng: np.random.Generator, name: str, dim: int, **spec):
        rows, bags = int(rng.integers(1, 20)), int(rng.integers(0, 14))
        lengths = rng.integers(0, 6, bags) * (rng.random(bags) < 0.8)
        if "pooling" in spec:
            lengths[:] = spec["pooling"]
        self.offsets = np.concatenate([[0], np.cumsum(lengths)])
        lookups = int(self.offsets[-1])
        kinds = {"i32": np.int32, "i64": np.int64}
        self.spec = BagSpec(
            name,
            rows=rows,
            dim=dim,
            bags=bags,
            lookups=lookups,
            index_type=str(rng.choice(["i32", "i64"])),
            offset_type=str(rng.choice(["i32", "i64"])),
            out_stride=dim + int(rng.integers(0, 5)),
            **({"padding_idx": int(rng.integers(rows))} if rng.random() < 0.5 else {}),
            **spec,
        )
        self.table = random_table(rng, rows, dim)
        self.indices = rng.integers(0, rows, lookups).astype(kinds[self.spec.index_type])
        self.offsets = self.offsets.astype(kinds[self.spec.offset_type])
        self.weights = rng.standard_normal(lookups).astype(np.float32)
        self.out = np.full((bags, self.spec.stride), 7.0, np.float32)

    def place(self, memory: Memory, rng: np.random.Generator) -> dict[tuple[str, str], int]:
        addresses = {}
        for role in self.spec.roles:
            array = getattr(self, role)
            addresses[self.spec.name, role] = memory.place(
                array, writable=role == "out", offset=8 * int(rng.integers(0, 3))
            )
        return addresses

    def expected(self) -> np.ndarray:
        spec = self.spec
        pooled = embedding_bag(
            self.table,
            self.indices,
            self.offsets,
            spec.mode,
            weights=self.weights if spec.weighted else None,
            padding_idx=spec.padding_idx,
            include_last_offset=True,
            nan=spec.nan,
            fma=spec.fma,
        )
        out = np.full_like(self.out, 7.0)
        out[:, : spec.dim] = pooled
        return out


def run_cases(config: Config, cases: list[Case], opt: str, rng: np.random.Generator) -> list:
    memory, addresses = Memory(config), {}
    for case in cases:
        addresses |= case.place(memory, rng)
    programs = compile_bags(config, [case.spec for case in cases], opt).link(addresses)
    runs = []
    for program in programs:
        program.image(config)
        check(program, config)
        runs.append(run(program, config, memory))
    for case in cases:
        result = bitwise_equal(case.out, case.expected())
        assert result, f"{case.spec}: {result}"
    return runs


MODES = [
    dict(mode="sum"),
    dict(mode="mean"),
    dict(mode="max"),
    dict(mode="max", nan="propagate"),
    dict(mode="sum", weighted=True),
    dict(mode="sum", weighted=True, fma=True),
    dict(mode="sum", weighted=True, fma=False),
]
CONFIGS = {
    "tiny": Config.preset("tiny"),
    "default": Config.preset("default"),
    "paper": Config.preset("paper"),
    "1 lane": Config(lanes=1, fiber_lanes=1, addr_width=32, row_chunks=64),
    "4 layers": Config.preset("tiny").replace(layers=4),
    "8 fibers": Config.preset("tiny").replace(fiber_lanes=8, lanes=8),
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS.keys())
@pytest.mark.parametrize("opt", LEVELS)
def test_every_mode(config, opt, seed):
    rng = np.random.default_rng(seed)
    for n, mode in enumerate(MODES):
        dim = int(rng.choice([1, 3, 4, 7, 8, 16, 33]))
        run_cases(config, [Case(rng, f"t{n}", dim, **mode)], opt, rng)


@pytest.mark.parametrize("opt", LEVELS)
def test_rows_longer_than_a_register_are_tiled(opt, seed):
    rng = np.random.default_rng(seed)
    config = Config.preset("tiny").replace(row_chunks=2)
    for n, mode in enumerate(MODES):
        dim = int(rng.integers(config.max_dim + 1, 5 * config.max_dim))
        [result] = run_cases(config, [Case(rng, f"t{n}", dim, **mode)], opt, rng)
        assert result.queues.rows % -(-dim // config.max_dim) == 0


@pytest.mark.parametrize("opt", LEVELS)
def test_tables_in_one_launch(opt, seed):
    rng = np.random.default_rng(seed)
    cases = [Case(rng, f"t{n}", int(rng.integers(1, 40)), **mode) for n, mode in enumerate(MODES)]
    config = Config.preset("default").replace(code_depth=128)
    assert len(run_cases(config, cases, opt, rng)) == 1


@pytest.mark.parametrize("opt", LEVELS)
def test_tables_beyond_one_launch(opt, seed):
    rng = np.random.default_rng(seed)
    cases = [Case(rng, f"t{n}", int(rng.integers(1, 40)), **mode) for n, mode in enumerate(MODES)]
    config = Config.preset("default").replace(segments=2)
    assert len(run_cases(config, cases, opt, rng)) == 4


@pytest.mark.parametrize("opt", LEVELS)
@pytest.mark.parametrize("mode", MODES, ids=str)
def test_bags_of_one_length_need_no_offsets(opt, mode, seed):
    rng = np.random.default_rng(seed)
    case = Case(rng, "t", 9, pooling=int(rng.integers(1, 5)), **mode)
    run_cases(Config.preset("tiny"), [case], opt, rng)


@pytest.mark.parametrize("opt", LEVELS)
def test_outputs_of_several_tables_in_one_array(opt, seed):
    """Tables write the columns of one array of shape (bags, sum of dims)."""
    rng = np.random.default_rng(seed)
    config, dims, bags = Config.preset("default"), [5, 8, 3], 6
    out = np.full((bags, sum(dims)), 7.0, np.float32)
    memory = Memory(config)
    base = memory.place(out, writable=True)
    addresses, specs, expected = {}, [], []
    for n, dim in enumerate(dims):
        table = random_table(rng, 10, dim)
        indices = rng.integers(0, 10, 4 * bags)
        spec = BagSpec(
            f"t{n}", 10, dim, bags, 4 * bags, mode="mean", out_stride=sum(dims), pooling=4
        )
        specs.append(spec)
        addresses[spec.name, "table"] = memory.place(table)
        addresses[spec.name, "indices"] = memory.place(indices)
        addresses[spec.name, "out"] = base + 4 * sum(dims[:n])
        expected.append(embedding_bag(table, indices, np.arange(0, 4 * bags, 4), "mean"))
    [program] = compile_bags(config, specs, opt).link(addresses)
    run(program, config, memory)
    assert bitwise_equal(out, np.concatenate(expected, axis=1))


@pytest.mark.parametrize("opt", LEVELS)
@pytest.mark.parametrize("dim", [5, 8, 21])
def test_columns_of_a_wider_table(opt, dim, seed):
    """The table is some columns of an array with longer rows; 21 columns are three tiles."""
    rng = np.random.default_rng(seed)
    config = Config.preset("tiny").replace(row_chunks=2)
    wide, indices = random_table(rng, 10, 30), rng.integers(0, 10, 12)
    out = np.zeros((4, dim), np.float32)
    spec = BagSpec("t", 10, dim, 4, 12, mode="max", pooling=3, table_stride=30)
    memory = Memory(config)
    addresses = {
        ("t", "table"): memory.place(wide) + 4 * 7,
        ("t", "indices"): memory.place(indices),
        ("t", "out"): memory.place(out, writable=True),
    }
    for program in compile_bags(config, [spec], opt).link(addresses):
        run(program, config, memory)
    columns = np.ascontiguousarray(wide[:, 7 : 7 + dim])
    assert bitwise_equal(out, embedding_bag(columns, indices, np.arange(0, 12, 3), "max"))


def queues(opt: str, **mode) -> tuple[int, int]:
    """Tokens and vectors of one bag with one lookup of 33 elements on 8 lanes."""
    rng = np.random.default_rng(0)
    config = Config.preset("default").replace(fiber_lanes=1)
    counts = []
    for lookups in (1, 2):
        case = Case(rng, "t", 33, **mode)
        case.spec = BagSpec("t", 3, 33, 1, lookups, **mode)
        case.table = random_table(rng, 3, 33)
        case.indices = rng.integers(0, 3, lookups)
        case.offsets = np.array([0, lookups])
        case.weights = np.ones(lookups, np.float32)
        case.out = np.zeros((1, 33), np.float32)
        [result] = run_cases(config, [case], opt, rng)
        [lane] = result.queues.lanes
        counts.append((len(lane.tokens), len(lane.vectors)))
    return counts[1][0] - counts[0][0], counts[1][1] - counts[0][1]


@pytest.mark.parametrize(
    "opt, tokens, vectors", [("O0", 33, 3 * 33), ("O1", 5, 3 * 5), ("O2", 1, 1 + 5), ("O3", 1, 5)]
)
def test_what_a_lookup_costs(opt, tokens, vectors):
    """33 elements are n = 5 vectors: the table of docs/compiler.md."""
    assert queues(opt, mode="sum") == (tokens, vectors)


def test_what_a_weighted_lookup_costs():
    """The weight rides in the token, or at O2 in the DataQ."""
    costs = {opt: queues(opt, mode="sum", weighted=True) for opt in LEVELS}
    assert costs == {"O0": (33, 99), "O1": (5, 15), "O2": (1, 7), "O3": (1, 5)}


def test_an_empty_bag_costs_one_token():
    rng = np.random.default_rng(0)
    config = Config.preset("default").replace(fiber_lanes=1)
    case = Case(rng, "t", 8, mode="max")
    case.spec = BagSpec("t", 3, 8, 5, 0, mode="max")
    case.table, case.indices = random_table(rng, 3, 8), np.zeros(0, np.int64)
    case.offsets, case.out = np.zeros(6, np.int64), np.ones((5, 8), np.float32)
    [result] = run_cases(config, [case], "O3", rng)
    [lane] = result.queues.lanes
    assert len(lane.tokens) == 1 + 5  # one for the address of the first row
    assert len(lane.vectors) == 0


@pytest.mark.parametrize("opt", LEVELS)
@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("value", [-1, 4, 1 << 30])
def test_an_index_out_of_range_is_reported_and_left_out(opt, kind, value):
    config = Config.preset("tiny")
    table = np.arange(12, dtype=np.float32).reshape(4, 3)
    indices, offsets = np.array([1, value, 2, 3], kind), np.array([0, 3, 4], kind)
    out = np.zeros((2, 3), np.float32)
    name = f"i{8 * indices.itemsize}"
    spec = BagSpec("t", 4, 3, 2, 4, index_type=name, offset_type=name)
    memory = Memory(config)
    arrays = dict(table=table, indices=indices, offsets=offsets, out=out)
    addresses = {
        ("t", role): memory.place(array, writable=role == "out") for role, array in arrays.items()
    }
    [program] = compile_bags(config, [spec], opt).link(addresses)
    [report] = run(program, config, memory).queues.errors
    shown = value % (1 << (8 * indices.itemsize))
    assert (report.kind, report.layer, report.position) == (isa.Error.INDEX, 1, 1)
    assert report.value == shown
    np.testing.assert_array_equal(out, [table[1] + table[2], table[3]])


@pytest.mark.parametrize("opt", LEVELS)
@pytest.mark.parametrize(
    "offsets, kind, layer",
    [([0, 5, 4], isa.Error.INDEX, 0), ([0, 3, 2], isa.Error.BOUNDS, 1)],
)
def test_bad_offsets_are_reported(opt, offsets, kind, layer):
    config = Config.preset("tiny").replace(fiber_lanes=1)
    memory = Memory(config)
    arrays = dict(
        table=np.ones((4, 3), np.float32),
        indices=np.zeros(4, np.int64),
        offsets=np.array(offsets),
        out=np.zeros((2, 3), np.float32),
    )
    addresses = {
        ("t", role): memory.place(array, writable=role == "out") for role, array in arrays.items()
    }
    [program] = compile_bags(config, [BagSpec("t", 4, 3, 2, 4)], opt).link(addresses)
    report = run(program, config, memory).queues.errors[0]
    assert (report.kind, report.layer) == (kind, layer)


def test_queue_alignment_without_token_fusion(seed):
    """The passes between O2 and O3 also stand alone."""
    rng = np.random.default_rng(seed)
    for mode in MODES:
        for config in (Config.preset("tiny"), Config.preset("paper")):
            case = Case(rng, "t", 21, **mode)
            module, context = bag_module([case.spec]), Context()
            for step in pipeline(config, "O3"):
                if step.name != "fuse-tokens":
                    step.apply(context, module)
                    module.verify()
            [template] = generate(module, config)
            memory = Memory(config)
            program = template.link(case.place(memory, rng), config)
            check(program, config)
            run(program, config, memory)
            assert bitwise_equal(case.out, case.expected()), case.spec
