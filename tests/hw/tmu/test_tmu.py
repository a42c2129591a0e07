"""The access unit under cocotb on Verilator, and its constructor."""

import re
from pathlib import Path

import pytest
from ember.hw.tmu.tmu import Tmu
from ember.sim.campaign_configs import campaign_config

cocotb_support = pytest.importorskip("ember.sim.cocotb_support", reason="cocotb is not installed")


@pytest.mark.parametrize("name", ("smallest", "tiny", "wide"))
def test_random_programs(name: str, seed: int) -> None:
    config = campaign_config(name)
    bench = Path(__file__).with_name("bench_tmu.py")
    ran = cocotb_support.run_bench(Tmu(config), bench, config=config, seed=seed)
    assert ran == 18


def test_config_is_checked() -> None:
    with pytest.raises(TypeError, match=f"^{re.escape('config must be a Config, not 8')}$"):
        Tmu(8)  # type: ignore[arg-type]
