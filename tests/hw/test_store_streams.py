"""What the two parameters of store streams allow, and what they leave of a machine."""

import pytest
from ember.hw import isa
from ember.hw.config import PRESETS, Config
from ember.hw.program import Program, Segment

TINY = Config.preset("tiny")
BOTH, ALONE = TINY.replace(store_streams=1), TINY.replace(store_streams=1, execute=0)


@pytest.mark.parametrize(
    "changes, message",
    [
        (dict(execute=0), "store_streams must be 1 where execute is 0, not 0"),
        (
            dict(store_streams=1, row_window=2),
            "row_window must be 0 where store_streams is 1, not 2",
        ),
        (dict(store_streams=2), "store_streams must be 0..1, not 2"),
        (dict(execute=-1), "execute must be 0..1, not -1"),
    ],
)
def test_what_disagrees_is_refused(changes: dict, message: str) -> None:
    with pytest.raises(ValueError) as info:
        TINY.replace(**changes)
    assert str(info.value) == message


def test_settings_and_files(tmp_path) -> None:
    path = tmp_path / "machine.toml"
    path.write_text("store_streams = 1\nexecute = 0\n")
    assert Config.load(path, TINY) == ALONE
    assert TINY.override("store_streams=1").override("execute=0") == ALONE
    with pytest.raises(TypeError, match="^execute must be an integer, not False$"):
        TINY.replace(execute=False)


@pytest.mark.parametrize("preset", PRESETS)
def test_other_machines_have_the_formats_that_they_had(preset: str) -> None:
    config = Config.preset(preset)
    assert (config.store_streams, config.execute) == (0, 1)
    assert set(isa.windows(config)) >= {"row", "marshal", "execute_segment", "code"}
    assert "store" not in isa.windows(config)
    names = [field.name for field in isa.row_layer(config).fields]
    assert names == ["base", "index", "start", "start_sel", "dim", "vector", "nt"]


def test_memories_and_units() -> None:
    assert set(isa.windows(BOTH)) - set(isa.windows(TINY)) == {"store"}
    assert set(isa.windows(ALONE)) == {"layer0", "layer1", "row", "store"}
    assert isa.units(BOTH) == isa.units(TINY)
    assert isa.units(ALONE) == ("layer0", "layer1", "row", "loads", "store")
    assert isa.row_layer(BOTH).width == isa.row_layer(TINY).width + 1
    assert isa.row_layer(ALONE) == isa.row_layer(TINY)


def test_a_program_without_code() -> None:
    segment = Segment(({"step": 1}, {"step": 1}), {"dim": 4, "vector": 1}, {}, {}, {"tail": 4})
    for config in (BOTH, ALONE):
        program = Program(config.hash, (segment,), ())
        windows = {address >> 16 for address, _ in program.image(config)}
        assert 8 in windows and 7 not in windows
