"""The port bound, against a count line by line."""

import numpy as np
import pytest

import ember
from ember.bound import port_bound
from ember.placement import place
from ember.validate import check_lookups


def count(request, addresses, line_bytes):
    """Lines (reads, writes), one byte range at a time."""

    def lines(address, size):
        return {at // line_bytes for at in range(address, address + size, 4)}

    at = {kind: addresses[request.name, kind] for kind in ("offsets", "out")}
    bag = request.bag
    reads = len(lines(at["offsets"], request.offsets.nbytes))
    if bag.lookups:
        reads += len(lines(addresses[request.name, "indices"], request.indices.nbytes))
    weights: set[int] = set()
    for position, index in enumerate(request.indices.tolist()):
        if index == bag.padding_idx:
            continue
        table = addresses[request.name, "table"]
        reads += len(lines(table + index * bag.dim * 4, bag.dim * 4))
        if bag.weighted:
            weights |= lines(addresses[request.name, "weights"] + 4 * position, 4)
    return reads + len(weights), len(lines(at["out"], bag.bags * bag.dim * 4))


@pytest.mark.parametrize("dim", [1, 3, 4, 7, 16, 33])
@pytest.mark.parametrize("padding_idx", [None, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_line_is_counted(rng, tiny, dim, padding_idx, weighted):
    table = rng.standard_normal((20, dim), np.float32)
    indices = rng.integers(0, 20, 50, np.int32)
    offsets = np.sort(rng.integers(0, 51, 9))
    offsets[0] = 0
    weights = rng.standard_normal(50, np.float32) if weighted else None
    requests = check_lookups(
        [ember.Lookup(table, indices, offsets, per_sample_weights=weights, mode="sum",
                      padding_idx=padding_idx)]
    )  # fmt: skip
    addresses = place(requests, tiny).addresses
    # Anywhere in a line, not only where the placement puts it.
    for shift in (0, 4, 12):
        moved = {key: address + shift for key, address in addresses.items()}
        bound = port_bound(requests, moved, tiny.line_bytes)
        assert (bound.reads, bound.writes) == count(requests[0], moved, tiny.line_bytes)
        assert bound.cycles == max(bound.reads, bound.writes)
        assert bound.lines == bound.reads + bound.writes


def test_nothing_moves_for_no_output(tiny):
    lookups = [
        ember.Lookup(np.zeros((4, 0), np.float32), [1], [0], name="no elements"),
        ember.Lookup(np.zeros((4, 2), np.float32), [], [], name="no bags"),
    ]
    requests = check_lookups(lookups)
    placement = place(requests, tiny)
    assert port_bound(requests, placement.addresses, tiny.line_bytes).lines == 0
    assert [output.shape for output in placement.outputs] == [(1, 0), (0, 2)]


def test_all_padding_reads_no_row(tiny):
    requests = check_lookups(
        [ember.Lookup(np.zeros((4, 2), np.float32), [1, 1], [0], padding_idx=1, mode="sum",
                      per_sample_weights=[1, 1])]
    )  # fmt: skip
    bound = port_bound(requests, place(requests, tiny).addresses, tiny.line_bytes)
    assert (bound.table, bound.weights, bound.indices, bound.output) == (0, 0, 1, 1)
