"""What is read from nextpnr's report."""

import signal

import pytest
from ember.synth.nextpnr import nets


def path(*names):
    steps = [dict(type="routing", delay=0.5, net=name) for name in names]
    return {"path": [dict(type="logic", delay=0.25), *steps]}


@pytest.mark.parametrize(
    "name, shown",
    [
        ("block.core.vector_unit.a", "core.vector_unit.a"),
        ("block.core.a_LUT4_Z", "core.a"),
        ("block.core.a_TRELLIS_FF_Q_12_DI_PFUMX_Z_ALUT_LUT4_Z_C", "core.a"),
        ("block.m1_high_TRELLIS_FF_Q_DI_MULT18X18D_P3", "m1_high"),
        ("block.core.a_LUT4_Z[3]", "core.a_LUT4_Z[3]"),
        ("block.LUT4_bus", "LUT4_bus"),
        ("captured", "captured"),
    ],
)
def test_names_are_those_of_the_block(name, shown):
    assert nets(path(name)) == [(0.75, shown)]


def test_wires_that_take_no_time_are_left_out():
    carry = dict(type="routing", delay=0, net="carry")
    assert nets({"path": [*path("a")["path"], carry, *path("b")["path"]]}) == [
        (0.75, "a"), (1.5, "b"),
    ]  # fmt: skip


def test_names_of_any_length():
    """A name that Yosys made of many others, and that does not end as those do."""

    def late(number, frame):
        raise TimeoutError("a name must be read within 10 s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(10)
    try:
        for end in ("[4]", ".x", "_y"):
            name = "block.a" + "_LUT4_A_Z_PFUMX_ALUT_C_TRELLIS_FF_Q_1_DI" * 100 + end
            assert nets(path(name)) == [(0.75, name.removeprefix("block."))]
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
