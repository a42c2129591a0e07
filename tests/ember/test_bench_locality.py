"""Lookups with the reuse of Meta's histograms."""

import numpy as np
import pytest

from ember.bench_locality import LEVELS, SHARES_2021, local_indices, read_shares, third


def test_the_built_in_histogram_is_that_of_the_file(data_file):
    path = data_file("meta_dlrm/locality_stats_2021.txt")
    assert read_shares(str(path)) == SHARES_2021


def test_another_file(tmp_path):
    path = tmp_path / "stats.txt"
    path.write_text(
        "name\nRatio of index distribution at different column sizes:\n(0, 1]: 0.25\n"
        "(1, 2]: 0.5\n(32768+: 0.25\n[0, 1]\nname\nRatio of index distribution\n(0, 1]: 1.0\n"
    )
    assert read_shares(str(path)) == (0.25, 0.5, 0.25)


@pytest.mark.parametrize("text", ["", "Ratio of index distribution\n", "nothing of the kind\n"])
def test_a_file_without_a_histogram(tmp_path, text):
    path = tmp_path / "stats.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match="must have a histogram under 'Ratio of index"):
        read_shares(str(path))


def test_thirds_are_parts_of_the_whole():
    parts = [third(SHARES_2021, number) for number in range(3)]
    whole = np.array(SHARES_2021) / sum(SHARES_2021)
    assert np.allclose(sum(parts) / 3, whole)
    assert all(np.isclose(part.sum(), 1) for part in parts)
    # Each begins in the bin where the one before it ends, or in the next.
    assert parts[0].nonzero()[0][-1] <= parts[1].nonzero()[0][0]


def test_levels_of_reuse():
    lookups, used = 50_000, []
    for level in LEVELS:
        indices, rows = local_indices(lookups, level, SHARES_2021, np.random.default_rng(0))
        assert indices.dtype == np.int32 and indices.size == lookups
        assert 0 <= indices.min() and indices.max() < rows
        used.append(np.unique(indices).size)
    # Reuse of about 2, 27 and 3000 and more: far apart.
    assert used[0] > 5 * used[1] > 25 * used[2]


def test_a_seed_gives_one_trace():
    first, same, other = (
        local_indices(100, "medium", SHARES_2021, np.random.default_rng(seed))[0]
        for seed in (1, 1, 2)
    )
    assert np.array_equal(first, same) and not np.array_equal(first, other)
