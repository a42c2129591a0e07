"""Nests over the same bags: segments of one program, or one segment, and what is said of it."""

import logging
from pathlib import Path

import pytest
from ember.compiler.codegen import generate
from ember.compiler.errors import CompileError
from ember.compiler.pipeline import pipeline
from ember.hw.config import Config
from ember.sim.nests import parse
from xdsl.context import Context

NESTS = Path(__file__).parent / "nests"


def segments(name: str, layers: int = 3) -> list[int]:
    """Segments of each launch."""
    config = Config.preset("tiny").replace(layers=layers)
    module = parse((NESTS / f"{name}.mlir").read_text())
    for step in pipeline(config, "O3"):
        step.apply(Context(), module)
    return [len(template.segments) for template in generate(module, config)]


@pytest.mark.parametrize(
    "name, layers, count",
    [("two_tables", 3, 2), ("filled_before", 3, 1), ("joined_lookups", 3, 1),
     ("batched_lookups", 4, 1), ("two_nests", 3, 2)],
)  # fmt: skip
def test_segments_of_one_launch(name, layers, count):
    assert segments(name, layers) == [count]


def test_batched_lookups_need_a_layer(caplog):
    with caplog.at_level(logging.INFO, "ember.compiler"), pytest.raises(CompileError) as info:
        segments("batched_lookups", 3)
    assert str(info.value) == (
        "nest: %b: %j: %e: memref.load: the row of %out must be written as a whole before anything "
        "else happens to it in an iteration: the execute unit has no loads"
    )
    assert (
        "nest: %b: scf.for: stays a nest of its own: a loop over both lookups would be one of 4, "
        "but the configuration has 3 layers"
    ) in caplog.text
