"""openFPGALoader: not there, there, and failing."""

import pytest
from ember.boards.fpga.program import program
from ember.boards.host.errors import BoardError


@pytest.fixture
def loader(tmp_path, monkeypatch):
    """Function of an exit code: puts a tool into the path, and gives the file it writes to."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def install(code: int):
        said = tmp_path / "said"
        tool = tmp_path / "openFPGALoader"
        tool.write_text(f'#!/bin/sh\necho "$@" > {said}\nexit {code}\n')
        tool.chmod(0o755)
        return said

    return install


def test_missing(loader):
    with pytest.raises(BoardError) as error:
        program(("--board", "ulx3s"), "x.bit")
    assert str(error.value) == (
        "openFPGALoader is missing: install it, from your system's packages or from "
        "https://github.com/trabucayre/openFPGALoader, or load x.bit with another tool"
    )


@pytest.mark.parametrize(
    ("flash", "arguments"),
    [(False, "--board ulx3s x.bit\n"), (True, "--board ulx3s --write-flash x.bit\n")],
)
def test_arguments(loader, flash, arguments):
    said = loader(0)
    program(("--board", "ulx3s"), "x.bit", flash=flash)
    assert said.read_text() == arguments


def test_failing(loader):
    loader(3)
    with pytest.raises(BoardError) as error:
        program(("--board", "ulx3s"), "x.bit")
    assert str(error.value) == (
        "openFPGALoader failed with 3: is the board plugged in, and may you use it?"
    )
