"""Runs cocotb benches on Verilator; the simulators are kept in Ember's build cache."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import cocotb_tools.config
from amaranth.lib import wiring
from cocotb_tools.runner import get_runner
from ember.sim import tools
from ember.sim.cache import cached, content_key
from ember.sim.verilog import to_verilog

_TOP = "top"

#: Only the ports are visible to cocotb: a design whose every signal is public simulates and
#: compiles several times slower.
_VISIBLE = '`verilator_config\npublic_flat_rw -module "top" -var "*"\n'
_FLAGS = (
    "-cc", "--exe", "--build", "-j", "1", "--vpi", "--prefix", "Vtop", "-o", _TOP,
    "--top-module", _TOP, "-O3", "--x-assign", "fast", "--x-initial", "fast", "--no-timing",
    "--no-assert", "--timescale", "1ns/1ps", "--output-split", "8000", "-Wno-fatal", "-Wno-lint",
    "-Wno-style", "-CFLAGS", "-O1",
    # The wheel's makefiles are set up for another compiler's precompiled headers.
    "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include",
)  # fmt: skip


def build(component: wiring.Component) -> Path:
    """Directory with the simulator of ``component``; fast if the same Verilog was built before.

    Raises
    ------
    RuntimeError
        Verilator or the C++ compiler failed; the message has its last lines.
    """
    verilog = to_verilog(component, _TOP)
    key = content_key(
        verilog, _VISIBLE, *_FLAGS, tools.verilator_version(), cocotb_tools.config.__file__
    )

    def fill(directory: Path) -> None:
        (directory / "top.v").write_text(verilog)
        (directory / "visible.vlt").write_text(_VISIBLE)
        root = tools.verilator_root()
        libraries = cocotb_tools.config.libs_dir
        main = cocotb_tools.config.share_dir / "lib" / "verilator" / "verilator.cpp"
        link = f"-Wl,-rpath,{libraries} -L{libraries} -lcocotbvpi_verilator"
        command = [
            str(root / "bin" / "verilator_bin"), *_FLAGS, "-LDFLAGS", link, "-Mdir", ".",
            str(main), "visible.vlt", "top.v",
        ]  # fmt: skip
        done = subprocess.run(
            command,
            cwd=directory,
            env={**os.environ, "VERILATOR_ROOT": str(root)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"Verilator failed:\n{(done.stdout + done.stderr)[-4000:]}")

    return cached(f"cocotb-{key}", fill)


def run(
    simulator: Path,
    bench: Path,
    directory: Path,
    *,
    tests: str | None = None,
    environment: Mapping[str, str] | None = None,
    seed: int = 1,
) -> None:
    """Run the cocotb tests in the file ``bench``, which may import its neighbours relatively.

    Parameters
    ----------
    simulator : Path
        What :func:`build` returned.
    directory : Path
        For logs and results: a test's own temporary directory.
    tests : str, optional
        Regular expression that selects tests.
    environment : mapping, optional
        More variables for the bench.
    seed : int
        Seed of Python's generator in the bench.

    Raises
    ------
    AssertionError
        A test failed, or none ran: the message has the end of the log.
    """
    log = directory / "cocotb.log"
    runner = get_runner("verilator")
    failure = None
    saved = sys.path[:]
    try:
        # The runner hands sys.path on. The bench's directory becomes a package of its own name.
        sys.path.insert(0, str(bench.parents[1]))
        results = runner.test(
            test_module=f"{bench.parent.name}.{bench.stem}",
            hdl_toplevel=_TOP,
            hdl_toplevel_lang="verilog",
            build_dir=simulator,
            test_dir=directory,
            results_xml=str(directory / "results.xml"),
            test_filter=tests,
            seed=seed,
            extra_env=dict(environment or {}),
            log_file=str(log),
            timescale=("1ns", "1ps"),
        )
    except (SystemExit, RuntimeError, subprocess.CalledProcessError) as error:
        failure, results = error, directory / "results.xml"
    finally:
        sys.path[:] = saved
    end = log.read_text()[-6000:] if log.is_file() else ""
    assert failure is None and Path(results).is_file(), f"the simulator stopped: {failure}\n{end}"
    cases = ElementTree.parse(results).getroot().findall(".//testcase")
    bad = [c.get("name") for c in cases if c.find("failure") is not None or c.find("error")]
    assert cases and not bad, f"cocotb tests that failed: {bad or 'none ran'}\n{end}"
