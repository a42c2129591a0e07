"""Programs on a board: what goes there and comes back, and what can go wrong; a model answers."""

from types import SimpleNamespace

import numpy as np
import pytest
from ember.boards.host import client as client_module
from ember.boards.host.client import Client
from ember.boards.host.errors import BoardError
from ember.boards.host.session import REGISTER, Session
from ember.hw import isa
from ember.hw.config import Config
from ember.hw.program import Program, Segment
from ember.sim.memory import Memory
from ember.sim.result import ConfigMismatch, Hang

from ..link.board_model import BoardModel
from .lossy_port import LossyPort

TINY = Config.preset("tiny")
PROGRAM = Program(TINY.hash, (Segment(({}, {}), {}, {}, {}),), ({},))


class Machine(BoardModel):
    """Runs for a number of WAITs after a start, then calls ``work``."""

    def __init__(self, waits: int = 0):
        super().__init__(TINY.hash, 1 << 12)
        self.waits = self._left = waits
        self.work = lambda: None

    def write_register(self, address, value):
        super().write_register(address, value)
        if address == REGISTER["CONTROL"] and value & 1:
            self.busy, self._left = True, self.waits

    def wait(self, cycles):
        if self._left:
            self._left -= 1
            return
        self.busy = False
        self.registers[REGISTER["STATUS"]] = self.registers.get(REGISTER["STATUS"], 0) | 2
        self.work()


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(client_module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def session(clock, board, loss=0.0) -> Session:
    port = LossyPort(board, 1, loss)
    port.clock = clock
    return Session(Client(port, 115_200), TINY)


def test_a_run(clock):
    board = Machine(waits=3)
    memory = Memory(TINY)
    table = np.arange(10, dtype=np.float32)
    odd = np.arange(7, dtype=np.uint8)  # no whole words
    output = np.full(20, np.nan, np.float32)
    at, at_odd = memory.place(table), memory.place(odd)
    at_output = memory.place(output, writable=True)
    wanted = np.linspace(0, 1, 20, dtype=np.float32)

    def work():
        assert board.memory[at : at + 40] == table.tobytes()
        assert board.memory[at_odd : at_odd + 8] == odd.tobytes() + b"\0"
        assert board.memory[at_output : at_output + 80] == output.tobytes()
        board.memory[at_output : at_output + 80] = wanted.tobytes()

    board.work = work
    for n, (name, _) in enumerate(isa.COUNTERS):
        board.registers[isa.COUNTER_BASE + 2 * n] = n
        board.registers[isa.COUNTER_BASE + 2 * n + 1] = 1 if name == "cycles" else 0
    result = session(clock, board, loss=0.1).run(PROGRAM, memory)
    assert np.array_equal(output, wanted)
    assert result.error is None and result.cycles == 1 << 32
    assert result.counters["tokens"] == 1
    image = PROGRAM.image(TINY)
    assert board.written[: len(image)] == image
    assert board.written[len(image) :] == [
        (REGISTER["CONTROL"], 2), (REGISTER["IRQ_ENABLE"], 1), (REGISTER["SEGMENTS"], 1),
        (REGISTER["CONTROL"], 1),
    ]  # fmt: skip


def test_an_error_of_the_machine(clock):
    board = Machine()
    board.registers.update({
        REGISTER["STATUS"]: 4, REGISTER["ERROR_KIND"]: 1, REGISTER["ERROR_SEGMENT"]: 2,
        REGISTER["ERROR_LAYER"]: 1, REGISTER["ERROR_POSITION"]: 5,
        REGISTER["ERROR_POSITION"] + 1: 1, REGISTER["ERROR_VALUE"]: 7,
    })  # fmt: skip
    error = session(clock, board).run(PROGRAM, Memory(TINY)).error
    assert error is not None
    assert str(error) == "INDEX error in segment 2, layer 1, position 4294967301: value 7"


def test_a_machine_that_hangs(clock):
    board = Machine(waits=1 << 30)
    board.registers[isa.COUNTER_BASE + 2] = 77
    with pytest.raises(Hang) as hang:
        session(clock, board).run(PROGRAM, Memory(TINY), max_cycles=100_000_000)
    assert hang.value.message == "machine did not finish within 100000000 cycles"
    assert "busy=1 done=0" in hang.value.dump and "tokens=77" in hang.value.dump
    with pytest.raises(BoardError) as error:
        session(clock, board)
    assert str(error.value) == (
        "board ulx3s still runs an earlier program: wait, or press its reset button"
    )


def test_another_machine(clock):
    board = BoardModel("0000abcd", 1 << 12)
    with pytest.raises(ConfigMismatch) as error:
        session(clock, board)
    assert str(error.value) == (
        f"program is for configuration {TINY.hash}, but board ulx3s has 0000abcd: choose its "
        f"preset, or build and program it again"
    )


def test_too_much(clock):
    memory = Memory(TINY)
    memory.place(np.zeros(2000, np.float32))
    with pytest.raises(ValueError) as error:
        session(clock, Machine()).load(memory)
    assert str(error.value) == (
        "arrays must end within the 4096 bytes of the board's memory, but one of 8000 bytes is "
        "at 0x10"
    )
