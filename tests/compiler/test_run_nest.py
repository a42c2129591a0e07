"""``ember.run_nest`` runs nests/*.mlir, and leaves what the interpreter leaves."""

import numpy as np
import pytest
from ember.compiler.pipeline import LEVELS
from ember.hw.config import Config

import ember

from .test_lifted import FILES, directives, source


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_on_the_functional_model(path, seed):
    text = path.read_text()
    nest = source(text, seed)
    layers = int(directives(text, "=").get("layers", 3))
    config = Config.preset("tiny").replace(layers=layers)
    opt = LEVELS[(seed + FILES.index(path)) % len(LEVELS)]
    given = nest.arrays()
    result = ember.run_nest(text, given | nest.scalars, config=config, opt=opt, engine="functional")
    comparison = ember.compare_interpreter(result)
    assert comparison.bit_exact, comparison.mismatch
    assert list(result.arrays) == [name for name in given if name.startswith("out")]
    assert any(
        not np.array_equal(array, given[name], equal_nan=True)
        for name, array in result.arrays.items()
    )
