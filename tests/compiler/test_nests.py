"""Loop nests that are no bags go the same way: the passes know loops, not operations."""

import numpy as np
import pytest
from ember.compiler.codegen import generate
from ember.compiler.errors import CompileError
from ember.compiler.pipeline import LEVELS, pipeline
from ember.hw.config import Config
from ember.sim.golden import bitwise_equal
from ember.sim.legal import check
from ember.sim.memory import Memory
from ember.sim.model import run
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, memref, scf
from xdsl.parser import Parser

#: out[b] = 0 + table[rows[b]]: two loops.
GATHER = """
func.func @nest(%rows: memref<13xi32>, %table: memref<7x10xf32>, %out: memref<13x10xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bags = arith.constant 13 : index
  %dim = arith.constant 10 : index
  %zero = arith.constant 0.0 : f32
  scf.for %b = %c0 to %bags step %c1 {
    scf.for %e = %c0 to %dim step %c1 {
      memref.store %zero, %out[%b, %e] : memref<13x10xf32>
    }
    %i = memref.load %rows[%b] : memref<13xi32>
    %row = arith.index_cast %i : i32 to index
    scf.for %e = %c0 to %dim step %c1 {
      %x = memref.load %table[%row, %e] : memref<7x10xf32>
      %acc = memref.load %out[%b, %e] : memref<13x10xf32>
      %sum = arith.addf %acc, %x : f32
      memref.store %sum, %out[%b, %e] : memref<13x10xf32>
    }
  }
  func.return
}
"""

#: Sums of groups of lists of rows: four loops.
GROUPS = """
func.func @nest(%groups: memref<6xi64>, %lists: memref<9xi32>, %rows: memref<20xi64>,
                %table: memref<7x10xf32>, %out: memref<5x10xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bags = arith.constant 5 : index
  %dim = arith.constant 10 : index
  %zero = arith.constant 0.0 : f32
  scf.for %b = %c0 to %bags step %c1 {
    scf.for %e = %c0 to %dim step %c1 {
      memref.store %zero, %out[%b, %e] : memref<5x10xf32>
    }
    %next = arith.addi %b, %c1 : index
    %p = memref.load %groups[%b] : memref<6xi64>
    %q = memref.load %groups[%next] : memref<6xi64>
    %first = arith.index_cast %p : i64 to index
    %last = arith.index_cast %q : i64 to index
    scf.for %g = %first to %last step %c1 {
      %next_g = arith.addi %g, %c1 : index
      %r = memref.load %lists[%g] : memref<9xi32>
      %s = memref.load %lists[%next_g] : memref<9xi32>
      %first_g = arith.index_cast %r : i32 to index
      %last_g = arith.index_cast %s : i32 to index
      scf.for %j = %first_g to %last_g step %c1 {
        %i = memref.load %rows[%j] : memref<20xi64>
        %row = arith.index_cast %i : i64 to index
        scf.for %e = %c0 to %dim step %c1 {
          %x = memref.load %table[%row, %e] : memref<7x10xf32>
          %acc = memref.load %out[%b, %e] : memref<5x10xf32>
          %sum = arith.addf %acc, %x : f32
          memref.store %sum, %out[%b, %e] : memref<5x10xf32>
        }
      }
    }
  }
  func.return
}
"""


def execute(text: str, config: Config, opt: str, arrays: dict[str, np.ndarray]) -> None:
    context = Context()
    for dialect in (builtin.Builtin, arith.Arith, func.Func, memref.MemRef, scf.Scf):
        context.load_dialect(dialect)
    module = Parser(context, text).parse_module()
    for step in pipeline(config, opt):
        step.apply(context, module)
        module.verify()
    memory = Memory(config)
    addresses = {
        ("nest", name): memory.place(array, writable=name == "out")
        for name, array in arrays.items()
    }
    [template] = generate(module, config)
    program = template.link(addresses, config)
    check(program, config)
    assert not run(program, config, memory).queues.errors


@pytest.mark.parametrize("opt", LEVELS)
@pytest.mark.parametrize("layers", [2, 3, 4])
def test_gather(layers, opt, seed):
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((7, 10)).astype(np.float32)
    rows = rng.integers(0, 7, 13).astype(np.int32)
    out = np.full((13, 10), np.nan, np.float32)
    config = Config.preset("tiny").replace(layers=layers)
    execute(GATHER, config, opt, dict(rows=rows, table=table, out=out))
    assert bitwise_equal(out, table[rows])


@pytest.mark.parametrize("opt", LEVELS)
def test_groups_of_lists(opt, seed):
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((7, 10)).astype(np.float32)
    groups = np.sort(np.append(rng.integers(0, 8, 4), [0, 8]))
    lists = np.sort(np.append(rng.integers(0, 20, 7), [0, 20])).astype(np.int32)
    rows = rng.integers(0, 7, 20)
    out = np.full((5, 10), np.nan, np.float32)
    arrays = dict(groups=groups, lists=lists, rows=rows, table=table, out=out)
    execute(GROUPS, Config.preset("tiny").replace(layers=4), opt, arrays)
    expected = np.zeros((5, 10), np.float32)
    for b in range(5):
        for g in range(groups[b], groups[b + 1]):
            for j in range(lists[g], lists[g + 1]):
                expected[b] += table[rows[j]]
    assert bitwise_equal(out, expected)


def test_groups_do_not_fit_three_layers():
    with pytest.raises(CompileError) as info:
        execute(GROUPS, Config.preset("tiny"), "O3", {})
    assert str(info.value) == (
        "nest: %b: slc.loop: the nest has 3 loops above the row, but the configuration has "
        "2 scalar layers (layers = 3)"
    )


@pytest.mark.parametrize("opt", LEVELS)
def test_indices_of_type_index_have_eight_bytes(opt, seed):
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((7, 10)).astype(np.float32)
    rows, out = rng.integers(0, 7, 13), np.full((13, 10), np.nan, np.float32)
    text = GATHER.replace("13xi32", "13xindex").replace("%row, %e", "%i, %e")
    text = text.replace("%row = arith.index_cast %i : i32 to index", "")
    execute(text, Config.preset("tiny"), opt, dict(rows=rows, table=table, out=out))
    assert bitwise_equal(out, table[rows])


#: out[b] = the sum of table[rows[j]] for which marks[j] is not MARK: three loops.
MARKED = """
func.func @nest(%marks: memref<6xi32>, %rows: memref<6xi64>, %table: memref<7x10xf32>,
                %out: memref<2x10xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bags = arith.constant 2 : index
  %six = arith.constant 6 : index
  %dim = arith.constant 10 : index
  %zero = arith.constant 0.0 : f32
  %mark = arith.constant MARK : i32
  scf.for %b = %c0 to %bags step %c1 {
    scf.for %e = %c0 to %dim step %c1 {
      memref.store %zero, %out[%b, %e] : memref<2x10xf32>
    }
    scf.for %j = %c0 to %six step %c1 {
      %m = memref.load %marks[%j] : memref<6xi32>
      %wanted = arith.cmpi ne, %m, %mark : i32
      scf.if %wanted {
        %row64 = memref.load %rows[%j] : memref<6xi64>
        %row = arith.index_cast %row64 : i64 to index
        scf.for %e = %c0 to %dim step %c1 {
          %x = memref.load %table[%row, %e] : memref<7x10xf32>
          %acc = memref.load %out[%b, %e] : memref<2x10xf32>
          %sum = arith.addf %acc, %x : f32
          memref.store %sum, %out[%b, %e] : memref<2x10xf32>
        }
      }
    }
  }
  func.return
}
"""


@pytest.mark.parametrize("opt", LEVELS)
@pytest.mark.parametrize("mark", [-1, 0, -(1 << 31)])
def test_a_mark_that_is_negative(mark, opt, seed):
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((7, 10)).astype(np.float32)
    marks = np.array([0, mark, 5, mark, mark, 7], np.int32)
    rows, out = rng.integers(0, 7, 6), np.full((2, 10), np.nan, np.float32)
    arrays = dict(marks=marks, rows=rows, table=table, out=out)
    execute(MARKED.replace("MARK", str(mark)), Config.preset("tiny"), opt, arrays)
    expected = np.zeros((2, 10), np.float32)
    for j in np.flatnonzero(marks != mark):
        expected += table[rows[j]]
    assert bitwise_equal(out, expected)


def test_a_mark_that_does_not_fit():
    text = MARKED.replace("MARK : i32", "-1 : i64").replace("memref<6xi32>", "memref<6xi64>")
    text = text.replace("%m, %mark : i32", "%m, %mark : i64")
    with pytest.raises(CompileError) as info:
        execute(text, Config.preset("tiny"), "O3", {})
    assert str(info.value) == (
        "table 'nest' skips -1, whose bits are 18446744073709551615, but the configuration "
        "allows 4294967295"
    )
