"""Random lookup nests: the part with fixed seeds, and whether the campaign can find anything."""

import re
from dataclasses import replace
from itertools import count, islice

import numpy as np
import pytest
from ember.compiler.errors import CompileError
from ember.compiler.interpret import slc as slc_interpreter
from ember.compiler.slc.check_bounds import _Limits
from ember.compiler.slc.fuse_tokens import FuseTokensPass
from ember.compiler.slc.pair_loads import PairLoadsPass
from ember.compiler.streams import integer
from ember.hw.config import Config
from ember.sim import nests as nests_module
from ember.sim.engine import RtlEngine
from ember.sim.lookup_nest import (
    CASTS,
    ODD,
    OPERATIONS,
    SCALED,
    STRIDED,
    WEIGHTS,
    Index,
    Loop,
    Nest,
    arrays,
)
from ember.sim.lookup_text import text
from ember.sim.nests import (
    CONFIGS,
    LEVELS,
    Disagreement,
    Source,
    Trial,
    campaign,
    copies,
    draw,
    parse,
)
from ember.sim.random_lookup import PROFILES, random_lookup
from ember.sim.shrink_lookup import shrink, simpler

NESTS = 60
RTL = 12


@pytest.mark.parametrize("part", range(4))
def test_every_form_of_a_nest_agrees(part, seed, tmp_path):
    tallies = islice(campaign(count(seed + 10_000 * part), tmp_path), NESTS // 4)
    *_, tally = tallies
    assert tally.levels["O3"] and tally.refusals and tally.forms > 3 * tally.nests


@pytest.mark.parametrize(
    "nest",
    [
        # A loop of the execute unit that is none over a row.
        Nest(
            loops=(Loop(count=1), Loop("from", count=1)), rows=1, dim=2, op="set_negated",
            odd=("registers", "columns"),
        ),
        # An assertion that is left in a callback.
        Nest(
            loops=(Loop(count=3), Loop(count=1)), chain=(Index(1),), rows=1, dim=2,
            arithmetic=(("shl", 1),), skip=0, asserts=True, odd=("registers", "columns"),
            fault="index", seed=419612084,
        ),
        # A choice of rows where the loop over elements adds them further on.
        Nest(
            loops=(Loop(count=1),), chain=(Index(0),), rows=1, dim=2, skip=0, form="select",
            odd=("moved",),
        ),
    ],
)  # fmt: skip
def test_what_campaigns_have_found(nest):
    for name in ("short registers", "wide"):
        Trial(nest, CONFIGS[name]).run()


@pytest.mark.xdist_group("rtl-tiny")
def test_nests_on_rtl(seed, tmp_path):
    with RtlEngine(CONFIGS["tiny"]) as engine:
        for tally in campaign(count(seed), tmp_path, engine, RTL):
            if tally.rtl == RTL:
                return


def test_copies_are_stored_by_the_access_unit(seed):
    stored = dict.fromkeys(("both ways", "no execute unit"), 0)
    for nest in map(copies, nests("today", 40, seed)):
        for name in stored:
            programs = Trial(nest, CONFIGS[name]).run().programs
            assert name == "both ways" or not programs.get("O0")
            for opt in LEVELS[1:]:
                segments = [s for program in programs.get(opt, ()) for s in program.segments]
                stored[name] += any(segment.store for segment in segments)
                # What one of the two machines takes for a copy, the other one does too.
                assert name == "both ways" or all(segment.store for segment in segments)
    assert min(stored.values()) > 10, stored


def nests(profile: str, number: int, seed: int) -> list[Nest]:
    return [
        random_lookup(np.random.default_rng(seed + n), PROFILES[profile]) for n in range(number)
    ]


def test_the_generator_reaches_what_it_promises(seed):
    every = nests("any", 600, seed)
    assert {len(nest.loops) + 1 for nest in every} == {1, 2, 3, 4, 5}
    assert {loop.bounds for nest in every for loop in nest.loops} == {
        "dense", "pair", "two", "index", "product", "length", "from",
    }  # fmt: skip
    assert {nest.op for nest in every} == set(OPERATIONS)
    assert {name for nest in every for name in nest.odd} == set(ODD)
    assert {len(nest.chain) for nest in every} >= {0, 1, 2, 3}
    batches = {"", "batched", "joined", "tables", "rolled", "separate"}
    assert {nest.batch for nest in every} == batches
    assert {loop.width for nest in every for loop in nest.loops} == {0, 32, 64}
    assert {index.width for nest in every for index in nest.chain} == {0, 32, 64}
    kinds = {kind for nest in every for kind, _ in nest.arithmetic}
    assert kinds == {"add", "sub", "mul", "shl", "from"}
    assert {nest.casts[:1] for nest in every} == {(), *((kind,) for kind in CASTS)}
    assert {len(nest.casts) for nest in every} == {0, 1, 2, 3}
    assert {nest.early for nest in every if nest.casts and nest.skip is not None} == {False, True}
    assert {nest.blocks > 1 for nest in every} == {False, True}
    assert {nest.copied for nest in every if nest.slices} == {False, True}
    operations = {
        name
        for nest in every
        if nest.casts
        for name in re.findall(r"arith\.(\w+) .* to i?\w+$", text(nest), re.M)
    }
    assert operations >= {"index_cast", "trunci", "extsi", "extui"}
    assert {name for nest in every for name in nest.strided} == set(STRIDED)
    assert {(nest.apart, nest.first > 0) for nest in every if nest.strided} == {
        (apart, view) for apart in (2, 3) for view in (False, True)
    }
    assert any(loop.step > 1 and loop.start for nest in every for loop in nest.loops)
    assert any(loop.count == 0 for nest in every for loop in nest.loops)
    assert {nest.weight for nest in every} == {"", *WEIGHTS}
    short = CONFIGS["short registers"]
    longest = max(nest.dim for nest in every if nest.weight == "column")
    assert longest > short.lanes * short.row_chunks


def test_a_seed_is_a_nest():
    assert draw(5) == draw(5) != draw(6)
    nest, _, _ = draw(5)
    first, second = arrays(nest), arrays(nest)
    assert all(np.array_equal(first[k], second[k], equal_nan=True) for k in first)


@pytest.mark.parametrize("profile", PROFILES)
def test_every_text_is_valid(profile, seed):
    for nest in nests(profile, 60, seed):
        parse(text(nest))


BAG = Nest(
    loops=(Loop(count=4), Loop("pair", count=2)), chain=(Index(1),), rows=5, dim=5, skip=1, seed=3
)


def test_a_nest_of_today_is_accepted_at_every_level():
    assert not Trial(BAG, Config.preset("tiny")).run().refused
    assert list(Trial(replace(BAG, skip=None), CONFIGS["wide"]).run().programs) == list(LEVELS)


@pytest.mark.parametrize("odd", [(), ("swapped",)], ids=["", "swapped"])
@pytest.mark.parametrize("op", OPERATIONS[:-2])
def test_every_operation_is_accepted_at_every_level(op, odd):
    for weight in ("", "entry") if op in SCALED else ("",):
        trial = Trial(replace(BAG, op=op, weight=weight, mean=True, odd=odd), CONFIGS["tiny"])
        assert not trial.run().refused


@pytest.mark.parametrize(
    "nest, becomes",
    [
        (replace(BAG, skip=None, batch="batched", copies=3), 1),
        (replace(BAG, batch="joined", copies=3), 1),
        (replace(BAG, batch="tables", copies=2), 2),
        (replace(BAG, skip=None, batch="rolled", copies=3), 1),
        (replace(BAG, batch="separate", copies=2), 4 * 2),
        (replace(BAG, odd=("registers",), mean=True), 1),
        (Nest((Loop(count=6),), (Index(0),), dim=5, place="scatter", odd=("entries",)), 1),
    ],
    ids=["batched", "joined", "tables", "rolled", "separate", "registers", "entries"],
)
def test_what_nests_over_the_same_bags_become(nest, becomes):
    verdict = Trial(nest, CONFIGS["four layers"]).run()
    assert not verdict.refused
    for programs in verdict.programs.values():
        assert [len(program.segments) for program in programs] == [becomes]


@pytest.mark.parametrize(
    "op, reason",
    [
        ("square", "the execute unit has no instruction for the stored expression: one factor of a "
         "product is a scalar or a constant, and not a row"),
        ("two_literals", "a nest has 1 constant that rows are multiplied by or added to, "
         "not both 1.5 and 0.5"),
    ],
)  # fmt: skip
def test_what_has_no_instruction_is_refused(op, reason):
    refused = Trial(replace(BAG, op=op), CONFIGS["tiny"]).run().refused
    assert list(refused) == list(LEVELS)
    assert all(why.endswith(f": {reason}") for why in refused.values())


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("apart", [2, 3])
@pytest.mark.parametrize("group", [group for group in STRIDED if group != "conditions"])
def test_arrays_with_strides_are_accepted_at_every_level(group, apart, first):
    nest = replace(BAG, skip=None, strided=(group,), apart=apart, first=first)
    if group == "places":
        nest = replace(nest, place="scatter", loops=BAG.loops[:1], chain=(Index(0),))
    nest = replace(nest, op="fma", weight="entry") if group == "weights" else nest
    assert "strided" in text(nest)
    assert not Trial(nest, CONFIGS["four layers"]).run().refused


@pytest.mark.parametrize("op", SCALED)
@pytest.mark.parametrize("weight", ["column", "beside"])
def test_constant_columns_are_accepted_in_rows_longer_than_a_register(weight, op):
    nest = replace(BAG, skip=None, op=op, weight=weight, dim=13)
    nest = replace(nest, loops=BAG.loops[:1], chain=(Index(0),)) if weight == "column" else nest
    assert not Trial(nest, CONFIGS["short registers"]).run().refused


def test_code_of_this_processor_that_does_something_else_is_found(monkeypatch):
    monkeypatch.setattr(nests_module.Function, "__call__", lambda *_: None)
    with pytest.raises(Disagreement, match=r"^O3, LLVM: out element 0 must be "):
        Trial(BAG, CONFIGS["tiny"]).run()


@pytest.mark.parametrize("fault", ["index", "order", "end"])
def test_a_wrong_input_is_reported_by_every_form(fault):
    faulty = [replace(BAG, fault=fault, seed=seed) for seed in range(12)]
    found = [trial for nest in faulty if (trial := Trial(nest, CONFIGS["tiny"])).run() is not None]
    assert any(trial.faults for trial in found)


TWO_TABLES = """
func.func @nest(%index: memref<3xi64>, %first: memref<{first}x5xf32>,
                %second: memref<{second}x5xf32>, %out: memref<4x5xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  scf.for %b = %c0 to %c3 step %c1 {{
    %o = arith.addi %b, %c1 : index
    scf.for %e = %c0 to %c5 step %c1 {{
      memref.store %zero, %out[%o, %e] : memref<4x5xf32>
    }}
    %i = memref.load %index[%b] : memref<3xi64>
    %n = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c5 step %c1 {{
      %x = memref.load %first[%n, %e] : memref<{first}x5xf32>
      %a = memref.load %out[%o, %e] : memref<4x5xf32>
      %r = arith.addf %a, %x : f32
      memref.store %r, %out[%o, %e] : memref<4x5xf32>
    }}
    scf.for %e = %c0 to %c5 step %c1 {{
      %x = memref.load %second[%n, %e] : memref<{second}x5xf32>
      %a = memref.load %out[%o, %e] : memref<4x5xf32>
      %r = arith.addf %a, %x : f32
      memref.store %r, %out[%o, %e] : memref<4x5xf32>
    }}
  }}
  func.return
}}
"""


@pytest.mark.parametrize("machine", [name for name in CONFIGS if name != "no execute unit"])
@pytest.mark.parametrize("sizes", [(2, 2), (2, 9), (9, 2), (9, 9)])
def test_the_row_that_a_fault_kept_from_being_made_is_gone_on_with(machine, sizes):
    """Every form reports the index, whatever the part that goes on with the row then does."""
    first, second = sizes

    def made() -> dict[str, np.ndarray]:
        return {
            "index": np.array([1, 5, 0]), "first": np.ones((first, 5), np.float32),
            "second": np.ones((second, 5), np.float32), "out": np.zeros((4, 5), np.float32),
        }  # fmt: skip

    source = TWO_TABLES.format(first=first, second=second)
    trial = Trial(Source(source, made, {}, "" if sizes == (9, 9) else "index"), CONFIGS[machine])
    verdict = trial.run()
    assert not verdict.refused
    assert trial.faults == (sizes != (9, 9))


PARTS = Nest(
    loops=(Loop(count=5), Loop("pair", count=1)), chain=(Index(1),), rows=1, dim=2, skip=2,
    odd=("registers", "columns"), fault="end",
)  # fmt: skip


@pytest.mark.parametrize("machine", [name for name in CONFIGS if name != "no execute unit"])
@pytest.mark.parametrize("dim", [2, 5])
@pytest.mark.parametrize("fault", ["", "index", "end"])
def test_a_part_of_a_row_that_a_fault_left_out_is_stored_with_the_others(machine, dim, fault):
    """Every form reports the fault, whichever parts of a row are written."""
    for seed in range(3):
        trial = Trial(replace(PARTS, dim=dim, fault=fault, seed=seed), CONFIGS[machine])
        trial.run()
        assert not trial.faults or fault


@pytest.mark.parametrize("skip", [-1, 2, 4])
@pytest.mark.parametrize("fault", ["", "index"])
def test_a_row_that_is_not_chosen_is_one_of_the_table(skip, fault):
    """SCF loads it before it is left out, so that only a fault is out of range."""
    odd = [replace(BAG, form="select", skip=skip, fault=fault, seed=seed) for seed in range(8)]
    assert all(nest.chooses for nest in odd)
    for nest in odd:
        trial = Trial(nest, CONFIGS["tiny"])
        trial.run()
        assert trial.invalid == trial.faults == bool(fault)


class TestTheCheckItself:
    """Mistakes of each kind are found: in a pass, in an interpreter, in how it is refused."""

    def disagree(self, nest: Nest = BAG) -> str:
        with pytest.raises(Disagreement) as info:
            Trial(nest, CONFIGS["tiny"]).run()
        return str(info.value)

    def test_a_pass_that_changes_a_result(self, monkeypatch):
        def apply(self, ctx, op):
            *_, loop = (loop for loop in op.walk() if loop.name == "slc.loop")
            loop.properties["stop_literal"] = integer(4)

        monkeypatch.setattr(PairLoadsPass, "apply", apply)
        assert re.fullmatch(
            "O0, after pair-loads: out element [0-9]+ must be 0x[0-9a-f]+, not 0x0+",
            self.disagree(),
        )

    def test_a_pass_that_fails(self, monkeypatch):
        def apply(self, ctx, op):
            raise IndexError("list index out of range")

        monkeypatch.setattr(FuseTokensPass, "apply", apply)
        assert self.disagree() == ("O3: fuse-tokens failed: IndexError('list index out of range')")

    def test_a_refusal_without_a_place(self, monkeypatch):
        def apply(self, ctx, op):
            raise CompileError("no")

        monkeypatch.setattr(FuseTokensPass, "apply", apply)
        assert self.disagree() == "O3, fuse-tokens: the refusal names no place: no"

    def test_a_wrong_interpreter(self, monkeypatch):
        right = slc_interpreter.signed
        monkeypatch.setattr(
            slc_interpreter, "signed", lambda value, kind: right(max(0, value - 1), kind)
        )
        assert "O0, after decouple: " in self.disagree()

    def test_a_good_input_that_is_reported(self, monkeypatch):
        right = _Limits.insert

        def insert(self):
            self.limits = dict.fromkeys(self.limits, 0)
            right(self)

        monkeypatch.setattr(_Limits, "insert", insert)
        found = self.disagree(replace(BAG, skip=None))
        assert re.fullmatch("O0, after check-bounds: reports Fault(.*) of a good input", found)


class TestShrinking:
    def test_what_does_not_matter_goes(self):
        def fails(nest: Nest) -> bool:
            return nest.op == "fma" and any(loop.step == 3 for loop in nest.loops)

        big = Nest(
            loops=(Loop(count=6, start=2), Loop("pair", count=4, step=3, width=32), Loop("two")),
            chain=(Index(0, 32), Index(2)), rows=8, dim=17, table_gap=2, out_gap=1,
            arithmetic=(("mul", 3),), skip=4, weight="index", op="fma", mean=True,
            dynamic=True, scalars=True, odd=("twice", "affine"), seed=99, casts=("i64", "u64"),
            early=True, strided=("indices", "bounds"), apart=3, first=2,
        )  # fmt: skip
        assert fails(big)
        small = shrink(big, fails)
        assert small == Nest(loops=(Loop(count=1, step=3),), rows=1, dim=1, op="fma")

    def test_every_step_is_a_valid_nest(self, seed):
        for nest in nests("any", 10, seed):
            for smaller in simpler(nest):
                parse(text(smaller))

    def test_the_smallest_nest_goes_to_a_file(self, monkeypatch, tmp_path):
        def apply(self, ctx, op):
            raise IndexError("list index out of range")

        monkeypatch.setattr(PairLoadsPass, "apply", apply)
        with pytest.raises(Disagreement) as info:
            for _ in campaign(count(3), tmp_path):
                pass
        message = str(info.value)
        [path] = tmp_path.iterdir()
        assert message.endswith(f"; the smallest such nest is in {path}")
        assert "pair-loads failed: IndexError" in message
        written = path.read_text()
        assert written.startswith("// O0: pair-loads failed")
        assert len(written.splitlines()) < 40
        parse(written)
