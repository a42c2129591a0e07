"""``ember export``: which files, the same bytes each time, and every refusal."""

import importlib
import json
import os

import pytest

from ember import Config
from ember.cli import main

TINY = ["--preset", "tiny"]
PLAIN = {
    "ember.core", "ember.sv", "ember.vlt", "ember_example.v", "ember_stub.v", "ports.md",
    "registers.json", "registers.rdl", "registers.svd",
}  # fmt: skip
BUSES = {
    "axi4": ("m_axi_araddr", "m_axi_wstrb", "s_axil_awaddr", "s_axil_rdata"),
    "wishbone": ("wbm_adr", "wbm_stall", "wbs_dat_w", "wbs_ack"),
    "native": ("read__request__payload", "write__response__ready", "bus__address"),
}


def files(directory) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }


def export(capsys, directory, *argv: str) -> dict[str, bytes]:
    assert main(["export", *TINY, *argv, "-o", str(directory)]) == 0
    assert capsys.readouterr().out == ""
    return files(directory)


@pytest.fixture
def without_peakrdl(monkeypatch):
    """As where it is not installed."""
    found = importlib.import_module("ember.boards.ip.export")
    monkeypatch.setattr(found, "peakrdl_files", lambda text: None)


@pytest.mark.parametrize("bus", BUSES)
def test_files_and_names(capsys, tmp_path, without_peakrdl, bus):
    found = export(capsys, tmp_path / "a" / "b", "--bus", bus)
    assert set(found) == PLAIN
    for name in ("clk", "rst", "irq", *BUSES[bus]):
        for file in ("ember_stub.v", "ember_example.v", "ports.md", "ember.sv"):
            assert name.encode() in found[file], (file, name)
    assert json.loads(found["registers.json"])["config_hash"] == Config.preset("tiny").hash
    assert b"    files:\n      - ember.sv\n" in found["ember.core"]
    assert f"bus {bus}\n".encode() in found["ember.core"]


def test_the_same_bytes_each_time(capsys, tmp_path, monkeypatch):
    """Whenever, wherever and over what it is written; PeakRDL's pages too."""
    pytest.importorskip("peakrdl_html", reason="PeakRDL is not installed")
    first = export(capsys, tmp_path / "first", "--bus", "axi4")
    assert set(first) > PLAIN | {"registers.h", "html/index.html"}
    # PeakRDL's pages have the time in them.
    monkeypatch.setattr("time.time", lambda: 1.0)
    monkeypatch.chdir(tmp_path)
    second = export(capsys, tmp_path / "second", "--bus", "axi4")
    assert first == second
    for name, content in first.items():
        assert os.fsencode(tmp_path) not in content, name
        assert b"ember-export-" not in content, name


def test_widths(capsys, tmp_path, without_peakrdl):
    argv = ["--bus", "axi4", "--data-width", "32", "--id-width", "2"]
    ports = export(capsys, tmp_path, *argv)["ports.md"].decode()
    assert "| `m_axi_rdata` | input | 32 |" in ports
    assert "| `m_axi_arid` | output | 2 |" in ports
    # Written over: nothing of the other bus is left in the files.
    ports = export(capsys, tmp_path, "--bus", "wishbone", "--data-width", "64")["ports.md"]
    assert b"| `wbm_dat_r` | input | 64 |" in ports and b"axi" not in ports


def test_fields_of_native_ports(capsys, tmp_path, without_peakrdl):
    ports = export(capsys, tmp_path, "--bus", "native")["ports.md"].decode()
    assert (
        "| `read__request__payload` | output | 35 | `line` 27:0, `tag.slot` 30:28, "
        "`tag.stream` 33:31, `nt` 34 |"
    ) in ports


def test_what_is_missing_is_said(capsys, tmp_path, without_peakrdl):
    assert main(["export", *TINY, "--bus", "native", "-o", str(tmp_path)]) == 0
    assert capsys.readouterr().err.endswith(
        "ember: registers.h and html/ are left out: they need PeakRDL: "
        "pip install 'ember-dae[export]'\n"
    )


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "ember export: the following arguments are required: --bus, -o/--output "
         "(see ember export --help)"),
        (["--bus", "ahb", "-o", "x"], "ember export: argument --bus: invalid choice: 'ahb' "
         "(choose from 'axi4', 'wishbone', 'native') (see ember export --help)"),
        (["--bus", "axi4", "-o", "x", "--data-width", "48"], "ember: data_width must be a power "
         "of two from 32 to 128, the bits of a line, not 48"),
        (["--bus", "axi4", "-o", "x", "--data-width", "8"], "ember export: argument --data-width: "
         "must be at least 32, not 8 (see ember export --help)"),
        (["--bus", "wishbone", "-o", "x", "--data-width", "256"], "ember: data_width must be a "
         "power of two from 32 to 128, the bits of a line, not 256"),
        (["--bus", "native", "-o", "x", "--data-width", "32"], "ember: data_width must come with "
         "bus 'axi4' or 'wishbone', not 'native'"),
        (["--bus", "axi4", "-o", "x", "--id-width", "7"], "ember: id_width must be 1..6, the bits "
         "of a read tag, not 7"),
        (["--bus", "wishbone", "-o", "x", "--id-width", "2"], "ember: id_width must come with bus "
         "'axi4', not 'wishbone'"),
        (["--bus", "axi4", "-o", "x", "--set", "lanes=3"], "ember: lanes must be a power of two, "
         "not 3"),
        (["--bus", "axi4", "-o", ""], "ember: cannot write '': a directory must have a name"),
        (["--bus", "axi4", "-o", "{file}"], "ember: cannot write {file}: not a directory"),
        (["--bus", "native", "-o", "{file}/x"], "ember: cannot write {file}/x: not a directory"),
    ],
)  # fmt: skip
def test_bad_input(capsys, tmp_path, monkeypatch, without_peakrdl, argv, message):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "file"
    file.touch()
    assert main(["export", *TINY, *(arg.format(file=file) for arg in argv)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.splitlines()[-1] == message.format(file=file)
    assert list(tmp_path.iterdir()) == [file]
