"""The dump of a machine that does not finish names who waits for whom."""

from dataclasses import replace

import pytest
from amaranth.lib import data
from ember.hw.config import Config
from ember.hw.top import probe_state
from ember.sim.hang import describe
from ember.sim.hang_streams import ends
from ember.sim.result import Traffic


def _names(layout: data.StructLayout, prefix: str = "") -> list[str]:
    names = []
    for name, member in layout:
        inner = member.shape
        if isinstance(inner, data.StructLayout):
            names += _names(inner, f"{prefix}{name}.")
        else:
            names.append(f"{prefix}{name}")
    return names


def _waits(state: dict[str, int]) -> list[str]:
    dump = describe("within 9 cycles", 1, state, {}, Traffic()).dump
    return [line.removeprefix("waiting: ") for line in dump.splitlines() if "waiting: " in line]


def _streams(config: Config) -> list[str]:
    names = _names(probe_state(config))
    return [n.removesuffix(".valid") for n in names if n.endswith(".valid")]


@pytest.mark.parametrize(
    ("preset", "changes"),
    [
        ("tiny", {}), ("default", {}), ("paper", {"layers": 2}),
        ("tiny", {"store_streams": 1}), ("tiny", {"store_streams": 1, "execute": 0}),
        ("tiny", {"row_window": 1}), ("tiny", {"cache_lines": 8}),
    ],
)  # fmt: skip
def test_every_stream_of_a_machine_has_two_ends(preset, changes):
    config = replace(Config.preset(preset), **changes)
    state = dict.fromkeys(_names(probe_state(config)), 0)
    streams = _streams(config)
    assert len(streams) >= 9
    for stream in streams:
        found = ends(stream, state)
        assert found is not None and all(found), stream


def test_what_is_not_taken_waits_for_the_taker():
    assert _waits({"tmu.layer0.valid": 1, "tmu.layer0.ready": 0, "tmu.layer1.valid": 0}) == [
        "tmu.layer0: layer 0 waits for layer 1"
    ]
    assert _waits({"tmu.layer1.valid": 1, "tmu.layer1.ready": 0}) == [
        "tmu.layer1: layer 1 waits for row layer"
    ]
    assert _waits({"write.valid": 1, "write.ready": 0}) == ["write: store unit waits for memory"]


def test_who_is_ready_waits_for_the_other():
    assert _waits({"dataq.valid": 0, "dataq.ready": 1}) == [
        "dataq: DataQ waits for marshaling stage"
    ]
    both = {"tmu.beats.valid": 0, "tmu.beats.ready": 1, "dataq.valid": 0, "tmu.chunks.valid": 0}
    assert _waits(both) == ["tmu.beats: marshaling stage or store stream waits for align"]


def test_what_moves_or_has_nothing_waits_for_nobody():
    assert _waits({"read.valid": 1, "read.ready": 1, "write.valid": 0, "write.ready": 0}) == []
