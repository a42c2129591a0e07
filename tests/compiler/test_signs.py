"""Values below 0 in index arrays: good ones are refused or computed, never reported.

Each nest adds a constant to a loaded value, in an index, a bound or the row of the output. Where
SCF can make something of a value below 0, the compiler refuses the nest, or says no less than SCF;
where the nest asserts that there is none, all forms report one.
"""

from collections.abc import Callable

import numpy as np
import pytest
from ember.sim.lookup_nest import UNTOUCHED, Index, Loop, Nest
from ember.sim.nests import CONFIGS, LEVELS, Source, Trial
from ember.sim.random_floats import random_floats

ROWS, DIM, BAGS = 9, 3, 4

HEAD = """
func.func @nest(%idx: memref<4x{kind}>, %table: memref<9x3xf32>, %out: memref<9x3xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bags = arith.constant 4 : index
  %dim = arith.constant 3 : index
  %amount = arith.constant {amount} : index
  %none = arith.constant 0 : {kind}
  %zero = arith.constant 0.0 : f32
  scf.for %b = %c0 to %bags step %c1 {{
    %i = memref.load %idx[%b] : memref<4x{kind}>
    {assertion}
    %n = arith.index_cast %i : {kind} to index
    %sum = arith.{op} : index
"""
ASSERTION = '%good = arith.cmpi sge, %i, %none : {kind}\n    cf.assert %good, "below 0"'
ADD = """
    scf.for %e = %c0 to %dim step %c1 {{
      memref.store %zero, %out[{row}, %e] : memref<9x3xf32>
    }}
    scf.for %j = {start} to {stop} step %c1 {{
      scf.for %e = %c0 to %dim step %c1 {{
        %x = memref.load %table[{index}, %e] : memref<9x3xf32>
        %acc = memref.load %out[{row}, %e] : memref<9x3xf32>
        %r = arith.addf %acc, %x : f32
        memref.store %r, %out[{row}, %e] : memref<9x3xf32>
      }}
    }}
  }}
  func.return
}}
"""
#: The row of the output, the bounds and the index, with the sum in one of them.
USES = {
    "row": dict(row="%b", start="%c0", stop="%c1", index="%sum"),
    "stop": dict(row="%b", start="%c0", stop="%sum", index="%j"),
    "start": dict(row="%b", start="%sum", stop="%bags", index="%j"),
    "unused": dict(row="%b", start="%sum", stop="%bags", index="%c0"),
    "output": dict(row="%sum", start="%c0", stop="%c1", index="%b"),
}
#: A sum and the values of the index array that SCF takes in a row of nine.
SUMS: dict[str, tuple[str, Callable[[int], int]]] = {
    "plus": ("addi %n, %amount", lambda i: i + 3),
    "minus": ("subi %n, %amount", lambda i: i - 3),
    "from": ("subi %amount, %n", lambda i: 3 - i),
    "from the last": ("subi %amount, %n", lambda i: 8 - i),
    "twice": ("muli %n, %amount", lambda i: 3 * i),
}


def trial(
    use: str, sum_: str, width: int, values: list[int], asserts: bool, seed: int, config: str
) -> Trial:
    kind = f"i{width}"
    amount = 8 if sum_ == "from the last" else 3
    text = HEAD.format(
        kind=kind, amount=amount, op=SUMS[sum_][0],
        assertion=ASSERTION.format(kind=kind) if asserts else "",
    ) + ADD.format(**USES[use])  # fmt: skip

    def arrays() -> dict[str, np.ndarray]:
        rng = np.random.default_rng(seed)
        return {
            "idx": np.array(values, f"int{width}"),
            "table": random_floats(rng, ROWS * DIM).reshape(ROWS, DIM),
            "out": np.full((ROWS, DIM), UNTOUCHED, np.uint32).view(np.float32),
        }

    return Trial(Source(text, arrays, seed=seed), CONFIGS[config])


def values(use: str, sum_: str, seed: int, low: int = -20) -> list[int]:
    """What SCF takes: a row, a bound or a place of nine, but a start that is not above its stop."""
    most = BAGS if use in ("start", "unused") else ROWS - 1
    good = [i for i in range(low, 20) if 0 <= SUMS[sum_][1](i) <= most]
    return [int(i) for i in np.random.default_rng(seed).choice(good, BAGS)]


@pytest.mark.parametrize("config", ["four layers", "wide", "one lane"])
@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize("sum_", SUMS)
@pytest.mark.parametrize("use", USES)
def test_a_good_value_is_not_reported(use, sum_, width, config, seed):
    run = trial(use, sum_, width, values(use, sum_, seed), False, seed, config)
    verdict = run.run()
    assert not run.invalid
    if any(0 <= SUMS[sum_][1](i) < 9 for i in range(-20, 0)):
        assert list(verdict.refused) == list(LEVELS)
        assert all("is below 0" in why for why in verdict.refused.values())


@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize("use", [use for use in USES if use != "unused"])
def test_an_assertion_says_that_there_is_none(use, width, seed):
    good = values(use, "plus", seed, low=0)
    run = trial(use, "plus", width, good, True, seed, "four layers")
    assert not run.run().refused and not run.invalid and not run.faults
    wrong = [*good[:-1], -1]
    run = trial(use, "plus", width, wrong, True, seed, "four layers")
    assert not run.run().refused and run.invalid and run.faults


@pytest.mark.parametrize("asserts", [False, True])
def test_a_nest_of_the_campaign(asserts):
    """An index of -1, plus 3, in 32 bits: SCF finds row 2."""
    loops = Loop(count=3), Loop("from", width=32), Loop("index", count=3, width=32)
    nest = Nest(
        loops, (Index(2, 32),), rows=5, dim=5, arithmetic=(("add", 3),), skip=2, form="left",
        weight="outer", op="scale", scalars=True, asserts=asserts, fault="index", seed=317513193,
    )  # fmt: skip
    run = Trial(nest, CONFIGS["wide"])
    refused = run.run().refused
    assert (run.invalid, run.faults, bool(refused)) == (asserts, asserts, not asserts)
