"""The execute pipeline as a whole, under cocotb on Verilator."""

import json
from pathlib import Path

import pytest
from ember.hw.config import Config
from ember.hw.core.core import Core

cocotb_support = pytest.importorskip("ember.sim.cocotb_support", reason="cocotb is not installed")

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


def _run(name: str, bench: str, seed: int = 1) -> None:
    config = CONFIGS[name]
    print(f"configuration {name} ({config.hash}), seed {seed}")
    settings = {"EMBER_TEST_CONFIG": json.dumps(config.to_dict()), "EMBER_TEST_SEED": str(seed)}
    assert cocotb_support.run_bench(Core(config), _HERE / f"{bench}.py", env=settings)


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("seed", [1, 2])
def test_random_programs(name, seed):
    _run(name, "cocotb_random", seed)


@pytest.mark.parametrize("name", ["tiny", "default", "wide"])
def test_throughput(name):
    _run(name, "cocotb_throughput")


def test_configuration_must_be_one():
    with pytest.raises(TypeError, match=r"^config must be a Config, not \{'lanes': 4\}$"):
        Core({"lanes": 4})
