"""The driver against a model of a board: lost and damaged frames, refusals, strangers."""

import random
from types import SimpleNamespace

import pytest
from ember.boards.host import client as client_module
from ember.boards.host.client import ATTEMPTS, Client, Refused
from ember.boards.host.errors import BoardError
from ember.boards.link.protocol import MAX_WORDS, Command, Status
from ember.hw.config import Config

from ..link.board_model import BoardModel
from .lossy_port import LossyPort

TINY = Config.preset("tiny")
BAUD = 115_200


@pytest.fixture
def clock(monkeypatch):
    """The client's time, which passes only where it would wait."""
    now = [0.0]
    monkeypatch.setattr(client_module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def connected(clock, seed=0, loss=0.0, **changes):
    board = BoardModel(TINY.hash, 1 << 16)
    board.identity(**changes)
    port = LossyPort(board, seed, loss)
    port.clock = clock
    return Client(port, BAUD), port, board


def test_identify(clock):
    client, _, _ = connected(clock)
    identity = client.identify()
    assert identity.board == "ulx3s" and identity.config_hash == TINY.hash
    assert identity.memory_bytes == 1 << 16 and identity.clock_hz == 75_000_000
    assert identity.max_words == MAX_WORDS and identity.bad_frames == 0


@pytest.mark.parametrize("loss", [0.0, 0.15])
def test_everything_arrives_once(clock, loss, seed):
    """Whatever the line loses, each request is executed once, in order."""
    client, port, board = connected(clock, seed, loss)
    rng = random.Random(seed)
    shadow = bytearray(len(board.memory))
    client.identify()
    executed, writes = board.executed, []
    for number in range(120):
        kind = rng.randrange(5)
        size = 4 * rng.choice([1, 2, 7, 40])
        at = 4 * rng.randrange((len(shadow) - size) // 4)
        if kind == 0:
            shadow[at : at + size] = data = rng.randbytes(size)
            client.write_memory(at, data)
        elif kind == 1:
            assert client.read_memory(at, size) == shadow[at : at + size]
        elif kind == 2:
            word = rng.getrandbits(32)
            shadow[at : at + size] = word.to_bytes(4, "little") * (size // 4)
            client.fill_memory(at, size // 4, word)
        elif kind == 3:
            writes.append((16 + number, rng.getrandbits(32)))
            client.write_registers(writes[-1:])
        else:
            assert client.wait(10)
    assert board.memory == shadow and board.written == writes
    assert board.executed == executed + 120
    assert (client.retries > 5) == (loss > 0)
    print(f"{client.retries} retries, {port.sent} frames")


def test_long_transfers_are_cut(clock, seed):
    client, _, board = connected(clock, seed)
    data = random.Random(seed).randbytes(4 * (2 * MAX_WORDS + 3))
    client.write_memory(16, data)
    assert board.executed == 3 and client.read_memory(16, len(data)) == data
    board.executed = 0
    pairs = [(100 + n, n) for n in range(MAX_WORDS // 2 + 1)]
    client.write_registers(pairs)
    assert board.executed == 2 and board.written == pairs
    assert client.read_registers(100, 3) == [0, 1, 2]


def test_nobody_answers(clock):
    client, port, board = connected(clock)
    board.feed = lambda data: b""
    with pytest.raises(BoardError) as error:
        client.identify()
    assert str(error.value) == (
        "board at /dev/model does not answer IDENTIFY, asked 5 times: is it programmed, and is "
        "115200 baud its rate?"
    )
    assert port.sent == ATTEMPTS + 1 and 2.0 < clock[0] < 10.0


def test_a_stream_of_garbage_ends(clock, seed):
    """Bytes that never stop do not keep it from giving up."""
    client, port, board = connected(clock)
    rng = random.Random(seed)

    def read(seconds):
        clock[0] += 0.01
        return rng.randbytes(100)

    port.read = read
    port.drain = lambda: None
    with pytest.raises(BoardError, match="does not answer IDENTIFY"):
        client.identify()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"magic": 1}, "port /dev/model: what answers there is no Ember board"),
        ({"clock_hz": 0}, "port /dev/model: what answers there is no Ember board"),
        (
            {"version": 9},
            "board speaks version 9 of the protocol, this driver 1: build and program it again",
        ),
    ],
)
def test_strangers(clock, changes, message):
    client, _, _ = connected(clock, **changes)
    with pytest.raises(BoardError) as error:
        client.identify()
    assert str(error.value) == message


def test_refusals(clock):
    client, _, board = connected(clock)
    for call, command, status in (
        (lambda: client.read_memory(1 << 16, 4), Command.READ_MEMORY, Status.RANGE),
        (lambda: client.write_memory(2, bytes(4)), Command.WRITE_MEMORY, Status.RANGE),
        (lambda: client.write_registers([(16, 1), (1 << 20, 1)]), Command.WRITE_REGISTERS,
         Status.RANGE),
    ):  # fmt: skip
        with pytest.raises(Refused) as error:
            call()
        assert error.value.status == status
        done = 1 if command == Command.WRITE_REGISTERS else 0
        assert str(error.value) == f"board refused {command.name}: {status.name} after {done} done"
    board.busy = True
    with pytest.raises(Refused, match="board refused READ_MEMORY: BUSY after 0 done"):
        client.read_memory(0, 4)
    assert not client.wait(5)


def test_an_answer_that_came_late_is_not_taken(clock):
    """Answers to earlier requests are dropped, also those with the same command."""
    client, port, board = connected(clock)
    board.memory[:8] = bytes(range(8))
    late = []
    feed = board.feed
    board.feed = lambda data: late.append(feed(data)) or b"".join(late[-2:])
    assert [client.read_memory(at, 4) for at in (0, 4, 0)] == [
        bytes(range(4)), bytes(range(4, 8)), bytes(range(4))
    ]  # fmt: skip
    assert client.retries == 0
