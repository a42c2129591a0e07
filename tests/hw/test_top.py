"""The whole machine under cocotb on Verilator, and its constructor."""

import re
from pathlib import Path

import pytest
from ember.hw.config import Config
from ember.hw.top import Machine
from ember.sim.campaign import campaign_config

cocotb_support = pytest.importorskip("ember.sim.cocotb_support", reason="cocotb is not installed")


@pytest.mark.parametrize("name", ("tiny", "shallow", "cached"))
def test_random_programs(name: str, seed: int) -> None:
    config = campaign_config(name)
    bench = Path(__file__).with_name("bench_top.py")
    ran = cocotb_support.run_bench(Machine(config), bench, config=config, seed=seed)
    assert ran == 15


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((8, False), "config must be a Config, not 8"),
        ((Config(), 1), "probes must be a bool, not 1"),
    ],
)
def test_arguments_are_checked(arguments: tuple, message: str) -> None:
    config, probes = arguments
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        Machine(config, probes=probes)
