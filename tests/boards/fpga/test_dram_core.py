"""LiteDRAM's core as text."""

import re

import pytest
from ember.boards.fpga.boards import BOARDS
from ember.boards.fpga.design import Design
from ember.boards.fpga.dram_chips import CHIPS
from ember.boards.fpga.dram_core import dram_core
from ember.boards.host.dram import MODES
from ember.boards.host.dram_phy import PHYS
from ember.hw.config import Config


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


@pytest.mark.parametrize(
    ("board", "clock_mhz"), [(board, mhz) for board in CHIPS for mhz in CHIPS[board].phy.clocks_mhz]
)
def test_the_driver_knows_the_core(board, clock_mhz, tmp_path, monkeypatch):
    """The driver has numbers of its own, which are those of the generated core at each clock."""
    pytest.importorskip("litedram", reason="LiteDRAM is not installed")
    monkeypatch.setenv("EMBER_CACHE", str(tmp_path))
    design = Design(Config.preset("tiny"), clock_mhz * 1_000_000, 1_000_000, "ddr3", BOARDS[board])
    phy = PHYS[design.link_name]
    verilog, registers = dram_core(CHIPS[board], design.clock_hz)
    assert phy.registers.items() <= registers.items()
    (header,) = tmp_path.rglob("sdram_phy.h")
    text = header.read_text()
    facts = {name: int(value) for name, value in re.findall(r"SDRAM_PHY_(\w+) (\d+)\n", text)}
    assert facts["PHASES"] == phy.phases and facts["DFI_DATABITS"] == 32 * phy.words
    assert (facts["RDPHASE"], facts["WRPHASE"]) == (phy.read_phase, phy.write_phase)
    assert (facts["DELAYS"], facts["BITSLIPS"]) == (phy.delays, phy.bitslips)
    assert facts["MODULES"] == phy.modules
    assert ("WRITE_LATENCY_CALIBRATION" in text) <= (len(phy.write_slips) > 1)
    commands = re.findall(
        r"pi0_address_write\((\w+)\);\s+\w+baddress_write\((\d)\);\s+command_p0\((\S+)\);", text
    )
    assert [(int(bank), int(address, 16)) for address, bank, command in commands] == [
        *MODES, (0, phy.mode), (0, 0x400),
    ]  # fmt: skip
    if board == "arty-a7":
        multiply, divide = (
            int(found[1])
            for name in ("CLKFBOUT_MULT", "CLKOUT1_DIVIDE")
            if (found := re.search(rf"\.{name} +\(\d+'d(\d+)\)", verilog))
        )
        assert 100 * multiply == clock_mhz * divide
