"""What is exported is clean under ``verilator -Wall`` with the exported waivers, and no others."""

import os
import re
import subprocess

import pytest
from ember.boards.bus.buses import machine
from ember.boards.ip.port_files import example, stub
from ember.boards.ip.ports import ports
from ember.boards.ip.tool_files import WAIVERS, waivers
from ember.hw.config import Config
from ember.sim import tools
from ember.sim.verilog import to_verilog

TINY = Config.preset("tiny")
VARIANTS = {
    "axi4": (TINY, "axi4", None, None),
    "axi4-32-table": (TINY.replace(lanes=2, cache_lines=8), "axi4", 32, 3),
    "wishbone": (TINY, "wishbone", None, None),
    "wishbone-32": (TINY, "wishbone", 32, None),
    "native": (TINY, "native", None, None),
}


def lint(directory, top: str, *files: str) -> str:
    root = tools.verilator_root()
    command = [str(root / "bin" / "verilator_bin"), "--lint-only", "-Wall", "--top-module", top]
    done = subprocess.run(
        [*command, *files], cwd=directory, capture_output=True, text=True, check=False,
        env={**os.environ, "VERILATOR_ROOT": str(root)}, timeout=300,
    )  # fmt: skip
    assert bool(done.returncode) == bool(done.stderr)
    return done.stderr


@pytest.fixture(scope="module", params=VARIANTS)
def exported(request, tmp_path_factory):
    """Directory with Verilog, waivers, example and stub of a variant."""
    config, *bus = VARIANTS[request.param]
    directory = tmp_path_factory.mktemp(request.param)
    component = machine(config, *bus)
    listed = ports(component)
    (directory / "ember.sv").write_text(to_verilog(component, "ember"))
    (directory / "ember.vlt").write_text(waivers())
    (directory / "ember_example.v").write_text(example(listed))
    (directory / "ember_stub.v").write_text(stub(listed))
    return directory


def test_clean(exported):
    files = ("ember.vlt", "ember.sv", "ember_example.v")
    assert lint(exported, "ember_example", *files) == ""


def test_the_stub_has_the_same_ports(exported):
    """The example fits it; that a black box is empty is what the waivers would have to say."""
    said = lint(exported, "ember_example", "ember_stub.v", "ember_example.v")
    assert set(re.findall(r"%(?:Warning|Error)-(\w+)", said)) <= {
        "UNUSEDSIGNAL", "UNDRIVEN", "DECLFILENAME",
    }  # fmt: skip


@pytest.mark.parametrize("exported", ["axi4-32-table"], indirect=True)
def test_every_waiver_is_needed(exported):
    said = lint(exported, "ember", "ember.sv")
    assert set(re.findall(r"%Warning-(\w+)", said)) == set(WAIVERS)
