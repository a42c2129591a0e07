"""What other people's tools say of an export: FuseSoC, Icarus, a C compiler."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from ember.boards.bus.buses import machine
from ember.boards.ip.export import export_files
from ember.hw import isa
from ember.hw.config import ISA_VERSION, Config
from ember.sim import tools
from ember.sim.verilog import to_verilog

TINY = Config.preset("tiny")
TUTORIAL = Path(__file__).parents[3] / "docs" / "export.md"
#: What Icarus says of every `always_comb`, and of those that assign constants.
ICARUS = ("sorry: constant selects in always_* processes are not", "always_comb process has no")
#: Reads the first three words of the register map.
BENCH = """\
module bench;
  reg clk = 0, rst = 1, arvalid = 0;
  reg [21:0] araddr = 0;
  wire arready, rvalid;
  wire [31:0] rdata;
  ember ember (
    .clk(clk), .rst(rst), .s_axil_araddr(araddr), .s_axil_arprot(3'd0),
    .s_axil_arvalid(arvalid), .s_axil_arready(arready), .s_axil_rdata(rdata),
    .s_axil_rvalid(rvalid), .s_axil_rready(1'b1), .s_axil_bready(1'b1),
    .s_axil_awvalid(1'b0), .s_axil_wvalid(1'b0), .m_axi_awready(1'b0), .m_axi_wready(1'b0),
    .m_axi_bvalid(1'b0), .m_axi_arready(1'b0), .m_axi_rvalid(1'b0)
  );
  always #5 clk = ~clk;
  initial begin
    repeat (4) @(negedge clk);
    rst = 0;
    repeat (3) begin
      arvalid = 1;
      @(negedge clk);
      while (!arready) @(negedge clk);
      arvalid = 0;
      while (!rvalid) @(negedge clk);
      $display("%h", rdata);
      @(negedge clk);
      araddr = araddr + 4;
    end
    $finish(0);
  end
endmodule
"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Directory of an export with AXI."""
    directory = tmp_path_factory.mktemp("export")
    files, _ = export_files(TINY, "axi4", machine(TINY, "axi4"), to_verilog, "1.2.3")
    for name, content in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_bytes(content)
    return directory


def run(directory, *command: str, **variables: str) -> tuple[str, str]:
    done = subprocess.run(
        command, cwd=directory, env={**os.environ, **variables}, timeout=300, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, done.stderr


def needs(program: str) -> str:
    # Python's own tools are beside it, whether or not they are on the path.
    beside = str(Path(sys.executable).parent)
    path = shutil.which(program, path=os.pathsep.join([beside, os.environ["PATH"]]))
    if path is None:
        pytest.skip(f"{program} is not installed")
    return path


def test_fusesoc_lints_it(exported, tmp_path):
    fusesoc, root = needs("fusesoc"), tools.verilator_root()
    variables = {
        "PATH": f"{root / 'bin'}{os.pathsep}{os.environ['PATH']}", "VERILATOR_ROOT": str(root),
        "XDG_CONFIG_HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path),
    }  # fmt: skip
    cores = (fusesoc, "--cores-root", str(exported))
    out, _ = run(tmp_path, *cores, "core", "show", "ember", **variables)
    assert re.search(r"^Name: +ember:ember:ember:1\.2\.3$", out, re.MULTILINE)
    run(tmp_path, *cores, "run", "--target", "lint", "ember", **variables)


def test_icarus_compiles_and_runs_it(exported, tmp_path):
    iverilog, vvp = needs("iverilog"), needs("vvp")
    (tmp_path / "bench.v").write_text(BENCH)
    files = (str(exported / "ember.sv"), str(exported / "ember_example.v"))
    for top, more in (("ember_example", ()), ("bench", ("bench.v",))):
        command = (iverilog, "-g2012", "-s", top, "-o", f"{top}.vvp", *files, *more)
        _, said = run(tmp_path, *command)
        unknown = [line for line in said.splitlines() if not any(text in line for text in ICARUS)]
        assert unknown == []
    version = re.search(r"version (\d+)", run(tmp_path, iverilog, "-V")[0])
    if version is None or int(version[1]) < 12:
        pytest.skip("Icarus before 12 may run always_comb for ever")
    out, _ = run(tmp_path, vvp, "-n", "bench.vvp")
    assert out.split() == [f"{isa.ID_VALUE:08x}", f"{ISA_VERSION:08x}", TINY.hash]


def tutorial(language: str) -> str:
    """The one program of the tutorial in this language."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", TUTORIAL.read_text(), re.DOTALL)
    return re.sub(r"^   ", "", found, flags=re.MULTILINE)


def test_the_programs_of_the_tutorial(exported, tmp_path, monkeypatch):
    """The one in Python writes a header, and with it and the registers' the one in C compiles."""
    if not (exported / "registers.h").exists():
        pytest.skip("PeakRDL is not installed")
    monkeypatch.chdir(tmp_path)
    exec(compile(tutorial("python"), str(TUTORIAL), "exec"), {})
    head, _, body = tutorial("c").partition("\n\n")
    (tmp_path / "driver.c").write_text(
        f"{head}\nvoid report(uint32_t kind, uint32_t segment, uint32_t position);\n"
        f"void drive(uintptr_t EMBER_BASE)\n{{\n{body}}}\n"
    )
    flags = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{exported}")
    run(tmp_path, needs("gcc"), *flags, "-c", "driver.c", "-o", "driver.o")
