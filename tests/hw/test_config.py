"""Configurations: what is refused, and the hash that identifies a machine."""

import dataclasses

import pytest
from ember.hw.config import Config

FIELDS = {field.name: field.metadata for field in dataclasses.fields(Config)}


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("value", (True, 2.0, "8", None))
def test_a_field_of_a_wrong_type(name, value):
    with pytest.raises(TypeError) as caught:
        Config(**{name: value})
    assert str(caught.value) == f"{name} must be an integer, not {value!r}"


@pytest.mark.parametrize("name", [name for name in FIELDS if name != "div_interval"])
def test_a_field_out_of_range(name):
    low, high, unit = (FIELDS[name][key] for key in ("low", "high", "unit"))
    for value in (low - 1, high + 1):
        with pytest.raises(ValueError) as caught:
            Config(**{name: value})
        allowed = f"{low}..{high} {unit}".rstrip()
        assert str(caught.value) == f"{name} must be {allowed}, not {value}"


@pytest.mark.parametrize(
    "changes, message",
    [
        (dict(lanes=3), "lanes must be a power of two, not 3"),
        (
            dict(cache_lines=2, cache_ways=4),
            "cache_lines must be 0 or at least cache_ways, 4, not 2",
        ),
    ],
)
def test_fields_that_disagree(changes, message):
    with pytest.raises(ValueError) as caught:
        Config(**changes)
    assert str(caught.value) == message


def test_hashes_stay():
    """Programs, bitstreams and published figures carry them."""
    hashes = {name: Config.preset(name).hash for name in ("tiny", "default", "paper")}
    assert hashes == {"tiny": "7576b352", "default": "7b237776", "paper": "e0cf5ab5"}


def test_every_field_counts_for_the_hash():
    config = Config(store_streams=1)
    changes = {
        "lanes": 4, "layers": 2, "fiber_lanes": 2, "mshrs": 32, "addr_width": 41,
        "dataq_depth": 31, "ctrlq_depth": 31, "row_chunks": 64, "segments": 16, "code_depth": 128,
        "line_slots": 8, "run_ahead": 32, "fiber_depth": 3, "div_interval": 2, "cache_lines": 64,
        "cache_ways": 2, "cache_fetches": 16, "store_streams": 0, "execute": 0,
    }  # fmt: skip
    others = [config.replace(**{name: value}).hash for name, value in changes.items()]
    others.append(Config(row_window=4).hash)
    assert {*changes, "row_window"} == set(FIELDS)
    assert len({config.hash, *others}) == len(others) + 1
