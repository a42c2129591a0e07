"""Shapes that are compiled once and placed often: the same programs, for work that stays the same.

What the whole operation gives when the passes see all of it is the reference.
"""

import pytest
from ember.compiler import pipeline
from ember.compiler.codegen import generate
from ember.compiler.errors import CompileError
from ember.compiler.pipeline import LEVELS, compile_bags
from ember.compiler.shapes import narrow, shape
from ember.compiler.spec import BagSpec
from ember.compiler.template import Address
from ember.hw.config import Config

MODES = [
    dict(),
    dict(mode="mean", index_type="i32"),
    dict(mode="max", offset_type="i32"),
    dict(mode="max", nan="propagate", padding_idx=2),
    dict(weighted=True, padding_idx=0),
    dict(weighted=True, fma=False),
    dict(pooling=5),
]
CONFIGS = {
    "tiny": Config.preset("tiny"),
    "short": Config.preset("tiny").replace(row_chunks=2, segments=2),
    "default": Config.preset("default"),
    "4 layers": Config.preset("tiny").replace(layers=4),
}


def whole(config: Config, specs: list[BagSpec], opt: str) -> tuple:
    """The launches without shapes: every table and tile goes through the passes."""
    *_, (_, module) = pipeline.run(config, specs, opt, verify_each=False)
    return tuple(generate(module, config))


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS.keys())
@pytest.mark.parametrize("opt", LEVELS)
def test_the_same_as_without_shapes(config, opt):
    width = config.max_dim
    dims = [1, width - 1, width, width + 1, 2 * width, 3 * width - 1, 3 * width + 1]
    specs = [
        BagSpec(f"t{n}{m}", rows=10 + 3 * m, dim=dims[(n + m) % 7], bags=8, lookups=40, **mode)
        for m, mode in enumerate(MODES)
        for n in range(2)
    ]
    assert compile_bags(config, specs, opt).templates == whole(config, specs, opt)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_tables_of_one_shape(mode):
    """Sizes that limits and extents come from, at and around the special ones."""
    config = CONFIGS["short"].replace(addr_width=64)
    padded = mode.get("padding_idx", -1) + 1
    lookups = [40] if "pooling" in mode else [0, 1, 2, 40, (1 << 31) - 1, 1 << 31]
    specs = [
        BagSpec(f"t{rows} {count} {stride}", rows, dim, 8, count, out_stride=stride, **mode)
        for rows in (padded, padded + 1, 1 << 20)
        for count in lookups
        for dim, stride in ((20, None), (33, 33), (20, 23))
    ]
    assert compile_bags(config, specs).templates == whole(config, specs, "O3")


@pytest.mark.parametrize("kind", ["i32", "i64"])
def test_limits_of_many_rows(kind):
    config = Config.preset("default").replace(addr_width=64)
    specs = [BagSpec(f"t{r}", 1 << r, 300, 8, 40, index_type=kind) for r in (20, 31, 32, 40)]
    assert compile_bags(config, specs).templates == whole(config, specs, "O3")


def test_tables_with_rows_apart():
    config = CONFIGS["short"]
    specs = [BagSpec(f"t{d}", 10, d, 8, 40, table_stride=100) for d in (1, 8, 9, 33, 100)]
    assert compile_bags(config, specs).templates == whole(config, specs, "O3")


def work(monkeypatch, config: Config, specs: list[BagSpec]) -> tuple[int, int]:
    """Runs of the pipeline, and segments that came out of them."""
    runs = []
    pieces = pipeline.pieces

    def count(module, config):
        result = pieces(module, config)
        runs.append(len(result))
        return result

    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "pieces", count)
        compile_bags(config, specs)
    return len(runs), sum(runs)


@pytest.mark.parametrize("config", [CONFIGS["tiny"], CONFIGS["default"]], ids=["tiny", "default"])
@pytest.mark.parametrize("dim", [1, 3, 255, 257, 1 << 12, 65535, 99991, 1000000])
def test_a_row_of_any_length_is_the_work_of_two_tiles(monkeypatch, config, dim):
    spec = BagSpec("t", 10, dim, 8, 40)
    tiles = -(-dim // config.max_dim)
    odd = dim % config.max_dim > 0
    assert work(monkeypatch, config, [spec]) == (1, min(tiles, 1 + odd))
    templates = compile_bags(config, [spec]).templates
    segments = [s for template in templates for s in template.segments]
    assert len(segments) == tiles
    assert len(templates) == -(-tiles // config.segments)
    starts = range(0, 4 * dim, 4 * config.max_dim)
    for segment, start in zip(segments, starts, strict=True):
        assert segment.row["base"] == Address("t", "table", start, 40 * dim)
        assert segment.execute["base"] == Address("t", "out", start, 32 * dim)
    assert sum(int(s.row["dim"]) for s in segments) == dim  # type: ignore[arg-type]


def test_tables_of_one_shape_are_the_work_of_one(monkeypatch):
    config = CONFIGS["default"]
    specs = [BagSpec(f"t{n}", 10 + n, 32, 8, 40 + n) for n in range(100)]
    assert work(monkeypatch, config, specs) == (1, 1)
    mixed = [BagSpec(f"t{n}", 10, 32 + n % 5, 8, 40) for n in range(100)]
    assert work(monkeypatch, config, mixed) == (5, 5)


def test_narrow_keeps_strides():
    spec = BagSpec("t", 10, 1000, 8, 40)
    small = narrow(spec, 256)
    assert (small.dim, small.table_stride, small.out_stride) == (488, 1000, 1000)
    assert narrow(BagSpec("t", 10, 256, 8, 40), 256) == BagSpec("t", 10, 256, 8, 40)
    assert narrow(BagSpec("t", 10, 512, 8, 40), 256).dim == 256
    assert shape(spec) == shape(BagSpec("u", 99, 1000, 8, 77, out_stride=1000))


@pytest.mark.parametrize(
    "spec, message",
    [
        (BagSpec("x", 1 << 40, 1 << 20, 8, 40),
         "table 'x' needs addresses up to 4611686018427387903, but addr_width 32 allows "
         "4294967295"),
        (BagSpec("x", 10, 1 << 40, 8, 40),
         "table 'x' needs addresses up to 43980465111039, but addr_width 32 allows 4294967295"),
        (BagSpec("x", 10, 16, 8, 1 << 30),
         "indices of table 'x' needs addresses up to 8589934591, but addr_width 32 allows "
         "4294967295"),
        (BagSpec("x", 10, 16, 8, 40, out_stride=1 << 30),
         "out of table 'x' needs addresses up to 30064771135, but addr_width 32 allows "
         "4294967295"),
    ],
)  # fmt: skip
def test_what_addresses_do_not_reach_is_refused_before_any_work(monkeypatch, spec, message):
    def no_work(*_, **__):
        raise AssertionError("the passes must not run")

    monkeypatch.setattr(pipeline, "run", no_work)
    config = Config.preset("default").replace(addr_width=32)
    with pytest.raises(CompileError) as info:
        compile_bags(config, [BagSpec("small", 10, 16, 8, 40), spec])
    assert str(info.value) == message
