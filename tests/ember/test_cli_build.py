"""What `ember build` prints and writes; the tools are replaced."""

import json

import pytest
from ember.boards.fpga import flow
from ember.synth import tools
from ember.synth.figures import Figures

from ember.cli import main


@pytest.fixture
def build(monkeypatch, tmp_path):
    """Function of a board, of the clock it reaches and of its look-up tables: the exit code."""
    monkeypatch.setattr(tools, "require", lambda: None)
    monkeypatch.setattr(tools, "versions", lambda: {"yosys": "1"})
    monkeypatch.chdir(tmp_path)
    (tmp_path / "made.bit").write_bytes(b"bits")

    def run(board: str, fmax: float | None, lut: int = 100) -> int:
        met = fmax is not None and fmax >= 63
        files = {"top.v": "verilog", "top.xdc": "pins"} if board == "arty-a7" else {}
        built = flow.Built(
            Figures(board, lut, 50, 4, 2, fmax), ((7.5, "a"), (16.25, "b")) if fmax else (),
            tmp_path / "made.bit" if met else None, 4096, files,
        )  # fmt: skip
        monkeypatch.setattr(flow, "build", lambda design, seed, progress: built)
        return main(["build", board, "--preset", "tiny", "--json", "report.json"])

    return run


def report(tmp_path) -> dict:
    return json.loads((tmp_path / "report.json").read_text())


def test_a_bitstream(build, tmp_path, capsys):
    assert build("ulx3s", 70.0) == 0
    assert (tmp_path / "ulx3s.bit").read_bytes() == b"bits"
    out = capsys.readouterr().out
    assert "wrote ulx3s.bit: load it with `ember program ulx3s ulx3s.bit`" in out
    found = report(tmp_path)
    assert (found["fmax_mhz"], found["met"], found["makes"]) == (70.0, True, "bitstream")


def test_a_clock_that_is_missed(build, tmp_path, capsys):
    assert build("ulx3s", 61.0) == 1
    assert not (tmp_path / "ulx3s.bit").exists()
    out, err = capsys.readouterr()
    assert "slowest path, in ns after the clock's edge:\n    7.50  a\n   16.25  b\n" in out
    assert err.splitlines()[-1] == (
        "ember: ulx3s reaches 61.0 MHz, but a clock of 60 MHz needs 63.0 MHz, 5 % more: no "
        "bitstream is written; try a lower --clock-mhz or another --seed"
    )
    assert report(tmp_path)["met"] is False


def test_a_design_that_does_not_fit(build, tmp_path, capsys):
    assert build("versa-ecp5", None, lut=43_850) == 1
    out, err = capsys.readouterr()
    assert "%  does not fit\n" in out
    assert err.splitlines()[-1] == (
        "ember: versa-ecp5 does not fit ecp5um-45f: it needs 43850 lut, 2 more than the 43848 "
        "there are"
    )
    assert report(tmp_path)["misfit"] is not None


def test_a_project(build, tmp_path, capsys):
    assert build("arty-a7", None) == 0
    assert (tmp_path / "arty-a7" / "top.v").read_text() == "verilog"
    assert (tmp_path / "arty-a7" / "top.xdc").read_text() == "pins"
    out = capsys.readouterr().out
    assert "by Vivado" in out and "no tool of the vendor was run" in out
    found = report(tmp_path)
    assert found["fmax_mhz"] is found["met"] is found["seed"] is None
    assert found["makes"] == "project"


def test_a_project_that_does_not_fit_is_not_written(build, tmp_path):
    assert build("arty-a7", None, lut=63_401) == 1
    assert not (tmp_path / "arty-a7").exists()
