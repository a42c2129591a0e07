"""Tables, weights, padding and modes; and that nothing of the caller's is changed."""

import numpy as np
import pytest

import ember
from ember.validate import check_lookup


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_other_float_types_are_refused_for_now(rows4, dtype):
    with pytest.raises(TypeError) as error:
        check_lookup(ember.Lookup(rows4.astype(dtype), [0], [0]))
    assert str(error.value) == (
        f"table must be float32, not {dtype} (other table types are not supported yet; convert it "
        f"if that is what you want)"
    )


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        ([[1.0]], TypeError, "table must be an array of float32, not a list"),
        (None, TypeError, "table must be an array of float32, not NoneType"),
        (np.zeros((2, 2), ">f4"), TypeError, "table must be float32, not >f4"),
        (np.zeros((2, 2), np.int32), TypeError, "table must be float32, not int32"),
        (np.zeros((2, 2), object), TypeError, "table must be float32, not object"),
        (np.zeros(2, np.float32), ValueError, "table must be 2-D, not 1-D (shape (2,))"),
        (
            np.zeros((1, 2, 3), np.float32),
            ValueError,
            "table must be 2-D, not 3-D (shape (1, 2, 3))",
        ),
    ],
)
def test_wrong_table(table, error, message):
    with pytest.raises(error) as raised:
        check_lookup(ember.Lookup(table, [0], [0]))
    assert str(raised.value) == message


def test_layouts_that_the_machine_cannot_walk_are_copied(rows4):
    strided = np.arange(32, dtype=np.float32).reshape(4, 8)[:, ::2]
    request = check_lookup(ember.Lookup(strided, np.arange(4)[::2], [0]))
    assert request.table.flags.c_contiguous and request.table.tolist() == strided.tolist()
    buffer = bytearray(33)
    unaligned = np.frombuffer(buffer, np.float32, 8, offset=1).reshape(4, 2)
    assert check_lookup(ember.Lookup(unaligned, [0], [0])).table.flags.aligned


def test_a_good_table_is_used_in_place(rows4):
    rows4.flags.writeable = False
    assert check_lookup(ember.Lookup(rows4, [0], [0])).table is rows4


@pytest.mark.parametrize(("given", "kept"), [(None, None), (0, 0), (3, 3), (-1, 3), (-4, 0)])
def test_padding_idx_counts_from_the_end(rows4, given, kept):
    assert check_lookup(ember.Lookup(rows4, [0], [0], padding_idx=given)).bag.padding_idx == kept


@pytest.mark.parametrize(
    ("padding_idx", "error", "message"),
    [
        (4, ValueError, "padding_idx is 4, but table 'table' has 4 rows: allowed -4..3"),
        (-5, ValueError, "padding_idx is -5, but table 'table' has 4 rows: allowed -4..3"),
        (1.0, TypeError, "padding_idx must be an integer, not 1.0"),
        (True, TypeError, "padding_idx must be an integer, not True"),
        ("1", TypeError, "padding_idx must be an integer, not '1'"),
    ],
)
def test_wrong_padding_idx(rows4, padding_idx, error, message):
    with pytest.raises(error) as raised:
        check_lookup(ember.Lookup(rows4, [0], [0], padding_idx=padding_idx))
    assert str(raised.value) == message


def test_no_padding_idx_is_allowed_in_an_empty_table():
    with pytest.raises(ValueError, match="has 0 rows: none is allowed$"):
        check_lookup(ember.Lookup(np.zeros((0, 2), np.float32), [], [0], padding_idx=0))


def test_numpy_integers_are_integers(rows4):
    assert (
        check_lookup(ember.Lookup(rows4, [0], [0], padding_idx=np.int32(-1))).bag.padding_idx == 3
    )


@pytest.mark.parametrize("mode", ["mean", "max"])
def test_weights_need_sum(rows4, mode):
    with pytest.raises(ValueError) as error:
        check_lookup(ember.Lookup(rows4, [0], [0], per_sample_weights=[1.0], mode=mode))
    assert str(error.value) == (
        f"per_sample_weights must come with mode 'sum', not {mode!r}: "
        f"a weighted {mode} is not defined"
    )


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ([1.0], ValueError, "must have the shape of indices, (2,), not (1,)"),
        ([[1.0, 2.0]], ValueError, "must have the shape of indices, (2,), not (1, 2)"),
        (np.ones(2), TypeError, "must be float32, not float64"),
        (np.ones(2, np.float16), TypeError, "must be float32, not float16"),
        (np.ones(2, np.int32), TypeError, "must be float32, not int32"),
        (1.0, TypeError, "must be an array of float32, not float"),
    ],
)
def test_wrong_weights(rows4, weights, error, message):
    with pytest.raises(error) as raised:
        check_lookup(ember.Lookup(rows4, [0, 1], [0], per_sample_weights=weights, mode="sum"))
    assert str(raised.value) == f"per_sample_weights {message}"


def test_weights_of_two_dimensional_input(rows4):
    request = check_lookup(ember.Lookup(rows4, [[0, 1]], per_sample_weights=[[0.5, 2]], mode="sum"))
    assert request.weights is not None and request.weights.tolist() == [0.5, 2.0]


def test_mean_is_the_default(rows4):
    assert ember.Lookup(rows4, [0], [0]).mode == "mean"
    assert ember.Bag(4, 2, 1, 1).mode == "mean"


@pytest.mark.parametrize(
    ("setting", "error", "message"),
    [
        (dict(mode="add"), ValueError, "mode must be one of 'sum', 'mean', 'max', not 'add'"),
        (dict(mode=0), TypeError, "mode must be one of 'sum', 'mean', 'max', not 0"),
        (dict(nan="no"), ValueError, "nan must be one of 'torch', 'propagate', not 'no'"),
        (dict(fma=1), TypeError, "fma must be True or False, not 1"),
        (dict(name=""), ValueError, "name must not be empty"),
        (dict(name=3), TypeError, "name must be a string, not 3"),
        (
            dict(max_norm=1.0), ValueError,
            "max_norm must be None, not 1.0: it rewrites the looked-up rows of the table before "
            "pooling, and a caller's arrays are never changed",
        ),
    ],
)  # fmt: skip
def test_wrong_settings(rows4, setting, error, message):
    with pytest.raises(error) as raised:
        ember.embedding_bag(rows4, [0], [0], **setting)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("option", "error", "message"),
    [
        (
            dict(engine="fpga"), ValueError,
            "engine must be one of 'rtl', 'functional', 'cpu', 'board', 'board-sim', not 'fpga'",
        ),
        (dict(latency=0), ValueError, "latency must be within 1..1048576 cycles, not 0"),
        (dict(latency=(4, 2)), ValueError, "latency must be within 1..1048576 cycles, not 4..2"),
        (dict(latency=1.5), TypeError, "latency must be an integer, not 1.5"),
        (
            dict(latency=(1, 2, 3)), ValueError,
            "latency must be an integer or a pair, not (1, 2, 3)",
        ),
        (dict(seed=-1), ValueError, f"seed must be 0..{2**63 - 1}, not -1"),
        (dict(max_cycles=0), ValueError, "max_cycles must be at least 1, not 0"),
        (dict(max_seconds=0), ValueError, "max_seconds must be above 0, not 0"),
        (dict(max_seconds="1"), TypeError, "max_seconds must be a number, not '1'"),
        (dict(opt="O9"), ValueError, "opt must be one of 'O0', 'O1', 'O2', 'O3', not 'O9'"),
        (dict(config="paper"), TypeError, "config must be a Config, not str"),
        (
            dict(engine="cpu", wave="x.vcd"), ValueError,
            "wave must come with engine 'rtl', not 'cpu'",
        ),
        (
            dict(engine="functional", wave="x.vcd"), ValueError,
            "wave must come with engine 'rtl', not 'functional'",
        ),
        (
            dict(speed=1), TypeError,
            "option must be one of engine, port, baud, latency, seed, max_cycles, max_seconds, "
            "wave, wave_from, wave_to, timeline, trace, progress, not 'speed'",
        ),
    ],
)  # fmt: skip
def test_wrong_options(rows4, option, error, message):
    with pytest.raises(error) as raised:
        ember.embedding_bag(rows4, [0], [0], **option)
    assert str(raised.value) == message


def test_the_longest_latency_is_the_memory_models_own():
    from ember.sim import latency

    from ember import options

    assert options.MAX_LATENCY == latency.MAX_LATENCY
