"""``ember.run_nest``: arrays by name, checked before anything runs; the interpreter's bits."""

import numpy as np
import pytest

import ember
from ember.strided import buffer_of, copy_of, laid_out

#: out[b] += the rows of table that idx has from ptr[b] to ptr[b + 1], n bags.
SUMS = """\
func.func @sums(%ptr: memref<?xi64>, %idx: memref<?xi32>, %table: memref<?x6xf32>,
                %out: memref<3x6xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  scf.for %b = %c0 to %n step %c1 {
    scf.for %e = %c0 to %c6 step %c1 {
      %z = arith.constant 0.0 : f32
      memref.store %z, %out[%b, %e] : memref<3x6xf32>
    }
    %b1 = arith.addi %b, %c1 : index
    %p = memref.load %ptr[%b] : memref<?xi64>
    %q = memref.load %ptr[%b1] : memref<?xi64>
    %first = arith.index_cast %p : i64 to index
    %last = arith.index_cast %q : i64 to index
    scf.for %j = %first to %last step %c1 {
      %i = memref.load %idx[%j] : memref<?xi32>
      %r = arith.index_cast %i : i32 to index
      scf.for %e = %c0 to %c6 step %c1 {
        %x = memref.load %table[%r, %e] : memref<?x6xf32>
        %a = memref.load %out[%b, %e] : memref<3x6xf32>
        %s = arith.addf %a, %x : f32
        memref.store %s, %out[%b, %e] : memref<3x6xf32>
      }
    }
  }
  func.return
}
"""
ROWS = """\
func.func @rows(%idx: memref<4xindex>, %t: memref<9x4xf32{layout}>,
                %out: memref<4x4xf32{layout}>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {{
    %r = memref.load %idx[%b] : memref<4xindex>
    scf.for %e = %c0 to %c4 step %c1 {{
      %x = memref.load %t[%r, %e] : memref<9x4xf32{layout}>
      memref.store %x, %out[%b, %e] : memref<4x4xf32{layout}>
    }}
  }}
  func.return
}}
"""
#: out[row[e]] += table[column[e]], entries in any order.
ENTRIES = """\
func.func @entries(%row: memref<5xi64>, %column: memref<5xi64>, %table: memref<7x4xf32>,
                   %out: memref<3x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %z = arith.constant 0.0 : f32
  scf.for %f = %c0 to %c3 step %c1 {
    scf.for %k = %c0 to %c4 step %c1 {
      memref.store %z, %out[%f, %k] : memref<3x4xf32>
    }
  }
  scf.for %e = %c0 to %c5 step %c1 {
    %p = memref.load %row[%e] : memref<5xi64>
    %r = arith.index_cast %p : i64 to index
    %q = memref.load %column[%e] : memref<5xi64>
    %c = arith.index_cast %q : i64 to index
    scf.for %k = %c0 to %c4 step %c1 {
      %x = memref.load %table[%c, %k] : memref<7x4xf32>
      %a = memref.load %out[%r, %k] : memref<3x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%r, %k] : memref<3x4xf32>
    }
  }
  func.return
}
"""


@pytest.fixture
def arrays(rng) -> dict:
    return {
        "ptr": np.array([0, 2, 2, 7]),
        "idx": rng.integers(0, 9, 7).astype(np.int32),
        "table": rng.standard_normal((9, 6), np.float32),
        "out": np.full((3, 6), 5, np.float32),
        "n": 3,
    }


def sums(arrays: dict) -> np.ndarray:
    """In list order, as NumPy adds row by row."""
    expected = arrays["out"].copy()
    for b in range(arrays["n"]):
        expected[b] = 0
        for j in range(arrays["ptr"][b], arrays["ptr"][b + 1]):
            expected[b] += arrays["table"][arrays["idx"][j]]
    return expected


def check(result: ember.NestResult, expected: np.ndarray) -> None:
    assert list(result.arrays) == ["out"]
    assert result.arrays["out"].view(np.uint32).tolist() == expected.view(np.uint32).tolist()
    comparison = ember.compare_interpreter(result)
    assert comparison.bit_exact and comparison.values == expected.size


@pytest.mark.parametrize("opt", ["O0", "O1", "O2", "O3"])
@pytest.mark.parametrize("engine", ["functional", "cpu"])
def test_sums(arrays, tiny, engine, opt):
    if engine == "cpu":
        pytest.importorskip("llvmlite", reason="llvmlite is not installed")
    before = {name: np.copy(value) for name, value in arrays.items()}
    result = ember.run_nest(SUMS, arrays, config=tiny, opt=opt, engine=engine)
    check(result, sums(arrays))
    assert all(np.array_equal(arrays[name], before[name]) for name in arrays)
    assert (result.function, result.opt, result.launches) == ("sums", opt, 1)
    assert (result.cycles, result.counters, result.converted) == (None, {}, ())
    assert result.compile_seconds > 0 and result.run_seconds > 0


@pytest.mark.xdist_group("rtl-tiny")
def test_sums_on_rtl(arrays, tiny):
    result = ember.run_nest(SUMS, arrays, config=tiny, latency=(3, 9), seed=4, timeline=True)
    check(result, sums(arrays))
    assert result.cycles == result.counters["cycles"] > 0
    assert len(result.recorded) == 1 and result.recorded[0].tables == ("sums",)


def test_what_is_not_written_stays(arrays, tiny):
    arrays["n"] = 2
    result = ember.run_nest(SUMS, arrays, config=tiny, engine="functional")
    check(result, sums(arrays))
    assert np.all(result.arrays["out"][2] == 5)


def test_an_array_that_may_not_be_written(arrays, tiny):
    arrays["out"].setflags(write=False)
    result = ember.run_nest(SUMS, arrays, config=tiny, engine="functional")
    result.arrays["out"][0] = 1  # the caller's from here on
    assert np.all(arrays["out"] == 5)


def test_other_kinds_of_arguments(arrays, tiny):
    """Lists, arrays that are not contiguous, integers as archives hold them."""
    expected = sums(arrays)
    table = np.asfortranarray(arrays["table"])
    others = {"ptr": arrays["ptr"].tolist(), "table": table, "n": np.array(3, np.uint8)}
    result = ember.run_nest(SUMS, arrays | others, config=tiny, engine="functional")
    check(result, expected)


@pytest.mark.parametrize("layout", ["", ", strided<[7, 1]>", ", strided<[?, 1]>",
                                    ", strided<[4, 1], offset: ?>"])  # fmt: skip
@pytest.mark.parametrize("engine", ["functional", "cpu"])
def test_strides_are_those_of_the_type(rng, tiny, engine, layout):
    if engine == "cpu":
        pytest.importorskip("llvmlite", reason="llvmlite is not installed")
    table, idx = rng.standard_normal((9, 4), np.float32), rng.integers(0, 9, 4)
    given = {"idx": idx, "t": table, "out": np.zeros((4, 4), np.float32)}
    result = ember.run_nest(ROWS.format(layout=layout), given, config=tiny, engine=engine)
    check(result, table[idx])
    assert result.arrays["out"].flags.c_contiguous


@pytest.mark.parametrize("engine", ["functional", "cpu"])
def test_entries_are_sorted_by_row(rng, tiny, engine):
    if engine == "cpu":
        pytest.importorskip("llvmlite", reason="llvmlite is not installed")
    row, column = np.array([2, 0, 2, 0, 2]), rng.integers(0, 7, 5)
    table, out = rng.standard_normal((7, 4), np.float32), np.ones((3, 4), np.float32)
    given = {"row": row, "column": column, "table": table, "out": out}
    result = ember.run_nest(ENTRIES, given, config=tiny, engine=engine)
    expected = np.zeros((3, 4), np.float32)
    for r, c in zip(row, column, strict=True):
        expected[r] += table[c]
    check(result, expected)
    assert result.converted == (
        "row: 5 entries of 3 rows: sorted by row, 4 moved, offsets computed",
    )
    assert row.tolist() == [2, 0, 2, 0, 2]
    given["row"] = np.array([2, 0, 3, 0, 2])
    with pytest.raises(ember.InputError) as info:
        ember.run_nest(ENTRIES, given, config=tiny, engine=engine)
    assert str(info.value) == "row[2] is 3, but there are 3 rows: allowed 0..2"


@pytest.mark.parametrize("engine", ["functional", "cpu"])
def test_edges_of_one_array_are_sorted_by_row(rng, tiny, engine):
    if engine == "cpu":
        pytest.importorskip("llvmlite", reason="llvmlite is not installed")
    text = ENTRIES.replace("%row: memref<5xi64>, %column: memref<5xi64>", "%edge: memref<2x5xi64>")
    for name, number in (("row", 1), ("column", 0)):
        text = text.replace(
            f"%{name}[%e] : memref<5xi64>", f"%edge[%c{number}, %e] : memref<2x5xi64>"
        )
    edge = np.stack([rng.integers(0, 7, 5), [2, 0, 2, 0, 2]])
    table, out = rng.standard_normal((7, 4), np.float32), np.ones((3, 4), np.float32)
    given = {"edge": edge, "table": table, "out": out}
    result = ember.run_nest(text, given, config=tiny, engine=engine)
    expected = np.zeros((3, 4), np.float32)
    for c, r in edge.T:
        expected[r] += table[c]
    check(result, expected)
    assert result.converted == (
        "edge: 5 entries of 3 rows: sorted by row, 4 moved, offsets computed",
    )
    assert edge[1].tolist() == [2, 0, 2, 0, 2]
    edge[1, 2] = 3
    with pytest.raises(ember.InputError) as info:
        ember.run_nest(text, given, config=tiny, engine=engine)
    assert str(info.value) == "edge[1, 2] is 3, but there are 3 rows: allowed 0..2"


def test_f64_is_narrowed_on_request(rng, tiny):
    text = ROWS.format(layout="").replace("xf32", "xf64")
    table, idx = rng.standard_normal((9, 4), np.float32), rng.integers(0, 9, 4)
    given = {"idx": idx, "t": table, "out": np.zeros((4, 4), np.float32)}
    check(
        ember.run_nest(text, given, config=tiny, engine="functional", narrow_f64=True), table[idx]
    )


def test_arguments_without_names(rng, tiny):
    text = ROWS.format(layout="")
    for number, name in enumerate(("%idx", "%t", "%out")):
        text = text.replace(name, f"%{number}")
    table, idx = rng.standard_normal((9, 4), np.float32), rng.integers(0, 9, 4)
    given = {"arg0": idx, "arg1": table, "arg2": np.zeros((4, 4), np.float32)}
    result = ember.run_nest(text, given, config=tiny, engine="functional")
    assert np.array_equal(result.arrays["arg2"], table[idx])


@pytest.mark.parametrize("engine", ["functional", "cpu"])
@pytest.mark.parametrize("value, bits", [(9, "0x9"), (-1, "0xffffffff")])
def test_an_index_out_of_range(arrays, tiny, engine, value, bits):
    if engine == "cpu":
        pytest.importorskip("llvmlite", reason="llvmlite is not installed")
    arrays["idx"][4] = value
    with pytest.raises(ember.RunError) as info:
        ember.run_nest(SUMS, arrays, config=tiny, engine=engine)
    assert str(info.value) == (
        f"the machine reported INDEX for table 'sums', layer 1, position 4, value {bits}"
    )


SPACE = "but the address space of 2**32 bytes has 4294967280 left"


@pytest.mark.parametrize(
    "changes, error, message",
    [
        ({"table": None}, TypeError, "table must be an array of float32, not NoneType"),
        ({"table": np.zeros((9, 6))}, TypeError,
         "table must be float32, not float64 (other table types are not supported yet; convert it "
         "if that is what you want)"),
        ({"out": np.zeros((3, 6))}, TypeError, "out must be float32, not float64"),
        ({"table": np.zeros((9, 6), ">f4")}, TypeError, "table must be float32, not >f4"),
        ({"idx": np.zeros(7, np.int64)}, TypeError, "idx must be int32, not int64"),
        ({"idx": [0, 1, 2.5]}, TypeError, "idx must hold int32, not float64"),
        ({"idx": [0, 1 << 31]}, ValueError,
         "idx[1] is 2147483648, but int32 holds only -2147483648..2147483647"),
        ({"idx": np.ma.array([1], np.int32)}, TypeError,
         "idx must be a plain array, not a masked one: the mask would be lost"),
        ({"table": np.zeros(54, np.float32)}, ValueError,
         "table must be 2-D, not 1-D (shape (54,))"),
        ({"table": np.zeros((9, 5), np.float32)}, ValueError,
         "table must have the shape of memref<?x6xf32>, not 9 x 5"),
        ({"out": np.zeros((4, 6), np.float32)}, ValueError,
         "out must have the shape of memref<3x6xf32>, not 4 x 6"),
        ({"table": np.broadcast_to(np.float32(0), (1 << 28, 6))}, ember.InputError,
         f"array 'table' needs 6442450944 bytes, {SPACE}"),
        ({"n": 2.0}, TypeError, "n must be an integer, not 2.0"),
        ({"n": True}, TypeError, "n must be an integer, not True"),
        ({"n": np.array([3])}, TypeError,
         "n must be an integer, not an array of int64 (shape (1,))"),
        ({"n": np.array(3.0)}, TypeError,
         "n must be an integer, not an array of float64 (shape ())"),
        ({"n": 1 << 63}, ValueError,
         "n (index) must be -9223372036854775808..9223372036854775807, not 9223372036854775808"),
        ({"m": 3}, ValueError,
         "arrays must be of ptr, idx, table, out, n, which 'sums' takes, not 'm'"),
        ({7: 3}, ValueError,
         "arrays must be of ptr, idx, table, out, n, which 'sums' takes, not 7"),
        # What the compiler finds in sizes and numbers.
        ({"n": 4}, ValueError,
         "sums.mlir:13: sums: %b: slc.load: %b1 reaches 4, but must stay below 4"),
    ],
)  # fmt: skip
def test_wrong_arguments(arrays, tiny, changes, error, message):
    with pytest.raises(error) as info:
        ember.run_nest(SUMS, arrays | changes, name="sums.mlir", config=tiny, engine="functional")
    assert str(info.value) == message


@pytest.mark.parametrize("name, kind", [("idx", "memref<?xi32>"), ("n", "index")])
def test_a_missing_argument(arrays, name, kind):
    del arrays[name]
    with pytest.raises(ValueError) as info:
        ember.run_nest(SUMS, arrays, engine="functional")
    assert str(info.value) == f"arrays must have {name!r} ({kind}), which 'sums' takes"


@pytest.mark.parametrize(
    "call, error, message",
    [
        ({"text": 3}, TypeError, "text must be a string, not int"),
        ({"arrays": [1]}, TypeError,
         "arrays must be a dictionary of arguments by name, not list"),
        ({"config": 3}, TypeError, "config must be a Config, not int"),
        ({"opt": "O4"}, ValueError, "opt must be one of 'O0', 'O1', 'O2', 'O3', not 'O4'"),
        ({"engine": "board"}, ValueError,
         "engine of a nest must be rtl, functional or cpu, not 'board'"),
        ({"engine": "board-sim"}, ValueError,
         "engine of a nest must be rtl, functional or cpu, not 'board-sim'"),
        ({"narrow_f64": 1}, TypeError, "narrow_f64 must be True or False, not 1"),
        ({"latency": 0}, ValueError, "latency must be within 1..1048576 cycles, not 0"),
        ({"wave": "x.vcd"}, ValueError, "wave must come with engine 'rtl', not 'functional'"),
    ],
)  # fmt: skip
def test_wrong_options(arrays, call, error, message):
    with pytest.raises(error) as info:
        ember.run_nest(**{"text": SUMS, "arrays": arrays, "engine": "functional"} | call)
    assert str(info.value) == message


TAKES = "func.func @nest({}) {{\n  func.return\n}}\n"


@pytest.mark.parametrize(
    "text, message",
    [
        ("module {}", "a module to be run must have 1 function with a body, not 0"),
        (TAKES.format("") + TAKES.format("").replace("nest", "other"),
         "a module to be run must have 1 function with a body, not 2: nest, other"),
        ("func.func @nest( {", "input:1:18: Expected argument or type"),
        (TAKES.format("%x: f32"),
         "input:1: nest: func.func: %x is of type f32: a nest takes arrays and integers"),
        (TAKES.format("%x: memref<4xbf16>"),
         "input:1: nest: func.func: %x is of type memref<4xbf16>, which NumPy does not have"),
        (TAKES.format("%x: memref<4xf32, strided<[1], offset: 2>>"),
         "input:1: nest: func.func: %x is of type memref<4xf32, strided<[1], offset: 2>>: an array "
         "must have strides, and no offset"),
        (TAKES.format("%t_1: memref<4xf32>, %t_2: memref<4xf32>"),
         "input:1: nest: func.func: two arguments are called %t: a number after an underscore at "
         "the end is no part of a name"),
        (ROWS.format(layout=", strided<[3, 1]>"),
         "t is of type memref<9x4xf32, strided<[3, 1]>>, whose elements must not overlap"),
        (ROWS.format(layout="").replace("xf32", "xf64"),
         "input:9: rows: %b: %e: memref.load: the access unit loads integers and f32, not f64: "
         "narrow-f64 makes f32 of it"),
    ],
)  # fmt: skip
def test_nests_that_cannot_be_run(text, message):
    kind = np.float64 if "f64" in text else np.float32
    given = {"idx": [0] * 4, "t": np.zeros((9, 4), kind), "out": np.zeros((4, 4), kind)}
    with pytest.raises(ValueError) as info:
        ember.run_nest(text, given if "@rows" in text else {}, engine="functional")
    assert str(info.value) == message


def test_a_wrong_result_is_found(arrays, tiny):
    result = ember.run_nest(SUMS, arrays, config=tiny, engine="functional")
    result.arrays["out"][2, 1] = -0.0
    expected = sums(arrays)[2, 1]
    comparison = ember.compare_interpreter(result)
    assert not comparison.bit_exact
    assert comparison.mismatch == (
        f"1 values differ, first out[2, 1]: -0.0 (0x80000000) instead of {expected!s} "
        f"(0x{expected.view(np.uint32):08x})"
    )


def test_arrays_with_strides(rng):
    for _ in range(200):
        shape = tuple(int(n) for n in rng.integers(0, 4, int(rng.integers(0, 4))))
        order, strides, step = rng.permutation(len(shape)), [0] * len(shape), 1
        for axis in order:
            strides[axis] = step + int(rng.integers(0, 3))
            step = strides[axis] * max(1, shape[axis])
        array = rng.integers(0, 100, shape, np.int32)
        new = laid_out(array, strides)
        assert np.array_equal(new, array)
        copy = copy_of(new)
        assert copy.strides == new.strides and np.array_equal(copy, array)
        assert not np.shares_memory(copy, new)
        assert buffer_of(new).flags.c_contiguous
