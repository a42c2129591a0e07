"""Whole machines behind AXI and Wishbone run compiled programs, bit for bit."""

from pathlib import Path

import pytest
from ember.boards.bus.buses import machine
from ember.hw.config import Config

support = pytest.importorskip("ember.sim.cocotb_support", reason="cocotb is not installed")

TINY = Config.preset("tiny")
#: Answers then have to wait at the port.
CACHED = TINY.replace(cache_lines=16)
HERE = Path(__file__).parent


@pytest.mark.parametrize(
    ("config", "data_width", "id_width"),
    [(TINY, None, None), (TINY, 32, 3), (TINY, 64, None), (CACHED, None, 2)],
    ids=["line", "32-bit-table", "64-bit", "cached-table"],
)
def test_axi(config, data_width, id_width, seed):
    pytest.importorskip("cocotbext.axi", reason="cocotbext-axi is not installed")
    dut = machine(config, "axi4", data_width, id_width)
    ran = support.run_bench(dut, HERE / "bench_axi.py", config=config, seed=seed, timeout_s=600)
    assert ran == 9


@pytest.mark.parametrize(
    ("config", "data_width"),
    [(TINY, None), (TINY, 32), (CACHED, 64)],
    ids=["line", "32-bit", "64-bit-cached"],
)
def test_wishbone(config, data_width, seed):
    dut = machine(config, "wishbone", data_width)
    bench = HERE / "bench_wishbone.py"
    assert support.run_bench(dut, bench, config=config, seed=seed, timeout_s=600) == 9
