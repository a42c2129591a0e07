"""The command as a process of its own: outputs that close or are full, and Ctrl-C."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ember import Config

TINY = Config.preset("tiny").hash
EMBER = [sys.executable, "-m", "ember.cli"]


def test_nobody_reads_the_output():
    process = subprocess.Popen(
        [*EMBER, "compile", "--emit", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with process:
        assert process.stdout and process.stderr
        process.stdout.close()
        err = process.stderr.read()
        code = process.wait(timeout=120)
    assert (code, err) == (141, b"")


@pytest.mark.parametrize("bus", ["axi4", "wishbone", "native"])
def test_an_export_says_nothing_else(tmp_path, bus):
    """No warning of Amaranth about hardware that was made and is not used."""
    done = subprocess.run(
        [*EMBER, "export", "--preset", "tiny", "--bus", bus, "-o", str(tmp_path)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    lines = [line for line in done.stderr.splitlines() if "PeakRDL" not in line]
    assert (done.returncode, done.stdout) == (0, "")
    assert lines == [f"ember: generating configuration {TINY} with bus {bus}"]


RUN = ["run", "text", "-", "--preset", "tiny"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    ("argv", "log"),
    [
        (["compile", "--preset", "tiny"], []),  # stays in the buffer until the end
        (["compile", "--preset", "tiny", "--emit", "json", "-O0", "--dim", "2000"], []),
        ([*RUN, "--engine", "functional"],
         ["compiling for configuration", "running the functional model", "comparing every"]),
        ([*RUN, "--engine", "functional", "--json", "-"],
         ["compiling for configuration", "running the functional model", "comparing every"]),
    ],
)  # fmt: skip
def test_the_output_is_full(argv, log):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*EMBER, *argv], input="a b\n", stdout=full, stderr=subprocess.PIPE, text=True,
            timeout=120, check=False,
        )  # fmt: skip
    lines = done.stderr.splitlines()
    assert done.returncode == 1 and len(lines) == len(log) + 1, done.stderr
    assert all(line.startswith(f"ember: {start}") for line, start in zip(lines, log, strict=False))
    assert lines[-1] == "ember: cannot write standard output: no space left on device"


def test_the_output_is_closed():
    command = " ".join([*EMBER, "compile", "--preset", "tiny", ">&-"])
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("variable", "value", "directory", "reason"),
    [
        ("EMBER_CACHE", "/proc/x", "/proc/x", "no such file or directory"),
        ("HOME", "/proc", "/proc/.cache/ember", "no such file or directory"),
        ("EMBER_CACHE", "/dev/null", "/dev/null", "file exists"),
    ],
)
def test_a_cache_that_cannot_be_made(variable, value, directory, reason):
    environment = {k: v for k, v in os.environ.items() if k != "EMBER_CACHE"} | {variable: value}
    done = subprocess.run(
        [*EMBER, *RUN], input="a b\n", capture_output=True, text=True, timeout=120, check=False,
        env=environment,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1] == (
        f"ember: cannot keep builds in {directory}: {reason}; set EMBER_CACHE to another directory"
    )
    assert "Traceback" not in done.stderr


def test_control_c():
    process = subprocess.Popen(
        [*EMBER, "run", "text", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell starts background jobs with the signal ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    with process:
        time.sleep(2)  # long enough to be up and waiting for input
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, out, err) == (130, b"", b"ember: interrupted\n")
