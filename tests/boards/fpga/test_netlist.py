"""Designs of boards as the tools get them: pins, clocks, and the parts that are there."""

import importlib.util
import re

import pytest
from ember.boards.fpga.boards import BOARDS
from ember.boards.fpga.design import Design
from ember.boards.fpga.errors import BoardsMissing
from ember.boards.fpga.netlist import Netlist, netlist
from ember.hw.config import Config

pytest.importorskip("amaranth_boards", reason="amaranth-boards is not installed")
TINY = Config.preset("tiny")


def design(board: str, memory: str | None = None) -> Design:
    memory = memory or BOARDS[board].memories[0]
    return Design(TINY, 60_000_000, 1_000_000, memory, BOARDS[board])


def test_arty_a7():
    found = netlist(design("arty-a7"))
    assert found.files.keys() == {"top.v", "top.xdc", "top.tcl"}
    constraints = found.files["top.xdc"]
    for port, pin in (("clk100_0__io", "E3"), ("uart_0__rx__io", "A9"), ("led_0__io", "H5")):
        assert f'set_property LOC {pin} [get_ports "{port}"]' in constraints
    assert "-period 10.0 [get_nets" in constraints
    assert "create_project -force -name top -part xc7a100t" in found.files["top.tcl"]
    verilog = found.files["top.v"]
    pll = re.search(r"PLLE2_BASE #\((.*?)\)\s+\S+\s+\(", verilog, re.DOTALL)
    assert pll is not None
    for name, value in (("DIVCLK_DIVIDE", 1), ("CLKFBOUT_MULT", 12), ("CLKOUT0_DIVIDE", 20)):
        assert re.search(rf"\.{name}\(32'd{value}\)", pll[1]), name
    assert "\nmodule top(" in verilog and found.memory_bytes == 256 << 10


@pytest.mark.parametrize(
    ("board", "pins", "size"),
    [
        ("ecpix-5", {"dq__io[0]": "T4", "a__io[14]": "H1", "dqs__p[1]": "V1"}, 512),
        ("versa-ecp5", {"dq__io[0]": "L5", "a__io[12]": "C3", "rst__io": "N4"}, 128),
    ],
)
def test_ddr3(board, pins, size):
    pytest.importorskip("litedram", reason="LiteDRAM is not installed")
    found = netlist(design(board))
    assert found.files.keys() == {"top.lpf", "dram.v"} and found.memory_bytes == size << 20
    for pin, site in pins.items():
        assert f'LOCATE COMP "ddr3_0__{pin}" SITE "{site}";' in found.files["top.lpf"], pin
    check_core(found, "ddram_dq", "ddram_dqs_p")


def test_arty_a7_with_ddr3():
    pytest.importorskip("litedram", reason="LiteDRAM is not installed")
    chosen = design("arty-a7", "ddr3")
    found = netlist(chosen)
    assert found.files.keys() == {"top.v", "top.xdc", "top.tcl", "dram.v", "dram.xdc"}
    assert found.memory_bytes == 256 << 20 and chosen.link_name == "arty-a7-ddr3"
    constraints = found.files["top.xdc"]
    pins = {"clk__n": "V9", r"dqs__n\[1]": "V2", r"a__io\[13]": "T8", r"dq__io\[0]": "K5"}
    for pin, site in pins.items():
        assert f'set_property LOC {site} [get_ports "ddr3_0__{pin}"]' in constraints, pin
    assert "set_property INTERNAL_VREF 0.675 [get_iobanks 34]" in constraints
    resets = re.findall(r"(ars_\w+) == TRUE", found.files["dram.xdc"])
    assert len(resets) == 2
    for name in resets:
        assert f'{name} = "true"' in found.files["dram.v"], name
    script = found.files["top.tcl"]
    assert 'add_files "dram.v"' in script and 'read_xdc "dram.xdc"' in script
    assert re.search(r"\bdram_core \S+ *\(", found.files["top.v"])
    check_core(found, "ddram_dq", "ddram_dqs_p", "ddram_dqs_n")


def check_core(found: Netlist, *both_ways: str) -> None:
    """The core has every port that the design connects, and both sides drive these."""
    core = found.files["dram.v"]
    for name in both_ways:
        assert re.search(rf"inout +wire +\[\d+:0\] {name},", core), name
    cell = found.rtlil[found.rtlil.index("cell \\dram_core ") :]
    connected = re.findall(r"^ +connect \\(\w+) ", cell[: cell.index("\n  end")], re.MULTILINE)
    for port in connected:
        assert re.search(rf"(input|output|inout) +wire +(\[\d+:0\] )?{port}\b", core), port
    unconnected = set(re.findall(r"inout +wire +\[\d+:0\] (\w+),", core)) - set(connected)
    assert unconnected <= {"ddram_dqs_n"}  # the ECP5's pads know it


def test_ddr3_without_litedram(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "litedram" else find(name)
    )
    with pytest.raises(BoardsMissing) as error:
        netlist(design("ecpix-5"))
    assert str(error.value) == (
        "litedram is missing: run `pip install 'ember-dae[boards-ddr3]'`"
    )
