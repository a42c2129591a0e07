"""The execute pipeline as a whole, under cocotb on Verilator."""

import json
from functools import cache
from pathlib import Path

import pytest
from ember.hw.config import Config
from ember.hw.core.core import Core

from ...support.cocotb_run import build, run

_HERE = Path(__file__).parent

CONFIGS = {
    "tiny": Config.preset("tiny"),
    "scalar": Config(
        lanes=1, fiber_lanes=1, row_chunks=8, segments=4, code_depth=32, div_interval=26
    ),
    "one-chunk": Config(
        lanes=4, fiber_lanes=1, row_chunks=1, segments=1, code_depth=64, addr_width=64,
        div_interval=1,
    ),
    "default": Config.preset("default"),
    "wide": Config(lanes=16, fiber_lanes=8, row_chunks=8, addr_width=48, div_interval=13),
}  # fmt: skip


@cache
def _simulator(name: str) -> Path:
    """Elaborated once for all tests of a configuration."""
    return build(Core(CONFIGS[name]))


def _run(name: str, bench: str, directory: Path, seed: int = 1, **environment: str) -> None:
    config = CONFIGS[name]
    print(f"configuration {name} ({config.hash}), seed {seed}")
    settings = {"EMBER_TEST_CONFIG": json.dumps(config.to_dict()), "EMBER_TEST_SEED": str(seed)}
    run(_simulator(name), _HERE / f"{bench}.py", directory, environment=settings | environment)


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("seed", [1, 2])
def test_random_programs(name, seed, tmp_path):
    _run(name, "cocotb_random", tmp_path, seed)


@pytest.mark.parametrize("name", ["tiny", "default", "wide"])
def test_throughput(name, tmp_path):
    _run(name, "cocotb_throughput", tmp_path)


def test_configuration_must_be_one():
    with pytest.raises(TypeError, match=r"^config must be a Config, not \{'lanes': 4\}$"):
        Core({"lanes": 4})
