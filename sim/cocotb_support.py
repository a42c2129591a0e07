"""Benches in cocotb: building, running and checking them.

Only tests import this module; cocotb is not a dependency of Ember. The drivers that a bench uses
are in :mod:`ember.sim.cocotb_drivers`.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from xml.etree import ElementTree

import cocotb_tools.config
from amaranth.lib import wiring
from cocotb_tools.runner import get_runner

from ..hw.config import Config
from . import tools
from .build import Progress
from .cache import cached, content_key
from .verilog import to_verilog

_TOP = "top"

#: cocotb needs the ports. With every signal public, as its own runner builds it, a design
#: simulates and compiles several times slower.
_VISIBLE = '`verilator_config\npublic_flat_rw -module "top" -var "*"\n'
_FLAGS = (
    "-cc", "--exe", "--build", "-j", "2", "--vpi", "--prefix", "Vtop", "-o", _TOP,
    "--top-module", _TOP, "-O3", "--x-assign", "fast", "--x-initial", "fast", "--no-timing",
    "--no-assert", "--timescale", "1ns/1ps", "--output-split", "8000", "-Wno-fatal", "-Wno-lint",
    "-Wno-style", "-CFLAGS", "-O1",
    # The wheel's makefiles are set up for another compiler's precompiled headers.
    "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include",
)  # fmt: skip

#: Environment variables that carry a bench's parameters.
CONFIG_VARIABLE, SEED_VARIABLE = "EMBER_BENCH_CONFIG", "EMBER_BENCH_SEED"


class BenchFailed(AssertionError):
    """A bench did not pass: the message has the failing tests, the seed and the end of the log."""


def build_bench(
    component: wiring.Component, *, waves: bool = False, progress: Progress | None = None
) -> Path:
    """Directory with the cocotb simulator of ``component``, from the build cache.

    Raises
    ------
    ToolMissing
        verilator, a C++ compiler, make or perl is not installed.
    """
    verilog = to_verilog(component, _TOP)
    for name in ("make", "perl"):
        tools.require(name, f"install it (Debian: `apt install {name}`)")
    flags = (*_FLAGS, *(("--trace-vcd",) if waves else ()))
    key = content_key(
        verilog, _VISIBLE, *flags, tools.verilator_version(), tools.cxx_version(tools.cxx()),
        str(cocotb_tools.config.libs_dir),
    )  # fmt: skip

    def fill(directory: Path) -> None:
        if progress:
            progress(f"building cocotb simulator {key}")
        (directory / "top.v").write_text(verilog)
        (directory / "visible.vlt").write_text(_VISIBLE)
        libraries = cocotb_tools.config.libs_dir
        main = cocotb_tools.config.share_dir / "lib" / "verilator" / "verilator.cpp"
        link = f"-Wl,-rpath,{libraries} -L{libraries} -lcocotbvpi_verilator"
        command = [
            str(tools.verilator_root() / "bin" / "verilator_bin"), *flags, "-LDFLAGS", link,
            "-Mdir", ".", str(main), "visible.vlt", "top.v",
        ]  # fmt: skip
        with _environment(_verilator_environment()):
            done = subprocess.run(
                command, cwd=directory, capture_output=True, text=True, check=False
            )
        if done.returncode:
            raise BenchFailed(f"cocotb build failed:\n{(done.stdout + done.stderr)[-4000:]}")

    return cached(f"cocotb-{key}", fill)


def run_bench(
    component: wiring.Component,
    bench: str | Path,
    *,
    config: Config | None = None,
    seed: int = 0,
    testcase: str | Sequence[str] | None = None,
    env: Mapping[str, str] | None = None,
    timeout_s: float = 300.0,
    waves: str | os.PathLike | None = None,
    progress: Progress | None = None,
) -> int:
    """Run the cocotb tests in ``bench`` on ``component``.

    Parameters
    ----------
    component : fresh Amaranth component: its ports are those of module ``top``, see
        :func:`ember.sim.verilog.to_verilog`
    bench : path of a Python file, which may import its neighbours by their names, or the name of
        a module
    config, seed : the bench gets them from :func:`ember.sim.cocotb_drivers.bench_config` and
        ``bench_seed``
    testcase : only these tests
    env : further environment variables of the bench
    timeout_s : wall-clock limit
    waves : VCD file to write

    Returns
    -------
    Number of tests that ran, all of which passed.

    Raises
    ------
    BenchFailed
        A test failed, none ran, the simulator crashed, or the time was over.
    ToolMissing
        See :func:`build_bench`.
    """
    module, place = str(bench), Path.cwd()
    if isinstance(bench, Path):
        module, place = bench.stem, bench.resolve().parent
    directory = build_bench(component, waves=waves is not None, progress=progress)
    variables = {SEED_VARIABLE: str(seed), **(env or {})}
    if config is not None:
        variables[CONFIG_VARIABLE] = json.dumps(config.to_dict())
    timeout = tools.require("timeout", "install GNU coreutils")
    with tempfile.TemporaryDirectory(prefix="ember-bench-") as work:
        log, results, pid = (Path(work) / name for name in ("log", "results.xml", "pid"))
        (Path(work) / "start").write_text('echo $$ > pid\nexec "$@"\n')
        changes = {
            **_verilator_environment(),
            # The runner splits this at blanks, and runs it in the directory.
            "SIM_CMD_PREFIX": f"{timeout} -k 5 {timeout_s:g} sh start",
            # With this set the runner would end the process instead of returning.
            "PYTEST_CURRENT_TEST": None,
        }
        with _environment(changes), _import_path(place), _ended_with(pid):
            try:
                get_runner("verilator").test(
                    test_module=module, hdl_toplevel=_TOP, hdl_toplevel_lang="verilog",
                    build_dir=directory, test_dir=work, results_xml=str(results), seed=seed,
                    testcase=testcase, extra_env=variables, log_file=log, waves=waves is not None,
                )  # fmt: skip
                ended = ""
            except (RuntimeError, SystemExit) as error:
                ended = str(error)
        if waves is not None and (Path(work) / "dump.vcd").exists():
            Path(waves).write_bytes((Path(work) / "dump.vcd").read_bytes())
        where = f"{module}, seed {seed}"
        if re.search(r"\b(124|137)$", ended):
            raise BenchFailed(f"{where}: not finished within {timeout_s:g} s\n{_tail(log)}")
        if not results.is_file():
            raise BenchFailed(f"{where}: simulator failed: {ended or 'no results'}\n{_tail(log)}")
        names, failed = _outcomes(results)
        if failed:
            raise BenchFailed(
                f"{where}: {len(failed)} of {len(names)} tests failed: {', '.join(failed)}\n"
                f"{_tail(log)}"
            )
        if ended:
            raise BenchFailed(f"{where}: simulator failed: {ended}\n{_tail(log)}")
        if not names:
            raise BenchFailed(f"{where}: no test ran\n{_tail(log)}")
        return len(names)


@contextmanager
def _ended_with(pid: Path) -> Iterator[None]:
    """No simulator outlives the block, even one that is interrupted.

    The runner then kills its child, which is `timeout`, and not the simulator below it.
    """
    try:
        yield
    except BaseException:
        if pid.is_file():
            with suppress(ProcessLookupError, ValueError):
                os.kill(int(pid.read_text()), signal.SIGKILL)
        raise


def _outcomes(results: Path) -> tuple[list[str], list[str]]:
    names, failed = [], []
    for case in ElementTree.parse(results).iter("testcase"):
        if case.find("skipped") is not None:
            continue
        names.append(case.get("name", "?"))
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(names[-1])
    return names, failed


def _tail(log: Path, lines: int = 60) -> str:
    if not log.is_file():
        return ""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])


def _verilator_environment() -> dict[str, str | None]:
    root = tools.verilator_root()
    path = f"{root / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    return {"PATH": path, "VERILATOR_ROOT": str(root), "CXX": tools.cxx()}


@contextmanager
def _environment(changes: Mapping[str, str | None]) -> Iterator[None]:
    saved = {name: os.environ.get(name) for name in changes}

    def apply(values: Mapping[str, str | None]) -> None:
        for name, value in values.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    apply(changes)
    try:
        yield
    finally:
        apply(saved)


@contextmanager
def _import_path(directory: Path) -> Iterator[None]:
    # The runner hands this process's import path to the bench.
    sys.path.insert(0, str(directory))
    try:
        yield
    finally:
        sys.path.remove(str(directory))
