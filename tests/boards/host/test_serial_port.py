"""Serial ports: a pseudo-terminal works, everything else has a message."""

import os
import pty
import threading

import pytest
from ember.boards.host.client import Client
from ember.boards.host.errors import BoardError
from ember.boards.host.serial_port import SerialPort
from ember.hw.config import Config

from ..link.board_model import BoardModel


@pytest.fixture
def terminal():
    """(path of a pseudo-terminal, the other end's descriptor)."""
    ours, theirs = pty.openpty()
    path = os.ttyname(theirs)
    os.close(theirs)
    yield path, ours
    try:
        os.close(ours)
    except OSError:
        pass  # the test has closed it


def message(*arguments) -> str:
    with pytest.raises(BoardError) as error:
        SerialPort(*arguments)
    return str(error.value)


def test_a_board_at_a_terminal(terminal):
    path, ours = terminal
    board = BoardModel(Config.preset("tiny").hash, 1 << 12)

    def serve():
        while True:
            try:
                os.write(ours, board.feed(os.read(ours, 4096)))
            except OSError:
                return

    port = SerialPort(path, 115_200)
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    client = Client(port, 115_200, patience=20.0)
    assert client.identify().memory_bytes == 1 << 12
    data = bytes(range(256)) * 8
    client.write_memory(0, data)
    assert client.read_memory(0, len(data)) == data
    port.close()
    thread.join(timeout=20)
    assert not thread.is_alive()


def test_bytes_pass_unchanged(terminal):
    path, ours = terminal
    port = SerialPort(path, 9600)
    every = bytes(range(256))
    port.write(every, 5.0)
    got = b""
    while len(got) < 256:
        got += os.read(ours, 256)
    assert got == every
    os.write(ours, every)
    got = b""
    while len(got) < 256:
        more = port.read(5.0)
        assert more
        got += more
    assert got == every and port.read(0.01) == b""
    os.write(ours, b"old")
    port.drain()
    assert port.read(0.01) == b""
    port.close()
    port.close()


def test_missing(tmp_path):
    text = message(f"{tmp_path}/none", 9600)
    assert text.startswith(f"port {tmp_path}/none does not exist: ")


def test_no_port(tmp_path):
    path = tmp_path / "file"
    path.write_text("")
    assert message(str(path), 9600) == f"port {path} is no serial port"
    assert message(str(tmp_path), 9600) == f"port {tmp_path} cannot be opened: is a directory"


def test_busy(terminal):
    path, _ = terminal
    port = SerialPort(path, 9600)
    assert message(path, 9600) == f"port {path} is in use by another program"
    port.close()
    SerialPort(path, 9600).close()


def test_baud(terminal):
    path, _ = terminal
    with pytest.raises(ValueError) as error:
        SerialPort(path, 12345)
    text = str(error.value)
    assert text.startswith("baud must be a rate of this system, one of 9600, ")
    assert " 115200, " in text and text.endswith(", not 12345")


def test_gone(terminal):
    path, ours = terminal
    port = SerialPort(path, 9600)
    os.close(ours)
    with pytest.raises(BoardError, match=rf"^port {path} is gone.*: is the board still plugged"):
        port.read(1.0)
    port.close()


def test_nobody_takes_the_data(terminal):
    path, _ = terminal
    port = SerialPort(path, 9600)
    with pytest.raises(BoardError, match=r"takes no data: \d+ bytes left after 0.2 s$"):
        port.write(bytes(1 << 20), 0.2)
    port.close()
