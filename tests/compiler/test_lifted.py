"""Runs nests/*.mlir: each form of a nest leaves the same bits as its SCF, at every level.

A file is a nest as a front end could write it, one thing each. Lines before it say what it runs
on: ``// idx < 9`` is what the values of an integer array are below, or in ``// idx < -1..9``;
``// ptr <= 6`` makes them ascend to at most 6; ``// n = 4`` is an integer argument,
``// layers = 4`` the machine's layers, if it needs more than three; ``// t : 9x4`` gives the sizes
of an array of unknown ones.
"""

import re
from pathlib import Path

import numpy as np
import pytest
from ember.compiler.codegen import generate
from ember.compiler.pipeline import pipeline
from ember.hw.config import Config
from ember.sim.lookup_nest import UNTOUCHED
from ember.sim.memory import Memory
from ember.sim.model import run
from ember.sim.nests import LEVELS, Source, Trial, parse
from ember.sim.random_floats import random_floats
from xdsl.context import Context
from xdsl.dialects.builtin import Float32Type, IndexType, MemRefType

INTEGERS = {32: np.int32, 64: np.int64}
FILES = sorted((Path(__file__).parent / "nests").glob("*.mlir"))


def directives(text: str, form: str) -> dict[str, str]:
    return dict(re.findall(rf"^// (\w+) {form} (\S+)$", text, re.M))


def integers(kind: MemRefType) -> type[np.integer]:
    """NumPy's type for an array of integers."""
    element = kind.element_type
    return np.int64 if isinstance(element, IndexType) else INTEGERS[element.width.data]


def spread(array: np.ndarray, kind: MemRefType) -> np.ndarray:
    """An array of one dimension with the strides of its type, and zeros between its elements."""
    strides = kind.get_strides()
    if kind.get_num_dims() != 1 or strides is None or strides[0] in (None, 1):
        return array
    new = np.zeros(len(array) * strides[0], array.dtype)[:: strides[0]]
    new[:] = array
    return new


def source(text: str, seed: int) -> Source:
    [function] = parse(text).body.block.ops
    below, ascending, sizes = (directives(text, form) for form in ("<", "<=", ":"))

    def arrays() -> dict[str, np.ndarray]:
        rng = np.random.default_rng(seed)
        found = {}
        for argument in function.body.block.args:
            name, kind = argument.name_hint, argument.type
            if not isinstance(kind, MemRefType):
                continue
            shape = tuple(kind.get_shape())
            if name in sizes:
                shape = tuple(map(int, sizes[name].split("x")))
            size = int(np.prod(shape))
            if name.startswith("out"):
                found[name] = np.full(shape, UNTOUCHED, np.uint32).view(np.float32)
            elif isinstance(kind.element_type, Float32Type):
                found[name] = random_floats(rng, size).reshape(shape)
            elif name in ascending:
                values = np.sort(rng.integers(0, int(ascending[name]) + 1, shape))
                found[name] = values.astype(integers(kind))
            else:
                low, high = re.fullmatch(r"(?:(-?\d+)\.\.)?(\d+)", below[name]).groups()
                values = rng.integers(int(low or 0), int(high), shape)
                found[name] = values.astype(integers(kind))
            found[name] = spread(found[name], kind)
        return found

    scalars = {n: int(v) for n, v in directives(text, "=").items() if n != "layers"}
    return Source(text, arrays, scalars, seed=seed)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_level_takes_it(path, seed):
    text = path.read_text()
    layers = int(directives(text, "=").get("layers", 3))
    for fiber_lanes in (1, 2):
        config = Config.preset("tiny").replace(layers=layers, fiber_lanes=fiber_lanes)
        verdict = Trial(source(text, seed), config).run()
        assert not verdict.refused
        assert list(verdict.programs) == list(LEVELS)


#: Files of which all rows, or those of one of two outputs, are copies of rows.
COPIES = {
    "block_gather", "copy_a_vector", "copy_rows", "from_the_end", "gather_a_column",
    "gather_elements", "index_by_element", "side_by_side", "truth_value_as_a_number", "two_outputs",
    "view_in_a_nest", "views_of_rows",
}  # fmt: skip


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_store_streams_take_copies(path, seed):
    """With both units every level takes what it took; alone, the access unit takes copies."""
    text = path.read_text()
    layers = int(directives(text, "=").get("layers", 3))
    config = Config.preset("tiny").replace(layers=layers, store_streams=1)
    verdict = Trial(source(text, seed), config).run()
    assert list(verdict.programs) == list(LEVELS)
    for opt, programs in verdict.programs.items():
        stored = any(segment.store for program in programs for segment in program.segments)
        assert stored == (path.stem in COPIES and opt != "O0"), opt
    alone = Trial(source(text, seed), config.replace(execute=0)).run()
    copies = path.stem in COPIES - {"two_outputs"}
    assert list(alone.programs) == list(LEVELS[1:] if copies else ())
    assert all("needs an execute unit" in reason for reason in alone.refused.values())


def test_a_lookup_of_a_scattered_row_sends_its_data_only(seed):
    """Of 4 rows with 4 lookups each: 2 vectors a lookup, and the row's number once, to store it."""
    text = (Path(__file__).parent / "nests" / "scatter_pool.mlir").read_text()
    config = Config.preset("tiny").replace(layers=4)
    trial = Trial(source(text, seed), config)
    arrays = trial.source.arrays()
    memory = Memory(config)
    addresses = {("nest", n): memory.place(a, writable=n == "out") for n, a in arrays.items()}
    module = trial.module.clone()
    for step in pipeline(config, "O3"):
        step.apply(Context(), module)
    [template] = generate(module, config)
    queues = run(template.link(addresses, config), config, memory).queues
    assert (queues.vectors, queues.tokens) == (4 * 4 * 2 + 4, 4 * (1 + 4 + 1))
