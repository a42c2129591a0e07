"""The dialects and passes as stock xdsl-opt sees them."""

from ember.compiler.universe import PASSES, UNIVERSE
from xdsl.passes import ModulePass
from xdsl.universe import XDSL_UNIVERSE


def test_names():
    for name, get in UNIVERSE.all_passes.items():
        step = get()
        assert issubclass(step, ModulePass)
        assert step.name == name
        assert step.__doc__ and step.__doc__.count("preserve") == 1
    assert {name: get().name for name, get in UNIVERSE.all_dialects.items()} == {
        "slc": "slc",
        "dlc": "dlc",
    }
    assert set(PASSES) == set(UNIVERSE.all_passes)


def test_no_clash_with_xdsl():
    assert not UNIVERSE.all_passes.keys() & XDSL_UNIVERSE.all_passes.keys()
    assert not UNIVERSE.all_dialects.keys() & XDSL_UNIVERSE.all_dialects.keys()
