"""LiteDRAM's core as text."""

import pytest
from ember.boards.fpga.dram_core import dram_core
from ember.boards.fpga.ecp5_ddr3 import CHIPS


def test_the_same_bytes_each_time(tmp_path, monkeypatch):
    """Whenever it is generated, and however Python orders sets."""
    pytest.importorskip("litedram", reason="LiteDRAM is not installed")
    texts = []
    for seed in ("1", "2"):
        monkeypatch.setenv("EMBER_CACHE", str(tmp_path / seed))
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        texts.append(dram_core(CHIPS["ecpix-5"], 60_000_000)[0])
    assert texts[0] == texts[1]
    assert texts[0].startswith("`timescale") and "\nendmodule\n" in texts[0]
