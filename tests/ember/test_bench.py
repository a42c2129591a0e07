"""Points of the bench: enough lines, the same for the same seed."""

import numpy as np
import pytest

import ember
from ember.bench import bag_lookup
from ember.bound import port_bound
from ember.placement import place
from ember.validate import check_lookups


@pytest.mark.parametrize("preset", ["tiny", "paper"])
@pytest.mark.parametrize("dim", [1, 16, 200])
@pytest.mark.parametrize("pooling", [0, 1, 16])
def test_enough_lines_move(preset, dim, pooling):
    config = ember.Config.preset(preset)
    lookup = bag_lookup(config, dim, pooling, "sum", 0, lines=5000, rows=100)
    requests = check_lookups([lookup])
    bound = port_bound(requests, place(requests, config).addresses, config.line_bytes)
    assert 5000 <= bound.lines < 6000


def test_a_seed_gives_one_operation(tiny):
    first, same, other = (
        bag_lookup(tiny, 4, 2, "sum", seed, lines=100, rows=10) for seed in (1, 1, 2)
    )
    for name in ("table", "indices"):
        assert np.array_equal(getattr(first, name), getattr(same, name))
        assert not np.array_equal(getattr(first, name), getattr(other, name))
