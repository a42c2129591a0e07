"""A board whose memory is LiteDRAM's: the driver sets it up over the link, and programs run."""

import numpy as np
import pytest
from ember.boards.fpga.dram_chips import CHIPS
from ember.boards.fpga.dram_core import dram_core
from ember.boards.host.dram_phy import MODEL
from ember.boards.simulation.simulator import CLOCK_HZ, BoardSimulator, compiled, simulated
from ember.sim.verilog import from_rtlil

import ember
from ember import parts

pytest.importorskip("amaranth_boards", reason="amaranth-boards is not installed")
pytest.importorskip("litedram", reason="LiteDRAM is not installed")
pytestmark = pytest.mark.xdist_group("board-dram")

TINY = ember.Config.preset("tiny")
VERSA = CHIPS["versa-ecp5"]


def test_registers_of_the_model():
    pytest.importorskip("liteeth", reason="LiteX' simulations need it")
    _, registers = dram_core(VERSA, CLOCK_HZ, model=True)
    assert MODEL.registers.items() <= registers.items()


@pytest.fixture
def board(monkeypatch):
    """The simulated board has LiteDRAM."""
    pytest.importorskip("liteeth", reason="LiteX' simulations need it")
    from .dram_board import rtlil

    class Module:
        @staticmethod
        def simulator(config, progress=None):
            core, _ = dram_core(VERSA, CLOCK_HZ, model=True)
            verilog = from_rtlil(rtlil(config)) + core
            return BoardSimulator(compiled(simulated(config, "block-ram"), verilog))

    monkeypatch.setattr(parts, "board_simulator", lambda: Module)


def test_bags(board, seed):
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((300, 33), np.float32)
    indices, offsets = rng.integers(0, 300, 90), np.sort(rng.integers(0, 90, 20))
    offsets[0] = 0
    arguments = dict(mode="sum", per_sample_weights=rng.standard_normal(90, np.float32))
    found, expected = (
        ember.embedding_bag(table, indices, offsets, config=TINY, engine=engine, **arguments)
        for engine in ("board-sim", "functional")
    )
    assert found.output.tobytes() == expected.output.tobytes() and expected.output.any()
    assert found.board is not None and found.board.name == "dram-sim"
