"""The command as a process of its own: pipes that close, and Ctrl-C."""

import signal
import subprocess
import sys
import time

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


def test_control_c():
    process = subprocess.Popen(
        [*EMBER, "run", "text", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        time.sleep(2)  # long enough to be up and waiting for input
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, out, err) == (130, b"", b"ember: interrupted\n")
