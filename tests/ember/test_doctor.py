"""``ember doctor``: what it finds, what it says, and its exit code."""

import importlib.metadata
import shutil

import pytest

from ember import doctor
from ember.cli import main

NAMES = [
    "python", "numpy", "amaranth", "yosys", "xdsl", "llvmlite", "verilator", "perl", "make", "g++",
    "torch", "cocotb", "peakrdl-html", "build cache", "lz4.h, zlib.h (FST)",
]  # fmt: skip


@pytest.fixture
def without(monkeypatch):
    """Function that hides a Python package or a program."""
    version, which = importlib.metadata.version, shutil.which

    def hide(name):
        def no_version(asked):
            if asked == name:
                raise importlib.metadata.PackageNotFoundError(name)
            return version(asked)

        monkeypatch.setattr(importlib.metadata, "version", no_version)
        monkeypatch.setattr(
            shutil, "which", lambda asked, *a, **k: None if asked == name else which(asked, *a, **k)
        )

    return hide


def row(out: str, name: str) -> tuple[str, str]:
    """A tool's line and the one below it."""
    lines = out.splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith(f"{name} "))
    return lines[at], lines[at + 1].strip()


def test_everything_is_there(capsys):
    assert main(["doctor"]) == 0
    out, err = capsys.readouterr()
    assert not err
    for name in NAMES:
        assert row(out, name)
    assert out.endswith("\nAll that is needed is there.\n")


@pytest.mark.parametrize("name", ["xdsl", "verilator", "amaranth"])
def test_a_missing_package(capsys, without, name):
    without(name)
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    line, advice = row(out, name)
    assert line.split()[1:] == ["MISSING", "-"]
    assert advice.startswith(f"pip install {name}")
    assert out.endswith("\nDo what it says above, then again.\n")


def test_a_missing_compiler(capsys, without, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert main(["doctor"]) == 1
    line, advice = row(capsys.readouterr().out, "g++")
    assert "MISSING" in line and "no-such-compiler is missing: install a C++ compiler" in advice


@pytest.mark.parametrize("name", ["torch", "cocotb", "llvmlite", "peakrdl-html"])
def test_what_is_only_nice_to_have(capsys, without, name):
    without(name)
    assert main(["doctor"]) == 0
    line, advice = row(capsys.readouterr().out, name)
    assert "absent" in line and f"pip install {name}" in advice


def test_a_missing_program(capsys, without):
    without("perl")
    assert main(["doctor"]) == 0
    line, advice = row(capsys.readouterr().out, "perl")
    assert "absent" in line and advice == "only cocotb runs need it: apt install perl"


def test_a_version_that_does_not_work(capsys, monkeypatch):
    version = importlib.metadata.version
    monkeypatch.setattr(
        importlib.metadata, "version", lambda name: "1.26.4" if name == "numpy" else version(name)
    )
    assert main(["doctor"]) == 1
    line, advice = row(capsys.readouterr().out, "numpy")
    assert "WRONG" in line and "1.26.4" in line
    assert advice == "pip install numpy (wanted: >= 2.0)"


def test_a_cache_that_cannot_be_written(capsys, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("EMBER_CACHE", str(tmp_path / "file" / "cache"))
    check = doctor._writable_cache()
    assert not check.good and check.needed and "EMBER_CACHE" in check.advice
