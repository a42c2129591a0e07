"""The whole board, from its pins on: the real driver talks to the real top level."""

import json
from pathlib import Path

import numpy as np
import pytest

import ember
from ember.cli import main

pytest.importorskip("amaranth_boards", reason="amaranth-boards is not installed")
pytestmark = pytest.mark.xdist_group("board-tiny")

SAMPLE = Path(__file__).parents[2] / "ember" / "data" / "criteo.csv"
TINY = ember.Config.preset("tiny")


def test_bags(seed):
    """Weighted bags and an empty one; all that came back is what NumPy says."""
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((50, 21), np.float32)
    indices, offsets = rng.integers(0, 50, 30), np.array([0, 7, 7, 20])
    arguments = dict(mode="sum", per_sample_weights=rng.standard_normal(30, np.float32))
    on_board = ember.embedding_bag(
        table, indices, offsets, config=TINY, engine="board-sim", **arguments
    )
    expected = ember.embedding_bag(
        table, indices, offsets, config=TINY, engine="functional", **arguments
    )
    assert on_board.output.tobytes() == expected.output.tobytes()
    assert on_board.cycles and on_board.counters["lines_out"] > 0
    board = on_board.board
    assert board is not None and board.name == "board-sim" and board.retries == 0
    assert board.memory_bytes == 32 << 20 and board.clock_hz == 60_000_000


def test_an_index_that_is_too_large():
    """The machine's own report comes back over the line."""
    table, bad = np.zeros((4, 4), np.float32), np.array([0, 9])
    with pytest.raises(ValueError) as on_board:
        ember.embedding_bag(table, bad, np.array([0]), config=TINY, engine="board-sim")
    with pytest.raises(ValueError) as elsewhere:
        ember.embedding_bag(table, bad, np.array([0]), config=TINY, engine="functional")
    assert str(on_board.value) == str(elsewhere.value)


def test_criteo(capsys, tmp_path):
    """26 tables in several launches, bit for bit."""
    report = tmp_path / "report.json"
    argv = ["run", "criteo", str(SAMPLE), "--preset", "tiny", "--engine", "board-sim"]
    assert main([*argv, "--json", str(report)]) == 0
    out = capsys.readouterr().out
    assert "engine         board-sim: board-sim, 60 MHz, 32 MiB\n" in out
    assert "bit-exact against NumPy" in out
    found = json.loads(report.read_text())
    assert found["bit_exact"] and found["launches"] > 1 and found["board"]["retries"] == 0
