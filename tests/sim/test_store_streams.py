"""Gathers of which the access unit stores the rows: from nests as text to the RTL, bit for bit."""

from dataclasses import dataclass

import numpy as np
import pytest
from ember.compiler.nest import nest_templates
from ember.hw import isa
from ember.hw.config import Config
from ember.sim.engine import RtlEngine
from ember.sim.golden import bitwise_equal
from ember.sim.latency import Faults, FixedLatency, RandomLatency
from ember.sim.memory import Memory
from ember.sim.model import run
from ember.sim.random_floats import random_floats
from ember.sim.result import RunResult

TINY = Config.preset("tiny")
BOTH, ALONE = TINY.replace(store_streams=1), TINY.replace(store_streams=1, execute=0)

#: out[start + step * b] = table[indices[b]], row by row.
GATHER = """
func.func @nest(%indices: memref<?xINDEX>, %table: memref<?x?xf32>, %out: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = arith.constant START : index
  %pace = arith.constant STEP : index
  %n = memref.dim %indices, %c0 : memref<?xINDEX>
  %dim = memref.dim %table, %c1 : memref<?x?xf32>
  scf.for %b = %c0 to %n step %c1 {
    %i = memref.load %indices[%b] : memref<?xINDEX>
    %row = arith.index_cast %i : INDEX to index
    %far = arith.muli %b, %pace : index
    %place = arith.addi %far, %first : index
    scf.for %e = %c0 to %dim step %c1 {
      %x = memref.load %table[%row, %e] : memref<?x?xf32>
      memref.store %x, %out[%place, %e] : memref<?x?xf32>
    }
  }
  func.return
}
"""


@dataclass
class Gather:
    """A gather with its arrays; ``out`` is filled with a pattern that no row has."""

    config: Config
    table: np.ndarray
    indices: np.ndarray
    start: int = 0
    step: int = 1
    opt: str = "O3"

    def __post_init__(self) -> None:
        rows = self.start + self.step * len(self.indices) + 1
        shape = rows, self.table.shape[1]
        self.out = np.full(shape, 0xA5A5A5A5, np.uint32).view(np.float32)
        self.expected = self.out.copy()
        places = self.start + self.step * np.arange(len(self.indices))
        good = (self.indices >= 0) & (self.indices < len(self.table))
        self.expected[places[good]] = self.table[self.indices[good]]
        kind = {"int32": "i32", "int64": "i64"}[str(self.indices.dtype)]
        text = GATHER.replace("INDEX", kind)
        text = text.replace("START", str(self.start)).replace("STEP", str(self.step))
        known = [f"indices={len(self.indices)}"]
        known += [f"{k}={'x'.join(map(str, a.shape))}" for k, a in self.arrays() if a.ndim == 2]
        self.templates = nest_templates(self.config, text, "gather", self.opt, tuple(known))

    def arrays(self) -> list[tuple[str, np.ndarray]]:
        return [("indices", self.indices), ("table", self.table), ("out", self.out)]

    def placed(self, offset: int):
        """The programs, and a memory with the rows ``offset`` bytes into their lines; those that
        are stored lie ``offset`` bytes further."""
        memory = Memory(self.config)
        shifts = {"indices": 0, "table": offset, "out": 2 * offset}
        addresses = {
            ("nest", name): memory.place(array, writable=name == "out", offset=shifts[name])
            for name, array in self.arrays()
        }
        return [template.link(addresses, self.config) for template in self.templates], memory

    def model(self, offset: int = 0):
        """The functional model's runs."""
        programs, memory = self.placed(offset)
        return [run(program, self.config, memory) for program in programs]

    def simulate(self, engine: RtlEngine, offset: int = 0, **options) -> list[RunResult]:
        """The RTL's runs."""
        self.out.view(np.uint32)[:] = 0xA5A5A5A5
        programs, memory = self.placed(offset)
        options = {"latency": RandomLatency(1, 60, 0.3)} | options
        return [
            engine.run(program, memory, max_cycles=200_000, max_seconds=60, **options)
            for program in programs
        ]

    @property
    def segments(self):
        return [segment for template in self.templates for segment in template.segments]


def gather(config: Config, seed: int, dim: int, count: int, kind=np.int64, **options) -> Gather:
    rng = np.random.default_rng(seed)
    table = random_floats(rng, 9 * dim, special=0.2, wild=0.2).reshape(9, dim)
    return Gather(config, table, rng.integers(0, 9, count).astype(kind), **options)


CASES = {
    "a vector": dict(dim=4, count=20),
    "less than a vector": dict(dim=1, count=20),
    "masked tail": dict(dim=7, count=20, kind=np.int32),
    "a register": dict(dim=64, count=5),
    "more than a register": dict(dim=70, count=5),
    "nothing": dict(dim=5, count=0),
    "one": dict(dim=5, count=1),
    "every third row": dict(dim=6, count=11, start=2, step=3),
}


@pytest.mark.parametrize("opt", ("O1", "O2", "O3"))
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("config", (BOTH, ALONE), ids=("both", "alone"))
def test_model(config: Config, case: str, opt: str, seed: int) -> None:
    work = gather(config, seed, opt=opt, **CASES[case])
    assert all(segment.store and not segment.marshal for segment in work.segments)
    runs = work.model(offset=4 * (seed % 4))
    assert bitwise_equal(work.out, work.expected)
    assert not sum(one.queues.tokens + one.queues.vectors for one in runs)


@pytest.mark.xdist_group("rtl-stores")
@pytest.mark.parametrize("config", (BOTH, ALONE), ids=("both", "alone"))
def test_rtl(config: Config, seed: int) -> None:
    with RtlEngine(config) as engine:
        for number, case in enumerate(CASES):
            work = gather(config, seed + number, **CASES[case])
            for offset in (0, 4, 8, 12):
                for result in work.simulate(engine, offset, seed=seed):
                    assert result.error is None, case
                    counters = result.counters
                    assert not counters["tokens"] and not counters["vectors"], case
                assert bitwise_equal(work.out, work.expected), (case, offset)
        _errors(engine, config)


def _errors(engine: RtlEngine, config: Config) -> None:
    """An index out of range, a line that cannot be read, and one that cannot be written."""
    work = gather(config, 1, dim=6, count=8)
    work.indices[5] = 9
    [result] = work.simulate(engine)
    assert result.error is not None
    assert (result.error.kind, result.error.position) == (isa.Error.INDEX, 5)
    assert result.error.value == 9

    work = gather(config, 2, dim=6, count=8)
    [program], _ = work.placed(0)
    base = {"read": program.segments[0].row["base"], "write": program.segments[0].store["base"]}
    line = base["read"] + 24 * int(work.indices[3])
    read = Faults(read_errors=frozenset({line // config.line_bytes * config.line_bytes}))
    [result] = work.simulate(engine, faults=read)
    assert result.error is not None and result.error.kind == isa.Error.READ
    write = Faults(write_errors=frozenset({base["write"]}))
    [result] = work.simulate(engine, faults=write)
    assert result.error is not None and result.error.kind == isa.Error.WRITE
    [result] = work.simulate(engine)
    assert result.error is None, "an error must not stay for the next run"
    assert bitwise_equal(work.out, work.expected)


@pytest.mark.xdist_group("rtl-stores")
def test_a_line_per_cycle(seed: int) -> None:
    """Rows of whole lines: as many cycles as lines, with both units and with one."""
    for config in (BOTH, ALONE):
        # The last index is fetched long before its row.
        work = gather(config, seed, dim=64, count=60)
        with RtlEngine(config) as engine:
            [result] = work.simulate(engine, latency=FixedLatency(1))
        assert bitwise_equal(work.out, work.expected)
        lines = 16 * 60
        assert result.counters["lines_out"] == lines
        assert result.cycles < 1.15 * (lines + 60 // 2), result.cycles


def test_the_program_says_where_rows_go() -> None:
    rows = [gather(config, 1, dim=6, count=8).segments[0] for config in (BOTH, ALONE)]
    assert rows[0].row["stored"] == 1 and "stored" not in rows[1].row
    for segment in rows:
        store = dict(segment.store)
        assert str(store.pop("base")) == "nest.out"
        assert store == dict(row_stride=24, row_sel=1, tail=2)
    assert not gather(TINY, 1, dim=6, count=8).segments[0].store


def test_without_an_execute_unit_nothing_is_computed() -> None:
    text = GATHER.replace("INDEX", "i64").replace("START", "0").replace("STEP", "1")
    text = text.replace("memref.store %x", "%y = arith.negf %x : f32\n      memref.store %y")
    known = ("indices=4", "table=9x6", "out=4x6")
    assert nest_templates(BOTH, text, "t.mlir", "O3", known)
    with pytest.raises(ValueError, match=r"^t.mlir:16: nest: %b: %e: arith.negf: a store stream"):
        nest_templates(ALONE, text, "t.mlir", "O3", known)
