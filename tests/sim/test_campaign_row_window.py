"""Random programs on a coupled machine: it pushes and stores what the model says, only later."""

import pytest
from ember.hw.config import Config
from ember.sim.campaign import run_campaign
from ember.sim.engine import RtlEngine

PROGRAMS = 40


@pytest.mark.xdist_group("rtl-coupled")
def test_random_programs(seed: int) -> None:
    with RtlEngine(Config.preset("tiny").replace(row_window=1)) as engine:
        *_, tally = run_campaign(engine, range(seed, seed + PROGRAMS))
    assert tally.runs == 2 * PROGRAMS
    assert tally.tokens and tally.vectors and tally.rows and tally.errors
