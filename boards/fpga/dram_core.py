"""LiteDRAM's controller and PHY for a board's DDR3 memory, generated."""

import importlib.metadata
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

from ...sim.cache import cached, content_key
from ..memory.lite_dram import ID_WIDTH, MODULE
from .dram_chips import DramChip
from .errors import BoardsMissing

_PACKAGES = ("litedram", "litex", "migen")
#: Comments have the time, and list cells in an order that differs from run to run.
_COMMENT = re.compile(r"^//[^\n]*\n|/\*.*?\*/", re.MULTILINE | re.DOTALL)
#: Pins that both sides drive. Migen writes those of a cell as inputs.
_BOTH_WAYS = ("ddram_dq", "ddram_dqs_p", "ddram_dqs_n")


def dram_versions() -> list[str]:
    """Of the packages that make the core.

    Raises
    ------
    BoardsMissing
        One is not installed.
    """
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise BoardsMissing(f"{missing[0]} is missing: run `pip install 'ember-dae[boards-ddr3]'`")
    return [importlib.metadata.version(name) for name in _PACKAGES]


def dram_core(chip: DramChip, clock_hz: int, *, model: bool = False) -> tuple[str, dict[str, int]]:
    """Verilog of module :data:`.lite_dram.MODULE`, and the byte addresses of its control registers.

    ``model`` takes LiteDRAM's model of PHY and memory in place of the PHY.

    Raises
    ------
    BoardsMissing
        LiteDRAM is not installed, or failed.
    """
    settings = {
        "cpu": "None", "device": chip.device, "memtype": "DDR3", "sdram_module": chip.module,
        "sdram_module_nb": 2, "sdram_rank_nb": 1, **chip.phy.settings,
        "input_clk_freq": 100e6, "sys_clk_freq": clock_hz, "cmd_buffer_depth": 8,
        "csr_data_width": 32, "user_ports": {"lines": {"type": "axi", "id_width": ID_WIDTH}},
    }  # fmt: skip
    versions, text = json.dumps(dram_versions()), json.dumps(settings)

    def fill(directory: Path) -> None:
        (directory / "core.yml").write_text(text)
        arguments = ["core.yml", "--output-dir", ".", "--name", MODULE, "--no-compile-gateware"]
        with open(directory / "litedram.log", "wb") as said:
            done = subprocess.run(
                [sys.executable, "-m", "litedram.gen", *arguments, *(["--sim"] if model else [])],
                cwd=directory, check=False, stdout=said, stderr=subprocess.STDOUT,
            )  # fmt: skip
        # With the model it ends in an error, for want of a simulator that is not needed here.
        if done.returncode and not (model and (directory / "csr.json").exists()):
            lines = (directory / "litedram.log").read_text(errors="replace").splitlines()
            last = [line for line in lines if line.strip()][-1:] or ["it said nothing"]
            raise BoardsMissing(f"litedram failed: {last[0].strip()}")

    directory = cached(f"dram-{content_key(text, versions, str(model))}", fill)
    verilog = _COMMENT.sub("", (directory / "gateware" / f"{MODULE}.v").read_text()).lstrip()
    for pin in _BOTH_WAYS:
        head, _, tail = verilog.partition(f" {pin},")
        if tail and (start := head.rfind("input  wire")) >= 0:
            verilog = f"{head[:start]}inout  wire{head[start + 11 :]} {pin},{tail}"
    registers = json.loads((directory / "csr.json").read_text())["csr_registers"]
    return verilog, {name: facts["addr"] for name, facts in registers.items()}
