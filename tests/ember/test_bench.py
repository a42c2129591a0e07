"""Shapes that are measured: enough lines, the same for the same seed, checked options."""

import numpy as np
import pytest

import ember
from ember.bench import outstanding_limit
from ember.bench_shape import ZIPF_EMPTY, ZIPF_LONGEST, Shape, shape_lookups, zipf_lengths
from ember.bound import port_bound
from ember.cli import main
from ember.placement import place
from ember.validate import check_lookups


def bound_of(config, shape):
    requests = check_lookups(shape_lookups(config, shape, 0))
    return port_bound(requests, place(requests, config).addresses, config.line_bytes)


@pytest.mark.parametrize("preset", ["tiny", "paper"])
@pytest.mark.parametrize("dim", [1, 16, 200])
@pytest.mark.parametrize("pooling", [0, 1, 16])
def test_enough_lines_move(preset, dim, pooling):
    config = ember.Config.preset(preset)
    bound = bound_of(config, Shape(dim, pooling, rows=100, lines=5000))
    assert 5000 <= bound.lines < 6000


@pytest.mark.parametrize("dim", [16, 33, 100])
@pytest.mark.parametrize(
    "options", [dict(pooling="zipf"), dict(pooling=4, index_type="i64", weighted=True),
                dict(pooling=4, tables=8)],
)  # fmt: skip
def test_enough_lines_move_with_every_option(dim, options):
    config = ember.Config.preset("paper")
    bound = bound_of(config, Shape(dim, rows=100, lines=5000, **options))
    assert 5000 <= bound.lines < 12000


def test_a_seed_gives_one_operation(tiny):
    shape = Shape(4, "zipf", weighted=True, rows=10, lines=100, tables=2)
    first, same, other = (shape_lookups(tiny, shape, seed) for seed in (1, 1, 2))
    for name in ("table", "indices", "offsets", "per_sample_weights"):
        assert np.array_equal(getattr(first[0], name), getattr(same[0], name))
        assert not np.array_equal(getattr(first[0], name), getattr(other[0], name))
        assert not np.array_equal(getattr(first[0], name), getattr(first[1], name))


def test_heavy_tailed_bags():
    lengths = zipf_lengths(100_000, np.random.default_rng(0))
    assert abs((lengths == 0).mean() - ZIPF_EMPTY) < 0.01
    assert lengths.max() == ZIPF_LONGEST
    # Half of the bags that are not empty have one or two entries; one in a hundred has many.
    full = lengths[lengths > 0]
    assert np.median(full) == 2 and np.quantile(full, 0.99) > 100


@pytest.mark.parametrize("bags", [1, 7])
def test_a_number_of_bags(tiny, bags):
    for pooling in (0, 3, "zipf"):
        shape = Shape(4, pooling, bags=bags, tables=3, index_type="i64")
        lookups = shape_lookups(tiny, shape, 0)
        assert [lookup.offsets.size for lookup in lookups] == [bags + 1] * 3
        assert {lookup.indices.dtype for lookup in lookups} == {np.dtype(np.int64)}


def test_outstanding_limit(tiny):
    assert outstanding_limit(tiny, "4") == 1
    assert outstanding_limit(tiny, "16") == 0.5
    assert outstanding_limit(tiny, "10..30") == 0.4


@pytest.mark.parametrize(
    "argv, message",
    [
        (["--weighted", "--modes", "sum,mean"],
         "ember: --weighted must come with --modes sum, not sum,mean"),
        (["--pooling", "4,zip"], "must be an integer, not 'zip'"),
        (["--latency", "50,"], "must be an integer, not ''"),
        (["--tables", "0"], "must be 1..1024, not 0"),
    ],
)  # fmt: skip
def test_bad_options(capsys, argv, message):
    assert main(["bench", "bag", *argv]) == 2
    out, err = capsys.readouterr()
    assert out == "" and message in err
