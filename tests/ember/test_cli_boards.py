"""Boards on the command line: wrong arguments, whole messages."""

import os
import pty

import numpy as np
import pytest

import ember
from ember.cli import main

BOARD = "ember: board must be one of ulx3s, ecpix-5, versa-ecp5, arty-a7"


def fails(capsys, *argv, code) -> str:
    """The last line on standard error; nothing is printed, and there is no traceback."""
    assert main([str(arg) for arg in argv]) == code
    out, err = capsys.readouterr()
    assert out == "" and "Traceback" not in err
    return err.rstrip("\n").splitlines()[-1]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (
            ["build"],
            "ember build: the following arguments are required: BOARD (see ember build --help)",
        ),
        (["build", "arty"], f"{BOARD}, not 'arty'"),
        (["program", "arty"], f"{BOARD}, not 'arty'"),
        (
            ["build", "ecpix-5", "--clock-mhz", "40"],
            "ember: clock must be one of 50, 60, 75 MHz with a DDR3 memory, not 40",
        ),
        (
            ["build", "versa-ecp5", "--memory", "sdram"],
            "ember: memory of versa-ecp5 must be one of ddr3, not 'sdram'",
        ),
        (
            ["build", "ulx3s", "--clock-mhz", "61.3"],
            "ember: clock must be one that the PLL makes of 25 MHz, as 50, 60 or 75 MHz, not 61.3",
        ),
        (
            ["build", "ulx3s", "--clock-mhz", "fast"],
            "ember build: argument --clock-mhz: must be a number of MHz, not 'fast' "
            "(see ember build --help)",
        ),
        (
            ["build", "ulx3s", "--clock-mhz", "inf"],
            "ember build: argument --clock-mhz: must be above 0 and finite, not inf "
            "(see ember build --help)",
        ),
        (
            ["build", "ulx3s", "--clock-mhz", "nan"],
            "ember build: argument --clock-mhz: must be above 0 and finite, not nan "
            "(see ember build --help)",
        ),
        (
            ["build", "ulx3s", "--clock-mhz=-60"],
            "ember build: argument --clock-mhz: must be above 0 and finite, not -60 "
            "(see ember build --help)",
        ),
        (
            ["build", "ulx3s", "--clock-mhz", "125"],
            "ember: clock must be at most 100 MHz with a CAS latency of 2, not 125",
        ),
        (
            ["build", "ulx3s", "--baud", "16000000"],
            "ember: baud must be 58..15000000 with a clock of 60 MHz, not 16000000",
        ),
        (
            ["build", "ulx3s", "--baud", "0"],
            "ember build: argument --baud: must be at least 1, not 0 (see ember build --help)",
        ),
        (
            ["build", "ulx3s", "--memory", "flash"],
            "ember: memory of ulx3s must be one of sdram, block-ram, not 'flash'",
        ),
        (
            ["build", "arty-a7", "--memory", "sdram"],
            "ember: memory of arty-a7 must be one of block-ram, ddr3, not 'sdram'",
        ),
        (["build", "arty-a7", "-o", "{tmp}/file"],
         "ember: cannot write {tmp}/file: not a directory"),
        (
            ["program", "arty-a7"],
            "ember: bitstream arty-a7/top.bit does not exist: make it with `ember build arty-a7`",
        ),
        (["build", "ulx3s", "--preset", "tiny", "--set", "lanes=3"],
         "ember: lanes must be a power of two, not 3"),
        (["build", "ulx3s", "-o", "{tmp}/no/x.bit"],
         "ember: cannot write {tmp}/no/x.bit: no such file or directory"),
        (
            ["program", "ulx3s", "{tmp}/none.bit"],
            "ember: bitstream {tmp}/none.bit does not exist: make it with `ember build ulx3s`",
        ),
    ],
)  # fmt: skip
def test_build_and_program(capsys, tmp_path, monkeypatch, argv, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    argv = [arg.replace("{tmp}", str(tmp_path)) for arg in argv]
    assert fails(capsys, *argv, code=2) == message.replace("{tmp}", str(tmp_path))


@pytest.fixture
def run(sample_file):
    return ["run", "criteo", sample_file("criteo.csv"), "--preset", "tiny"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--engine", "board"], "ember: port must be given with engine 'board'"),
        (["--port", "/dev/ttyUSB0"], "ember: port must come with engine 'board', not 'rtl'"),
        (["--engine", "board", "--port", ""],
         "ember: port must be the name of a serial port, not ''"),
        (["--baud", "1000000"], "ember: baud must come with engine 'board', not 'rtl'"),
        (["--engine", "board-sim", "--baud", "9600"],
         "ember: baud must come with engine 'board', not 'board-sim'"),
        (["--engine", "board-sim", "--port", "x"],
         "ember: port must come with engine 'board', not 'board-sim'"),
        (["--engine", "board", "--port", "x", "--wave", "w.vcd"],
         "ember: wave must come with engine 'rtl', not 'board'"),
        (["--engine", "board", "--port", "x", "--baud", "0"],
         "ember run criteo: argument --baud: must be at least 1, not 0 "
         "(see ember run criteo --help)"),
    ],
)  # fmt: skip
def test_ports(capsys, run, options, message):
    assert fails(capsys, *run, *options, code=2) == message


def test_a_port_that_is_not_there(capsys, run, tmp_path):
    line = fails(capsys, *run, "--engine", "board", "--port", tmp_path / "tty", code=1)
    assert line.startswith(f"ember: port {tmp_path}/tty does not exist: ")


def test_a_port_without_a_board(capsys, run, monkeypatch):
    monkeypatch.setattr(ember.board, "_PATIENCE", 0.01)
    ours, theirs = pty.openpty()
    path = os.ttyname(theirs)
    try:
        line = fails(capsys, *run, "--engine", "board", "--port", path, "--baud", "4000000", code=1)
        assert line == (
            f"ember: board at {path} does not answer IDENTIFY, asked 5 times: is it programmed, "
            f"and is 4000000 baud its rate?"
        )
        line = fails(capsys, *run, "--engine", "board", "--port", path, "--baud", "123", code=2)
        assert line.startswith("ember: baud must be a rate of this system, one of 9600, ")
        assert line.endswith(", not 123")
    finally:
        os.close(ours)
        os.close(theirs)


def test_tables_larger_than_the_memory(tiny):
    """Refused by name before anything is sent."""
    from types import SimpleNamespace

    from ember.board import check_memory
    from ember.placement import place
    from ember.validate import check_lookups

    lookups = [
        ember.Lookup(
            np.zeros((100, 8), np.float32), np.zeros(4, np.int64), np.array([0, 2]), name=n
        )
        for n in ("user", "item")
    ]
    requests = check_lookups(lookups, config=tiny)
    placement = place(requests, tiny)
    check_memory(requests, placement, SimpleNamespace(board="ulx3s", memory_bytes=8000))
    with pytest.raises(ValueError) as error:
        check_memory(requests, placement, SimpleNamespace(board="ulx3s", memory_bytes=5000))
    assert str(error.value) == (
        "table 'item' ends at byte 6608, but the memory of board ulx3s has 5000 bytes"
    )


def test_options_in_python():
    with pytest.raises(ValueError, match="^port must be given with engine 'board'$"):
        ember.RunOptions(engine="board")
    with pytest.raises(TypeError, match="^port must be the name of a serial port, not 3$"):
        ember.RunOptions(engine="board", port=3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="^baud must be at least 1, not 0$"):
        ember.RunOptions(baud=0)
