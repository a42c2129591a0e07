"""Nests of entries: every form gives the bits of SCF, which walks them in the order that they have.

And the conversion of the arrays by itself.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from ember.compiler.errors import CompileError
from ember.compiler.frontend.coo_to_csr import Layout, layouts
from ember.compiler.layout import coo_to_csr
from ember.compiler.pipeline import LEVELS
from ember.sim.engine import RtlEngine
from ember.sim.lookup_nest import UNTOUCHED
from ember.sim.nests import CONFIGS, Source, Trial, parse
from ember.sim.random_floats import random_floats

ADDS = {
    "plain": "%s = arith.addf %a, %x : f32",
    "weighted": "%y = arith.mulf %v, %x : f32\n      %s = arith.addf %a, %y : f32",
    "fused": "%s = math.fma %x, %v, %a : f32",
}
TEXT = """
func.func @nest({arguments}, %val: memref<{n}xf32>,
                %table: memref<9x{dim}xf32>, %out: memref<{rows}x{dim}xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {n} : index
  %rows = arith.constant {rows} : index
  %dim = arith.constant {dim} : index
  %pad = arith.constant 8 : i{col}
  %zero = arith.constant 0.0 : f32
  {views}
  scf.for %f = %c0 to %rows step %c1 {{
    scf.for %k = %c0 to %dim step %c1 {{
      memref.store %zero, %out[%f, %k] : memref<{rows}x{dim}xf32>
    }}
  }}
  scf.for %e = %c0 to %n step %c1 {{
    %r64 = memref.load {row_at}
    %r = arith.index_cast %r64 : i{row} to index
    %c64 = memref.load {col_at}
    {skip}
    %c = arith.index_cast %c64 : i{col} to index
    %v = memref.load %val[%e] : memref<{n}xf32>
    scf.for %k = %c0 to %dim step %c1 {{
      %x = memref.load %table[%c, %k] : memref<9x{dim}xf32>
      %a = memref.load %out[%r, %k] : memref<{rows}x{dim}xf32>
      {add}
      memref.store %s, %out[%r, %k] : memref<{rows}x{dim}xf32>
    }}
    {end}
  }}
  func.return
}}
"""
#: Rows and columns are arrays, rows of one array, or views of these.
KINDS = ("apart", "joined", "views")
SKIP = "%some = arith.cmpi ne, %c64, %pad : i{col}\n    scf.if %some {{"


@dataclass(frozen=True)
class Entries:
    """A random nest of entries, and its arrays."""

    source: Source
    rows: int

    @staticmethod
    def draw(seed: int, kind: str = "", held: str = "apart") -> "Entries":
        rng = np.random.default_rng(seed)
        n, rows = (int(rng.integers(low, high)) for low, high in ((0, 25), (1, 7)))
        row, col = (int(width) for width in rng.choice([32, 64], 2))
        dim, kind = int(rng.integers(1, 10)), kind or str(rng.choice(list(ADDS)))
        skips = rng.random() < 0.3
        # Of three rows one is not needed.
        several, (row_number, col_number) = 2 + seed % 2, rng.permutation(2 + seed % 2)[:2]
        if held != "apart":
            row = col
        text = TEXT.format(
            n=n, rows=rows, dim=dim, col=col, add=ADDS[kind], row=row,
            **_held(held, n, row, col, several, row_number, col_number),
            skip=SKIP.format(col=col) if skips else "", end="}" if skips else "",
        )  # fmt: skip
        where = rng.integers(0, rows, n)
        if rng.random() < 0.3:
            where = np.sort(where)

        def arrays() -> dict[str, np.ndarray]:
            again = np.random.default_rng(seed)
            entries = {
                "row": where.astype(f"int{row}"),
                "col": again.integers(0, 9, n).astype(f"int{col}"),
            }
            if held != "apart":
                edge = np.full((several, n), -1, f"int{col}")
                edge[row_number], edge[col_number] = entries["row"], entries["col"]
                entries = {"edge": edge}
            return {
                **entries,
                "val": random_floats(again, n),
                "table": random_floats(again, 9 * dim).reshape(9, dim),
                "out": np.full((rows, dim), UNTOUCHED, np.uint32).view(np.float32),
            }

        return Entries(Source(text, arrays, seed=seed), rows)


def _held(
    held: str, n: int, row: int, col: int, several: int, row_number: int, col_number: int
) -> dict[str, str]:
    """What the text has for arrays of rows and columns."""
    one, both = f"memref<{n}xi{col}>", f"memref<{several}x{n}xi{col}>"
    if held == "apart":
        return {
            "arguments": f"%row: memref<{n}xi{row}>, %col: {one}", "views": "",
            "row_at": f"%row[%e] : memref<{n}xi{row}>", "col_at": f"%col[%e] : {one}",
        }  # fmt: skip
    found = {"arguments": f"%edge: {both}", "views": ""}
    for name, number in (("row", row_number), ("col", col_number)):
        if held == "joined":
            found["views"] += f"%{name}_number = arith.constant {number} : index\n  "
            found[f"{name}_at"] = f"%edge[%{name}_number, %e] : {both}"
        else:
            kind = f"memref<{n}xi{col}, strided<[1], offset: {number * n}>>"
            view = f"memref.subview %edge[{number}, 0] [1, {n}] [1, 1]"
            found["views"] += f"%{name} = {view} : {both} to {kind}\n  "
            found[f"{name}_at"] = f"%{name}[%e] : {kind}"
    return found


@pytest.mark.parametrize("held", KINDS)
@pytest.mark.parametrize("number", range(12))
def test_every_form_agrees(number, held, seed):
    config = list(CONFIGS.values())[number % 6]
    trial = Trial(Entries.draw(seed + number, held=held).source, config)
    verdict = trial.run()
    if config.layers > 2:
        assert list(verdict.programs) == list(LEVELS)
    else:
        assert "scalar layers" in verdict.refused["O3"]


@pytest.mark.xdist_group("rtl-tiny")
def test_entries_on_rtl(seed):
    with RtlEngine(CONFIGS["tiny"]) as engine:
        for number in range(6):
            entries = Entries.draw(seed + 100 + number, held=KINDS[number % 3])
            trial = Trial(entries.source, CONFIGS["tiny"])
            assert not trial.run(engine).refused


def test_what_a_function_needs(seed):
    entries = Entries.draw(seed, "weighted")
    [layout] = layouts(parse(entries.source.text))["nest"]
    assert layout == Layout("row", (), "row_offsets", ("col", "val"), (False, False), entries.rows)
    arrays = entries.source.arrays()
    before = {name: array.copy() for name, array in arrays.items()}
    converted, csr = layout.apply(arrays)
    assert converted.keys() == {"row_offsets", "col", "val", "table", "out"}
    assert csr.offsets[-1] == len(arrays["row"]) and len(csr.offsets) == entries.rows + 1
    assert all(np.array_equal(arrays[k], before[k], equal_nan=True) for k in arrays)


@pytest.mark.parametrize("held", ["joined", "views"])
def test_what_a_function_needs_of_one_array(held, seed):
    entries = Entries.draw(seed, "weighted", held)
    [layout] = layouts(parse(entries.source.text))["nest"]
    arrays = entries.source.arrays()
    [number] = layout.at
    assert layout == Layout(
        "edge", (number,), "edge_offsets", ("edge", "val"), (True, False), entries.rows
    )
    assert layout.place == f"edge[{number}, "
    converted, csr = layout.apply(arrays)
    assert converted.keys() == {"edge_offsets", "edge", "val", "table", "out"}
    order = np.argsort(arrays["edge"][number], kind="stable")
    assert np.array_equal(converted["edge"], arrays["edge"][:, order])
    assert converted["edge"].flags.c_contiguous and csr.offsets[-1] == arrays["edge"].shape[1]


def test_entries_of_a_row_keep_their_order():
    rows, values = np.array([2, 0, 2, 1, 0, 2]), np.arange(6.0)
    csr = coo_to_csr(rows, values, rows.reshape(6, 1), count=4)
    assert csr.offsets.tolist() == [0, 2, 3, 6, 6]
    assert csr.arrays[0].tolist() == [1, 4, 3, 0, 2, 5]
    assert csr.arrays[1].tolist() == [[0], [0], [1], [2], [2], [2]]
    assert csr.moved == 5
    assert str(csr) == "6 entries of 4 rows: sorted by row, 5 moved, offsets computed"


def test_sorted_entries_stay_the_callers():
    values = np.arange(3.0)
    csr = coo_to_csr(np.array([0, 2, 2], np.int32), values, count=3)
    assert csr.arrays[0] is values and csr.order is None and csr.moved == 0
    assert csr.offsets.tolist() == [0, 1, 1, 3]
    assert str(csr) == "3 entries of 3 rows: already sorted by row, offsets computed"
    assert coo_to_csr(np.array([]), count=0).offsets.tolist() == [0]


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: coo_to_csr(np.array([0, 4, 1]), count=4), ValueError,
         "rows[1] is 4, but there are 4 rows: allowed 0..3"),
        (lambda: coo_to_csr(np.array([0, -1]), count=4), ValueError,
         "rows[1] is -1, but there are 4 rows: allowed 0..3"),
        (lambda: coo_to_csr(np.array([0]), count=0), ValueError,
         "rows[0] is 0, but there are 0 rows: none is allowed"),
        (lambda: coo_to_csr(np.array([0.5]), count=4), TypeError,
         "rows must be integers, not float64"),
        (lambda: coo_to_csr(np.zeros((1, 1), int), count=4), ValueError,
         "rows must have 1 dimension, not 2"),
        (lambda: coo_to_csr(np.array([0]), np.zeros(2), count=4), ValueError,
         "arrays[0] must have 1 entries, as rows has, not 2"),
        (lambda: coo_to_csr(np.array([0]), count=-1), ValueError,
         "count must be at least 0, not -1"),
    ],
)  # fmt: skip
def test_wrong_arrays(call: Callable, error: type[Exception], message: str):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()


def test_a_nest_that_is_refused_has_no_layout(seed):
    text = Entries.draw(seed).source.text.replace("%c0 to %n step", "%c1 to %n step")
    with pytest.raises(CompileError, match="walked from 0 to"):
        layouts(parse(text))
