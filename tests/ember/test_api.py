"""The Python API: compile, run, look at the result."""

import dataclasses

import numpy as np
import pytest

import ember


@pytest.fixture
def options(tiny):
    return dict(config=tiny, engine="functional")


def test_every_public_name_is_there():
    for name in ember.__all__:
        assert getattr(ember, name) is not None
        assert name in dir(ember)
    with pytest.raises(AttributeError, match="^module 'ember' has no attribute 'nothing'$"):
        ember.nothing  # noqa: B018


def test_result_of_the_functional_engine(rows4, options):
    result = ember.embedding_bag(rows4, [0, 2, 3], [0, 2], mode="sum", **options)
    assert result.output.tolist() == [[4, 6], [6, 7]]
    assert (result.bags, result.lookups, result.launches) == (2, 3, 1)
    assert result.cycles is None and result.counters == {}
    assert result.utilization is None
    assert result.bytes_per_cycle is None and result.cycles_per_lookup is None
    assert result.bound_cycles == result.bound.cycles > 0


def test_several_tables_in_one_run(rows4, options):
    lookups = [
        ember.Lookup(rows4, [0, 1], [0], mode="sum", name="a"),
        ember.Lookup(rows4 * 10, np.int32([3]), [0], mode="max", name="b"),
        ember.Lookup(rows4[:, :1].copy(), [], [0], name="empty"),
        ember.Lookup(np.zeros((4, 0), np.float32), [1], [0], name="no elements"),
    ]
    result = ember.embedding_bags(lookups, **options)
    assert [output.tolist() for output in result.outputs] == [[[2, 4]], [[60, 70]], [[0]], [[]]]
    assert result.concatenated.tolist() == [[2, 4, 60, 70, 0]]
    with pytest.raises(ValueError, match="^result has 4 outputs: use outputs or concatenated$"):
        result.output  # noqa: B018


def test_more_tables_than_segments(rows4, tiny, options):
    count = 2 * tiny.segments + 1
    lookups = [ember.Lookup(rows4, [n % 4], [0], mode="sum") for n in range(count)]
    result = ember.embedding_bags(lookups, **options)
    assert result.launches == 3
    assert result.concatenated[0].tolist() == [x for n in range(count) for x in rows4[n % 4]]


def test_outputs_of_different_bags_are_not_concatenated(rows4, options):
    lookups = [ember.Lookup(rows4, [0], [0]), ember.Lookup(rows4, [0, 1], [0, 1])]
    with pytest.raises(ValueError, match="^outputs must have the same number of bags, not 1, 2$"):
        ember.embedding_bags(lookups, **options).concatenated  # noqa: B018


def test_a_compiled_bag_runs_more_than_once(rows4, tiny):
    bag = ember.compile_bag(ember.Bag(4, 2, bags=2, lookups=3, mode="sum"), tiny)
    for indices in ([0, 1, 2], [3, 3, 3]):
        result = bag.run(ember.Lookup(rows4, indices, [0, 1], mode="sum"), engine="functional")
        expected = [rows4[indices[0]], rows4[indices[1]] + rows4[indices[2]]]
        assert result.output.tolist() == np.array(expected).tolist()


@pytest.mark.parametrize("stage", ["scf", "slc", "dlc", "asm", "json"])
def test_every_stage_is_text(tiny, stage):
    assert ember.compile_bag(ember.Bag(4, 2, 2, 3), tiny).text(stage).strip()


def test_stages_that_do_not_exist(tiny):
    bag = ember.compile_bag(ember.Bag(4, 2, 2, 3), tiny)
    with pytest.raises(ValueError, match="^stage must be one of 'scf', .*, not 'rtl'$"):
        bag.text("rtl")
    with pytest.raises(ValueError, match="at least 1 output value"):
        ember.compile_bag(ember.Bag(4, 0, 2, 3), tiny).text("slc")


def test_arrays_of_another_shape_than_was_compiled(rows4, tiny):
    bag = ember.compile_bag(ember.Bag(4, 2, bags=2, lookups=3), tiny)
    with pytest.raises(ValueError) as error:
        bag.run(ember.Lookup(rows4, [0, 1], [0, 1]))
    assert str(error.value) == ("bag 'table' was compiled for lookups = 3, but runs on lookups = 2")
    with pytest.raises(ValueError, match="^lookups must be 1, one per bag, not 2$"):
        bag.run(ember.Lookup(rows4, [0], [0]), ember.Lookup(rows4, [0], [0]))


@pytest.mark.parametrize(
    ("kwargs", "error", "message"),
    [
        (dict(rows=-1), ValueError, "rows must be at least 0, not -1"),
        (dict(dim=1.5), TypeError, "dim must be an integer, not 1.5"),
        (dict(bags=True), TypeError, "bags must be an integer, not True"),
        (dict(index_type="i16"), ValueError, "index_type must be one of 'i32', 'i64', not 'i16'"),
        (dict(weighted=1), TypeError, "weighted must be True or False, not 1"),
        (dict(padding_idx=4), ValueError,
         "padding_idx is 4, but table 'table' has 4 rows: allowed -4..3"),
    ],
)  # fmt: skip
def test_wrong_shapes(kwargs, error, message):
    with pytest.raises(error) as raised:
        ember.Bag(**{**dict(rows=4, dim=2, bags=1, lookups=1), **kwargs})
    assert str(raised.value) == message


def test_wrong_bags(tiny):
    with pytest.raises(TypeError, match=r"^bags\[0\] must be a Bag, not int$"):
        ember.compile_bags([3], tiny)  # type: ignore[list-item]
    with pytest.raises(ValueError, match="^bags must have different names, not table, table$"):
        ember.compile_bags([ember.Bag(4, 2, 1, 1)] * 2, tiny)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ember.compile_bags(ember.Bag(4, 2, 1, 1)), TypeError,
         "bags must be a list of Bag, not Bag"),
        (lambda: ember.compile_bags([]), ValueError, "bags must not be empty"),
        (lambda: ember.compile_bags(None), TypeError, "bags must be a list of Bag, not NoneType"),
        (lambda: ember.compile_bag(ember.Bag(4, 2, 1, 1), "tiny"), TypeError,
         "config must be a Config, not str"),
        (lambda: ember.embedding_bags([], config=3), TypeError, "config must be a Config, not int"),
        (lambda: ember.RunOptions(wave=3), TypeError, "wave must be the name of a file, not 3"),
        (lambda: ember.RunOptions(progress=3), TypeError,
         "progress must be a function of a line, not 3"),
        (lambda: ember.Config.load(3), TypeError, "path must be the name of a file, not 3"),
        (lambda: ember.Config().override(3), TypeError,
         "setting must be a string key=value, not 3"),
        (lambda: ember.split_features(None, [], lengths=[]), TypeError,
         "tables must be a list of arrays, not NoneType"),
        (lambda: ember.split_features(np.zeros((2, 2), np.float32), [], lengths=[]), TypeError,
         "tables must be a list of arrays, not ndarray"),
        (lambda: ember.split_features([np.zeros((2, 2), np.float32)], [], lengths=[],
                                      feature_table_map=3), TypeError,
         "feature_table_map must be a list of integers, not int"),
    ],
)  # fmt: skip
def test_misuse(call, error, message):
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (dict(rows=1 << 40, dim=1 << 20),
         f"table 'table' needs {1 << 62} bytes, but the address space of 2**32 bytes has "
         f"{2**32 - 16} left"),
        (dict(lookups=1 << 30),
         f"indices of table 'table' needs {1 << 33} bytes, but the address space of 2**32 bytes "
         f"has {2**32 - 64} left"),
        (dict(bags=1 << 29),
         f"offsets of table 'table' needs {(1 << 32) + 8} bytes, but the address space of 2**32 "
         f"bytes has {2**32 - 96} left"),
        (dict(bags=1 << 27, dim=64),
         f"output of table 'table' needs {1 << 35} bytes, but the address space of 2**32 bytes "
         f"has {2**32 - 16 - 1040 - 32 - (1 << 30) - 32} left"),
    ],
)  # fmt: skip
def test_the_address_space_is_checked_before_compiling(tiny, monkeypatch, shape, message):
    monkeypatch.setattr("ember.parts.compiler", None)
    with pytest.raises(ValueError) as error:
        ember.compile_bag(ember.Bag(**{**dict(rows=4, dim=2, bags=1, lookups=1), **shape}), tiny)
    assert str(error.value) == message


def test_a_huge_view_is_refused_before_it_is_copied(tiny):
    table = np.broadcast_to(np.zeros(64, np.float32), (1 << 33, 64))
    for config, space in ((None, 40), (tiny, 32)):
        line = (config or ember.Config()).line_bytes
        with pytest.raises(ValueError) as error:
            ember.embedding_bag(table, [0], [0], config=config)
        assert str(error.value) == (
            f"table 'table' needs {1 << 41} bytes, but the address space of 2**{space} bytes has "
            f"{(1 << space) - line} left"
        )
        with pytest.raises(ValueError, match="^table 'table' needs "):
            ember.EmbeddingBag(table, config=config)


@pytest.mark.parametrize(
    ("weights", "place", "value"),
    [([1, -1e300], "1", -1e300), ([10**400, 1.0], "0", 10**400), ([1e39, np.inf], "0", 1e39)],
)
def test_weights_that_float32_does_not_hold(rows4, options, weights, place, value):
    with pytest.raises(ValueError) as error:
        ember.embedding_bag(
            rows4, [0, 1], [0], per_sample_weights=weights, mode="sum", **options
        )
    assert str(error.value) == (
        f"per_sample_weights[{place}] is {value}, but float32 holds only "
        f"-3.4028234663852886e+38..3.4028234663852886e+38"
    )


def test_weights_that_float32_holds(rows4, options):
    weights = [3.4028235e38, np.inf, -np.inf, np.nan, 1e-300, 7]
    result = ember.embedding_bag(
        rows4[:, :1] * 0 + 1, [0] * 6, np.arange(6), per_sample_weights=weights, mode="sum",
        **options,
    )  # fmt: skip
    expected = np.array([3.4028235e38, np.inf, -np.inf, np.nan, 0, 7], np.float32)
    assert np.array_equal(result.output[:, 0], expected, equal_nan=True)


def test_the_functional_engine_has_a_time_limit(rows4, options):
    for kwargs in (dict(), dict(mode="max")):
        with pytest.raises(RuntimeError) as error:
            ember.embedding_bag(
                rows4, [0, 1] * 50, np.arange(100), max_seconds=1e-9, **kwargs, **options
            )
        assert str(error.value) == "functional model did not finish within 1e-09 s"


def test_the_callers_arrays_are_never_changed(rng, options):
    table = rng.standard_normal((10, 3), np.float32)
    indices, offsets = rng.integers(0, 10, 20), np.array([0, 5, 9])
    weights = rng.standard_normal(20, np.float32)
    arrays = (table, indices, offsets, weights)
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    ember.embedding_bag(
        table, indices, offsets, per_sample_weights=weights, mode="sum", padding_idx=-1, **options
    )
    assert all(np.array_equal(a, b) for a, b in zip(arrays, before, strict=True))


def test_embedding_bag_object(rows4, options):
    bag = ember.EmbeddingBag(rows4, mode="sum", padding_idx=1, **options)
    assert bag([0, 1, 2], [0, 2]).output.tolist() == [[0, 1], [4, 5]]
    assert bag([[3, 1]]).output.tolist() == [[6, 7]]
    assert bag([3], lengths=[1]).output.tolist() == [[6, 7]]
    assert bag([3], [0], per_sample_weights=[2.0]).output.tolist() == [[12, 14]]
    with pytest.raises(ValueError, match=r"^indices\[0\] is 4, "):
        bag([4], [0])


def test_embedding_bag_object_compiles_a_shape_once(rows4, options):
    bag = ember.EmbeddingBag(rows4, **options)
    for indices in ([0, 1], [2, 3]):
        bag(indices, [0])
    assert len(bag._compiled) == 1


def test_embedding_bag_object_checks_at_once(rows4):
    with pytest.raises(ValueError, match="^mode must be one of"):
        ember.EmbeddingBag(rows4, mode="add")
    with pytest.raises(TypeError, match="^table must be float32, not float64 "):
        ember.EmbeddingBag(rows4.astype(np.float64))
    with pytest.raises(ValueError, match="^max_norm must be None, not 2.0: "):
        ember.EmbeddingBag(rows4, max_norm=2.0)
    assert ember.EmbeddingBag(rows4, include_last_offset=True) is not None


def test_from_torch(rows4, options):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    for kwargs in (dict(), dict(mode="max"), dict(padding_idx=2), dict(include_last_offset=True)):
        module = torch.nn.EmbeddingBag.from_pretrained(torch.from_numpy(rows4), **kwargs)
        indices, offsets = torch.tensor([0, 2, 3]), torch.tensor([0, 1, 3])
        expected = module(indices, offsets).detach().numpy()
        output = ember.EmbeddingBag.from_torch(module, **options)(indices, offsets).output
        assert np.array_equal(output, expected)


def test_from_torch_refuses_max_norm_and_other_modules(rows4):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    with pytest.raises(ValueError, match="^max_norm must be None, not 1.0: "):
        ember.EmbeddingBag.from_torch(torch.nn.EmbeddingBag(4, 2, max_norm=1.0))
    with pytest.raises(TypeError, match="^module must be a torch.nn.EmbeddingBag, not Linear "):
        ember.EmbeddingBag.from_torch(torch.nn.Linear(2, 2))


def test_a_wrong_result_is_found(rows4, options):
    good = ember.embedding_bag(rows4, [0, 1], [0, 1], mode="sum", **options)
    wrong = good.output.copy()
    wrong[1, 0] = -0.0
    bad = dataclasses.replace(good, outputs=(wrong,))
    for compare in (ember.compare_numpy, ember.compare_torch):
        assert compare(good).bit_exact
        comparison = compare(bad)
        if comparison.skipped == "not installed":
            continue
        assert not comparison.bit_exact
        assert str(comparison.mismatch) == (
            "1 values differ, first table[1, 0]: -0.0 (0x80000000) instead of 2.0 (0x40000000)"
        )
