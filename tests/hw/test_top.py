"""The whole machine under cocotb on Verilator, and its constructor."""

import re

import pytest
from ember.hw.config import Config
from ember.hw.top import Machine
from ember.sim.campaign_configs import campaign_config

cocotb_support = pytest.importorskip("ember.sim.cocotb_support", reason="cocotb is not installed")


@pytest.mark.parametrize("name", ("tiny", "shallow", "cached", "both-ways", "stores-only"))
def test_machine(name: str, seed: int) -> None:
    """ember/sim/bench_machine.py: programs, resets, errors, tags that nobody asked for."""
    config = campaign_config(name)
    ran = cocotb_support.run_bench(
        Machine(config, probes=True), "ember.sim.bench_machine", config=config, seed=seed
    )
    # Nine random programs, a read error for each stream, and nine others.
    assert ran == 9 + 2 * config.scalar_layers + 1 + 9


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
