"""Cases from public bug reports about embedding bags: each is somebody's lost day."""

import dataclasses

import numpy as np
import pytest

import ember
from ember.validate import check_lookups


@pytest.fixture(params=["functional", "cpu"])
def engine(request):
    """Each engine that needs no tools."""
    return request.param


@pytest.fixture
def run(tiny, engine):
    def call(*args, config=tiny, **kwargs):
        return ember.embedding_bag(*args, config=config, engine=engine, **kwargs)

    return call


def column(*values):
    return np.array(values, np.float32)[:, None]


def test_empty_bags_are_zeros(run):
    # pytorch#4169
    table = column(1, 2, 3, 4, 5)
    for offsets, expected in (([0, 1, 1, 3, 3, 4], [1, 0, 2.5, 0, 4, 5]), ([0, 1, 5], [1, 3.5, 0])):
        assert run(table, np.arange(5), offsets).output[:, 0].tolist() == expected


def test_one_empty_bag_is_one_row(run):
    # pytorch#21400
    assert run(column(1), [], [0]).output.tolist() == [[0.0]]


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_decreasing_offsets(run, mode, dtype):
    # pytorch#55549
    with pytest.raises(ValueError, match=r"^offsets\[2\] is 1, but offsets\[1\] is 2: "):
        run(column(1, 2, 3), dtype([0, 1, 2]), dtype([0, 2, 1]), mode=mode)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_last_offset_is_not_the_number_of_indices(run, mode):
    # pytorch#191965
    with pytest.raises(ValueError, match=r"^offsets\[1\], the last one, must be .* 3, .* not 2$"):
        run(column(1, 5, 9), [0, 1, 2], [0, 2], mode=mode, include_last_offset=True)


def test_an_index_past_the_end_never_reads_the_next_table(tiny):
    # FBGEMM#6215, pytorch#189971
    both = np.arange(16, dtype=np.float32).reshape(8, 2)
    lookups = [
        ember.Lookup(both[:4], [4], [0], name="first"),
        ember.Lookup(both[4:], [0], [0], name="next"),
    ]
    with pytest.raises(ValueError) as error:
        ember.embedding_bags(lookups, config=tiny)
    assert str(error.value) == "indices[0] is 4, but table 'first' has 4 rows: allowed 0..3"


def test_the_machine_finds_it_too(tiny, engine):
    # The second net: the same message from the machine's error registers.
    both = np.arange(16, dtype=np.float32).reshape(8, 2)
    lookups = [
        ember.Lookup(both[:4], [1, 3, 4], [0, 1], name="first", mode="sum"),
        ember.Lookup(both[4:], [0], [0], name="next", mode="sum"),
    ]
    requests = check_lookups(lookups, check_indices=False)
    compiled = ember.compile_bags([request.bag for request in requests], tiny)
    with pytest.raises(ValueError) as error:
        compiled.run_checked(requests, ember.RunOptions(engine=engine))
    assert str(error.value) == "indices[2] is 4, but table 'first' has 4 rows: allowed 0..3"


@pytest.mark.parametrize("opt", ["O0", "O3"])
@pytest.mark.parametrize("preset", ["tiny", "default", "paper"])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        ([0, 1, 9, 3], "offsets[2] is 9, but indices has 3 entries: allowed 0..3"),
        ([0, 1, 2, 4], "offsets[3] is 4, but indices has 3 entries: allowed 0..3"),
        ([7, 7, 7, 7], "offsets[0] is 7, but indices has 3 entries: allowed 0..3"),
        ([0, -1, 2, 3], "offsets[1] is -1, but indices has 3 entries: allowed 0..3"),
        ([0, 2, 1, 3], "offsets[2] is 1, but offsets[1] is 2: offsets must not decrease"),
    ],
)
def test_the_machine_finds_bad_offsets_too(engine, opt, preset, dtype, offsets, message):
    config = ember.Config.preset(preset)
    for dim in (1, 3, 3 * config.max_dim):
        table = np.ones((4, dim), np.float32)
        (good,) = check_lookups([ember.Lookup(table, [0, 1, 2], dtype([0, 1, 2]), mode="sum")])
        bad = dataclasses.replace(good, offsets=dtype(offsets))
        with pytest.raises(ValueError) as error:
            compiled = ember.compile_bag(good.bag, config, opt)
            compiled.run_checked([bad], ember.RunOptions(engine=engine))
        assert str(error.value) == message


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("value", [-1, 2**31 - 1, -(2**31)])
def test_the_machine_reports_signed_values(tiny, engine, dtype, value):
    lookup = ember.Lookup(column(1, 2), np.array([0, value], dtype), [0])
    requests = check_lookups([lookup], check_indices=False)
    compiled = ember.compile_bags([request.bag for request in requests], tiny)
    with pytest.raises(ValueError, match=rf"^indices\[1\] is {value}, "):
        compiled.run_checked(requests, ember.RunOptions(engine=engine))


def test_position_value_and_range(run):
    # pytorch#99221
    with pytest.raises(ValueError, match=r"^indices\[2\] is 9, .* has 4 rows: allowed 0\.\.3$"):
        run(column(1, 2, 3, 4), [0, 1, 9], [0])


def test_padding_idx_with_two_dimensional_input(run):
    # pytorch#49237
    assert run(column(1, 2, 3), [[0, 1, 2]], padding_idx=1).output.tolist() == [[2.0]]


PAPER = ember.Config.preset("paper")


def test_row_past_two_gibibytes_of_elements(run):
    # pytorch#188467: row 2**15 of 2**16 elements starts at element 2**31.
    table = np.zeros((2**15 + 1, 2**16), np.float32)
    table[2**15] = np.arange(2**16)
    output = run(table, [2**15, 0], [0], mode="sum", config=PAPER).output
    assert np.array_equal(output[0], table[2**15])


def test_a_large_table(run):
    # onnxruntime#28107
    table = np.zeros((262144, 8960), np.float32)
    table[239673], table[239674] = 1, np.arange(8960)
    output = run(table, [239673, 239674], [0, 1], mode="sum", config=PAPER).output
    assert np.array_equal(output, table[239673:239675])


def test_an_index_past_31_bits(run):
    # torchrec#1590
    table = np.zeros((2**31 + 2, 1), np.float32)
    table[2**31 + 1] = 7
    output = run(table, [2**31 + 1, 2**31], [0, 1], mode="sum", config=PAPER).output
    assert output.tolist() == [[7], [0]]


def test_thousand_duplicates(run):
    # tt-metal#36341, in float32
    assert run(column(1), np.zeros(1000, np.int64), [0], mode="sum").output.tolist() == [[1000]]


def test_host_program_for_another_machine(tiny):
    # gemmini-rocc-tests#36
    compiled = ember.compile_bag(ember.Bag(4, 2, 1, 1), tiny)
    (program,) = compiled.link(
        {("table", kind): 64 for kind in ("table", "indices", "offsets", "out")}
    )
    with pytest.raises(
        ValueError, match=f"must be made for configuration {PAPER.hash}, not {tiny.hash}"
    ):
        program.image(PAPER)
